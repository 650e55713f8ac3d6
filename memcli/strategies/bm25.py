"""`bm25`: BM25 over turns with Snowball stems. The baseline that papers forget to tune."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..model import Hit, Kind, Needs, Query
from ..ranking.arrays import group_max
from ..ranking.bm25 import K1, B, bm25
from ..store.view import View
from ..text import content_stems
from .base import cut

__all__ = ["BM25"]


@dataclass(frozen=True, slots=True)
class BM25:
    """A turn without any of the question's words is no hit."""

    k1: float = K1
    b: float = B
    needs: Needs = Needs(frozenset({Kind.TURN}))  # noqa: RUF009
    phrasings: Sequence[str] = ()

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:
        """See `Strategy.retrieve`."""
        if not view.n:
            return []
        stems = content_stems(query.text)
        found = bm25(stems, view.postings(stems), view.length, np.arange(view.n), k1=self.k1, b=self.b)
        cosines = group_max(view.cosines(query.vector[None, :])[0], view.owner, view.n)
        rows = np.flatnonzero(found.scores > 0)
        traces = {"cosine": cosines[rows], "bm25.turn": found.scores[rows], "cover.turn": found.coverage[rows]}
        return cut(view, found.scores[rows], query.filters, k, traces, rows)
