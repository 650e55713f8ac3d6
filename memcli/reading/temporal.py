"""Answers to *when* and *how long*: time expressions resolved against the date that they were said on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import lru_cache

from memcli.languages import spoken
from memcli.model import Query, Question
from memcli.reading.passages import Passage
from memcli.text.times import Expression, Grain, Span, TimeKind, day, describe

__all__ = ["ShortAnswer", "how_long", "when"]


@dataclass(frozen=True, slots=True)
class ShortAnswer:
    """A short answer and where it comes from. `typed`: it is of the kind that was asked for."""

    text: str
    turns: tuple[Passage, ...]
    strength: float
    typed: bool = True


def when(question: Question, query: Query, passages: Sequence[Passage]) -> ShortAnswer | None:
    """The date of what the question asks about; the date of the turn where the turn names none."""
    asked = [e.span for e in _times(question.text, query.asked_at)]
    dated = [(_expression(passage), passage) for passage in passages]
    known = [
        (_support(passage) + 0.15 * (expression is not None) + 0.3 * _overlaps(asked, expression, passage.at), place)
        for place, (expression, passage) in enumerate(dated)
        if expression is not None or passage.at is not None
    ]
    if not known:
        return None
    strength, place = max(known, key=lambda pair: pair[0])
    return _told(question, *dated[place], strength)


def _told(question: Question, expression: Expression | None, passage: Passage, strength: float) -> ShortAnswer:
    if expression is not None:
        return ShortAnswer(_coarse(question, expression, expression.span), (passage,), strength)
    assert passage.at is not None
    said = day(passage.at)
    return ShortAnswer(_coarse(question, said, said), (passage,), strength, typed=False)


def _expression(passage: Passage) -> Expression | None:
    """The expression of the sentence, or of the whole turn, that most probably dates what the question asks about."""
    for text in (passage.text, passage.turn_text):
        found = _times(text, passage.at)
        if found:
            return min(found, key=lambda e: (e.kind is TimeKind.STRETCH, spoken([text]).is_vague(e.text)))
    return None


def _times(text: str, at: datetime | None) -> Sequence[Expression]:
    return _times_in(text, at, at.tzinfo if at is not None else None)


@lru_cache(maxsize=8192)
def _times_in(text: str, at: datetime | None, zone: tzinfo | None) -> Sequence[Expression]:  # noqa: ARG001
    """`zone` is that of `at`: two times that are equal may be of different days."""
    return [e for e in spoken([text]).times(text, at) if e.kind is not TimeKind.CLOCK]


def _overlaps(asked: list[Span], expression: Expression | None, at: datetime | None) -> float:
    if not asked or (expression is None and at is None):
        return 0.0
    start = expression.span.start if expression is not None else at
    assert start is not None
    stated = start.replace(tzinfo=None)
    return float(any(s.start.replace(tzinfo=None) <= stated < s.end.replace(tzinfo=None) for s in asked))


def _coarse(question: Question, what: Expression | Span, span: Span) -> str:
    if question.grain == Grain.YEAR:
        return describe(Span(span.start, span.end, Grain.YEAR))
    if question.grain == Grain.MONTH and span.grain is not Grain.YEAR:
        return describe(Span(span.start, span.end, Grain.MONTH))
    return describe(what)


def _support(passage: Passage) -> float:
    return (
        0.6 * passage.score + 0.6 * passage.covered + 0.3 * passage.turn_covered + 0.5 * passage.cosine
        + 0.15 * passage.by_asked - 0.2 * ("?" in passage.text)
    )  # fmt: skip


def how_long(passages: Sequence[Passage]) -> ShortAnswer | None:
    """The length of time that the best sentence with one names."""
    found = [
        ShortAnswer(text, (passage,), _support(passage)) for passage in passages for text in _lengths(passage.text)
    ]
    return max(found, key=lambda f: f.strength, default=None)


@lru_cache(maxsize=8192)
def _lengths(text: str) -> Sequence[str]:
    return [length.text for length in spoken([text]).lengths(text)]
