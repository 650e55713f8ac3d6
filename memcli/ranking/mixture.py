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
    """Means, deviations and weights, [..., 2] each, lower mean first. `values`: [..., n], n ≥ 2, each row by itself;
    deterministic.
    """
    mean, deviation, weight = _split(values)
    going = np.ones((*values.shape[:-1], 1), dtype=bool)
    for _ in range(steps):
        share, each = _shares(values, mean, deviation, weight), values[..., None]
        size = share.sum(axis=-2) + 1e-9
        moved = (share * each).sum(axis=-2) / size
        spread = (share * (each - moved[..., None, :]) ** 2).sum(axis=-2) / size
        deviation = np.where(going, np.maximum(np.sqrt(spread), _NARROWEST), deviation)
        weight = np.where(going, size / size.sum(axis=-1, keepdims=True), weight)
        still = np.abs(moved - mean).max(axis=-1, keepdims=True) < 1e-9
        mean, going = np.where(going, moved, mean), going & ~still
        if not going.any():
            break
    order = np.argsort(mean, axis=-1, kind="stable")
    lower_first = [np.take_along_axis(found, order, axis=-1) for found in (mean, deviation, weight)]
    return lower_first[0], lower_first[1], lower_first[2]


def _split(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Where to begin: the two parts that vary least in themselves (Otsu 1979)."""
    ordered, n = np.sort(values, axis=-1), values.shape[-1]
    parts = [(ordered[..., :at], ordered[..., at:]) for at in range(1, n)]
    varies = [sum(part.shape[-1] * part.var(axis=-1) for part in pair) for pair in parts]
    best = np.argmin(np.stack(varies), axis=0)
    mean, deviation = (
        np.take_along_axis(np.array([[of(part, axis=-1) for part in pair] for pair in parts]), best[None, None], 0)[0]
        for of in (np.mean, np.std)
    )
    mean, deviation = np.moveaxis(mean, 0, -1), np.moveaxis(deviation, 0, -1)
    weight = np.stack([best + 1, n - 1 - best], axis=-1) / n
    return mean, np.maximum(deviation, _NARROWEST), weight


def _shares(values: Floats, mean: Floats, deviation: Floats, weight: Floats) -> Floats:
    """How far each value belongs to each component: [..., n, 2], of sum 1."""
    constant = np.log(weight + 1e-300) - np.log(deviation)
    logs = constant[..., None, :] - 0.5 * ((values[..., None] - mean[..., None, :]) / deviation[..., None, :]) ** 2
    raised = np.exp(logs - logs.max(axis=-1, keepdims=True))
    found: Floats = raised / raised.sum(axis=-1, keepdims=True)
    return found


def accepted(values: Floats) -> npt.NDArray[np.bool_]:
    """Which of `values` [..., n], in each row the similarities of one new memory to old ones, join them.

    Guarded: where the mixture accepts under 5 % or over 60 %, those that are a deviation above the mean are accepted,
    and at least the best.
    """
    if values.shape[-1] < 2:
        return np.ones(values.shape, dtype=bool)
    mean, deviation, weight = two_gaussians(values)
    nearer = (_shares(values, mean, deviation, weight)[..., 1] > 0.5) & (values > mean[..., :1])
    # From the least of them on: a wide lower component claims the ends of the line, too.
    found = values >= np.where(nearer, values, np.inf).min(axis=-1, keepdims=True)
    share = found.mean(axis=-1, keepdims=True)
    above = values.mean(axis=-1, keepdims=True) + values.std(axis=-1, keepdims=True)
    guarded = values >= np.minimum(above, values.max(axis=-1, keepdims=True))
    joined: npt.NDArray[np.bool_] = np.where((share >= LEAST_SHARE) & (share <= MOST_SHARE), found, guarded)
    return joined
