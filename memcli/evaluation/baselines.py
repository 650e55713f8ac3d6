"""What every method has to beat, in the same table: chance, recency, BM25 and cosines over whole units, nothing at all.

A unit's turns are taken best first by the same score, so that a coarse baseline is not punished for the order in which
people happened to speak.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from ..errors import UsageError
from ..model import Hit, Kind, Needs, Query
from ..ranking.arrays import group_max, group_sum, top_and_ties
from ..ranking.bm25 import bm25
from ..store.views.view import View
from ..strategies import STRATEGIES, Strategy, strategy
from ..strategies.base import chunk_units, ranked, top_hits
from ..text import content_stems

__all__ = ["BASELINES", "DenseUnits", "LexicalSessions", "Nothing", "Random", "Recency", "contender", "contenders"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_TURNS = Needs(frozenset({Kind.TURN, Kind.SENTENCE}))
#: Saturation and length normalisation of BM25 over sessions: the textbook's, since sessions differ in length.
SESSION_K1, SESSION_B = 1.5, 0.75


@dataclass(frozen=True, slots=True)
class Nothing:
    """No history: the reader is on its own."""

    needs: Needs = _TURNS
    phrasings: Sequence[str] = ()

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:  # noqa: ARG002
        """See `Strategy.retrieve`."""
        return []


@dataclass(frozen=True, slots=True)
class Random:
    """Turns in an order drawn anew for each question, by `seed` and the question's words: what chance reaches."""

    seed: int = 0
    needs: Needs = _TURNS
    phrasings: Sequence[str] = ()

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:
        """See `Strategy.retrieve`."""
        drawn = int.from_bytes(blake2b(query.text.encode(), digest_size=8).digest(), "little")
        return _turns(query, view, k, np.random.default_rng([self.seed, drawn]).random(view.n))


@dataclass(frozen=True, slots=True)
class Recency:
    """The latest turns first: the sliding window of a chat without a memory."""

    needs: Needs = _TURNS
    phrasings: Sequence[str] = ()

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:
        """See `Strategy.retrieve`."""
        order = np.lexsort((np.arange(view.n), np.nan_to_num(view.days, nan=-np.inf)))
        place = np.empty(view.n)
        place[order] = np.arange(1, view.n + 1)
        return _turns(query, view, k, place / max(view.n, 1))


@dataclass(frozen=True, slots=True)
class LexicalSessions:
    """BM25 over the sessions, with Snowball stems."""

    k1: float = SESSION_K1
    b: float = SESSION_B
    needs: Needs = Needs(frozenset({Kind.TURN, Kind.SESSION}))  # noqa: RUF009
    phrasings: Sequence[str] = ()

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:
        """See `Strategy.retrieve`."""
        if not view.n:
            return []
        stems = content_stems(query.text)
        found, each = (
            bm25(stems, view.postings(stems), view.length, groups, k1=self.k1, b=self.b)
            for groups in (view.session, np.arange(view.n))
        )
        return _Units(Kind.SESSION, view.session, found.scores, found.scores > 0).hits(query, view, k, each.scores)


@dataclass(frozen=True, slots=True)
class DenseUnits:
    """The cosine with each session's, round's or turn's pooled vector; `sentence`: with a turn's best sentence.

    RAG-S, RAG-R and RAG-T of SGMem, section 4.1 (RAG-T is the strategy `dense`).
    """

    kind: Kind
    needs: Needs = Needs(frozenset({Kind.TURN, Kind.SENTENCE, Kind.ROUND, Kind.SESSION}))  # noqa: RUF009
    phrasings: Sequence[str] = ()

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:
        """See `Strategy.retrieve`."""
        if not view.n:
            return []
        cosines = view.cosines(query.vector[None, :])[0]
        best = group_max(cosines, view.owner, view.n)
        if self.kind is Kind.SENTENCE:
            return _turns(query, view, k, best)
        groups = view.session if self.kind is Kind.SESSION else view.round
        norms = view.norms(self.kind)
        pooled = group_sum(cosines * view.weight, groups[view.owner], len(norms)) / norms
        turn = group_sum(cosines * view.weight, view.owner, view.n) / view.norms("turn")
        return _Units(self.kind, groups, pooled, np.ones(len(norms), dtype=bool)).hits(query, view, k, turn)


def _turns(query: Query, view: View, k: int, scores: Floats) -> list[Hit]:
    return top_hits(view, scores, query.filters, k, {})


@dataclass(frozen=True, slots=True)
class _Units:
    """Units of one kind: for each turn its unit, ascending; for each unit its score, and whether it may be a hit."""

    kind: Kind
    of_turn: Ints
    scores: Floats
    eligible: npt.NDArray[np.bool_]

    def hits(self, query: Query, view: View, k: int, each: Floats) -> list[Hit]:
        """The k best, their turns best first by `each`."""
        allowed = view.allowed(query.filters)
        some = np.bincount(self.of_turn[allowed], minlength=len(self.scores)) > 0
        candidates = np.flatnonzero(some & self.eligible)
        chosen = candidates[top_and_ties(self.scores[candidates], k)]
        units = chunk_units(view, self.kind, self.of_turn, chosen, each, allowed)
        hits = (Hit(unit, score) for unit, score in zip(units, self.scores[chosen].tolist(), strict=True))
        return ranked(hits, k)


def _baselines(seed: int) -> Mapping[str, Callable[[], Strategy]]:
    return {
        "none": Nothing,
        "random": lambda: Random(seed),
        "recency": Recency,
        "bm25-session": LexicalSessions,
        "dense-session": lambda: DenseUnits(Kind.SESSION),
        "dense-round": lambda: DenseUnits(Kind.ROUND),
        "dense-sentence": lambda: DenseUnits(Kind.SENTENCE),
    }


#: The names of the baselines that are no strategies of their own (`bm25` and `dense`, over turns, are).
BASELINES: Sequence[str] = tuple(_baselines(0))


def contenders(wanted: str) -> list[str]:
    """The names that `NAME,…` stands for, each once: `all` is every baseline and strategy, `baselines` those alone.

    Raises UsageError.
    """
    every = [*BASELINES, *reversed(STRATEGIES.names())]
    groups = {"all": every, "baselines": [*BASELINES, "bm25", "dense"]}
    names = [n for part in wanted.split(",") if part.strip() for n in groups.get(part.strip(), [part.strip()])]
    if not names:
        raise UsageError("no strategy is named", "--strategy all, or names with commas between them")
    for name in names:
        contender(name, 0)
    return list(dict.fromkeys(names))


def contender(name: str, seed: int) -> Strategy:
    """The strategy or baseline called `name`. Raises UsageError."""
    made = _baselines(seed).get(name)
    if made is not None:
        return made()
    try:
        return strategy(name)
    except UsageError as error:
        raise UsageError(
            error.message, f"choose from: all, baselines, {', '.join([*BASELINES, *STRATEGIES])}"
        ) from error
