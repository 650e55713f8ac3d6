"""`dense`: the cosine between the question and each turn's pooled vector. The plain baseline of every paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..model import Hit, Kind, Needs, Query
from ..ranking.arrays import group_max, group_sum
from ..store.views.view import View
from .base import no_variant, top_hits

__all__ = ["Dense", "variant"]


@dataclass(frozen=True, slots=True)
class Dense:
    """Turn vectors are the token-weighted means of their sentences' vectors (`indexing.coarse`)."""

    needs: Needs = Needs(frozenset({Kind.TURN, Kind.SENTENCE}))  # noqa: RUF009
    phrasings: Sequence[str] = ()

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:
        """See `Strategy.retrieve`."""
        if not view.n:
            return []
        cosines = view.cosines(query.vector[None, :])[0]
        scores = group_sum(cosines * view.weight, view.owner, view.n) / view.norms("turn")
        best = group_max(cosines, view.owner, view.n)
        return top_hits(view, scores, query.filters, k, {"cosine": best, "dense.turn": scores})


def variant(name: str, _filters: object = None) -> Dense:
    """The strategy; it has no variants. Raises UsageError."""
    no_variant(name, "dense")
    return Dense()
