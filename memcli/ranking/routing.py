"""What can be known of a question before anything is retrieved: the gates that decide how signals are mixed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["GATES", "first_person", "gates", "seeks_advice", "seeks_time"]

Floats = npt.NDArray[np.float64]

GATES = ("always", "time", "advice", "named", "first_person", "assistant", "cover", "sharp_dense", "best_cover")

_TIME = re.compile(
    r"\b(when|what (?:date|day|month|year|time)|which (?:day|month|year|week)|how long|"
    r"how many (?:days|weeks|months|years))\b",
    re.I,
)
_ADVICE = re.compile(
    r"\b(recommend|suggest|suggestions?|advice|advise|tips?|ideas?|help me|can you|could you|should i|"
    r"what (?:should|are some|would)|how (?:can|should|do) i|any (?:good|thoughts|recommendations)|looking for|"
    r"plan(?:ning)?|best|an? good|options)\b",
    re.I,
)
_FIRST_PERSON = re.compile(r"\b(i|my|me|mine|i'm|i've|we|our)\b", re.I)


def seeks_time(question: str) -> bool:
    """Whether the question asks for a date or a length of time."""
    return bool(_TIME.search(question))


def seeks_advice(question: str) -> bool:
    """Whether the question asks for a recommendation, for which the asker's tastes matter."""
    return bool(_ADVICE.search(question))


def first_person(question: str) -> bool:
    """Whether the asker speaks of themselves."""
    return bool(_FIRST_PERSON.search(question))


def gates(
    question: str, *, named: bool, assistant: bool, stems: Sequence[str], known: int, signals: Mapping[str, Floats]
) -> Floats:
    """The gates of a question, in the order of `GATES`.

    `named`: it names a speaker; `assistant`: somebody in the store is one; `known`: how many of its distinct content
    `stems` the store has. The last two tell how sharply the dense scores fall off, and how much of the question's
    weight of words the best turn holds.
    """
    cosines = np.sort(signals["dense.cosine"])[::-1]
    drop = float(cosines[0] - cosines[min(20, len(cosines) - 1)]) if len(cosines) else 0.0
    return np.array(
        [
            1.0,
            seeks_time(question),
            seeks_advice(question),
            named,
            first_person(question),
            assistant,
            known / max(len(set(stems)), 1),
            5 * drop,
            float(signals["cover.turn"].max(initial=0.0)),
        ],
        dtype=np.float64,
    )
