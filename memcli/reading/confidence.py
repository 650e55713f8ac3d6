"""What speaks for and against an answer, as numbers that mean the same in every store.

Mostly two doubts: that memory does not talk about it at all (words of the question that occur nowhere, low cosine),
and that somebody else said or did it (the best evidence is by, or about, another speaker than the question's).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from memcli.languages import spoken
from memcli.model import Question, Seeks
from memcli.ranking import learned
from memcli.reading.passages import Passage
from memcli.reading.temporal import ShortAnswer

__all__ = ["NAMES", "Confidence", "packaged", "signals"]

Floats = npt.NDArray[np.float32]


#: The signals, in the order in which the regression sums them.
NAMES = (
    "all.covered", "all.turn_covered", "all.cosine", "all.cosine_drop", "top.turn_covered", "top.cosine",
    "own_less_other.evidence", "own_less_other.covered", "own_less_other.cosine", "own_less_other.score",
    "own.evidence", "asks_of_nobody", "answer.by_asked", "lead.by_asked", "top.by_asked", "lead.addressed",
    "answer.addressed", "top.addressed", "answer.of_self", "lead.of_self", "answer.strength", "answer.typed",
    "answer.covered", "answer.cosine", "answer.turn_covered", "seeks.when", "seeks.yes_no", "seeks.why", "seeks.how",
    "seeks.list", "question.length",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Confidence:
    """A logistic regression over the signals called `names`; below `threshold` the reader abstains."""

    names: Sequence[str]
    mean: Floats
    scale: Floats
    weights: Floats
    bias: float
    threshold: float

    @classmethod
    def of(cls, found: Mapping[str, Any], names: Sequence[str] = NAMES) -> Confidence:
        """The regression as it is learned, by the names of its signals. Raises ValueError where these are others."""
        mean, scale, weights = learned.arrays(found["inputs"], names, "mean", "scale", "weight", dtype=np.float32)
        return cls(names, mean, scale, weights, found["bias"], found["threshold"])

    def numbers(self) -> dict[str, object]:
        """The inverse of `of`, to five significant digits."""
        mean, scale, weights = (learned.significant(each) for each in (self.mean, self.scale, self.weights))
        inputs = learned.inputs(self.names, mean=mean, scale=scale, weight=weights)
        bias, threshold = learned.significant(self.bias), learned.significant(self.threshold)
        return {"inputs": inputs, "bias": bias, "threshold": threshold}

    def __call__(self, found: Mapping[str, float]) -> float:
        """The probability that memory answers the question. Raises ValueError for a signal too many or too few."""
        row = np.asarray(learned.in_order(found, self.names), dtype=np.float32)
        z = float((row - self.mean) / self.scale @ self.weights) + self.bias
        return float(1 / (1 + np.exp(-np.clip(z, -30, 30))))


@lru_cache(maxsize=1)
def packaged() -> Confidence:
    """The regression that ships with memcli."""
    return Confidence.of(learned.packaged(__package__, "confidence_weights.json"))


def signals(question: Question, passages: Sequence[Passage], found: ShortAnswer) -> dict[str, float]:
    """What the regression takes, by name. `passages` are not empty.

    Of the answer's sentence, of the first one (`top`), and of that with most evidence (`lead`); of the best that the
    one who is asked about says (`own`), less the best that others say.
    """
    answer, top, lead = found.turns[0], passages[0], max(passages, key=_evidence)
    own = [p for p in passages if p.by_asked > 0]
    other = [p for p in passages if p.by_asked < 0]
    cosines = sorted((p.cosine for p in passages), reverse=True)
    return {
        "all.covered": _best(passages, _covered),
        "all.turn_covered": max(p.turn_covered for p in passages),
        "all.cosine": cosines[0],
        "all.cosine_drop": cosines[0] - cosines[min(4, len(cosines) - 1)],
        "top.turn_covered": top.turn_covered,
        "top.cosine": top.cosine,
        "own_less_other.evidence": _best(own, _evidence) - _best(other, _evidence),
        "own_less_other.covered": _best(own, _covered) - _best(other, _covered),
        "own_less_other.cosine": _best(own, _cosine) - _best(other, _cosine),
        "own_less_other.score": _best(own, _score) - _best(other, _score),
        "own.evidence": _best(own, _evidence) if question.about else 0.5,
        "asks_of_nobody": float(question.about is None),
        "answer.by_asked": answer.by_asked,
        "lead.by_asked": lead.by_asked,
        "top.by_asked": top.by_asked,
        "lead.addressed": _addressed(lead),
        "answer.addressed": _addressed(answer),
        "top.addressed": _addressed(top),
        "answer.of_self": answer.by_asked * (1 - _addressed(answer)),
        "lead.of_self": lead.by_asked * (1 - _addressed(lead)),
        "answer.strength": found.strength,
        "answer.typed": float(found.typed),
        "answer.covered": answer.covered,
        "answer.cosine": answer.cosine,
        "answer.turn_covered": answer.turn_covered,
        "seeks.when": float(question.seeks is Seeks.WHEN),
        "seeks.yes_no": float(question.seeks is Seeks.YES_NO),
        "seeks.why": float(question.seeks is Seeks.WHY),
        "seeks.how": float(question.seeks is Seeks.HOW),
        "seeks.list": float(question.listing),
        "question.length": len(question.stems) / 5,
    }


def _best(passages: Sequence[Passage], of: Callable[[Passage], float]) -> float:
    return max((of(p) for p in passages), default=0.0)


def _evidence(passage: Passage) -> float:
    return 0.5 * passage.covered + 0.5 * passage.turn_covered + passage.cosine + 0.3 * passage.score


def _covered(passage: Passage) -> float:
    return passage.covered


def _cosine(passage: Passage) -> float:
    return passage.cosine


def _score(passage: Passage) -> float:
    return passage.score


def _addressed(passage: Passage) -> float:
    """1 where the speaker speaks of the listener, not of himself: then it is about the other one."""
    return _addressing(passage.text)


@lru_cache(maxsize=8192)
def _addressing(text: str) -> float:
    return spoken([text]).addressing(text)
