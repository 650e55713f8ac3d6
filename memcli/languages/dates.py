"""Dates that a person types, for `--since`, `--until` and `--at`."""

from __future__ import annotations

import re
from datetime import datetime

from ..errors import UsageError
from ..text.times import Grain, Span
from . import DEFAULT, language

__all__ = ["parse_date", "parse_span"]

#: Two times and all between them: "between March and May 2026", "3 to 9 March", "2026-03-02 – 2026-03-09".
_RANGE = re.compile(
    r"between\s+(?P<first>.+?)\s+and\s+(?P<last>.+)"
    r"|(?:from\s+)?(?P<begin>.+?)\s+(?:to|till|until|-|–)\s+(?P<end>.+)",
    re.IGNORECASE,
)
#: A longer text names no two times.
_LONGEST = 100
_DAY_OF_MONTH = re.compile(r"\d{1,2}(?:st|nd|rd|th)?")


def parse_date(text: str, now: datetime) -> datetime:
    """The beginning of what `text` names; see `parse_span`."""
    return parse_span(text, now).start


def parse_span(text: str, now: datetime) -> Span:
    """The stretch that `text` names, counted from `now`: an ISO date, "2023-05", "2023", "yesterday", "last week", …,
    or two of these with all between them ("between March and May 2023").

    "now" is a stretch without length. Raises `UsageError` where `text` names none.
    """
    stated = text.strip()
    try:
        return _one(stated, now)
    except UsageError:
        match = _RANGE.fullmatch(stated) if len(stated) <= _LONGEST else None
        if match is None:
            raise
    return _from_to(match["first"] or match["begin"], match["last"] or match["end"], now, text)


def _one(stated: str, now: datetime) -> Span:
    """The stretch that is named by itself."""
    if match := re.fullmatch(r"(\d{4})(?:-(\d\d?))?", stated):
        return _month_or_year(int(match[1]), int(match[2]) if match[2] else None, now, stated)
    if stated.lower() == "now":
        return Span(now, now, Grain.DAY)
    for attempt in (stated, f"in {stated}", f"last {stated}"):
        found = language(DEFAULT).asked_times(attempt, now)
        if len(found) == 1 and found[0].text == attempt:
            return found[0].span
    raise _no_date(stated)


def _from_to(first: str, last: str, now: datetime, text: str) -> Span:
    """From the one to the end of the other, whose month and year hold for both where the first has none."""
    end = _one(last, now)
    if _DAY_OF_MONTH.fullmatch(first) and (day := _DAY_OF_MONTH.match(last)):
        first += last[day.end() :]
    start = _one(first, now)
    if start.start > end.start:
        start = _one(first, end.end)
    if start.start >= end.end:
        raise _no_date(text)
    return Span(start.start, end.end, end.grain)


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
