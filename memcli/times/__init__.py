"""Time expressions said on a known date, resolved into spans: "last Friday", said on 15 July 2023, is 14 July.

A grammar of its own, of regular expressions and calendar arithmetic: it gives a span with a grain where general date
parsers give one moment, it keeps vague expressions vague, and it imports nothing but the standard library.

Conventions: spans are half open; weeks begin on Monday; a weekend is Saturday and Sunday; "last Friday" is the
latest Friday before the day it is said; an expression without a date to count from is left out.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import lru_cache

from memcli.errors import UsageError
from memcli.times import grammar
from memcli.times.spans import SEASONS, Expression, Grain, Length, Span, TimeKind, month_name

__all__ = [
    "Expression",
    "Grain",
    "Length",
    "Span",
    "TimeKind",
    "describe",
    "find",
    "lengths",
    "parse_date",
    "parse_span",
]

_DAYS_IN = {"minute": 1 / 1440, "hour": 1 / 24, "day": 1, "night": 1, "weekend": 7, "week": 7, "fortnight": 14}
_DAYS_IN |= {"month": 30.4, "year": 365.25, "decade": 3652.5}


def find(text: str, said_at: datetime | None) -> list[Expression]:
    """The time expressions of `text`, said on `said_at`, in order and without overlap.

    Without a date only expressions that name a full date are resolved. Spans have the offset of `said_at`.
    """
    found = [e for pattern, build in grammar.compiled() for e in _apply(pattern, build, text, said_at)]
    found.sort(key=lambda e: (e.start_offset, -e.end_offset))
    chosen: list[Expression] = []
    for expression in found:
        if not chosen or expression.start_offset >= chosen[-1].end_offset:
            chosen.append(expression)
    return chosen


def _apply(pattern: re.Pattern[str], build: grammar.Build, text: str, said_at: datetime | None) -> list[Expression]:
    found = []
    for match in pattern.finditer(text.replace("’", "'")):
        if said_at is None and not match.groupdict().get("year"):
            continue
        try:
            reading = build(match, said_at or datetime(2000, 1, 1))
        except (ValueError, OverflowError):  # no such day, or before the first year: not a date
            continue
        if reading is not None:
            start, end = match.span()
            expression = Expression(text[start:end], start, end, reading.span, reading.kind,
                                    reading.anchor or said_at, reading.relation, reading.ambiguous)  # fmt: skip
            found.append(expression)
    return found


def describe(what: Expression | Span) -> str:
    """`what` as a person would say it: "7 May 2023", "the Friday before 15 July 2023", "June 2023", "since 2016"."""
    if isinstance(what, Span):
        return _span_text(what)
    if what.relation.startswith("for "):
        return what.relation
    if what.relation and what.said_at is not None:
        return f"{what.relation} {_date(what.said_at)}"
    if what.kind in (TimeKind.SINCE, TimeKind.STRETCH):
        return f"since {_span_text(Span(what.span.start, what.span.start + timedelta(days=1), what.span.grain))}"
    return _span_text(what.span)


def _date(at: datetime) -> str:
    return f"{at.day} {month_name(at)} {at.year}"


def _span_text(span: Span) -> str:
    first, last = span.start, span.end - timedelta(microseconds=1)
    if span.grain is Grain.YEAR:
        return str(first.year)
    if span.grain is Grain.MONTH:
        return f"{month_name(first)} {first.year}"
    if span.grain is Grain.SEASON:
        return f"{next(name for name, month in SEASONS.items() if month == first.month)} {first.year}"
    if span.grain is Grain.MINUTE:
        return f"{_date(first)}, {first:%H:%M}"
    if first.date() == last.date():
        return _date(first)
    return _range_text(first, last)


def _range_text(first: datetime, last: datetime) -> str:
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.day}–{last.day} {month_name(first)} {first.year}"
    if first.year == last.year:
        return f"{first.day} {month_name(first)} – {_date(last)}"
    return f"{_date(first)} – {_date(last)}"


@lru_cache(maxsize=1)
def _length_pattern() -> re.Pattern[str]:
    return re.compile(grammar.LENGTH + r"(?!\s*old|')", re.IGNORECASE)


def lengths(text: str) -> list[Length]:
    """The lengths of time that `text` names ("4 years", "a couple of weeks"), in order; an age is none."""
    found = []
    for match in _length_pattern().finditer(text):
        least, most = grammar.amount(match["amount"])
        days = (least + most) / 2 * _DAYS_IN[match["unit"].lower()]
        found.append(Length(match.group(), match.start(), match.end(), days))
    return found


def parse_date(text: str, now: datetime) -> datetime:
    """The beginning of what `text` names; see `parse_span`."""
    return parse_span(text, now).start


def parse_span(text: str, now: datetime) -> Span:
    """The stretch that `text` names, counted from `now`: an ISO date, "2023-05", "2023", "yesterday", "last week", ….

    "now" is a stretch without length. Raises `UsageError` where `text` names none.
    """
    stated = text.strip()
    if match := re.fullmatch(r"(\d{4})(?:-(\d\d?))?", stated):
        return _month_or_year(int(match[1]), int(match[2]) if match[2] else None, now, text)
    if stated.lower() == "now":
        return Span(now, now, Grain.DAY)
    for attempt in (stated, f"in {stated}", f"last {stated}"):
        found = find(attempt, now)
        if len(found) == 1 and found[0].text == attempt:
            return found[0].span
    raise _no_date(text)


def _month_or_year(year: int, month: int | None, now: datetime, text: str) -> Span:
    try:
        start = datetime(year, month or 1, 1, tzinfo=now.tzinfo)
        if month is None:
            return Span(start, start.replace(year=year + 1), Grain.YEAR)
        return Span(start, start.replace(year=year + month // 12, month=month % 12 + 1), Grain.MONTH)
    except ValueError:
        raise _no_date(text) from None


def _no_date(text: str) -> UsageError:
    return UsageError(f"no date: {text!r}", "use a date such as 2023-05-08, 2023-05, yesterday, or '3 weeks ago'")
