"""s_profile: how near each turn lies to what was recently retrieved for whoever asks (Tag2Graph, §3.1, equation 1).

A cache of what recent answers cited, and no model of a person: what somebody is asking about these days is likely to be
what the next question is about. One product of a vector with all sentences, once for a store as it is.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...ranking.arrays import group_max
from ...store.views.answers import recent
from ...store.views.view import View

__all__ = ["HALF_LIFE", "centre", "fading", "profile", "profiled"]

#: After so many days a citation counts half.
HALF_LIFE = 7.0
#: The shares of what is said, of where, and of who says it. By hand: there is no data to learn them from.
_CLOSE, _SESSION, _SPEAKER = 0.5, 0.25, 0.25

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Vectors = npt.NDArray[np.float32]


def fading(ages: Floats) -> Floats:
    """The weight of each citation [m], summing to 1, by its age in days: halved every `HALF_LIFE`."""
    weights: Floats = 0.5 ** (ages / HALF_LIFE)
    total = float(weights.sum())
    return weights / total if total else weights


def centre(vectors: Vectors, weights: Floats) -> Vectors:
    """The weighted mean of vectors float32 [m, d] at unit length; zeros, where they cancel out or there are none."""
    mean = (weights.astype(np.float32)[:, None] * vectors).sum(axis=0)  # numpy sums in one order, BLAS in many
    length = float(np.sqrt((mean * mean).sum()))
    of_length_one: Vectors = (mean / length if length > 1e-9 else mean * 0).astype(np.float32)
    return of_length_one


def profile(near: Floats, session: Ints, speaker: Ints, rows: Ints, weights: Floats) -> Floats:
    """The profile score of each turn [n], in [0, 1].

    `near` [n]: its cosine with the centre of what was cited; `session`, `speaker` [n]: where and by whom it was said,
    as numbers; `rows` [m]: the turns that were cited, a turn as often as it was, with their `weights` (`fading`).
    """
    total = _CLOSE * np.clip(near, 0.0, 1.0)
    for share, groups in ((_SESSION, session), (_SPEAKER, speaker)):
        weight = np.bincount(groups[rows], weights=weights, minlength=int(groups.max(initial=-1)) + 1)
        total += share * weight[groups]
    bounded: Floats = np.minimum(total, 1.0)
    return bounded


def profiled(view: View) -> npt.NDArray[np.float64]:
    """The profile score of each turn [n], in [0, 1] (`profile`); zeros where nothing was answered yet.

    It depends on no question: `view.once(profiled)`.
    """
    rows, ages = recent(view)
    if not len(rows):
        return np.zeros(view.n)
    weights = fading(ages)
    of_turn = np.bincount(rows, weights=weights, minlength=view.n)
    sentences = np.flatnonzero(of_turn[view.owner] > 0)
    middle = centre(view.vectors(sentences), (of_turn[view.owner] * view.weight)[sentences])
    near = group_max(view.cosines(middle[None])[0], view.owner, view.n)
    return profile(near, view.session, view.speaker_code, rows, weights)
