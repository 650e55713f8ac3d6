"""The values that a window gives to a question, and the one that is likeliest."""

from __future__ import annotations

from collections.abc import Sequence

from ..model import Question, Seeks
from . import temporal
from .relevance import Found
from .values import Value, values

__all__ = ["likeliest", "told_in"]


def told_in(question: Question, found: Found) -> Sequence[Value]:
    """The values of a window, the likeliest first, each of the kind that is asked for before all others."""
    if question.seeks is Seeks.WHEN:
        return temporal.dates(question, found)
    if question.seeks is Seeks.LENGTH:
        return temporal.lengths(question, found)
    return values(question, found)


def likeliest(question: Question, found: Found) -> Value | None:
    """The value of a window that is likeliest, of the kind that is asked for."""
    return next(iter(told_in(question, found)), None)
