"""Answers to who asks for advice: what must be respected, and what is liked, newest first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..languages import spoken
from ..model import Turn
from ..model.generated import Assertion
from ..model.relations import PREFERENCES, RelationType, restricts

__all__ = ["Known", "advice", "respected"]

#: Limits and likings that are told, at most; from this cosine to the question on a liking is, and one of a name, whose
#: vector is like any that has a name: "I love Gerald already", a parrot, is of no use to a cook, "I love Thai" is.
_LIMITS, _LIKINGS = 4, 3
_NEAR, _NAMED = 0.3, 0.37
_NAME = re.compile(r"[A-Z][\w'’-]*")
#: How an assertion is said where it speaks against its tail, or for it; any other is its tail alone.
_AGAINST = {
    RelationType.ALLERGY: "allergic to {}", RelationType.DISLIKES: "dislikes {}", RelationType.FEARS: "fears {}",
}  # fmt: skip
_FOR = {
    RelationType.LIKES: "likes {}", RelationType.PREFERS: "prefers {}", RelationType.INTERESTED_IN: "likes {}",
}  # fmt: skip
#: Relations that tell a need of the day, or how somebody lives: of no use to who wants to please.
_PASSING = frozenset({RelationType.NEEDS, RelationType.USES, RelationType.HABIT, RelationType.HEALTH})


@dataclass(frozen=True, slots=True)
class Known:
    """What is asserted of somebody, with the turn that says it and its cosine to the question."""

    turn: Turn
    asserted: Assertion
    cosine: float

    @property
    def limits(self) -> bool:
        """Whether it limits what is open to that person."""
        return restricts(self.asserted.relation, self.asserted.negated)

    @property
    def is_near(self) -> bool:
        """Whether it bears on what is asked."""
        return self.cosine >= (_NAMED if _NAME.fullmatch(self.asserted.tail) else _NEAR)

    @property
    def is_liking(self) -> bool:
        """Whether it tells what pleases that person."""
        relation = self.asserted.relation
        return relation in PREFERENCES and relation not in _PASSING and not self.limits


def respected(known: Sequence[Known], *, pleasing: bool = True) -> list[Known]:
    """What limits somebody, then what that person likes: the nearest to the question, newest first, each once.

    Any limit; a liking where it bears on what is asked. Where none does, and somebody asks for what is `pleasing`,
    likings are told beside limits all the same: who looks for a present is not helped by what it must not be.
    """
    limits, liked = ([each for each in known if each.limits], [each for each in known if each.is_liking])
    near = [each for each in liked if each.is_near]
    return [*_newest(limits, _LIMITS), *_newest(near or (liked if pleasing and limits else []), _LIKINGS)]


def _newest(known: Sequence[Known], most: int) -> list[Known]:
    nearest: dict[str, Known] = {}
    for each in sorted(known, key=lambda each: (-each.cosine, -_when(each))):
        nearest.setdefault(each.asserted.tail.lower(), each)
    return sorted(list(nearest.values())[:most], key=lambda each: -_when(each))


def _when(each: Known) -> float:
    return each.asserted.at.timestamp() if each.asserted.at else 0.0


def advice(found: Sequence[Known]) -> str:
    """“Theo: coeliac; vegan; no mushrooms; likes dal”."""
    return f"{found[0].asserted.head}: {'; '.join(map(_said, found))}"


def _said(known: Known) -> str:
    """What is asserted; a language without rules has whole sentences, which are said as they were."""
    each = known.asserted
    if not spoken([known.turn.text]).has_assertions:
        return f"“{each.tail}”"
    if each.relation is RelationType.AVOIDS or (each.negated and each.relation is RelationType.LIKES):
        return f"{'no' if not (each.relation is RelationType.AVOIDS and each.negated) else 'fine with'} {each.tail}"
    form = (_FOR | _AGAINST).get(each.relation, "{}")
    return f"{'not: ' if each.negated else ''}{form.format(each.tail)}"
