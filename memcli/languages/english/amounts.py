"""Amounts as English writes them: "$1,200", "an hour and a half", "three dozen", "30 miles"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType

from ...text.amounts import Amount, total
from .grammar import NUMBER
from .grammar import amount as counted

__all__ = ["MEASURES", "amount", "asked_in", "in_kind", "spelled"]

#: What is measured, by its names; anything else is counted.
MEASURES: Mapping[str, str] = MappingProxyType(
    {
        name: unit
        for unit, names in (
            ("$", "dollar dollars buck bucks"), ("€", "euro euros"), ("£", "quid"), ("%", "percent"),
            ("minute", "minute minutes min mins"), ("hour", "hour hours hr hrs"), ("day", "day days"),
            ("week", "week weeks"), ("month", "month months"), ("year", "year years"), ("mile", "mile miles"),
            ("km", "km kilometre kilometres kilometer kilometers"), ("kg", "kg kilo kilos kilogram kilograms"),
            ("metre", "metre metres meter meters"), ("pound", "pound pounds lb lbs"), ("gram", "gram grams"),
            ("litre", "litre litres liter liters"),
        )
        for name in names.split()
    }
)  # fmt: skip
_MONEY = "$€£"
_SCALES = {"k": 1000, "thousand": 1000, "million": 1_000_000, "hundred": 100, "dozen": 12}
_WORDS = rf"{NUMBER}|an?"
#: A half by itself, and behind a number or what is measured.
_HALF = re.compile(r"\bhalf (?:of )?an? (?=[a-z])", re.IGNORECASE)
_AND_A_HALF = re.compile(rf"\b(?P<number>\d+|{_WORDS})(?P<unit> [a-z]+)? and a half\b", re.IGNORECASE)
_AMOUNT = re.compile(
    rf"(?P<money>[{_MONEY}])?(?<![\w.,])(?P<number>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?|(?:{_WORDS})\b)"
    rf"(?!\d|(?:s|st|nd|rd|th)\b)(?:\s?(?P<scale>{'|'.join(_SCALES)})\b)?(?P<of>\s?[%{_MONEY}]|[\s-]+[a-z]+)?",
    re.IGNORECASE,
)
_RATE = re.compile(
    r"/|\b(?:per|each|apiece|every|(?<=\w )an? (?:day|night|week|month|year|dozen|piece|head|person|pop))\b",
    re.IGNORECASE,
)
#: Of a number that stands for what is measured, or is multiplied: "an hour", "a dozen"; "a ticket" tells none.
_ONE = frozenset(("a", "an"))
#: More digits are a telephone number.
_LONGEST = 9
_ASKED_IN = re.compile(r"\b(?:how many|number of) (\w+)", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+")
_OF_TIME = frozenset(("minute", "hour", "day", "week", "month", "year"))


def amount(text: str) -> Amount | None:
    """The one amount that a text tells; None where it tells none, or several. "2 hours 20 minutes" is one."""
    plain = _AND_A_HALF.sub(_halved, _HALF.sub("0.5 ", text))
    found = [each for match in _AMOUNT.finditer(plain) if (each := _amount(match))]
    if len(found) == 2 and [each.unit for each in found] == ["hour", "minute"]:
        return total(found)
    return Amount(found[0].number, found[0].unit, bool(_RATE.search(plain))) if len(found) == 1 else None


def spelled(amount: Amount) -> str:
    """An amount as it is said: "£12.50", "8", "30 miles", "1 hour"."""
    if amount.unit and amount.unit in _MONEY:
        return amount.unit + f"{amount.number:,.2f}".removesuffix(".00")
    number = _short(f"{amount.number:,f}")
    return number + _separated(amount.unit, plural=amount.number != 1) if amount.unit else number


def asked_in(question: str) -> str:
    """What an amount is asked for in, if that is a measure: "how many hours"."""
    match = _ASKED_IN.search(question)
    return MEASURES.get(match[1].lower(), "") if match else ""


def in_kind(question: str, value: str) -> bool:
    """Whether a value is in what a number is asked in: so many weeks are no number of cats."""
    if not _ASKED_IN.search(question):
        return True
    found = amount(value)
    asked = {MEASURES[word] for word in _WORD.findall(question.lower()) if word in MEASURES}
    asked |= _OF_TIME if asked & _OF_TIME else {"£"} if "pound" in asked else set()
    return not found or not found.unit or found.unit in asked


def _short(number: str) -> str:
    return number.rstrip("0").rstrip(".") if "." in number else number


def _separated(unit: str, *, plural: bool) -> str:
    return unit if unit == "%" else f" {unit}s" if plural and unit not in ("km", "kg") else f" {unit}"


def _halved(match: re.Match[str]) -> str:
    return f"{_number(match['number']) + Decimal('0.5')}{match['unit'] or ''}"


def _amount(match: re.Match[str]) -> Amount | None:
    word, unit = match["number"].lower(), _unit(match)
    if (word in _ONE and not unit and not match["scale"]) or sum(map(str.isdigit, word)) > _LONGEST:
        return None
    return Amount(_number(word) * _SCALES.get((match["scale"] or "").lower(), 1), unit)


def _unit(match: re.Match[str]) -> str:
    of = (match["of"] or "").strip(" -").lower()
    return match["money"] or (of if of and of in f"%{_MONEY}" else MEASURES.get(of, ""))


def _number(word: str) -> Decimal:
    return Decimal(counted(word)[0]) if word[0].isalpha() else Decimal(word.replace(",", ""))
