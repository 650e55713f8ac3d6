"""How somebody is called in a turn, by position and punctuation alone: what holds for every language with capitals."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..model.names import NameUse, Sign

__all__ = ["NAME", "edges", "is_name", "name_uses"]

#: A word that may be a name; `is_name` says whether it is written like one.
NAME = r"(?P<name>[^\W\d_]{1,30}(?:['’-][^\W\d_]{2,30})?)"
#: A long turn calls somebody where it begins or where it ends, within so many characters.
_EDGE = 300

_SENTENCE = re.compile(r"(?<=[.!?…])\s+|\n+")
#: Where what stands before the comma has a capital, too, it is no call but a list or a place: "in Porto, Portugal?".
_CLOSING = re.compile(rf"^(?:[^,]*\s(?P<before>\w+)|[^,\s]+),\s+{NAME}\s*[!?]+$")
_SIGNED = re.compile(rf"(?:\n|[.!?…]\s*)[-–—]\s?{NAME}\s*$")


def name_uses(text: str) -> Iterator[NameUse]:
    """The names that a turn closes a sentence with ("…, Jonas?"), or is signed with ("– Jonas")."""
    for sentence in edges(text):
        closing = _CLOSING.match(sentence)
        if closing and not (closing["before"] or "").istitle() and is_name(closing["name"]) and closing["name"][1:]:
            yield NameUse(closing["name"], Sign.VOCATIVE)
    signed = _SIGNED.search(text[-_EDGE:])
    if signed and is_name(signed["name"]):
        yield NameUse(signed["name"], Sign.SIGNATURE)


def edges(text: str) -> list[str]:
    """The sentences, and parts of some, at both ends of a turn; of a short one all."""
    near = text if len(text) <= 2 * _EDGE else f"{text[:_EDGE]}\n{text[-_EDGE:]}"
    return [part.strip() for part in _SENTENCE.split(near) if part.strip()]


def is_name(word: str) -> bool:
    """Whether a word is written as names are: a capital, and not capitals alone."""
    return word[0].isupper() and (len(word) == 1 or not word.isupper())
