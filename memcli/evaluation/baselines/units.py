"""BM25 and cosines over whole units: sessions and rounds, also by a session's summary, and turns by a sentence.

A unit's turns are taken best first by the same score, so that a coarse baseline is not punished for the order in which
people happened to speak.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...model import Hit, Kind, Needs, Query
from ...ranking.arrays import group_sum, top_and_ties
from ...ranking.bm25 import bm25
from ...store.cosine import cosines as cosines_of
from ...store.views.memories import memories
from ...store.views.view import View
from ...strategies.base import chunk_units, ranked, top_hits
from ...strategies.dense import turn_cosines
from ...text import content_stems

__all__ = ["DenseUnits", "LexicalSessions", "SessionSummaries"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: Saturation and length normalisation of BM25 over sessions: the textbook's, since sessions differ in length.
SESSION_K1, SESSION_B = 1.5, 0.75


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
        turn, best = turn_cosines(view, cosines)
        if self.kind is Kind.SENTENCE:
            return top_hits(view, best, query.filters, k, {})
        groups = view.session if self.kind is Kind.SESSION else view.round
        norms = view.norms(self.kind)
        pooled = group_sum(cosines * view.weight, groups[view.owner], len(norms)) / norms
        return _Units(self.kind, groups, pooled, np.ones(len(norms), dtype=bool)).hits(query, view, k, turn)


@dataclass(frozen=True, slots=True)
class SessionSummaries:
    """A session's summary as its index: sessions by the cosine with their summary's vector.

    Summary memory, of which "Recursively summarizing enables long-term dialogue memory" (Wang et al. 2023) is the
    published form; `docs/baselines/summary.md` says how this one differs. A session without a summary is no hit, nor is
    one whose summary rests on a turn that the filters do not let through.
    """

    needs: Needs = Needs(frozenset({Kind.TURN, Kind.SENTENCE, Kind.SESSION, Kind.SUMMARY}))  # noqa: RUF009
    phrasings: Sequence[str] = ()

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:
        """See `Strategy.retrieve`."""
        found = memories(view, Kind.SUMMARY) if view.n else None
        if found is None or not found.units:
            return []
        session = view.session[found.rows[np.searchsorted(found.members, np.arange(len(found.units)))]]
        kept = found.allowed(view.allowed(query.filters), unsupported=query.filters.unsupported)
        scores = np.full(int(view.session.max()) + 1, -np.inf)
        np.maximum.at(scores, session[kept], cosines_of(query.vector, found.vectors)[kept])
        units = _Units(Kind.SESSION, view.session, scores, np.isfinite(scores))
        return units.hits(query, view, k, turn_cosines(view, view.cosines(query.vector[None, :])[0])[0])


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
