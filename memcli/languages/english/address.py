"""What a sentence says to somebody and not of anything: greetings, interjections, the name of whoever is spoken to."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["trimmed"]

_OPENERS = (
    r"hey(?: there)?|hi(?: there)?|hello|thanks(?: (?:so much|a lot|a bunch|a ton|again))?|thank you(?: so much)?|wow|"
    r"whoa|woah|yeah|yep|yup|yes|nope|nah|no|ok|okay|oh|ah|aw+|haha|lol|well|so|and|but|anyway|anyways|definitely|"
    r"absolutely|totally|exactly|sure(?: thing)?|of course|for sure|actually|honestly|unfortunately|fortunately|"
    r"luckily|sadly|by the way|btw|speaking of which|guess what|you know|i mean|like|also|plus|cool|awesome|great|nice|"
    r"amazing|congrats|congratulations|right|true|good|interesting|man|dude|bro|ha|hmm+|um+|oof|yay|cheers|sorry|"
    r"long time no (?:see|talk|chat)|not really|not yet|good idea|no problem|no worries|in fact|good to (?:see|"
    r"hear from) you|sounds (?:good|great)|"
    r"great to (?:see|hear from) you|unbelievable|yikes|ouch|gotcha|me too|same here|likewise|agreed|my pleasure|"
    r"so far so good|to be honest|i hear you|i feel you"
)
_OPENING = re.compile(rf"^(?:(?:{_OPENERS})(?:\s*[,!.…:;]+|\s+[-–—]+)\s*)", re.IGNORECASE)
_BARE_OPENING = re.compile(r"^(?:yeah|yep|yup|oh|hey|hi|wow|so|and|but|well|plus|anyway|ah)\s+(?=\S)", re.IGNORECASE)
_TRAILING = re.compile(r"(?:[\s!.…;:,~\U0001F000-\U0001FAFF\u2600-\u27BF\uFE0F\u200d]|[:;]-?[)(DP]|<3)+$")
_TAG = re.compile(r",?\s+(?:\w+n't|am|do|did|was) I$", re.IGNORECASE)
_THANKS = re.compile(r"\s*[-–—,;]\s*(?:and )?(?:thanks|thank you)\b.*$", re.IGNORECASE)


def trimmed(sentence: str, others: tuple[str, ...]) -> str:
    """A sentence without greeting, interjections, the name of whoever is spoken to, and the final mark."""
    text, before = " ".join(sentence.replace("’", "'").split()), ""
    while text != before:
        before = text
        for pattern in (_OPENING, _address(others), _BARE_OPENING):
            text = pattern.sub("", text, count=1)
    text = _THANKS.sub("", _end_address(others).sub("", text))
    return _TAG.sub("", _TRAILING.sub("", text)).strip()


@lru_cache(maxsize=1024)
def _called(others: tuple[str, ...]) -> str:
    """What the others are called: "Mel" is Melanie."""
    firsts = [name.split()[0] for name in others if name and not name.startswith("the ")]
    forms = {form for first in firsts for form in (first, first[:3], first[:4])}
    return "|".join(re.escape(f) for f in sorted(forms, key=len, reverse=True)) or r"(?!)"


@lru_cache(maxsize=1024)
def _address(others: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"^(?:(?:{_OPENERS}) )?(?:{_called(others)})\s*(?:[,!.:;…]+|\s[-–—]+)\s*", re.IGNORECASE)


@lru_cache(maxsize=1024)
def _end_address(others: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf",\s*(?:{_called(others)})(?=\s*(?:[!.…]|$|,))", re.IGNORECASE)
