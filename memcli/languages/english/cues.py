"""The surface cues of an English turn: dates, tastes, choices, who speaks of whom."""

from __future__ import annotations

import re

from ...model import Cue

__all__ = ["cues"]

_WHEN = (
    "yesterday|today|tonight|tomorrow|ago|last|next|this (?:week|month|year|morning|weekend|past)|"
    "(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october|"
    r"november|december|weekend|(?:19|20)\d\d|since|years?|months?|weeks?|days?|recently|just"
)
_TASTE = (
    "love|like|likes|enjoy|prefer|hate|dislike|can't stand|cannot stand|allerg|avoid|favou?rite|aversion|fan of|"
    "fond of|into|rather|never|always|only|refuse|passionate|obsessed|afraid|fear|scared|uncomfortable|sensitive|"
    "vegan|vegetarian|strict|strongly|hard time|struggle|don't|do not|won't|will not|can't|cannot"
)
_PICK = (
    "i'd rather|i would rather|i'd prefer|i'd go with|i'll go with|go with|i'd choose|i'll choose|i'd pick|"
    "the (?:first|second|third|last|former|latter) (?:one|option|choice)|option [a-e1-5]|"
    "sounds (?:good|better|perfect|great)"
)
_PATTERNS = {
    Cue.DATE: re.compile(rf"\b(?:{_WHEN})\b"),
    Cue.PREFERENCE: re.compile(rf"\b(?:i|i'm|i've|me|my)\b[^.!?]{{0,60}}\b(?:{_TASTE})\b"),
    Cue.CHOICE: re.compile(rf"\b(?:{_PICK})\b"),
    Cue.QUESTION: re.compile(r"\?"),
    Cue.FIRST_PERSON: re.compile(r"\b(?:i|i'm|i've|i'd|i'll|my|me|mine|we|our|us)\b"),
    Cue.SECOND_PERSON: re.compile(r"\b(?:you|your|you're|you've)\b"),
    Cue.IMAGE: re.compile(r"\[image"),
    Cue.DIGIT: re.compile(r"\d"),
}


def cues(text: str) -> Cue:
    """The cues that `text` shows."""
    low = text.lower().replace("’", "'")
    found = Cue(0)
    for cue, pattern in _PATTERNS.items():
        if pattern.search(low):
            found |= cue
    return found
