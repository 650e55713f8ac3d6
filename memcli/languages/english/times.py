"""Time expressions said on a known date, resolved into spans: "last Friday", said on 15 July 2023, is 14 July.

A grammar of its own, of regular expressions and calendar arithmetic: it gives a span with a grain where general date
parsers give one moment, it keeps vague expressions vague, and it imports nothing but the standard library.

Conventions: spans are half open; weeks begin on Monday; a weekend is Saturday and Sunday; "last Friday" is the
latest Friday before the day it is said; an expression without a date to count from is left out.
"""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache

from ...text.times import UNITS, Expression, Length, without_weekdays
from . import grammar

__all__ = ["find", "lengths"]

_DAYS_IN = {"minute": 1 / 1440, "hour": 1 / 24, "day": 1, "night": 1, "weekend": 7, "week": 7, "fortnight": 14}
_DAYS_IN |= {"month": 30.4, "year": 365.25, "decade": 3652.5}
#: No year is without one of these.
_OF_YEARS = re.compile(r"\d|eighteen|nineteen|twenty", re.IGNORECASE)


def find(text: str, said_at: datetime | None, *, asked: bool = False) -> list[Expression]:
    """The time expressions of `text`, said, or `asked`, on `said_at`, in order and without overlap.

    Without a date only expressions that name a full date are resolved. Spans have the offset of `said_at`.
    """
    if said_at is None and not _OF_YEARS.search(text):
        return []
    rules = [(pattern, grammar.ASKED.get(build, build) if asked else build) for pattern, build in grammar.compiled()]
    straight = text.replace("’", "'")
    found = [e for pattern, build in rules for e in _apply(pattern, build, straight, text, said_at)]
    found.sort(key=lambda e: (e.start_offset, -e.end_offset))
    chosen: list[Expression] = []
    for expression in found:
        if not chosen or expression.start_offset >= chosen[-1].end_offset:
            chosen.append(expression)
    return without_weekdays(chosen, text, "(?:the )?")


def _apply(
    pattern: re.Pattern[str], build: grammar.Build, straight: str, text: str, said_at: datetime | None
) -> list[Expression]:
    """The expressions of one rule. `straight`: the text with straight apostrophes."""
    found = []
    for match in pattern.finditer(straight):
        if said_at is None and not (match.groupdict().get("year") or match.groupdict().get("century")):
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


@lru_cache(maxsize=1)
def _length_pattern() -> re.Pattern[str]:
    return re.compile(grammar.LENGTH + r"(?!\s*old|')", re.IGNORECASE)


def _counted(match: re.Match[str]) -> tuple[float, float]:
    """The least and the most of a length's units."""
    if match["half"]:
        return 0.5, 0.5
    least, most = grammar.amount(match["amount"])
    beside = 0.5 if match["halved"] or match["more"] else 0.0
    return least + beside, most + beside


def lengths(text: str) -> list[Length]:
    """The lengths of time that `text` names ("4 years", "a couple of weeks"), in order; an age is none."""
    found = []
    for match in _length_pattern().finditer(text):
        least, most = _counted(match)
        unit = match["unit"].lower()
        exact = (float(least), unit) if least == most and unit in UNITS else (0.0, "")
        found.append(Length(match.group(), match.start(), match.end(), (least + most) / 2 * _DAYS_IN[unit], *exact))
    return found
