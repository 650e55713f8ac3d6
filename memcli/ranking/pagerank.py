"""Personalised PageRank over a weighted graph without directions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["DAMPING", "pagerank"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: The probability of following an edge (Page, Brin, Motwani & Winograd 1999).
DAMPING = 0.85


def pagerank(
    src: Ints, dst: Ints, weight: Floats, n: int, seeds: Floats | None = None, damping: float = DAMPING
) -> Floats:
    """The share of time [n] that a random surfer spends at each node; it sums to 1, and is empty where `n` is 0.

    The surfer follows an edge, chosen by weight, with probability `damping`, and otherwise jumps to a seed, chosen by
    `seeds` [n] (Page et al. 1999; personalised by Haveliwala 2002). This is igraph's convention: a paper that calls
    the probability of a restart "damping" means one minus this. Without seeds, or where none is positive, every node
    is one. A node without edges always jumps.

    `src` and `dst` [m] are the ends of the edges. Parallel edges add up; one without weight, or from a node to itself,
    is left out.
    """
    reset = np.ones(n) if seeds is None else np.maximum(np.asarray(seeds, dtype=np.float64), 0.0)
    if reset.sum() <= 0:
        reset = np.ones(n)
    kept = (weight > 0) & (src != dst)
    if not kept.any():
        return reset / reset.sum() if n else reset
    return _prpack(np.column_stack((src[kept], dst[kept])), weight[kept], reset, damping)


def _prpack(edges: Ints, weight: Floats, reset: Floats, damping: float) -> Floats:
    """igraph's exact solver; from a node without edges it jumps to the seeds."""
    import igraph

    graph = igraph.Graph(n=len(reset), edges=edges)
    scores: Floats = np.array(
        graph.personalized_pagerank(
            directed=False, damping=damping, reset=reset.tolist(), weights=weight.tolist(), implementation="prpack"
        )
    )
    # The solver's sums come out in another order from run to run: beyond twelve digits there is no telling.
    rounded: Floats = np.round(scores / scores.sum(), 12)
    return rounded
