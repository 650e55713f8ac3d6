"""What a question asks for: the kind of answer, whom it is about, and the words that carry it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from memcli.text import STOPWORDS, content_stems, stem, words

__all__ = ["Question", "Seeks", "parse"]


class Seeks(StrEnum):
    """The kind of answer that a question asks for."""

    WHEN = "when"
    LENGTH = "length"
    COUNT = "count"
    OFTEN = "often"
    WHO = "who"
    WHERE = "where"
    WHY = "why"
    YES_NO = "yes-no"
    HOW = "how"
    WHICH = "which"
    WHAT = "what"


_FORMS: tuple[tuple[str, Seeks], ...] = (
    (r"^(?:when\b|since when|(?:in |on |by |since )?"
     r"(?:what|which) (?:date|day|month|year|time|weekend|week)\b)", Seeks.WHEN),
    (r"\bhow long\b(?! ago)|\bhow many (?:minutes|hours|days|weeks|months|years)\b", Seeks.LENGTH),
    (r"\bhow long ago\b", Seeks.WHEN),
    (r"\bhow often\b|\bhow frequently\b", Seeks.OFTEN),
    (r"\bhow (?:many|much|old)\b", Seeks.COUNT),
    (r"^(?:\w+ )?(?:who|whom|whose)\b", Seeks.WHO),
    (r"^(?:\w+ )?where\b|^(?:in |to |from )?(?:what|which) (?:city|country|state|town|place)\b", Seeks.WHERE),
    (r"^(?:why|how come)\b|^what (?:is|was) the reason\b|^for what reason\b", Seeks.WHY),
    (r"^(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|am)\b", Seeks.YES_NO),
    (r"^how\b", Seeks.HOW),
    (r"^(?:\w+ )?which\b", Seeks.WHICH),
)  # fmt: skip
_LISTING = re.compile(
    r"\b(?:what|which)\s+(?:are|were|(?!does|was|is|has)\w+(?:[^s\W]|e)s\b"
    r"|(?!do|did|can|will|would|should|could)\w+\s+(?!does|was|is|has)\w+(?:[^s\W]|e)s\b)"
    r"|\bother\s+\w+s\b|\b(?:list|all the)\b"
)
_HEAD = re.compile(
    r"\b(?:what|which|how many)\s+(?:(?:kinds?|types?|sorts?)\s+of\s+)?"
    r"(?:\w+\s+(?=\w+\s+(?:do|does|did|is|was|has|had)\b))?"
    r"(?P<head>\w+)"
)
_FIRST_PERSON = re.compile(r"\b(?:i|my|me|mine|i'm|i've|i'd)\b")
_HOLDS_NOW = re.compile(r"\b(?:is|are|do|does|am|still|now|current\w*|has|have)\b")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, read. `about` is the speaker it is about, `stems` its content words without speakers' names.

    `head` is the stem of the noun that the answer is one of: "book" in "What book …", "" where there is none.
    """

    text: str
    seeks: Seeks
    stems: tuple[str, ...]
    about: str | None
    listing: bool
    holds_now: bool
    head: str = ""


def parse(text: str, speakers: Iterable[str]) -> Question:
    """`text` as a question to a memory in which `speakers` talk."""
    return _parsed(text, tuple(speakers))


@lru_cache(maxsize=64)
def _parsed(text: str, speakers: tuple[str, ...]) -> Question:
    """One question is read once for every way of retrieving."""
    plain = text.strip().lower().replace("’", "'")
    named, names = _about(text, speakers)
    taken = {stem(word) for name in names for word in words(name)}
    carrying = tuple(dict.fromkeys(s for s in content_stems(text) if s not in taken))
    listing, holds_now = bool(_LISTING.search(plain)), bool(_HOLDS_NOW.search(plain))
    return Question(text, _seeks(plain), carrying, named, listing, holds_now, _head(plain))


def _head(plain: str) -> str:
    match = _HEAD.search(plain)
    return stem(match["head"]) if match and match["head"] not in STOPWORDS else ""


def _seeks(plain: str) -> Seeks:
    return next((seeks for form, seeks in _FORMS if re.search(form, plain)), Seeks.WHAT)


def _about(text: str, speakers: tuple[str, ...]) -> tuple[str | None, list[str]]:
    """The speaker that is named first, and every name of a speaker in the text: whole, first, or short ("Mel")."""
    named: list[tuple[str, str]] = []
    for match in re.finditer(r"[^\W\d_]+(?:['’][^\W\d_]+)?", text):
        word = re.sub(r"['’]s$", "", match.group())
        owner = next((s for s in speakers if _names(word, s)), None)
        if owner:
            named.append((owner, word))
    if named:
        return named[0][0], [word for _, word in named] + [owner for owner, _ in named]
    user = next((s for s in speakers if s.lower() == "user"), None)
    return (user if user and _FIRST_PERSON.search(text.lower().replace("’", "'")) else None), []


def _names(word: str, speaker: str) -> bool:
    if not speaker or speaker.lower() in ("user", "assistant"):
        return False
    first = speaker.split(maxsplit=1)[0]
    if word.lower() in (part.lower() for part in speaker.split()):
        return word[0].isupper() or speaker.islower()
    return len(word) >= 3 and word[0].isupper() and first.lower().startswith(word.lower())
