"""Small operations on scores: one number a turn, turns in the order of conversation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = [
    "AdjacentTurns",
    "group_best",
    "group_max",
    "group_sum",
    "settled",
    "softmax",
    "top",
    "top_and_ties",
    "zscore",
]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def zscore(scores: Floats, stand_for: Floats | None = None) -> Floats:
    """The scores with mean 0 and deviation 1; all zero where they are equal. `stand_for`: how many each counts as."""
    if not len(scores):
        return scores
    if stand_for is None:
        return _standard(scores, scores.mean(), scores.std())
    mean = np.average(scores, weights=stand_for)
    deviation = np.average((scores - mean) ** 2, weights=stand_for) ** 0.5
    return _standard(scores, mean, deviation)


def _standard(scores: Floats, mean: float, deviation: float) -> Floats:
    standard: Floats = (scores - mean) / (deviation + 1e-6)
    return standard


def softmax(scores: Floats, temperature: float = 1.0) -> Floats:
    """p_i = exp(s_i / λ) / Σ_j exp(s_j / λ): each score's share, in (0, 1], of one."""
    if not len(scores):
        return scores
    raised = np.exp((scores - scores.max()) / temperature)
    shares: Floats = raised / raised.sum()
    return shares


def group_max(scores: Floats, groups: Ints, count: int) -> Floats:
    """The largest score of each group; 0 for a group without any. `groups`: [n], values under `count`."""
    out: Floats = np.full(count, -np.inf, dtype=np.float64)
    np.maximum.at(out, groups, scores)
    out[~np.isfinite(out)] = 0.0
    return out


def group_best(scores: Floats, groups: Ints, count: int) -> Floats:
    """The largest score of each group, and at least 0: what says nothing for a group says nothing against it."""
    best: Floats = np.maximum(group_max(scores, groups, count), 0.0)
    return best


def group_sum(scores: Floats, groups: Ints, count: int) -> Floats:
    """The sum of each group's scores."""
    sums: Floats = np.bincount(groups, weights=scores, minlength=count).astype(np.float64)
    return sums


def settled(scores: Floats) -> Floats:
    """The scores to 30 bits: what is left of a sum whatever order, and whatever machine, it was made in."""
    mantissa, exponent = np.frexp(scores)
    rounded: Floats = np.ldexp(np.round(mantissa * _STEPS), exponent - _BITS)
    return rounded


_BITS = 30
_STEPS = 2.0**_BITS


def top_and_ties(scores: Floats, k: int) -> Ints:
    """The places of the k highest scores, settled, and of all that equal the last of these; best first.

    Equal scores are in the order of conversation.
    """
    k = min(k, len(scores))
    if k <= 0:
        return np.zeros(0, dtype=np.int64)
    scores = settled(scores)
    bound = np.partition(scores, len(scores) - k)[len(scores) - k]
    places = np.flatnonzero(scores >= bound)
    return places[np.argsort(-scores[places], kind="stable")]


def top(scores: Floats, k: int) -> Ints:
    """The places of the k highest scores, settled, best first; equal scores in the order of conversation."""
    return top_and_ties(scores, k)[:k]


@dataclass(frozen=True, slots=True)
class AdjacentTurns:
    """Who speaks before and after each turn in its session: places, or −1 at the ends."""

    before: Ints
    after: Ints

    @classmethod
    def of(cls, session: Ints) -> AdjacentTurns:
        """From the session of each turn, ascending."""
        n = len(session)
        here = np.arange(n)
        same = session[1:] == session[:-1]
        before, after = np.full(n, -1), np.full(n, -1)
        before[1:] = np.where(same, here[:-1], -1)
        after[:-1] = np.where(same, here[1:], -1)
        return cls(before, after)

    def previous(self, scores: Floats) -> Floats:
        """For each turn the score of the one before it; 0 at a session's start."""
        return _taken(scores, self.before)

    def following(self, scores: Floats) -> Floats:
        """For each turn the score of the one after it; 0 at a session's end."""
        return _taken(scores, self.after)

    def window(self, scores: Floats, radius: int) -> Floats:
        """For each turn the mean score of the turns at most `radius` away in its session."""
        total, count = scores.copy(), np.ones(len(scores))
        left = right = np.arange(len(scores))
        for _ in range(radius):
            left, right = _step(left, self.before), _step(right, self.after)
            total += _taken(scores, left) + _taken(scores, right)
            count += (left >= 0).astype(float) + (right >= 0)
        return total / count


def _step(places: Ints, towards: Ints) -> Ints:
    return np.where(places >= 0, towards[places], -1)


def _taken(scores: Floats, places: Ints) -> Floats:
    return np.where(places >= 0, scores[places], 0.0)
