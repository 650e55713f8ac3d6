"""Pronouns of the third person, put as the last person or group that was named and fits.

Only a pronoun that is the subject of a sentence is put in, and only where one antecedent fits: what is left is known
to point back (`points_back`), and is told together with what it points to.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from .words import listed

__all__ = ["Antecedents", "points_back"]

_FEMALE = listed("coreference", "female")
_MALE = listed("coreference", "male")
_EITHER = listed("coreference", "either")
_MANY = listed("coreference", "many")
_GENDER = (
    dict.fromkeys(_FEMALE, "f") | dict.fromkeys(_MALE, "m") | dict.fromkeys(_EITHER, "fm") | dict.fromkeys(_MANY, "p")
)
_NOUNS = "|".join(sorted(_GENDER, key=len, reverse=True))
_DETERMINER = r"my|our|his|her|their|your|the|these|those|some|two|three|a|an|[A-Z]\w+'s"
_PERSON = re.compile(
    rf"\b((?:{_DETERMINER})(?:\s+[\w-]+){{0,2}}?\s+({_NOUNS}))\b(?!'s|\s+(?:{_NOUNS})\b)", re.IGNORECASE
)
_PERSONAL = re.compile(
    r"(?:\b(?:named|called|with|met|and|my (?:friend|sister|brother|son|daughter|cousin|dog|cat|partner|husband|"
    r"wife))\s+)"
    r"([A-Z][a-z]{2,})\b"
)
_SUBJECT = re.compile(r"^((?:and|but|so|then|now|plus),?\s+)?(he|she|they)(?=('s|'re|'ve|'ll|'d)?\s)", re.IGNORECASE)
_BACK = re.compile(
    r"^(?:(?:and|but|so|plus|also),?\s+)?(?:it|that|this|these|those|he|she|they|his|her|their|its|there|one|ones|"
    r"both|such|another|which|the (?:other|same|one)s?)\b(?!\s+(?:day|year|week|month|weekend|time|morning|"
    r"summer)\b)",
    re.IGNORECASE,
)
_EXPLETIVE = re.compile(
    r"^it(?:'s| is|'ll be| takes?| feels?)\s+(?:\w+\s+){0,3}?(?:to|that|how|when|raining|time)\b",
    re.IGNORECASE,
)
_EXPANDED = {"s": " is", "re": " are", "ve": " have", "ll": " will", "d": " would"}
_KEPT = 6


@dataclass(slots=True)
class Antecedents:
    """The persons and groups named lately, newest last: (wording, genders). `speakers` never are third persons."""

    speakers: Sequence[str]
    _named: list[tuple[str, str]] = field(default_factory=list)

    def note(self, text: str, owner: str) -> None:
        """Takes in whom a sentence names; "my sister", said by Ana, is "Ana's sister"."""
        firsts = {name.split()[0] for name in self.speakers if name}
        for match in _PERSON.finditer(text):
            noun = match[2].lower()
            self._add(_owned(match[1], owner), _GENDER[noun])
        for match in _PERSONAL.finditer(text):
            if match[1] not in firsts and match[1][:3] not in {f[:3] for f in firsts}:
                self._add(match[1], "fm")

    def _add(self, wording: str, genders: str) -> None:
        self._named = [pair for pair in self._named if pair[0].lower() != wording.lower()][-_KEPT + 1 :]
        self._named.append((wording, genders))

    def forget(self) -> None:
        """What was named two turns ago is not pointed to any more."""
        self._named = self._named[-2:]

    def resolve(self, text: str) -> str:
        """`text` with the pronoun that is its subject replaced where exactly one antecedent fits."""
        match = _SUBJECT.match(text)
        if match is None:
            return text
        wanted = {"he": "m", "she": "f", "they": "p"}[match[2].lower()]
        fitting = [wording for wording, genders in self._named if wanted in genders]
        exact = [wording for wording, genders in self._named if genders == wanted]
        chosen = exact[-1:] if len(exact) == 1 else fitting if len(fitting) == 1 else []
        if not chosen:
            return text
        rest = text[match.end() :]
        for short, full in _EXPANDED.items():
            if rest.startswith(f"'{short} "):
                rest = full + rest[len(short) + 1 :]
        return f"{chosen[0][:1].upper()}{chosen[0][1:]}{rest}"


def _owned(wording: str, owner: str) -> str:
    low = wording.lower()
    for mine in ("my ", "our "):
        if low.startswith(mine):
            return f"{owner}'s {wording[len(mine) :]}"
    if low.startswith(("a ", "an ", "some ")):
        return "the " + wording.split(None, 1)[1]
    return wording


def points_back(text: str) -> bool:
    """Whether a sentence cannot be understood without the one before: "It was great fun", "They loved it"."""
    return bool(_BACK.match(text)) and not _EXPLETIVE.match(text)
