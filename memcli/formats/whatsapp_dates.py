"""The times at the beginning of WhatsApp's lines, written as the telephone's settings have it.

Nothing in a line says whether 3/4 is in March or in April, but a whole chat mostly does: a number above 12 is a day,
and time goes forward. What is left is decided by what is usual with that kind of clock and sign.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

__all__ = ["DateOrder", "Order", "Stamp", "stamped"]

_DATE = r"(\d{1,4})([./-]) ?(\d{1,2})\2 ?(\d{1,4})\2?"
_HALF = r"(?:[ap]\.? ?m\.?|[صم]|上午|下午|오전|오후|öö|ös|vorm\.|nachm\.)"
_TIME = rf"({_HALF} ?)?(\d{{1,2}})[:.](\d{{2}})(?:[:.](\d{{2}}))?( ?{_HALF})?"
_ANDROID = re.compile(rf"{_DATE}[,،]? {{1,2}}(?:klo |kl\. |at |às |a las |um )?{_TIME}(?: [-–] |: )", re.IGNORECASE)
_IOS = re.compile(rf"\[{_DATE}[,،]? {{1,2}}(?:klo |kl\. |at |às |a las |um )?{_TIME}\] ?", re.IGNORECASE)
_SPACES = dict.fromkeys(map(ord, "\u202f\u00a0\u2009"), " ")
_AFTERNOON = ("p", "م", "下", "오후", "ös", "n")
_LONGEST = 80


class Order(Enum):
    """Which of a date's three numbers is the day, the month and the year, as places in it."""

    DAY_MONTH_YEAR = (0, 1, 2)
    MONTH_DAY_YEAR = (1, 0, 2)
    YEAR_MONTH_DAY = (2, 1, 0)


@dataclass(frozen=True, slots=True)
class Stamp:
    """A time as written. `end` is where the line goes on after it."""

    numbers: tuple[int, int, int]
    clock: tuple[int, int, int]
    afternoon: bool | None
    separator: str
    end: int

    @property
    def written(self) -> str:
        """The same for the same time in every export of one telephone, whatever is inferred about it."""
        return f"{self.numbers} {self.clock} {self.afternoon}"

    def date(self, order: Order) -> tuple[int, int, int]:
        """Year, month and day."""
        day, month, year = (self.numbers[place] for place in order.value)
        return (year + 2000 if year < 100 else year), month, day

    def moment(self, order: Order) -> datetime | None:
        """The time on the clock; None where the date is none in this order."""
        hour, minute, second = self.clock
        if self.afternoon is not None:
            if not 0 <= hour <= 12:
                return None
            hour = hour % 12 + 12 * self.afternoon
        try:
            return datetime(*self.date(order), hour, minute, second)
        except ValueError:
            return None


def stamped(line: str) -> Stamp | None:
    """The time that begins a line without marks of direction; None if none does."""
    start = line[:_LONGEST].translate(_SPACES)
    found = (_IOS if start.startswith("[") else _ANDROID).match(start)
    if found is None:
        return None
    one, separator, two, three, before, hour, minute, second, after = found.groups()
    half = (before or after or "").strip().lower()
    return Stamp(
        numbers=(int(one), int(two), int(three)),
        clock=(int(hour), int(minute), int(second or 0)),
        afternoon=half.startswith(_AFTERNOON) if half else None,
        separator=separator,
        end=found.end(),
    )


class DateOrder:
    """Gathers what all the dates of a chat say about their order, in no more than a few numbers."""

    def __init__(self) -> None:
        self._proof = dict.fromkeys(Order, 0)
        self._backward = dict.fromkeys(Order, 0)
        self._last: Stamp | None = None
        self._twelve_hours = False

    def take(self, stamp: Stamp) -> None:
        """One more date, in the order of the chat."""
        first, second, _ = stamp.numbers
        self._twelve_hours = self._twelve_hours or stamp.afternoon is not None
        if first > 31:
            self._proof[Order.YEAR_MONTH_DAY] += 1
        elif first > 12 >= second:
            self._proof[Order.DAY_MONTH_YEAR] += 1
        elif second > 12 >= first:
            self._proof[Order.MONTH_DAY_YEAR] += 1
        if self._last is not None and self._last.numbers != stamp.numbers:
            for order in Order:
                self._backward[order] += stamp.date(order) < self._last.date(order)
        self._last = stamp

    def order(self) -> Order:
        """The likeliest order."""
        best = max(self._proof, key=self._proof.__getitem__)
        if self._proof[best]:
            return best
        day, month = self._backward[Order.DAY_MONTH_YEAR], self._backward[Order.MONTH_DAY_YEAR]
        if day != month:
            return Order.DAY_MONTH_YEAR if day < month else Order.MONTH_DAY_YEAR
        american = self._twelve_hours and self._last is not None and self._last.separator == "/"
        return Order.MONTH_DAY_YEAR if american else Order.DAY_MONTH_YEAR
