"""What of an English text needs no source: calendar words, numbers in words, what retelling and dating put in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...text import stem, words
from ..base import numerals
from .words import listed

__all__ = ["CALENDAR", "added", "granted", "is_acting", "numbers"]

_TO_TEN = listed("grounding", "to_ten")
_NUMBERS = {word: str(value) for value, word in enumerate(_TO_TEN)}
_NUMBERS |= {"eleven": "11", "twelve": "12", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50"}
_NUMBERS |= {"hundred": "100", "thousand": "1000", "dozen": "12", "twice": "2"}
_ACTS = re.compile(
    r"\s+(?:and\s+(?:[A-Z]|others)|is|was|has|had|will|would|can|could|does|did|just|also|went|got|\w+(?:ed|es|[^s]s))\b"
)
_ADDED = "others said sessions latest shared image since week weekend going go goes before after afternoon evening"
_OURS = frozenset(map(stem, f"{_ADDED} morning night".split()))
CALENDAR = frozenset(word for name in ("months", "weekdays", "seasons") for word in listed("calendar", name))
_GRANTED = frozenset(map(stem, (*CALENDAR, *_NUMBERS)))


def numbers(text: str) -> Iterator[str]:
    """The numbers of a text in digits, also those in words; "one" may be a pronoun."""
    yield from numerals(text)
    for word in words(text):
        if word in _NUMBERS and word != "one":
            yield _NUMBERS[word]


def added(word_stem: str) -> bool:
    """Whether a stem is of a word that retelling and dating put in."""
    return word_stem in _OURS


def granted(word_stem: str) -> bool:
    """Whether a stem is checked as a date or a number, so not as a word."""
    return word_stem in _GRANTED


def is_acting(rest: str) -> bool:
    """Whether what follows a word says that it does or is something, so that it is a name."""
    return bool(_ACTS.match(rest))
