"""Answers to *when* and *how long*: time expressions resolved against the date that they were said on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from functools import lru_cache

from ..languages import language, spoken
from ..model import Question
from ..text.times import Expression, Grain, Length, Span, TimeKind, bare_hour, clock, day, is_clock, weekday_name
from .relevance import Found
from .values import Value

__all__ = ["dates", "is_moved", "lengths"]

#: How much less a day on which something was told is worth than a date that was named.
_UNNAMED = 0.5
#: From which chance on the span of a time of day is the answer.
_CLOCK = 0.4
#: A part of a sentence, from pause to pause.
_PART = re.compile(r"[^,;:.!?]+")
_BARE_YEAR = re.compile(r"(?<![\d.,:/£$€-])(?:18|19|20)\d\d(?![\d:/%€-]|[.,]\d)")
#: A month's name, as far as it can be told from what else stands with a day: "the 19th".
_MONTH = re.compile(r"\b(?!the\b)[^\W\d_]{3,}", re.IGNORECASE)


def dates(question: Question, found: Found) -> list[Value]:
    """The dates that a window gives: those it names, the likeliest first; else the day on which it was said. A time of
    day comes before all of them, with the date that is named beside it, where the network takes it for the answer; and
    what comes again and again where it is likelier than any. Who asks for the time of day is given that, or no value.
    """
    told, is_dated = _named(question, found)
    at, hour = found.passage.at, _hour(question, found, is_dated=is_dated)
    said = [] if at is None else [Value(_coarse(question, day(at), day(at)), found, _UNNAMED, typed=False)]
    if question.grain == Grain.MINUTE:
        return [*([hour] if hour else []), *(replace(each, typed=False) for each in told), *said]
    if hour:
        told.insert(0, replace(hour, text=f"{told[0].text}, {hour.text}") if is_dated else hour)
    window = found.passage.window
    again = [
        Value(window.shown[a:b], found, _liked(found, a, b)) for a, b in spoken([window.text]).recurring(window.shown)
    ]
    is_likelier = not told or max((each.chance for each in again), default=0.0) >= told[0].chance
    return [*again, *told, *said] if is_likelier else [*told, *said]


def _named(question: Question, found: Found) -> tuple[list[Value], bool]:
    """The dates that a window names, the likeliest first, or else its turn; and whether the window names one."""
    times = _affirmed(_times(found.passage.window.shown, found.passage.at), found.passage.window.shown)
    named = [(_chance(each, found), each) for each in times]
    is_dated = bool(named)
    if not named:
        named = [(_UNNAMED * 0.5, each) for each in _times(found.passage.turn_text, found.passage.at)]
    if is_moved(found):  # "…was to be on the 14th, they have put it off to the 2nd"
        named.reverse()
    named.sort(key=lambda pair: (_is_vague(pair[1]), -pair[0]))
    code = spoken([found.passage.window.shown]).code
    told = [Value(_coarse(question, each, each.span, code), found, chance) for chance, each in named]
    years = [] if is_dated else _years(question, found)
    return [*years, *told], is_dated or bool(years)


def _affirmed(times: Sequence[Expression], text: str) -> Sequence[Expression]:
    """Those of several that are not denied: "not coming off on the 12th, it's the 19th"."""
    if len(times) < 2:
        return times
    said = spoken([text])
    denied = [part.span() for part in _PART.finditer(text) if said.denies(part[0])]
    return [each for each in times if not any(a <= each.start_offset < b for a, b in denied)] or times


def _years(question: Question, found: Found) -> list[Value]:
    """The years by themselves that the network takes for the answer: "1937, in a lighthouse"; of one who asks for no
    more exact time than that.
    """
    if question.grain not in ("", Grain.YEAR):
        return []
    bare = [(each[0], _liked(found, *each.span())) for each in _BARE_YEAR.finditer(found.passage.window.shown)]
    return [Value(text, found, chance) for text, chance in bare if chance >= _CLOCK]


def _hour(question: Question, found: Found, *, is_dated: bool) -> Value | None:
    """The time of day that the network takes for the answer, as it is written; or that stands in what it takes, where
    a date can stand beside it or the hour is asked for. None where it takes something else.
    """
    span = max(found.finding.spans, key=lambda each: each.chance, default=None)
    if span is not None and span.chance >= _CLOCK:
        liked = found.passage.window.shown[span.start : span.end].strip(" ,;")
        if is_clock(liked):
            return Value(liked, found, span.chance)
        if inside := clock(liked) if is_dated or question.grain == Grain.MINUTE else "":
            return Value(inside, found, span.chance)
    return _only_hour(found) if question.grain == Grain.MINUTE else None


def _only_hour(found: Found) -> Value | None:
    """The one time of day that a window names, where it names no other."""
    shown = found.passage.window.shown
    only = clock(shown) or bare_hour(shown)
    start = shown.find(only)
    return Value(only, found, _liked(found, start, start + len(only))) if only else None


def is_moved(found: Found) -> bool:
    """Whether a window says that something is at another time now."""
    return spoken([found.passage.window.text]).is_moved(found.passage.window.text)


def _chance(expression: Expression, found: Found) -> float:
    """How much of what the network likes lies in the expression; some in any case."""
    return _liked(found, expression.start_offset, expression.end_offset)


def _liked(found: Found, start: int, end: int) -> float:
    liked = sum(span.chance for span in found.finding.spans if span.start < end and span.end > start)
    return max(min(liked, 1.0), 0.1)


def _is_vague(expression: Expression) -> bool:
    return expression.kind is TimeKind.STRETCH or spoken([expression.text]).is_vague(expression.text)


def _times(text: str, at: datetime | None) -> Sequence[Expression]:
    return _times_in(text, at, at.tzinfo if at is not None else None)


@lru_cache(maxsize=8192)
def _times_in(text: str, at: datetime | None, zone: tzinfo | None) -> Sequence[Expression]:  # noqa: ARG001
    """`zone` is that of `at`: two times that are equal may be of different days."""
    return [e for e in spoken([text]).times(text, at) if e.kind is not TimeKind.CLOCK]


def _coarse(question: Question, what: Expression | Span, span: Span, code: str = "") -> str:
    """A time as exactly as it is asked for, in the question's language. `code`: the language in which it was said."""
    asked = language(question.language)
    if question.grain == Grain.YEAR:
        return asked.describe(Span(span.start, span.end, Grain.YEAR))
    if question.grain == Grain.MONTH and span.grain is not Grain.YEAR:
        return asked.describe(Span(span.start, span.end, Grain.MONTH))
    if question.grain == "weekday" and isinstance(what, Expression):
        named = weekday_name(span.start)
        if named.lower() in what.text.lower():
            return named
    if isinstance(what, Expression) and span.grain is Grain.DAY:
        if what.relation:
            return asked.full_date(span.start)
        if code == asked.code and asked.comes_yearly(question.text) and _names_day_alone(what):
            return what.text
    return asked.describe(what)


def _names_day_alone(what: Expression) -> bool:
    """Whether it is a day and a month, in words, without a year."""
    return (
        what.kind is TimeKind.ABSOLUTE and bool(_MONTH.search(what.text)) and str(what.span.start.year) not in what.text
    )


def lengths(question: Question, found: Found) -> list[Value]:
    """The lengths of time that a window names, the likeliest first."""
    shown = found.passage.window.shown
    named = [Value(_said(question, shown, parts), found, _overlap(parts, found)) for parts in _joined(shown)]
    return sorted(named, key=lambda value: -value.chance)


def _joined(text: str) -> list[list[Length]]:
    """The lengths of time of a text, each in its parts: "9 hours and 10 minutes" is one."""
    joined: list[list[Length]] = []
    for each in spoken([text]).lengths(text):
        if joined and text[joined[-1][-1].end_offset : each.start_offset].strip() in ("", ",", "and", ", and", "&"):
            joined[-1].append(each)
        else:
            joined.append([each])
    return joined


def _said(question: Question, text: str, parts: Sequence[Length]) -> str:
    """As it was said; of a text in another language in the words of the question's, where it has any for it."""
    asked = language(question.language)
    if asked.code != spoken([text]).code and all(each.unit for each in parts):
        own = [asked.length(each.count, each.unit) for each in parts]
        if all(own):
            return " ".join(own)
    return text[parts[0].start_offset : parts[-1].end_offset]


def _overlap(parts: Sequence[Length], found: Found) -> float:
    start, end = parts[0].start_offset, parts[-1].end_offset
    return max(0.1, sum(span.chance for span in found.finding.spans if span.start < end and span.end > start))
