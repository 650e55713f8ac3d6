"""How far the graph view and the dense view disagree: the symmetric KL divergence (Tag2Graph, A.1, equations 2–5)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...ranking.arrays import softmax

__all__ = ["gap"]

Floats = npt.NDArray[np.float64]


def gap(graph: Floats, dense: Floats) -> float:
    """KL(P_g ‖ P_d) + KL(P_d ‖ P_g), in nats, over the same candidates in both; 0 for fewer than two.

    Raises ValueError where the two differ in length.
    """
    if len(graph) != len(dense):
        raise ValueError("the views have to score the same candidates")
    if len(graph) < 2:
        return 0.0
    by_graph, by_dense = softmax(graph), softmax(dense)
    return float(np.sum((by_graph - by_dense) * (_logs(graph) - _logs(dense))))


def _logs(scores: Floats) -> Floats:
    """log softmax: a probability may be too small for a float, its logarithm is not."""
    shifted = scores - scores.max()
    logs: Floats = shifted - np.log(np.sum(np.exp(shifted)))
    return logs
