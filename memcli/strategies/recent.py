"""s_profile over a view: what recent answers cited, and what lies near it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..ranking import profile
from ..ranking.arrays import group_max
from ..store.views.answers import recent
from ..store.views.view import View

__all__ = ["profiled"]


def profiled(view: View) -> npt.NDArray[np.float64]:
    """The profile score of each turn [n], in [0, 1] (`ranking.profile`); zeros where nothing was answered yet.

    It depends on no question: `view.once(profiled)`.
    """
    rows, ages = recent(view)
    if not len(rows):
        return np.zeros(view.n)
    weights = profile.fading(ages)
    of_turn = np.bincount(rows, weights=weights, minlength=view.n)
    sentences = np.flatnonzero(of_turn[view.owner] > 0)
    middle = profile.centre(view.vectors(sentences), (of_turn[view.owner] * view.weight)[sentences])
    near = group_max(view.cosines(middle[None])[0], view.owner, view.n)
    return profile.profile(near, view.session, view.speaker_code, rows, weights)
