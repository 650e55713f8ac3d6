"""Which windows, and which values in them, are likeliest to be the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..languages import language, spoken
from ..model import Question, Seeks
from .likeliest import told_in
from .passages import asks
from .relevance import Found
from .values import Value

__all__ = ["ASSISTANT", "BESIDE", "answered", "is_sum", "ordered"]

#: A window counts beside another from this share of its trust on.
BESIDE = 0.6
#: What a sum may be asked of.
_AMOUNTS = frozenset((Seeks.COUNT, Seeks.LENGTH, Seeks.OFTEN, Seeks.WHAT, Seeks.WHICH))
#: Who answers in a talk with one.
ASSISTANT = "assistant"
#: What a value is worth against which something speaks.
_DOUBTFUL = 0.5
#: And so much less of another time than the question names.
_ELSEWHEN = 0.25
#: What a window is worth in which nothing looks like what is asked for.
_LACKING = 0.1


def ordered(question: Question, found: Sequence[Found]) -> list[Value]:
    """The value of each window that has one that may be said, the likeliest first; a day that others tell, too, is the
    likelier for it.
    """
    told = [told_in(question, each) for each in found]
    read = [first for first, *_ in filter(None, told) if _fits(question, first)]
    days = [each for values in told for each in values if each.typed] if question.seeks is Seeks.WHEN else []
    return sorted(read, key=lambda value: _likely(value) - _told_beside(value, days))


def _told_beside(value: Value, days: Sequence[Value]) -> float:
    """How likely the windows of other turns tell the same, all together."""
    turn = value.found.passage.turn
    others = [each for each in days if each.text == value.text and each.found.passage.turn != turn]
    return sum(each.found.trust * each.chance for each in others)


def answered(question: Question, found: Sequence[Found]) -> Sequence[Found]:
    """The windows anew: what asks is less likely than a reply to it that answers, too ("the code? I tried 4471"), and
    what has no number in it tells none.
    """
    replies = {each.passage.asking: each for each in reversed(found) if each.passage.asking}
    told = [each if _may_be_said(question, each) else replace(each, trust=_LACKING * each.trust) for each in found]
    doubted = [_doubted_beside(each, replies.get(each.passage.turn)) for each in told]
    return sorted(doubted, key=lambda each: -each.trust)


def _may_be_said(question: Question, found: Found) -> bool:
    """Whether it may tell what is asked for; what an assistant said, no one else does, who asked it for that."""
    is_of_assistant = question.about == ASSISTANT and found.passage.window.speaker != ASSISTANT
    asked, text = language(question.language), found.passage.turn_text
    return not is_of_assistant and asked.may_tell(question.asks, text) and asked.may_have_said(question.asks, text)


def _doubted_beside(found: Found, reply: Found | None) -> Found:
    if reply is None or reply.unread or not asks(found.passage.window.text) or not _is_answer_to(reply, found):
        return found
    return replace(found, trust=_DOUBTFUL * min(found.trust, reply.trust))


def _is_answer_to(reply: Found, asking: Found) -> bool:
    """Whether a reply answers about as likely as what asks, or more in the network's eyes."""
    return reply.trust >= BESIDE * asking.trust or reply.finding.answers > max(asking.finding.answers, 0.0)


def is_sum(question: Question) -> bool:
    """Whether it asks for a sum, a difference or a mean."""
    return question.seeks in _AMOUNTS and language(question.language).is_worked_out(question.asks)


def _fits(question: Question, value: Value) -> bool:
    """Whether it may be said: who asks for an amount is given a number, or the sentence; who asks for a sum, the
    sentences of its parts, unless one tells a sum.
    """
    if is_sum(question):
        text = value.found.passage.window.text
        if not spoken([text]).is_worked_out(text):
            return False
    return value.typed or question.counts_times or question.seeks is not Seeks.COUNT


def _likely(value: Value) -> float:
    """The window first, then the value in it; less of another kind than was asked for, of what asks itself, or of
    another time than the question names.
    """
    passage = value.found.passage
    doubts = _DOUBTFUL ** sum((not value.typed, passage.window.text.rstrip().endswith("?")))
    return -value.found.trust * doubts * (_ELSEWHEN if passage.then < 0 else 1.0) * (0.5 + value.chance)
