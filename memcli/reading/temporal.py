"""Answers to *when* and *how long*: time expressions resolved against the date that they were said on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo
from functools import lru_cache

from ..languages import spoken
from ..model import Question
from ..text.times import Expression, Grain, Span, TimeKind, day, describe, weekday_name
from .relevance import Found
from .values import Value

__all__ = ["dates", "lengths"]

#: How much less a day on which something was told is worth than a date that was named.
_UNNAMED = 0.5


def dates(question: Question, found: Found) -> list[Value]:
    """The dates that a window gives: those it names, the likeliest first; else the day on which it was said."""
    window, at = found.passage.window, found.passage.at
    named = [(_chance(each, found), each) for each in _times(window.shown, at)]
    if not named:
        named = [(_UNNAMED * 0.5, each) for each in _times(found.passage.turn_text, at)]
    named.sort(key=lambda pair: (_is_vague(pair[1]), -pair[0]))
    told = [Value(_coarse(question, each, each.span), found, chance) for chance, each in named]
    if at is not None:
        said = day(at)
        told.append(Value(_coarse(question, said, said), found, _UNNAMED, typed=False))
    return told


def _chance(expression: Expression, found: Found) -> float:
    """How much of what the network likes lies in the expression; some in any case."""
    liked = sum(
        span.chance
        for span in found.finding.spans
        if span.start < expression.end_offset and span.end > expression.start_offset
    )
    return max(min(liked, 1.0), 0.1)


def _is_vague(expression: Expression) -> bool:
    return expression.kind is TimeKind.STRETCH or spoken([expression.text]).is_vague(expression.text)


def _times(text: str, at: datetime | None) -> Sequence[Expression]:
    return _times_in(text, at, at.tzinfo if at is not None else None)


@lru_cache(maxsize=8192)
def _times_in(text: str, at: datetime | None, zone: tzinfo | None) -> Sequence[Expression]:  # noqa: ARG001
    """`zone` is that of `at`: two times that are equal may be of different days."""
    return [e for e in spoken([text]).times(text, at) if e.kind is not TimeKind.CLOCK]


def _coarse(question: Question, what: Expression | Span, span: Span) -> str:
    if question.grain == Grain.YEAR:
        return describe(Span(span.start, span.end, Grain.YEAR))
    if question.grain == Grain.MONTH and span.grain is not Grain.YEAR:
        return describe(Span(span.start, span.end, Grain.MONTH))
    if isinstance(what, Expression) and what.relation and span.grain is Grain.DAY:
        return f"{weekday_name(span.start)} {describe(span)}"
    return describe(what)


def lengths(found: Found) -> list[Value]:
    """The lengths of time that a window names, the likeliest first."""
    shown = found.passage.window.shown
    named = [(start, end, _overlap(start, end, found)) for start, end in _joined(shown)]
    return [Value(shown[start:end], found, chance) for start, end, chance in sorted(named, key=lambda each: -each[2])]


def _joined(text: str) -> list[tuple[int, int]]:
    """Where lengths of time begin and end: "9 hours and 10 minutes" is one."""
    joined: list[tuple[int, int]] = []
    for each in spoken([text]).lengths(text):
        if joined and text[joined[-1][1] : each.start_offset].strip() in ("", ",", "and", ", and", "&"):
            joined[-1] = (joined[-1][0], each.end_offset)
        else:
            joined.append((each.start_offset, each.end_offset))
    return joined


def _overlap(start: int, end: int, found: Found) -> float:
    return max(0.1, sum(span.chance for span in found.finding.spans if span.start < end and span.end > start))
