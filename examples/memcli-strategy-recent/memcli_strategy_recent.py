"""A strategy for memcli: what is similar to the question, the newest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from memcli import Hit, Kind, Needs, Query, View
from memcli.errors import UsageError
from memcli.ranking.arrays import group_max
from memcli.store.views.view import days
from memcli.strategies.base import top_hits

__all__ = ["Recent", "recent"]


@dataclass(frozen=True, slots=True)
class Recent:
    """The cosine of a turn's best sentence, halved for every `half_life` days before the question was asked.

    What nobody dated counts as one half-life old.
    """

    half_life: float = 30.0
    needs: Needs = Needs(frozenset({Kind.TURN, Kind.SENTENCE}))  # noqa: RUF009
    phrasings: Sequence[str] = ()

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:
        """At most k turns, best first."""
        if not view.n:
            return []
        cosine = group_max(view.cosines(query.vector[None])[0], view.owner, view.n)
        age = np.nan_to_num(days(query.asked_at) - view.days, nan=self.half_life)
        freshness = 0.5 ** (np.maximum(age, 0.0) / self.half_life)
        return top_hits(view, cosine * freshness, query.filters, k, {"cosine": cosine, "freshness": freshness})


def recent(variant: str, _filters: object = None) -> Recent:
    """`recent`, or `recent:DAYS` for another half-life. Raises UsageError."""
    try:
        half_life = float(variant or 30)
    except ValueError:
        half_life = 0.0
    if not 0 < half_life < float("inf"):
        raise UsageError(f"no variant {variant!r} of recent", "recent:DAYS, a number above 0")
    return Recent(half_life)
