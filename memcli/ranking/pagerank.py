"""Personalised PageRank over a weighted graph without directions."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

__all__ = ["DAMPING", "pagerank"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_PRECISION = 1e-13
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
    jump = reset / reset.sum() if n else reset
    kept = (weight > 0) & (src != dst)
    if not kept.any() or damping <= 0:
        return jump
    both = np.concatenate([src[kept], dst[kept]]), np.concatenate([dst[kept], src[kept]])
    return _walked(*both, np.tile(weight[kept], 2), jump, damping)


def _walked(source: Ints, target: Ints, weight: Floats, jump: Floats, damping: float) -> Floats:
    """The surfer's shares by the power method, whose error shrinks by `damping` with every step.

    igraph's solver (PRPACK) gives other digits from run to run; these sums have one order.
    """
    leaving = np.bincount(source, weight, minlength=len(jump))
    chance = damping * weight / leaving[source]
    share = jump
    for _ in range(math.ceil(math.log(_PRECISION) / math.log(damping))):
        followed = np.bincount(target, chance * share[source], minlength=len(jump))
        share = followed + (1.0 - followed.sum()) * jump
    return share
