"""Dates and lengths of time as a language says them: the patterns of Unicode CLDR (UTS 35, part 4), by Babel.

Babel is imported when something is said, not before: an English answer never needs it.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from ...text.times import Expression, Grain, Span, TimeKind

if TYPE_CHECKING:
    from babel import Locale

__all__ = ["describe", "full_date", "length", "month_within"]

#: What Babel counts as one of each unit: a month has 30 days, a year 365.
_ONE = {
    "minute": timedelta(minutes=1), "hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(weeks=1),
    "month": timedelta(days=30), "year": timedelta(days=365),
}  # fmt: skip
#: CLDR's narrow and unbreakable spaces, which not every terminal has.
_SPACES = dict.fromkeys(map(ord, "\u00a0\u2009\u202f"), " ")


def describe(what: Expression | Span, code: str) -> str:
    """A time as `code` says it. What hangs on another day is said as the date that it is."""
    return _described(what, code).translate(_SPACES)


def _described(what: Expression | Span, code: str) -> str:
    if isinstance(what, Span):
        return _span(what, code)
    if what.relation and what.span.grain is Grain.DAY:
        return full_date(what.span.start, code)
    if what.kind in (TimeKind.SINCE, TimeKind.STRETCH):
        first = Span(what.span.start, what.span.start + timedelta(days=1), what.span.grain)
        return _between(_span(first, code), "", code)
    return _span(what.span, code)


def full_date(at: datetime, code: str) -> str:
    """A day with its weekday."""
    return _date(at, code, "full").translate(_SPACES)


def month_within(at: datetime, code: str) -> str:
    """A month and year as they stand within a sentence: "марта 2026 г.", where alone it is "март"."""
    return _skeleton("yMMMM", at, code, within=True).translate(_SPACES)


def length(count: float, unit: str, code: str) -> str:
    """So many minutes, hours, days, weeks, months or years, in the plural that goes with the number."""
    from babel.dates import format_timedelta

    # From a threshold of as many units on, no larger unit is taken: ten days are not a week.
    return format_timedelta(count * _ONE[unit], threshold=count, locale=_locale(code)).translate(_SPACES)


@lru_cache
def _locale(code: str) -> Locale:
    from babel import Locale

    return Locale.parse(code)


def _span(span: Span, code: str) -> str:
    first, last = span.start, span.end - timedelta(microseconds=1)
    if span.grain is Grain.YEAR:
        return _skeleton("y", first, code)
    if span.grain is Grain.MONTH:
        return _skeleton("yMMMM", first, code)
    if span.grain is Grain.SEASON:
        return _interval("yMMMM", first, last, code)
    if span.grain is Grain.MINUTE:
        return _moment(first, code)
    if first.date() == last.date():
        return _date(first, code, "long")
    if (first.year, first.month) == (last.year, last.month):
        return _interval("yMMMMd", first, last, code)
    return _between(_date(first, code, "long"), _date(last, code, "long"), code)


def _date(at: datetime, code: str, width: str) -> str:
    from babel.dates import format_date

    return format_date(at.date(), width, locale=_locale(code))


def _moment(at: datetime, code: str) -> str:
    from babel.dates import format_skeleton, get_datetime_format

    joined = str(get_datetime_format("long", locale=_locale(code))).replace("'", "")
    time = format_skeleton("Hm", at.replace(tzinfo=None), locale=_locale(code))
    return joined.format(time, _date(at, code, "long"))


def _skeleton(name: str, at: datetime, code: str, *, within: bool = False) -> str:
    from babel.dates import format_date

    pattern = _locale(code).datetime_skeletons[name].pattern
    return format_date(at.date(), pattern.replace("LLLL", "MMMM") if within else pattern, locale=_locale(code))


def _interval(skeleton: str, first: datetime, last: datetime, code: str) -> str:
    from babel.dates import format_interval

    return format_interval(first.date(), last.date(), skeleton, locale=_locale(code))


def _between(first: str, last: str, code: str) -> str:
    """From the one to the other; from the one on, where there is no other."""
    pattern = _locale(code).interval_formats[None]
    return str(pattern).format(first, last).strip()
