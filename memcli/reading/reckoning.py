"""What is worked out of days: how long ago or until, how long between, and which came first or in which order.

The days are read as answers to questions of their own, over what was found for the whole one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise

from ..languages import language
from ..model import Question, Reckoned, Reckoning, Seeks, Standing
from ..text import content_stems
from ..text.times import Grain, Span, TimeKind, day, year

__all__ = ["for_days", "told", "worked_out"]

_YEAR = re.compile(r"(?:19|20)\d\d")
#: How exact a day has to be for what is told in a unit.
_FINE = {
    "day": (Grain.DAY,),
    "week": (Grain.DAY, Grain.WEEKEND, Grain.WEEK),
    "month": (Grain.DAY, Grain.WEEKEND, Grain.WEEK, Grain.MONTH),
    "year": (Grain.DAY, Grain.WEEKEND, Grain.WEEK, Grain.MONTH, Grain.YEAR),
}
#: The mean length of a unit in days.
_DAYS = {"day": 1.0, "week": 7.0, "month": 30.44, "year": 365.25}
#: How many units there are at least before one of them is used by itself.
_AT_LEAST = (("year", 2), ("month", 2), ("week", 2))


def for_days(question: Question, sought: Reckoning) -> list[Question]:
    """The questions for the days, each about whom the whole one is about."""
    return [
        replace(
            question, text=text, core=text, seeks=Seeks.WHEN, listing=False, several=False, counts_times=False,
            standing=Standing.ANY, head="", grain="",
            stems=tuple(stem for stem in question.stems if stem in set(content_stems(text))),
        )
        for text in sought.asked
    ]  # fmt: skip


def told(question: Question, text: str, at: datetime) -> Span | None:
    """The one time that an answer to *when* names, if it names one; of days from one to another the first."""
    if _YEAR.fullmatch(text):
        return year(datetime(int(text), 1, 1, tzinfo=at.tzinfo))
    known = language(question.language)
    found = [each for each in known.times(text, at) if each.kind is not TimeKind.CLOCK]
    if len(found) != 1 or known.recurring(text):
        return None
    only = found[0]
    return day(only.span.start) if only.kind is TimeKind.ABSOLUTE and only.span.grain is Grain.RANGE else only.span


def worked_out(question: Question, sought: Reckoning, days: Sequence[Span], at: datetime) -> str:
    """The answer; empty where the days are not exact enough for it, or one and the same. `at`: when it is asked."""
    known = language(question.language)
    if len(days) == 2 and days[0] == days[1]:
        return ""
    if sought.kind in (Reckoned.FIRST, Reckoned.LAST, Reckoned.ORDER):
        return _in_order(question, sought, days)
    days = days if sought.kind is Reckoned.HAD else sorted(days, key=lambda each: each.start)
    now = {Reckoned.AGO: [*days, day(at)], Reckoned.UNTIL: [day(at), *days]}
    spans = now.get(sought.kind, days)
    unit = sought.unit or _unit(spans)
    if any(each.grain not in _FINE[unit] for each in days) or spans[0].start > spans[1].start:
        return ""
    count = _count(spans, unit)
    dated = f" ({', '.join(map(known.describe, days))})"
    return (known.ago if sought.kind is Reckoned.AGO else known.length)(count, unit) + dated


def _in_order(question: Question, sought: Reckoning, days: Sequence[Span]) -> str:
    """The first or the last with its day, and those of the others, or all in their order; no two may overlap."""
    ordered = sorted(zip(days, sought.named, strict=True), key=lambda pair: pair[0].start)
    if any(one.end > other.start for (one, _), (other, _) in pairwise(ordered)):
        return ""
    describe = language(question.language).describe
    if sought.kind is Reckoned.ORDER:
        return ", ".join(f"{name} ({describe(span)})" for span, name in ordered)
    (span, name), *others = ordered if sought.kind is Reckoned.FIRST else reversed(ordered)
    return f"{name} ({describe(span)}; {', '.join(f'{other}: {describe(each)}' for each, other in others)})"


def _unit(spans: Sequence[Span]) -> str:
    """The largest of which there are some."""
    return next((unit for unit, least in _AT_LEAST if _count(spans, unit) >= least), "day")


def _count(spans: Sequence[Span], unit: str) -> int:
    """So many units lie between two times, the days of the month apart left out."""
    one, other = (each.start.replace(tzinfo=None) for each in spans)
    if unit == "year":
        return other.year - one.year - ((other.month, other.day) < (one.month, one.day))
    return round((other.date() - one.date()).days / _DAYS[unit])
