"""Coarse units from fine ones: rounds and sessions, and the lengths of their pooled vectors.

A coarse unit's vector is the token-weighted mean of its sentences' vectors. It measures better than embedding the
unit's text, which the encoder cuts at 256 weights (`docs/strategies/fused.md`), and it costs nothing to embed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["pooled_norms", "rounds"]

Ints = npt.NDArray[np.int64]


def rounds(speakers: Sequence[str]) -> Ints:
    """For each turn of one session the index of its round.

    A round begins whenever the speaker who opened the session takes the floor again: with an assistant that is
    the user's message and the reply (SGMem §3.1, "round"), between friends a statement and the answers to it.
    """
    index, out = -1, []
    for at, speaker in enumerate(speakers):
        if at == 0 or (speaker == speakers[0] and speakers[at - 1] != speaker):
            index += 1
        out.append(index)
    return np.array(out, dtype=np.int64)


def pooled_norms(vectors: npt.NDArray[np.float32], weights: Ints, groups: Ints, count: int) -> npt.NDArray[np.float64]:
    """The length of each group's sum of `vectors` [m, d], weighted by `weights` [m] (at least 1). `groups`: [m]."""
    positive = np.maximum(weights, 1).astype(np.float64)
    sums = np.zeros((count, vectors.shape[1]))
    np.add.at(sums, groups, vectors * positive[:, None])
    lengths: npt.NDArray[np.float64] = np.linalg.norm(sums, axis=1)
    return lengths
