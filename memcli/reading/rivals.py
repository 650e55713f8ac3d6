"""Two statements where it is not sure which of them answers: a prediction set (Vovk et al. 2005) of at most two quotes.

Who asks sees at once which of two it is ("the 12th", "change of plan: the 19th"), where a machine can only guess.
`benchmarks/rivals.py` makes the weights; docs/reading.md says what they are worth.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..model import Form
from ..ranking import learned
from .confidence import Doubted
from .judge import Judge

if TYPE_CHECKING:
    from .look import Look
    from .relevance import Found

__all__ = ["NAMES", "Either", "packaged", "rival", "signals"]

#: The signals, in the order in which the regression sums them.
NAMES = (
    "alone", "alone.sure", "trust", "read.answers", "rival.trust", "rival.answers", "rival.share", "rival.covered",
    "rival.cosine", "rival.rank", "rival.follows", "third.trust", "third.answers", "both.trust", "both.answers",
)  # fmt: skip
#: What the network says of a window that is not there.
_NOTHING = -8.0


def rival(look: Look) -> Found | None:
    """The likeliest window of another turn than the answer's, in other words. None where nothing else was read, and of
    what is of several statements by itself: a list, what was worked out, what holds with what held before.
    """
    if look.asserted or look.items or len(look.cited) > 1:
        return None
    others = (each for each in look.found if _is_apart(look.first, each))
    return max(others, key=lambda each: each.trust, default=None)


def _is_apart(first: Found, other: Found) -> bool:
    """Whether the other is of another turn, says it otherwise, and was judged by the same judge."""
    one, two = first.passage, other.passage
    return one.turn != two.turn and one.window.text != two.window.text and first.unread == other.unread


def signals(look: Look, other: Found, alone: float) -> dict[str, float]:
    """What the regression takes, by name. `other`: the rival; `alone`: what the answer is worth without it."""
    first, thirds = look.first, _thirds(look, other)
    third = max((each.trust for each in thirds), default=0.0)
    answers = first.finding.answers, other.finding.answers
    return {
        "alone": _logit(alone),
        "alone.sure": alone,
        "trust": _logit(first.trust),
        "read.answers": answers[0],
        "rival.trust": _logit(other.trust),
        "rival.answers": answers[1],
        "rival.share": _share(answers, [each.finding.answers for each in thirds]),
        "rival.covered": other.passage.turn_covered,
        "rival.cosine": other.passage.cosine,
        "rival.rank": 1 / (1 + other.passage.rank),
        "rival.follows": float(other.passage.follows),
        "third.trust": _logit(third),
        "third.answers": max((each.finding.answers for each in thirds), default=_NOTHING),
        "both.trust": 1 - (1 - first.trust) * (1 - other.trust),
        "both.answers": max(answers),
    }


def _thirds(look: Look, other: Found) -> list[Found]:
    turns = look.first.passage.turn, other.passage.turn
    return [each for each in look.found if each.passage.turn not in turns]


def _share(both: Sequence[float], others: Sequence[float]) -> float:
    """How much of what the network believes in is in these two."""
    most = max(*both, *others)
    own, rest = (sum(math.exp(each - most) for each in some) for some in (both, others))
    return own / (own + rest)


def _logit(chance: float) -> float:
    return math.log((chance + 0.01) / (1.01 - chance))


@dataclass(frozen=True, slots=True)
class Either:
    """Looks again at what is not sure: judges of whether the first sentence answers, and whether the rival alone does.

    What is worth `plain` is left as it is. Else a rival that is worth `share` is quoted beside the first sentence, or
    that sentence alone, from `least` on; and in the place of a value only if that is worth `ahead` more.
    """

    first: Judge
    second: Judge
    plain: float
    share: float
    ahead: float
    least: float

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Either:
        """As it is learned. Raises ValueError where the signals are others."""
        first, second = (Judge.of(found[name], NAMES) for name in ("first", "second"))
        return cls(first, second, found["plain"], found["share"], found["ahead"], found["least"])

    def numbers(self) -> dict[str, object]:
        """The inverse of `of`."""
        judges = {"first": self.first.numbers(), "second": self.second.numbers()}
        return {**judges, "plain": self.plain, "share": self.share, "ahead": self.ahead, "least": self.least}

    def __call__(self, look: Look, alone: Doubted) -> Doubted:
        """What the answer is worth, and how it is best given: as it was, as its sentence, or with a rival beside it."""
        other = rival(look) if alone.trust < self.plain else None
        if other is None:
            return alone
        first, second = self._chances(look, other, alone.trust)
        both, least = min(first + second, 1.0), alone.trust + (self.ahead if alone.form is Form.VALUE else 0.0)
        if second >= self.share and both >= max(self.least, least):
            return Doubted(Form.QUOTE, both, other)
        return Doubted(Form.QUOTE, first) if first >= max(self.least, least) else alone

    def _chances(self, look: Look, other: Found, alone: float) -> tuple[float, float]:
        """How probable it is that the first answers, and that the rival alone does; of what is not in English its judge
        has said that of each window.
        """
        if other.unread:
            return look.first.trust, other.trust
        row = signals(look, other, alone)
        return self.first(row), self.second(row)


@lru_cache(maxsize=1)
def packaged() -> Either:
    """What ships with memcli."""
    return Either.of(learned.packaged(__package__, "rivals_weights.json"))
