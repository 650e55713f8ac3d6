"""`dense`: the cosine between the question and each turn's pooled vector. The plain baseline of every paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..model import Filters, Hit, Kind, Needs, Query
from ..ranking.arrays import group_max, group_sum
from ..store.views.candidates import SESSIONS
from ..store.views.view import View
from .base import no_variant, top_hits

__all__ = ["Dense", "nearest_turns", "turn_cosines", "variant"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Dense:
    """Turn vectors are the token-weighted means of their sentences' vectors (`indexing.coarse`)."""

    needs: Needs = Needs(frozenset({Kind.TURN, Kind.SENTENCE}))  # noqa: RUF009
    phrasings: Sequence[str] = ()
    candidate_sessions: int = SESSIONS

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:
        """See `Strategy.retrieve`."""
        return nearest_turns(view, query.vector, query.filters, k)


def nearest_turns(view: View, vector: npt.NDArray[np.float32], filters: Filters, k: int) -> list[Hit]:
    """The k best allowed turns by the cosine with a vector [d] of unit length."""
    if not view.n:
        return []
    scores, best = turn_cosines(view, view.cosines(vector[None, :])[0])
    return top_hits(view, scores, filters, k, {"cosine": best, "dense.turn": scores})


def turn_cosines(view: View, cosines: Floats) -> tuple[Floats, Floats]:
    """Of each turn the cosine of its pooled vector, and of its nearest sentence: [n] each, from all sentences' own."""
    pooled = group_sum(cosines * view.weight, view.owner, view.n) / view.norms("turn")
    return pooled, group_max(cosines, view.owner, view.n)


def variant(name: str, _filters: object = None) -> Dense:
    """The strategy; it has no variants. Raises UsageError."""
    no_variant(name, "dense")
    return Dense()
