"""Answers to who asks for advice: what must be respected, and what is liked, newest first."""

from __future__ import annotations

from collections.abc import Sequence

from ..model import Question
from ..model.generated import Assertion
from ..model.relations import PREFERENCES, RelationType, restricts

__all__ = ["advice", "respected"]

_MOST = 6
#: How an assertion is said where it speaks against its tail, or for it; any other is its tail alone.
_AGAINST = {
    RelationType.ALLERGY: "allergic to {}", RelationType.DISLIKES: "dislikes {}", RelationType.FEARS: "fears {}",
}  # fmt: skip
_FOR = {
    RelationType.LIKES: "likes {}", RelationType.PREFERS: "prefers {}", RelationType.INTERESTED_IN: "likes {}",
}  # fmt: skip
#: Relations that tell a need of the day, or how somebody lives: of no use to who wants to please.
_PASSING = frozenset({RelationType.NEEDS, RelationType.USES, RelationType.HABIT, RelationType.HEALTH})


def respected(question: Question, known: Sequence[Assertion]) -> list[Assertion]:
    """What limits the one who is asked about, then what that person likes; each newest first, each once."""
    own = [each for each in known if _is_told(question, each)]
    own.sort(key=lambda each: (not restricts(each.relation, each.negated), -_when(each)))
    first: dict[str, Assertion] = {}
    for each in own:
        first.setdefault(each.tail.lower(), each)
    return list(first.values())[:_MOST]


def _is_told(question: Question, each: Assertion) -> bool:
    limiting = restricts(each.relation, each.negated)
    return each.head == question.about and each.relation in PREFERENCES and (limiting or each.relation not in _PASSING)


def _when(each: Assertion) -> float:
    return each.at.timestamp() if each.at else 0.0


def advice(found: Sequence[Assertion]) -> str:
    """“Theo: coeliac; vegan; no mushrooms; likes dal”."""
    return f"{found[0].head}: {'; '.join(map(_said, found))}"


def _said(each: Assertion) -> str:
    if each.relation is RelationType.AVOIDS or (each.negated and each.relation is RelationType.LIKES):
        return f"{'no' if not (each.relation is RelationType.AVOIDS and each.negated) else 'fine with'} {each.tail}"
    form = (_FOR | _AGAINST).get(each.relation, "{}")
    return f"{'not: ' if each.negated else ''}{form.format(each.tail)}"
