"""What speaks for and against an answer, as numbers that mean the same in every store.

Mostly two doubts: that memory does not talk about it at all (words of the question that occur nowhere, low cosine),
and that somebody else said or did it (the best evidence is by, or about, another speaker than the question's).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from memcli.model import Question, Seeks
from memcli.reading.passages import Passage
from memcli.reading.temporal import Found

__all__ = ["signals"]

_TOLD = re.compile(r"\byou(?:r|'re|'ve|'ll)?\b")
_OWN = re.compile(r"\b(?:i|my|me|we|our|i'm|i've|i'd)\b")


def signals(question: Question, passages: Sequence[Passage], found: Found) -> list[float]:
    """The row that the regression takes."""
    best = found.turns[0]
    own = [p for p in passages if p.by_asked > 0]
    other = [p for p in passages if p.by_asked < 0]
    lead = max(passages, key=_evidence)
    return [
        *_levels(passages), *(_best(own, of) - _best(other, of) for of in (_evidence, _covered, _cosine, _score)),
        _best(own, _evidence) if question.about else 0.5, float(question.about is None),
        best.by_asked, lead.by_asked, passages[0].by_asked, _addressed(lead), _addressed(best), _addressed(passages[0]),
        best.by_asked * (1 - _addressed(best)), lead.by_asked * (1 - _addressed(lead)),
        found.strength, float(found.typed), best.covered, best.cosine, best.turn_covered,
        *(float(question.seeks is kind) for kind in (Seeks.WHEN, Seeks.YES_NO, Seeks.WHY, Seeks.HOW)),
        float(question.listing), len(question.stems) / 5,
    ]  # fmt: skip


def _levels(passages: Sequence[Passage]) -> list[float]:
    cosines = sorted((p.cosine for p in passages), reverse=True)
    return [
        _best(passages, _covered), max(p.turn_covered for p in passages), cosines[0],
        cosines[0] - cosines[min(4, len(cosines) - 1)], passages[0].turn_covered, passages[0].cosine,
    ]  # fmt: skip


def _best(passages: Sequence[Passage], of: object) -> float:
    return max((of(p) for p in passages), default=0.0) if callable(of) else 0.0


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
    plain = text.lower().replace("’", "'")
    return float(bool(_TOLD.search(plain))) - 0.5 * float(bool(_OWN.search(plain)))
