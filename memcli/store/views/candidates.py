"""Candidates first: of a large store the sessions that a question may be about, and some that stand for all others.

Whatever then scores them reads these sessions alone, whole, and each in one piece: what is pooled over a session or
stands beside a turn is there. The sessions that stand for the others are always the same ones: what is standardised is
standardised by them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...model import Filters, SessionId
from .. import codes, lexical
from ..connection import bound
from ..rows import Columns, columns, columns_among, microseconds
from ..transcript import session_numbers
from .view import NONE, View

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from ..coded import CodedSessions

__all__ = ["SESSIONS", "Gathered", "Wanted", "narrowed"]

Ints = npt.NDArray[np.int64]

#: The sessions that are read for a question, and those that stand for all others.
SESSIONS, SAMPLED = 200, 50
#: The sentences by which sessions are found, for each wording of a question; the turns, and sessions, by its words.
_SENTENCES, _SCORED = 2000, 1000
_RRF = 60
_SESSIONS_OF = """select seq::bigint as turn, session::bigint as session from turn where seq in (select seq from among)
    order by seq"""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for: the queries [q, d] and the stems, in `turns`, as SQL over the parameters; empty: in all."""

    queries: npt.NDArray[np.float32]
    stems: Sequence[str]
    turns: str
    named: Mapping[str, object]

    def frequencies(self, db: DuckDBPyConnection) -> tuple[dict[str, int], int]:
        """In how many turns each stem is, and how many turns there are in the store."""
        return lexical.frequencies(db, self.stems, self.turns, self.named), lexical.documents(db)

    def postings(self, db: DuckDBPyConnection) -> lexical.Postings:
        """In which turns each stem is."""
        return lexical.postings(db, self.stems, self.turns, self.named)

    def found(
        self,
        db: DuckDBPyConnection,
        postings: lexical.Postings,
        weights: Mapping[str, float],
        coded: CodedSessions | None = None,
    ) -> Gathered:
        """What there is of it in the store: the sentences that are near, and what has the stems, by their weights.

        `coded`: the codes of all, where they are held in memory and everybody's turns are wanted.
        """
        if coded is not None:
            near = coded.nearest(self.queries, _SENTENCES)
        else:
            near = codes.nearest(db, self.queries, _SENTENCES, self.turns, self.named)
        turns, scores = lexical.by_turn(postings, weights)
        session_of = columns_among(db, _SESSIONS_OF, turns) if coded is None else coded.sessions(turns)
        here, _ = lexical.known(turns, session_of)  # not what an earlier store says, too
        sessions = lexical.by_session(postings, weights, session_of)
        said = _scored(lexical.best((session_of["session"], scores[here]), _SCORED))
        return Gathered(near, said, _scored(lexical.best(sessions, _SCORED)))


def _scored(found: lexical.Scored) -> Columns:
    return {"session": found[0], "score": found[1]}


@dataclass(frozen=True, slots=True)
class Gathered:
    """Sentences by their codes with the numbers of their sessions; for each turn by its words, and for each session by
    its own, the number of the session.
    """

    near: Columns
    turns: Columns
    sessions: Columns

    def orders(self, queries: int) -> list[list[int]]:
        """The orders of sessions that each query is for, and the words of turns, and those of sessions, best first."""
        by_words = [
            list(dict.fromkeys(lexical.best((found["session"], found["score"]), _SCORED)[0].tolist()))
            for found in (self.turns, self.sessions)
        ]
        return [*codes.in_order(self.near, queries, _SENTENCES), *by_words]

    @classmethod
    def of(cls, parts: Sequence[Gathered], apart: int) -> Gathered:
        """That of several stores: the numbers of each are `apart` from those of the one before."""
        numbered = ("vector", "session")
        near, turns, sessions = (
            [
                {name: column + place * apart * (name in numbered) for name, column in found.items()}
                for place, found in enumerate(each)
            ]
            for each in zip(*((part.near, part.turns, part.sessions) for part in parts), strict=True)
        )
        return cls(_joined(near), _joined(turns), _joined(sessions))


def _joined(parts: Sequence[Columns]) -> Columns:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def narrowed(
    view: View, queries: npt.NDArray[np.float32], stems: Sequence[str], filters: Filters, most: int = SESSIONS
) -> View:
    """The part of a large store that holds the sentences nearest to the queries [q, d], and the turns with the stems.

    At most so many sessions, those that most of them rank first. The view itself where it is of a small store.
    """
    if not view.is_coded:
        return view
    view.read(bound)
    wanted = Wanted(queries, stems, *_turns(view, filters))
    postings = view.read(wanted.postings) if view.gather is None else {}
    if view.gather is None:
        coded = None if wanted.turns else view.coded
        lists = view.read(lambda db: _found(db, wanted, postings, coded))
    else:
        lists = _elsewhere(view, wanted)
    chosen = _merged(lists)[:most]
    others = np.setdiff1d(_sampled(view.once(_drawn), most), chosen)
    known = {stem: postings.get(stem, NONE) for stem in stems} if view.gather is None and not wanted.turns else {}
    return view.part(np.union1d(chosen, others), others, known)


def _found(
    db: DuckDBPyConnection, wanted: Wanted, postings: lexical.Postings, coded: CodedSessions | None
) -> list[list[int]]:
    frequencies = {stem: len(turns) for stem, (turns, _) in postings.items()}
    weights = lexical.weights(frequencies, lexical.documents(db))
    return wanted.found(db, postings, weights, coded).orders(len(wanted.queries))


def _elsewhere(view: View, wanted: Wanted) -> list[list[int]]:
    """The same, gathered elsewhere: there a session has its id for a name."""
    assert view.gather is not None
    lists = view.gather(wanted)
    ids = {each for found in lists for each in found}
    known = view.read(lambda db: session_numbers(db, [SessionId(each) for each in ids]))
    return [[known[SessionId(each)] for each in found if each in known] for found in lists]


def _merged(lists: Sequence[Sequence[int]]) -> Ints:
    """What the lists hold by Σ 1 / (60 + rank), best first (reciprocal rank fusion: Cormack et al. 2009).

    Of equal ones the first in the first list that has one of them.
    """
    ranks = [np.arange(1, len(each) + 1) for each in lists]
    sessions = np.concatenate([np.array(each, dtype=np.int64) for each in lists])
    once, first, place = np.unique(sessions, return_index=True, return_inverse=True)
    share = np.bincount(place, 1 / (_RRF + np.concatenate(ranks)), len(once))
    return once[np.lexsort((first, -share))]


def _drawn(view: View) -> Ints:
    """The sessions of the view in the order of their ids. These are hashes: the first are drawn as if by chance."""
    where = "where lower(conversation) = lower(?)" if view.conversation is not None else ""
    asked = [view.conversation] if view.conversation is not None else []
    found = view.read(lambda db: columns(db, f"select seq from session {where} order by id", asked))
    return found["seq"].astype(np.int64)


def _sampled(drawn: Ints, most: int) -> Ints:
    """The sessions that stand for all, always the same ones; all, where there are hardly more."""
    return drawn if len(drawn) <= SAMPLED + most else drawn[:SAMPLED]


def _turns(view: View, filters: Filters) -> tuple[str, dict[str, object]]:
    """The turns of the view that the filters let through, as SQL over parameters; empty, where all are."""
    named: dict[str, object] = {}
    conditions = []
    if view.conversation is not None:
        conditions.append("session in (select seq from session where lower(conversation) = lower($conversation))")
        named["conversation"] = view.conversation
    if filters.speaker is not None:
        wanted = filters.speaker.casefold()
        conditions.append("speaker in (select unnest($speakers::varchar[]))")
        named["speakers"] = [name for name in view.speaker_names if name.casefold() == wanted]
    for name, moment, sign in (("since", filters.since, ">="), ("until", filters.until, "<")):
        if moment is not None:
            conditions.append(f"epoch_us(said_at) {sign} ${name}")
            named[name] = microseconds(moment)
    return f"select seq from turn where {' and '.join(conditions)}" if conditions else "", named
