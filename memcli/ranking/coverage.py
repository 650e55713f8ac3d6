"""What the first ranking of a question has filled: signals of a second one, which ranks a set and not each turn alone.

A question for several things needs evidence that covers it; where one thing is asked for, what stands beside the best
evidence is better evidence than what resembles it from afar. Which of the two holds is learned, by the question's
gates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .arrays import group_max, group_sum, softmax

__all__ = ["COVERAGE", "Candidates", "coverage"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: The signals, in the order of their columns.
COVERAGE = (
    "first.share", "first.place", "session.share", "session.others", "session.place", "session.before", "near.previous",
    "near.next", "near.around", "like.first", "like.before", "speaker.share",
)  # fmt: skip

_FIRST = 10  # turns that count as found by the first ranking
_AROUND = 3
_LEAST = 1e-5  # a share under it is as good as none


@dataclass(frozen=True, slots=True)
class Candidates:
    """For each candidate, in the order of conversation: its row, session, speaker, and its best sentence's vector.

    Vectors [n, d] are of unit length and on the grid on which no sum is rounded (`store.cosine.exact`).
    """

    rows: Ints
    session: Ints
    speaker: Ints
    vectors: Floats


def coverage(scores: Floats, found: Candidates) -> Floats:
    """`COVERAGE` [n, signals], by the scores [n] of the first ranking. Shares are those of its softmax, as logarithms.

    `session.*`: the share of all turns of the session, of the best other one, the turn's place among them, how many of
    them are ranked before it. `near.*`: the shares of the turns beside it. `like.first`: how near it is to the first
    ten, by their shares; `like.before`: to the nearest that is ranked before it. Submodular coverage (Lin & Bilmes
    2011) has the same terms with fixed weights.
    """
    if not len(scores):
        return np.zeros((0, len(COVERAGE)))
    share = softmax(scores)
    order = np.argsort(-scores, kind="stable")
    place = np.empty(len(scores), dtype=np.int64)
    place[order] = np.arange(len(scores))
    session, speaker = (np.unique(of, return_inverse=True)[1] for of in (found.session, found.speaker))
    before = _before_in(session, order)
    like = _likeness(found.vectors, order[:_FIRST])
    columns = (
        _log(share),
        np.log1p(place),
        _log(group_sum(share, session, session.max(initial=-1) + 1)[session]),
        _log(_best_other(share, session)),
        np.log1p(before),
        np.minimum(before, 5.0),
        _log(_beside(share, found, -1)),
        _log(_beside(share, found, 1)),
        _log(_around(share, found)),
        like @ (share[order[:_FIRST]] / share[order[:_FIRST]].sum()),
        np.where(place[:, None] > np.arange(like.shape[1]), like, 0.0).max(axis=1),
        _log(group_sum(share, speaker, speaker.max(initial=-1) + 1)[speaker]),
    )
    return np.stack(columns, axis=1)


def _log(share: Floats) -> Floats:
    logarithms: Floats = np.log(np.maximum(share, _LEAST))
    return logarithms


def _before_in(session: Ints, order: Ints) -> Floats:
    """How many turns of its session are ranked before each."""
    by_session = order[np.argsort(session[order], kind="stable")]
    ordered = session[by_session]
    before = np.empty(len(order))
    before[by_session] = np.arange(len(order)) - np.searchsorted(ordered, ordered)
    return before


def _best_other(share: Floats, session: Ints) -> Floats:
    """The largest share of another turn of the same session."""
    count = int(session.max(initial=-1)) + 1
    best = group_max(share, session, count)[session]
    is_best = share >= best
    second = group_max(np.where(is_best, 0.0, share), session, count)[session]
    return np.where(is_best, second, best)


def _beside(share: Floats, found: Candidates, step: int) -> Floats:
    """The share of the turn so many places further on in the session; 0 where that is no candidate."""
    at = np.searchsorted(found.rows, found.rows + step)
    inside = np.minimum(at, len(share) - 1)
    same = (found.rows[inside] == found.rows + step) & (found.session[inside] == found.session)
    return np.where(same, share[inside], 0.0)


def _around(share: Floats, found: Candidates) -> Floats:
    """The share of the turns at most three places away."""
    steps = [step for step in range(-_AROUND, _AROUND + 1) if step]
    together: Floats = np.sum([_beside(share, found, step) for step in steps], axis=0)
    return together


def _likeness(vectors: Floats, first: Ints) -> Floats:
    """The cosines [n, first] with the first turns; 0 with itself."""
    # Not by BLAS, whose threads would spin longer than the product takes; on the grid every order of sums is exact.
    alike: Floats = np.einsum("nd,fd->nf", vectors, vectors[first]).round(6)
    alike[first, np.arange(len(first))] = 0.0
    return alike
