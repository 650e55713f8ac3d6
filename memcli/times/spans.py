"""Spans of time, and the calendar arithmetic that makes them. Weeks begin on Monday; spans are half open."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

__all__ = [
    "ONE_DAY", "SEASONS", "Expression", "Grain", "Length", "Span", "TimeKind", "day", "midnight", "month", "month_name",
    "moved", "plus_months", "season", "week", "weekday_name", "weekend", "year",
]  # fmt: skip

ONE_DAY = timedelta(days=1)
#: The month in which each season of the northern hemisphere begins.
SEASONS = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


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
    """A length of time, such as "three weeks"; `days` is approximate for months and years."""

    text: str
    start_offset: int
    end_offset: int
    days: float


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


def month_name(at: datetime) -> str:
    """The month in English, whatever locale the program has set: strftime would follow it."""
    return _MONTHS[at.month - 1]


def weekday_name(at: datetime) -> str:
    """The day of the week in English."""
    return _WEEKDAYS[at.weekday()]
