"""The one value that a window gives to a question."""

from __future__ import annotations

from ..model import Question, Seeks
from . import temporal
from .relevance import Found
from .values import Value, values

__all__ = ["likeliest"]


def likeliest(question: Question, found: Found) -> Value | None:
    """The value of a window that is likeliest, of the kind that is asked for."""
    if question.seeks is Seeks.WHEN:
        return next(iter(temporal.dates(question, found)), None)
    if question.seeks is Seeks.LENGTH:
        return next(iter(temporal.lengths(question, found)), None)
    return next(iter(values(question, found)), None)
