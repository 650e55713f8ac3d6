"""The arguments of an event: names, noun phrases, dates, places and quantities, without a parser (EMem, §3.2)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...model.generated import Argument
from ...text.times import TimeKind, describe
from ..names import in_full
from .phrases import Phrase, phrases, without
from .times import find
from .words import listed

__all__ = ["arguments"]

_MOST = 6
_QUANTITY = re.compile(
    r"(?<![\w.,/-])[$€£]?\d[\d,.]*\d?%?(?:[- ](?:dollars|euros|pounds|miles|km|kilometers|kilometres|hours|minutes|"
    r"days|weeks|months|years|people|times|points|pages|books|kids|%|percent|kg|lbs|feet|acres|square feet))?(?![\w/])",
)


_PLACED = frozenset(listed("arguments", "placed"))
_WITH = frozenset("with and for by".split())

_SPATIAL = frozenset(listed("arguments", "spatial"))


def arguments(text: str, label: str, people: Sequence[str] = (), context: str = "") -> tuple[Argument, ...]:
    """What takes part in the event that `text` tells, told by `label`: at most six, persons and dates first.

    `context` is what the event answers or replies to: what that names comes last.
    """
    persons = in_full(f"{text} {context}", (label, *people))
    found = [Argument("agent" if name == label else "participant", name) for name in persons] + _named_in(text, people)
    return _distinct([*found, *_named_in(context, people)] if context else found)[:_MOST]


def _named_in(text: str, people: Sequence[str]) -> list[Argument]:
    dates = [e for e in find(text, None) if e.kind is not TimeKind.CLOCK]
    rest = without(text, [(e.start_offset, e.end_offset) for e in dates])
    known = {part.lower() for name in people for part in name.split()}
    things = sorted((_argument(phrase) for phrase in phrases(rest, known)), key=lambda a: -_weight(a))
    counted = [Argument("quantity", quantity) for quantity in _quantities(rest)]
    return [*(Argument("time", describe(e)) for e in dates), *things, *counted]


def _argument(phrase: Phrase) -> Argument:
    last = phrase.words[-1].lower()
    if phrase.before in _PLACED and (phrase.named or last in _SPATIAL):
        return Argument("place", phrase.text)
    if phrase.named and phrase.before in _WITH and len(phrase.words) <= 2:
        return Argument("participant", phrase.text)
    return Argument("thing", phrase.text)


def _weight(argument: Argument) -> float:
    """Names before phrases before words."""
    return 4 * argument.text[:1].isupper() + min(3, len(argument.text.split())) + (argument.role == "place")


def _quantities(text: str) -> list[str]:
    return [m.group().strip(".,") for m in _QUANTITY.finditer(text) if any(c.isdigit() for c in m.group())]


def _distinct(found: Sequence[Argument]) -> tuple[Argument, ...]:
    return tuple({argument.text.lower(): argument for argument in reversed(found)}.values())[::-1]
