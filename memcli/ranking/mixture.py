"""What is near and what is not: a mixture of two Gaussians over similarities, by expectation–maximisation.

MemGAS §2.2 (Xu et al. 2025): the component with the higher mean is the accept set, the other the reject set.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["accepted", "two_gaussians"]

Floats = npt.NDArray[np.float64]

#: Shares of accepted values outside which the mixture has found no gap, and a plain threshold decides.
LEAST_SHARE, MOST_SHARE = 0.05, 0.6
_STEPS = 100
_NARROWEST = 1e-3  # a component's least deviation: one that closes in on a single value explains nothing


def two_gaussians(values: Floats, steps: int = _STEPS) -> tuple[Floats, Floats, Floats]:
    """Means, deviations and weights, [2] each, lower mean first. `values`: [n], n ≥ 2; deterministic."""
    mean, deviation, weight = _split(values)
    for _ in range(steps):
        share = _shares(values, mean, deviation, weight)
        size = share.sum(axis=0) + 1e-9
        moved = (share * values[:, None]).sum(axis=0) / size
        spread = (share * (values[:, None] - moved) ** 2).sum(axis=0) / size
        deviation, weight = np.maximum(np.sqrt(spread), _NARROWEST), size / size.sum()
        still, mean = np.abs(moved - mean).max() < 1e-9, moved
        if still:
            break
    order = np.argsort(mean, kind="stable")
    return mean[order], deviation[order], weight[order]


def _split(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Where to begin: the two parts that vary least in themselves (Otsu 1979)."""
    ordered = np.sort(values)
    parts = [(ordered[:at], ordered[at:]) for at in range(1, len(ordered))]
    best = min(parts, key=lambda pair: sum(len(part) * float(part.var()) for part in pair))
    mean, deviation = (np.array([float(of(part)) for part in best]) for of in (np.mean, np.std))
    return mean, np.maximum(deviation, _NARROWEST), np.array([len(part) / len(ordered) for part in best])


def _shares(values: Floats, mean: Floats, deviation: Floats, weight: Floats) -> Floats:
    """How far each value belongs to each component: [n, 2], rows of sum 1."""
    logs = np.log(weight + 1e-300) - np.log(deviation) - 0.5 * ((values[:, None] - mean) / deviation) ** 2
    raised = np.exp(logs - logs.max(axis=1, keepdims=True))
    found: Floats = raised / raised.sum(axis=1, keepdims=True)
    return found


def accepted(values: Floats) -> npt.NDArray[np.bool_]:
    """Which of `values`, similarities of one new memory to old ones, join them.

    Guarded: where the mixture accepts under 5 % or over 60 %, those that are a deviation above the mean are accepted,
    and at least the best.
    """
    if len(values) < 2:
        return np.ones(len(values), dtype=bool)
    mean, deviation, weight = two_gaussians(values)
    nearer = (_shares(values, mean, deviation, weight)[:, 1] > 0.5) & (values > mean[0])
    # From the least of them on: a wide lower component claims the ends of the line, too.
    found: npt.NDArray[np.bool_] = values >= values[nearer].min(initial=np.inf)
    share = float(found.mean())
    if not LEAST_SHARE <= share <= MOST_SHARE:
        found = values >= min(float(values.mean() + values.std()), float(values.max()))
    return found
