"""What an answer is worth: the probability that its value is right, and that its sentence answers.

Mostly the doubts are that memory does not talk about it at all (no window answers, words of the question that occur
nowhere), that somebody else said or did it, and that the words are the wrong ones of the right window.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..model import Caution, Form, Question, Seeks, Standing
from ..ranking import learned
from ..text import content_stems
from .judge import Judge

if TYPE_CHECKING:
    from .look import Look
    from .relevance import Found

__all__ = ["NAMES", "Confidence", "Doubted", "packaged", "signals"]

#: The signals, in the order in which the regressions sum them.
NAMES = (
    "trust", "trust.next", "read.answers", "value.chance", "value.behind", "value.typed", "value.words",
    "agreeing", "covered", "turn_covered", "thread_covered", "replies", "cosine", "all.covered", "all.cosine",
    "by_asked", "follows", "place.rank", "place.score", "present", "asked.cosine", "of_another", "asks_of_nobody",
    "seeks.when", "seeks.yes_no",
    "seeks.who", "seeks.count", "seeks.why_how", "seeks.list", "question.length", "read.share", "all.answers",
    "all.sure", "all.trust", "apart", "apart.trust", "apart.answers", "apart.share", "trust.chance",
    "trust.ahead", "reply.trust", "reply.thread", "asked.trust",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Doubted:
    """How an answer is best given, and the probability that it is right like that. `rival`: what is quoted beside its
    sentence, where either may be what answers.
    """

    form: Form
    trust: float
    rival: Found | None = None


@dataclass(frozen=True, slots=True)
class Confidence:
    """A judge of values and one of quotes. A value is preferred from `preferred` on; below its threshold is silence."""

    value: Judge
    quote: Judge
    preferred: float
    thresholds: Mapping[Caution, float]

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Confidence:
        """As it is learned. Raises ValueError where the signals are others."""
        value, quote = (Judge.of(found[name], NAMES) for name in ("value", "quote"))
        return cls(value, quote, found["preferred"], {each: found["thresholds"][each] for each in Caution})

    def numbers(self) -> dict[str, object]:
        """The inverse of `of`."""
        return {
            "value": self.value.numbers(),
            "quote": self.quote.numbers(),
            "preferred": self.preferred,
            "thresholds": dict(self.thresholds),
        }

    def __call__(self, look: Look) -> Doubted:
        """What the answer is worth: its value where that is probably right, or a list, else its sentence; assertions
        know it.
        """
        if look.asserted:
            return Doubted(Form.VALUE if look.text else Form.QUOTE, look.chance)
        row = signals(look)
        value, quote = 0.0 if _is_of_no_day(look) or not look.text else self.value(row), self.quote(row)
        if look.question.wants_advice:
            return Doubted(Form.QUOTE, quote)  # a word alone does not tell whether it is liked: "pork"
        if look.items:
            # The sentence of the likeliest item says no more than that item: whoever asks for a list is told the list.
            return Doubted(Form.VALUE, max(value, quote))
        least = quote if look.question.seeks is Seeks.WHY else min(self.preferred, quote)
        return Doubted(Form.VALUE, value) if value >= least else Doubted(Form.QUOTE, quote)


def _is_of_no_day(look: Look) -> bool:
    """Whether the day on which it was told stands for when something is: what holds now is told on any."""
    question = look.question
    return question.seeks is Seeks.WHEN and question.standing is Standing.NOW and not look.typed


@lru_cache(maxsize=1)
def packaged() -> Confidence:
    """What ships with memcli."""
    return Confidence.of(learned.packaged(__package__, "confidence_weights.json"))


def signals(look: Look) -> dict[str, float]:
    """What the regressions take, by name. Something was read."""
    answer = (look.cited or look.found)[0]
    others = [each for each in look.found if each.passage.turn != answer.passage.turn]
    of_answer = _of_answer(look, answer, others)
    return of_answer | _of_question(look.question) | _together(look, answer, of_answer)


def _of_answer(look: Look, answer: Found, others: Sequence[Found]) -> dict[str, float]:
    """What speaks for the window, and for the value in it."""
    passages, spans, passage = [each.passage for each in look.found], answer.finding.spans, answer.passage
    return {
        "trust": answer.trust,
        "trust.next": max((each.trust for each in others), default=0.0),
        "read.answers": answer.finding.answers,
        "value.chance": look.chance,
        "value.behind": spans[0].chance - look.chance if spans else 0.0,
        "value.typed": float(look.typed),
        "value.words": len(look.text.split()) / 5,
        "agreeing": _agreeing(look, others),
        "covered": passage.covered,
        "turn_covered": passage.turn_covered,
        "thread_covered": passage.thread_covered,
        "replies": float(passage.replies),
        "cosine": passage.cosine,
        "all.covered": max(each.turn_covered for each in passages),
        "all.cosine": max(each.cosine for each in passages),
        "by_asked": passage.by_asked,
        "follows": float(passage.follows),
        "place.rank": 1 / (1 + passage.rank),
        "place.score": passage.score,
        "present": passage.present,
        "asked.cosine": passage.asked_cosine,
        "of_another": passage.of_another,
    }


def _of_question(question: Question) -> dict[str, float]:
    return {
        "asks_of_nobody": float(question.about is None),
        "seeks.when": float(question.seeks is Seeks.WHEN),
        "seeks.yes_no": float(question.seeks is Seeks.YES_NO),
        "seeks.who": float(question.seeks is Seeks.WHO),
        "seeks.count": float(question.seeks in (Seeks.COUNT, Seeks.LENGTH, Seeks.OFTEN)),
        "seeks.why_how": float(question.seeks in (Seeks.WHY, Seeks.HOW)),
        "seeks.list": float(question.listing),
        "question.length": len(question.stems) / 5,
    }


def _together(look: Look, answer: Found, of: Mapping[str, float]) -> dict[str, float]:
    """What all windows say, and what means more together than apart. `apart`: how far the question's words are from
    all that was found.
    """
    answers = [each.finding.answers for each in look.found]
    most = max(answers)
    share = math.exp(answer.finding.answers - most) / sum(math.exp(each - most) for each in answers)
    apart, trust = 1 - of["all.covered"], of["trust"]
    return {
        "read.share": share,
        "all.answers": most,
        "all.sure": math.log1p(sum(1 / (1 + math.exp(-each)) for each in answers)),
        "all.trust": max(each.trust for each in look.found),
        "apart": apart,
        "apart.trust": apart * trust,
        "apart.answers": apart * of["read.answers"],
        "apart.share": apart * share,
        "trust.chance": trust * of["value.chance"],
        "trust.ahead": trust - of["trust.next"],
        "reply.trust": of["replies"] * trust,
        "reply.thread": of["replies"] * of["thread_covered"],
        "asked.trust": of["by_asked"] * trust,
    }


def _agreeing(look: Look, others: Sequence[Found]) -> float:
    """How sure other turns are that say the same words."""
    said = set(content_stems(look.text))
    return max(
        (each.trust for each in others if said and said <= set(content_stems(each.passage.window.text))), default=0.0
    )
