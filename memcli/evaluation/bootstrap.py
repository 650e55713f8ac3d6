"""How far a mean can be trusted: the bootstrap over conversations (Efron & Tibshirani 1993, chapter 13).

Questions about one conversation rise and fall together, so conversations are drawn, not questions. Where there is only
one, its questions are drawn, which makes the interval narrower than it should be; a record says which it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["RESAMPLES", "Paired", "clusters", "intervals", "paired"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

RESAMPLES = 1000


def clusters(groups: Sequence[str]) -> Ints:
    """For each question the number of the cluster that it is drawn with: its group, or itself where all share one."""
    numbers = np.unique(np.asarray(groups, dtype=str), return_inverse=True)[1].astype(np.int64)
    return numbers if len(numbers) and numbers.max() > 0 else np.arange(len(groups))


def intervals(values: Floats, cluster: Ints, seed: int = 0, resamples: int = RESAMPLES) -> Floats:
    """The 95 % interval [metrics, 2] of the mean of each column of `values` [questions, metrics].

    nan: the metric is not defined for that question, and left out of its mean; a column of nothing else gives nan.
    """
    return _percentiles(_resampled(values, cluster, seed, resamples))


@dataclass(frozen=True, slots=True)
class Paired:
    """A difference of means (second − first), its 95 % interval, and how often a resample has the other sign.

    `p` is two-sided: twice the smaller of the shares of resamples at or below, and at or above, zero.
    """

    difference: float
    low: float
    high: float
    p: float


def paired(first: Floats, second: Floats, cluster: Ints, seed: int = 0, resamples: int = RESAMPLES) -> Paired:
    """The paired bootstrap over the same questions: `first`, `second` [questions], without nan."""
    gain = (second - first)[:, None]
    drawn = _resampled(gain, cluster, seed, resamples)
    low, high = _percentiles(drawn)[0]
    tail = min(float((drawn <= 0).mean()), float((drawn >= 0).mean()))
    return Paired(float(gain.mean()), float(low), float(high), min(1.0, 2 * tail))


def _resampled(values: Floats, cluster: Ints, seed: int, resamples: int) -> Floats:
    """The mean of each column in each resample of the clusters: [resamples, metrics]."""
    count = int(cluster.max()) + 1 if len(cluster) else 0
    known = ~np.isnan(values)
    sums, sizes = np.zeros((count, values.shape[1])), np.zeros((count, values.shape[1]))
    np.add.at(sums, cluster, np.where(known, values, 0.0))
    np.add.at(sizes, cluster, known)
    drawn = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / max(count, 1)), resamples)
    with np.errstate(invalid="ignore"):
        means: Floats = (drawn @ sums) / (drawn @ sizes)
    return means


def _percentiles(means: Floats) -> Floats:
    bounds = np.full((means.shape[1], 2), np.nan)
    for column, drawn in enumerate(means.T):
        known = drawn[~np.isnan(drawn)]
        if len(known):
            bounds[column] = np.percentile(known, [2.5, 97.5])
    return bounds
