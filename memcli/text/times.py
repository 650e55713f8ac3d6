"""Spans of time, the calendar arithmetic that makes them, and how memcli says them. Weeks begin on Monday; spans are
half open. What words stand for which span is a language's to know.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import lru_cache

__all__ = [
    "MONTHS", "ONE_DAY", "SEASONS", "UNITS", "WEEKDAYS", "Expression", "Grain", "Length", "Span", "TimeKind",
    "bare_hour", "clock", "day", "describe", "is_clock", "midnight", "month", "month_name", "moved", "plus_months",
    "season", "week", "weekday_name", "weekend", "without_weekdays", "year",
]  # fmt: skip

ONE_DAY = timedelta(days=1)
#: The units in which lengths of time are counted.
UNITS = ("minute", "hour", "day", "week", "month", "year")
#: The month in which each season of the northern hemisphere begins.
SEASONS = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


_HOUR = r"(?:[01]?\d|2[0-4])"
#: As it is spoken: "half past two", "quarter to 9", "ten past six", "five o'clock".
_FULL = r"(?:1[0-2]|[1-9]|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_SPOKEN = (
    rf"(?:(?:half past|(?:a )?quarter (?:past|to)|(?:five|ten|twenty(?:-five)?) (?:past|to)) {_FULL}"
    rf"|{_FULL} o['’]clock|noon|midday|midnight)"
)
_MOMENT = rf"(?:{_HOUR}[:.h][0-5]\d(?: ?[ap]\.?m\.?)?|{_HOUR} ?(?:[ap]\.?m\.?|h|Uhr)|{_SPOKEN})"
#: A time of day as it is written, with the zone, and until when; standing alone also "9 to 5".
_TIED = r"(?:(?:at|from|till|until|by|about|around) )?"
_ZONE = r"(?: (?:UTC|GMT|CES?T|BST|[ECMP][SD]T))?"
_STRETCH = rf"{_MOMENT}(?: ?(?:-|–|to|till|until) ?{_MOMENT})?"
_CLOCK = rf"{_TIED}(?:{_STRETCH}|{_HOUR} (?:till|until|to) {_HOUR}){_ZONE}"
_CLOCKS = rf"(?<![\w.:]){_TIED}{_STRETCH}{_ZONE}(?!\w|[:.]\d)"
#: An hour without more, where the hour is asked for: "at 7", "from half nine"; not "at 7 Mill Lane", "at 3 of them".
_BARE = (
    rf"\b(?:at|from|till|until|by|around|about) (?:half )?{_FULL}\b"
    r"(?![.:,]?\d| ?[%€£$°A-Z-]| (?:of|[a-z]+s)\b)"
)


class Grain(StrEnum):
    """How exact a span is."""

    MINUTE = "minute"
    DAY = "day"
    WEEKEND = "weekend"
    WEEK = "week"
    MONTH = "month"
    SEASON = "season"
    YEAR = "year"
    RANGE = "range"


class TimeKind(StrEnum):
    """What sort of expression it is: a date, one relative to the date it is said on, a start, or a stretch."""

    ABSOLUTE = "absolute"
    RELATIVE = "relative"
    SINCE = "since"
    STRETCH = "stretch"
    CLOCK = "clock"


@dataclass(frozen=True, slots=True)
class Span:
    """From `start` until just before `end`."""

    start: datetime
    end: datetime
    grain: Grain


@dataclass(frozen=True, slots=True)
class Expression:
    """A time expression at `text[start_offset:end_offset]`.

    `relation` says how it hangs on `said_at` ("the week before"); `ambiguous` that it can be read in two ways.
    """

    text: str
    start_offset: int
    end_offset: int
    span: Span
    kind: TimeKind
    said_at: datetime | None = None
    relation: str = ""
    ambiguous: bool = False


@dataclass(frozen=True, slots=True)
class Length:
    """A length of time, such as "three weeks"; `days` is approximate for months and years.

    `count` of `unit`, of "minute" to "year", where it is so many: a weekend and "a few days" are not.
    """

    text: str
    start_offset: int
    end_offset: int
    days: float
    count: float = 0.0
    unit: str = ""


def midnight(at: datetime) -> datetime:
    """The beginning of the day of `at`."""
    return at.replace(hour=0, minute=0, second=0, microsecond=0)


def day(at: datetime, days: int = 0) -> Span:
    """The day `days` after that of `at`."""
    start = midnight(at) + timedelta(days=days)
    return Span(start, start + ONE_DAY, Grain.DAY)


def week(at: datetime, weeks: int = 0) -> Span:
    """The week `weeks` after that of `at`."""
    start = midnight(at) - timedelta(days=at.weekday() - 7 * weeks)
    return Span(start, start + 7 * ONE_DAY, Grain.WEEK)


def weekend(at: datetime, weeks: int = 0) -> Span:
    """The weekend of the week `weeks` after that of `at`."""
    start = week(at, weeks).start + 5 * ONE_DAY
    return Span(start, start + 2 * ONE_DAY, Grain.WEEKEND)


def plus_months(at: datetime, months: int) -> datetime:
    """`at`, `months` later; on the last day of the month where it has no such day."""
    count = at.year * 12 + at.month - 1 + months
    in_year, in_month = divmod(count, 12)
    return at.replace(year=in_year, month=in_month + 1, day=min(at.day, monthrange(in_year, in_month + 1)[1]))


def month(at: datetime, months: int = 0) -> Span:
    """The month `months` after that of `at`."""
    start = plus_months(midnight(at).replace(day=1), months)
    return Span(start, plus_months(start, 1), Grain.MONTH)


def year(at: datetime, years: int = 0) -> Span:
    """The year `years` after that of `at`."""
    start = midnight(at).replace(year=at.year + years, month=1, day=1)
    return Span(start, plus_months(start, 12), Grain.YEAR)


def season(at: datetime, name: str, in_year: int) -> Span:
    """The season `name` that begins in a year."""
    start = midnight(at).replace(year=in_year, month=SEASONS[name], day=1)
    return Span(start, plus_months(start, 3), Grain.SEASON)


def moved(at: datetime, unit: str, count: int) -> Span:
    """The day, week, month … that lies `count` units from `at`."""
    by_unit: dict[str, Callable[[datetime, int], Span]] = {
        "day": day, "night": day, "week": week, "weekend": weekend, "month": month, "year": year,
    }  # fmt: skip
    if unit in ("decade", "fortnight"):
        return year(at, 10 * count) if unit == "decade" else week(at, 2 * count)
    if unit in ("minute", "hour"):
        moment = at + timedelta(minutes=count * (60 if unit == "hour" else 1))
        return Span(moment, moment + timedelta(minutes=1), Grain.MINUTE)
    return by_unit[unit](at, count)


def without_weekdays(found: Sequence[Expression], text: str, between: str) -> list[Expression]:
    """The times of `text`, in order, without days of the week that stand right before a date: "Sunday, 15 June".

    `between`: the words that may stand there, as a pattern: "Sunday the 15th of June".
    """
    beside = re.compile(rf"[,.]? ?{between}", re.IGNORECASE)
    following = (*found[1:], None)
    return [
        each
        for each, after in zip(found, following[: len(found)], strict=True)
        if not _names(each, after, text, beside)
    ]


def _names(one: Expression, after: Expression | None, text: str, beside: re.Pattern[str]) -> bool:
    """Whether it only names the day of the date that follows."""
    if after is None or not (_is_on(one, TimeKind.RELATIVE) and _is_on(after, TimeKind.ABSOLUTE)):
        return False
    return bool(beside.fullmatch(text, one.end_offset, after.start_offset))


def _is_on(one: Expression, kind: TimeKind) -> bool:
    """Whether it is of this kind, and one day."""
    return one.kind is kind and one.span.grain is Grain.DAY


def month_name(at: datetime) -> str:
    """The month in English, whatever locale the program has set: strftime would follow it."""
    return MONTHS[at.month - 1]


def weekday_name(at: datetime) -> str:
    """The day of the week in English."""
    return WEEKDAYS[at.weekday()]


@lru_cache(maxsize=2)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def is_clock(text: str) -> bool:
    """Whether a text is a time of day, or a stretch of one day, as it is written: "05.50", "7pm", "19:00 UTC"."""
    return bool(_compiled(_CLOCK).fullmatch(text.strip()))


def clock(text: str) -> str:
    """The one time of day that a text names, as it is written; empty where there is none, or several."""
    found = [match[0] for match in _compiled(_CLOCKS).finditer(text)]
    return found[0] if len(found) == 1 else ""


def bare_hour(text: str) -> str:
    """The one hour that a text names with nothing beside it, as it is written: "at 7"; empty if it is not just one."""
    found = re.findall(_BARE, text)
    return found[0] if len(found) == 1 else ""


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
