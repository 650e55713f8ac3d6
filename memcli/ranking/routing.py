"""What can be known of a question before anything is retrieved: the gates that decide how signals are mixed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ..model import Question

__all__ = ["GATES", "gates"]

Floats = npt.NDArray[np.float64]

GATES = (
    "always", "time", "advice", "several", "named", "two", "first_person", "assistant", "long", "long_turns",
    "questions", "cover", "sharp_dense", "best_cover",
)  # fmt: skip


def gates(
    question: Question,
    *,
    assistant: bool,
    stems: Sequence[str],
    known: int,
    signals: Mapping[str, Floats],
    store: Floats,
) -> Floats:
    """The gates of a question, in the order of `GATES`.

    `assistant`: somebody in the store is one; `known`: how many of its distinct content
    `stems` the store has; `store`: how long its turns are, and the share of them that ask.
    The last two tell how sharply the dense scores fall off, and how much of the question's
    weight of words the best turn holds.
    """
    cosines = np.sort(signals["dense.cosine"])[::-1]
    drop = float(cosines[0] - cosines[min(20, len(cosines) - 1)]) if len(cosines) else 0.0
    return np.array(
        [
            1.0,
            question.seeks_time,
            question.seeks_advice,
            question.several,
            bool(question.speakers),
            len(question.speakers) > 1,
            question.first_person,
            assistant,
            np.log1p(len(stems)),
            *store,
            known / max(len(set(stems)), 1),
            5 * drop,
            float(signals["cover.turn"].max(initial=0.0)),
        ],
        dtype=np.float64,
    )
