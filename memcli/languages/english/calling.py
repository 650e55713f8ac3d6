"""How somebody is called in an English turn: vocatives, signatures, introductions, words of kinship."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ...model.names import NameUse, Sign
from ...text import STOPWORDS
from ..calling import NAME, edges, is_name
from ..calling import name_uses as by_punctuation
from ..data import filled, table
from .grounding import CALENDAR

__all__ = ["FORMS", "name_uses"]

_TABLE = table(__package__, "calling")
_KNOWN = {name: f"(?:{filled(_TABLE[name], {})})" for name in ("greeting", "interjection", "kin", "relative")}
#: Each form of calling somebody, and what it shows.
FORMS = tuple(
    (re.compile(filled(row["pattern"], {**_KNOWN, "name": NAME})), Sign(row["sign"])) for row in _TABLE["form"]
)
_KIN = re.compile(_KNOWN["kin"], re.IGNORECASE)
_OPENING = re.compile(f"{_KNOWN['greeting']}|{_KNOWN['interjection']}", re.IGNORECASE)
_NEVER = frozenset(_TABLE["never"].split()) | CALENDAR | STOPWORDS


def name_uses(text: str) -> list[NameUse]:
    """See `Language.name_uses`."""
    plain = text.replace("’", "'")
    found = [*by_punctuation(plain), *(use for part in edges(plain) for use in _used(part))]
    return list(dict.fromkeys(use for use in found if not _is_anybody(use.name)))


def _is_anybody(word: str) -> bool:
    """Whether a word stands where a name could and is none: "Hey guys", "Wow, what a day!"."""
    return word.lower() in _NEVER or bool(_OPENING.fullmatch(word))


@lru_cache(maxsize=1024)  # a short message is often sent again: "Thanks Kate!"
def _used(sentence: str) -> tuple[NameUse, ...]:
    return tuple(_matching(sentence))


def _matching(sentence: str) -> Iterator[NameUse]:
    for form, sign in FORMS:
        match = form.search(sentence)
        if match is None:
            continue
        name = re.sub(r"'s$", "", match["name"])
        if sign is Sign.RELATIVE:
            if is_name(name) and len(name) > 1 and name == match["name"] and not _is_anybody(name):
                yield NameUse(match["of"].lower(), sign, name)
        elif sign is Sign.VOCATIVE and _KIN.fullmatch(name):
            yield NameUse(name.lower(), Sign.KINSHIP)
        elif is_name(name) and name == match["name"] and (len(name) > 1 or sign is Sign.SIGNATURE):
            yield NameUse(name, sign)
