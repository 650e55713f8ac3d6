"""What words of a short answer look like in English: their classes, where one begins and ends, numbers, identifiers."""

from __future__ import annotations

import re

from .words import listed

__all__ = [
    "ENDED", "WORD_CLASSES", "addressing", "identifier", "is_number", "is_vague", "may_begin", "may_end", "number",
    "untied", "word_class",
]  # fmt: skip

#: Closed classes, by the names that the reader's network knows them by.
_CLASSES = {
    name: frozenset(listed("answers", key))
    for name, key in {
        "determiner": "determiner", "possessive": "possessive", "preposition of place": "place",
        "preposition": "preposition", "conjunction": "conjunction", "reason": "reason", "pronoun": "pronoun",
        "auxiliary": "auxiliary", "negation": "negation", "adverb": "adverb", "common verb": "verb",
    }.items()
}  # fmt: skip
_ENDINGS = ("ing", "ed", "ly", "s")
#: Every class that a word can be of: a closed one, what its ending looks like, or none.
WORD_CLASSES = (*_CLASSES, *(f"-{ending}" for ending in _ENDINGS), "other")
_TYING = ("determiner", "possessive", "preposition of place", "preposition", "conjunction", "reason", "auxiliary")
_NO_END = frozenset(listed("answers", "open_end")).union(*(_CLASSES[name] for name in _TYING))
_NO_START = (_CLASSES["conjunction"] | {*listed("answers", "no_start")}) - {*listed("answers", "start_all_the_same")}
_NUMBERS = frozenset(listed("answers", "number"))
_NUMBER = re.compile(
    r"[$€£]?\d[\d.,]*\d%?|\d%?|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|once|twice|several|dozen)\b",
    re.IGNORECASE,
)
_TIE = re.compile(r"^(?:(?:about|at|in|on|from|with|like|as|that|this|into|onto)\s+)+", re.IGNORECASE)
#: That something is over denies that it is so.
ENDED = re.compile(r"\b(?:stopped|quit|sold|lost)\b")
_TOLD = re.compile(r"\byou(?:r|'re|'ve|'ll)?\b")
_OWN = re.compile(r"\b(?:i|my|me|we|our|i'm|i've|i'd)\b")
#: What a question asks for, and what such a thing looks like.
_IDENTIFIERS = tuple(
    (re.compile(asked), re.compile(value))
    for asked, value in (
        (r"\b(?:phone|telephone|mobile|cell) ?(?:number)?\b|\b(?:call|text|ring) (?:me|him|her|them) on\b",
         r"\+?\d(?:[ ().-]{0,2}\d){6,14}"),
        (r"\be-?mail(?: address)?\b", r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
        (r"\b(?:pin|password|passcode|door code|code|plate|booking reference|reference|postcode|zip code)\b",
         r"\b(?=[\w-]*\d)[A-Za-z\d][\w-]{2,}\b"),
    )
)  # fmt: skip


def word_class(word: str) -> str:
    """The class of a lower-case word, of WORD_CLASSES."""
    for name, group in _CLASSES.items():
        if word in group:
            return name
    ending = next((e for e in _ENDINGS if word.endswith(e) and len(word) > len(e) + 2), "")
    return f"-{ending}" if ending else "other"


def may_begin(word: str) -> bool:
    """Whether a run of words that could stand alone may begin with a lower-case word."""
    return word not in _NO_START


def may_end(word: str) -> bool:
    """Whether it may end with one: behind some the run is cut short."""
    return word not in _NO_END


def is_number(word: str) -> bool:
    """Whether a lower-case word is, or begins with, a number."""
    return word in _NUMBERS or word[0].isdigit()


def number(text: str) -> str:
    """The first number of a text, as it is written; empty where there is none."""
    match = _NUMBER.search(text)
    return match[0] if match else ""


def untied(text: str) -> str:
    """Words without what only tied them to their sentence."""
    return _TIE.sub("", text.removesuffix("'s").strip(" \"“”'"))


def addressing(text: str) -> float:
    """How far a sentence speaks of whoever is spoken to, and not of who speaks."""
    plain = text.lower().replace("’", "'")
    return float(bool(_TOLD.search(plain))) - 0.5 * float(bool(_OWN.search(plain)))


def is_vague(time: str) -> bool:
    """Whether a time expression dates hardly anything: it is said of everything that is told."""
    return time.lower() in ("today", "recently")


def identifier(question: str) -> re.Pattern[str] | None:
    """What the answer to a question looks like that asks for a phone number, an address or a code."""
    low = question.lower()
    return next((value for asked, value in _IDENTIFIERS if asked.search(low)), None)
