"""The unified score of the strategy `ontology`: s = w_g s_graph + w_d s_dense + w_p s_profile (equation 1).

s_graph = W_g φ_g and s_dense = W_d φ_d (A.1) are linear in the signals of their view. `benchmarks/train_ontology.py`
trains them together, with the consistency term, for each of the two leads: a question that the graph leads is another
kind of question than one that the dense view leads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...ranking import learned
from ...ranking.arrays import top

__all__ = ["DENSE", "DISAGREE", "FLAT", "GRAPH", "LEADS", "MIX", "VIEWS", "Combiner", "combiner", "uncertain"]

Floats = npt.NDArray[np.float64]

LEADS = ("graph", "dense")
#: The signals of the graph view, and of the dense one: φ_g and φ_d.
GRAPH = ("direct", "domain", "lifted", "sure", "recency", "hop")
DENSE = ("question", "wording", "turn", "probe")
VIEWS = ("graph", "dense", "profile")
#: The paper's weights of these views.
MIX = (0.55, 0.35, 0.10)

#: Unified scores are flat where the best ten stand out from the rest by less than this share of their range (B.1: 0.3).
FLAT = 0.3
#: The views disagree sharply where so few of their ten best turns are the same.
DISAGREE = 1


@dataclass(frozen=True, slots=True)
class Combiner:
    """The weights of one lead: of the signals in each view, and of the views."""

    graph: Mapping[str, float]
    dense: Mapping[str, float]
    mix: tuple[float, float, float] = MIX

    @classmethod
    def of(cls, found: Mapping[str, Mapping[str, float]]) -> Combiner:
        """The weights as they are learned: by the name of the signal, and in `mix` of the view. Raises ValueError."""
        graph, dense = (
            dict(zip(names, learned.in_order(found[view], names), strict=True))
            for view, names in (("graph", GRAPH), ("dense", DENSE))
        )
        by_graph, by_dense, by_profile = learned.in_order(found["mix"], VIEWS)
        return cls(graph, dense, (by_graph, by_dense, by_profile))

    def scores(
        self, graph: Mapping[str, Floats], dense: Mapping[str, Floats], profile: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """The unified score, s_graph and s_dense of each turn. A signal that is not given counts 0."""
        s_graph = _linear(self.graph, graph, len(profile))
        s_dense = _linear(self.dense, dense, len(profile))
        by_graph, by_dense, by_profile = self.mix
        return by_graph * s_graph + by_dense * s_dense + by_profile * profile, s_graph, s_dense


def _linear(weights: Mapping[str, float], signals: Mapping[str, Floats], n: int) -> Floats:
    total: Floats = np.zeros(n)
    for name, values in signals.items():
        total += weights[name] * values
    return total


def combiner(lead: str) -> Combiner:
    """The packaged weights of the lead `graph` or `dense`."""
    return Combiner.of(learned.packaged(__package__, "weights.json")["views"][lead])


def uncertain(scores: Floats, graph: Floats, dense: Floats) -> bool:
    """Whether one more expansion is worth its cost: the scores are flat, or the views' best ten hardly meet (§3.3)."""
    if len(scores) <= 10:
        return False
    best = scores[top(scores, 10)]
    spread = float(best[0] - np.median(scores))
    together = np.intersect1d(top(graph, 10), top(dense, 10))
    return len(together) <= DISAGREE or float(best[0] - best[-1]) < FLAT * spread
