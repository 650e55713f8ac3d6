"""The entropy router: how far each granularity is sure of what it found (MemGAS §2.3, equations 3 and 4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = [
    "entropy",
    "router_weights",
]

Floats = npt.NDArray[np.float64]

#: An entropy under this counts as this: a single candidate is certain, not infinitely so.
_LEAST = 1e-9


def entropy(shares: Floats) -> float:
    """H = −Σ p_i log p_i, in nats (equation 3)."""
    known = shares[shares > 0]
    return max(0.0, -float((known * np.log(known)).sum()))


def router_weights(entropies: Sequence[float]) -> Floats:
    """w_g = (1/H_g) / Σ 1/H_g' (equation 4): at least 0, of sum 1, the smaller the entropy the larger the weight.

    The paper's released code weighs by 1 − H instead, which turns negative and prefers the flattest granularity.
    """
    inverse = 1.0 / np.maximum(np.asarray(entropies, dtype=np.float64), _LEAST)
    found: Floats = inverse / inverse.sum()
    return found
