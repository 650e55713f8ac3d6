"""One capped expansion of what is retrieved, where the scores are uncertain (§3.3 and B.1)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...model import Query
from ...ranking.arrays import group_best, group_max, top
from ...store.cosine import cosines, unit_rows
from ...store.views.assertions import assertion_index
from ...store.views.view import View
from .signals import Signals

__all__ = ["BUDGET_FACTOR", "affordable", "expand"]

Floats = npt.NDArray[np.float64]
Vector = npt.NDArray[np.float32]

#: The budget of candidates grows by this factor where the expansion is spent (B.1).
BUDGET_FACTOR = 1.5
#: Assertions, or sentences, whose mean is added to the question for the one expansion (Rocchio 1971).
_SEEDS = 5
#: An expansion that would read more vectors than this is skipped: the latency guard, counted so that equal stores give
#: equal answers whatever else the machine does.
_GUARD = 400_000


def affordable(view: View) -> bool:
    """Whether the latency guard allows an expansion over this store."""
    return len(view.owner) + len(assertion_index(view).rows) <= _GUARD


def expand(query: Query, view: View, said: Floats, lead: str, found: Signals) -> None:
    """Adds to the signals what one more step finds: a hop in the graph, where it leads, or else a dense probe (§3.3).

    The hop starts from the assertions that are nearest to the question, the probe from the nearest sentences.
    """
    graph, dense = found
    if lead == "graph":
        index = assertion_index(view)
        seeds = np.flatnonzero(index.taste)
        seeds = seeds[top(cosines(query.vector, index.vectors[seeds]), _SEEDS)]
        vector = _towards(index.vectors[seeds], query.vector)
        graph["hop"] = group_best(cosines(vector, index.vectors[index.taste]), index.rows[index.taste], view.n)
    else:
        seeds = top(said, _SEEDS)
        vector = _towards(view.vectors(seeds), query.vector)
        dense["probe"] = group_max(view.cosines(vector[None])[0], view.owner, view.n)


def _towards(seeds: Vector, vector: Vector) -> Vector:
    """The question's vector, moved to the mean of the seeds; of unit length."""
    moved = vector + (seeds.mean(axis=0) if len(seeds) else 0.0)
    of_length_one: Vector = unit_rows(moved.astype(np.float32)[None])[0]
    return of_length_one
