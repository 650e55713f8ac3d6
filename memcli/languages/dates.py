"""Dates that a person types, for `--since`, `--until` and `--at`."""

from __future__ import annotations

import re
from datetime import datetime

from ..errors import UsageError
from ..text.times import Grain, Span
from . import DEFAULT, language

__all__ = ["parse_date", "parse_span"]


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
        found = language(DEFAULT).asked_times(attempt, now)
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
