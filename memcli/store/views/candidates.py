"""Candidates first: of a large store the sessions that a question may be about, and some that stand for all others.

Whatever then scores them reads these sessions alone, whole, and each in one piece: what is pooled over a session or
stands beside a turn is there. The sessions that stand for the others are always the same ones: what is standardised is
standardised by them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...model import Filters
from .. import codes, lexical
from ..rows import columns, microseconds
from .view import View

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["SESSIONS", "narrowed"]

#: The sessions that are read for a question, and those that stand for all others.
SESSIONS, SAMPLED = 150, 50
#: The sentences, and the turns, by which sessions are found: for each wording of a question, and by its words.
_SENTENCES, _TURNS = 2000, 1000
_RRF = 60  # as Cormack et al. have it


def narrowed(
    view: View, queries: npt.NDArray[np.float32], stems: Sequence[str], filters: Filters, most: int = SESSIONS
) -> View:
    """The part of a large store that holds the sentences nearest to the queries [q, d], and the turns with the stems.

    At most so many sessions, those that most of them rank first. The view itself where it is of a small store.
    """
    if not view.is_coded:
        return view
    turns, named = _turns(view, filters)
    found = view.read(
        lambda db: [
            *codes.nearest(db, queries, _SENTENCES, turns, named),
            lexical.best(db, stems, _TURNS, turns, named),
        ]
    )
    chosen = np.array(_merged(found)[:most], dtype=np.int64)
    others = np.setdiff1d(view.read(lambda db: _sampled(db, view.conversation, most)), chosen)
    return view.part(np.union1d(chosen, others), others)


def _merged(lists: Sequence[Sequence[int]]) -> list[int]:
    """What the lists hold by Σ 1 / (60 + rank), best first (reciprocal rank fusion: Cormack et al. 2009)."""
    share: dict[int, float] = defaultdict(float)
    for each in lists:
        for rank, session in enumerate(each, start=1):
            share[session] += 1 / (_RRF + rank)
    return sorted(share, key=lambda session: (-share[session], session))


def _sampled(db: DuckDBPyConnection, conversation: str | None, most: int) -> npt.NDArray[np.int64]:
    """The sessions that stand for all, always the same ones; all, where there are hardly more.

    Ids are hashes: the first by their order are drawn as if by chance.
    """
    where = "where lower(conversation) = lower(?)" if conversation is not None else ""
    found = columns(
        db,
        f"select seq, count(*) over () as n from session {where} order by id limit {SAMPLED + most:d}",
        [conversation] if conversation is not None else [],
    )
    numbers: npt.NDArray[np.int64] = found["seq"].astype(np.int64)
    return numbers if len(numbers) == found["n"].max(initial=0) else numbers[:SAMPLED]


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
