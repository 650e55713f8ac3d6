"""`bm25`: BM25 over turns with Snowball stems. The baseline that papers forget to tune."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..model import Hit, Kind, Needs, Query
from ..ranking.bm25 import K1, B, bm25
from ..store.views.candidates import SESSIONS
from ..store.views.view import View
from .base import asked_postings, asked_stems, known_of_all, no_variant, top_hits

__all__ = ["BM25", "variant"]


@dataclass(frozen=True, slots=True)
class BM25:
    """A turn without any of the question's words is no hit."""

    k1: float = K1
    b: float = B
    needs: Needs = Needs(frozenset({Kind.TURN}))  # noqa: RUF009
    phrasings: Sequence[str] = ()
    candidate_sessions: int = SESSIONS

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:
        """See `Strategy.retrieve`."""
        if not view.n:
            return []
        stems = asked_stems(query.question)
        postings = asked_postings(view, query.question, stems)
        whole = known_of_all(view, query.question, stems)
        found = bm25(stems, postings, view.length, np.arange(view.n), k1=self.k1, b=self.b, whole=whole)
        rows = np.flatnonzero(found.scores > 0)
        traces = {"bm25.turn": found.scores[rows], "cover.turn": found.coverage[rows]}
        hits = top_hits(view, found.scores[rows], query.filters, k, traces, rows)
        near = view.nearest_of(view.rows_of([hit.unit.sources[0] for hit in hits]).tolist(), query.vector)
        return [replace(hit, trace={"cosine": c, **hit.trace}) for hit, c in zip(hits, near.tolist(), strict=True)]


def variant(name: str, _filters: object = None) -> BM25:
    """The strategy; it has no variants. Raises UsageError."""
    no_variant(name, "bm25")
    return BM25()
