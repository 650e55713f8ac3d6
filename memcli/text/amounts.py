"""Amounts: so many of something, added up and set apart where all are of one thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

__all__ = ["Amount", "difference", "in_one", "total"]

#: Units of time in minutes: one can be told in another.
_MINUTES = {"minute": 1, "hour": 60, "day": 1440, "week": 10_080}


@dataclass(frozen=True, slots=True)
class Amount:
    """`number` of `unit`: a sign of money ("£"), a measure ("day", "mile"), or "" of what is only counted.

    `each`: it is a rate, so much a night or apiece.
    """

    number: Decimal
    unit: str = ""
    each: bool = False


def total(amounts: Sequence[Amount], unit: str = "") -> Amount | None:
    """The sum, in `unit` if it can be told in it; None where they are not of one thing. Rates have none."""
    alike = None if any(each.each for each in amounts) else in_one(amounts, unit)
    return Amount(sum((each.number for each in alike), Decimal()), alike[0].unit) if alike else None


def difference(amounts: Sequence[Amount], unit: str = "") -> Amount | None:
    """How far two are apart, whichever is more, in `unit` if it can be told in it; None where they are not of one
    thing, or one alone is a rate.
    """
    one, other = amounts
    alike = in_one(amounts, unit) if one.each == other.each else None
    return Amount(abs(alike[0].number - alike[1].number), alike[0].unit) if alike else None


def in_one(amounts: Sequence[Amount], unit: str = "") -> list[Amount] | None:
    """The same, all of one unit, `unit` if they can be told in it: a bare number is of that of the others, or of `unit`
    where all are bare. None where they are not of one thing.
    """
    units = {each.unit for each in amounts if each.unit}
    if len(units) < 2 and (unit not in _MINUTES or not units & _MINUTES.keys()):
        only = next(iter(units), unit)
        return [Amount(each.number, only) for each in amounts]
    if not units <= _MINUTES.keys() or not all(each.unit for each in amounts):
        return None
    into = unit if unit in _MINUTES else min(units, key=_MINUTES.__getitem__)
    return [Amount(each.number * _MINUTES[each.unit] / _MINUTES[into], into) for each in amounts]
