"""The tails of assertions: cut where the clause goes on to something else, stripped of determiners and possessives."""

from __future__ import annotations

import re

from ....text import STOPWORDS
from ..verbs import is_adverb
from ..words import listed

__all__ = ["is_about_something", "is_telling", "tail_of"]

_MOST_WORDS = 12
_LONGEST = 300
_ADJECTIVES = 3
_END = re.compile(
    r"[;!?\n]|\.(?=\s|$)|\s[-–—]+\s|:(?=\s|$)|\s\(|"
    r"[,\s]+(?:since|because|due to|as (?:I|they|it|we|well|much as|a result|often as|that|she|he)|"
    r"so (?:I|that|we|it|they|any)|when(?:ever)?|"
    r"if|although|though|unless|but|after (?:I|we|my|the|a|\w+ing)|until|while|whereas|anyway|especially when|in case|"
    r"thanks to|owing to|"
    r"by the way|right now|these days|and (?:I|we|it|then|that|they|am|was|is|have|had|want|need|was|were|would|do)|"
    r"for (?:ethical|health|environmental|personal|privacy|religious|safety|their \w+|its \w+)\b.*|"
    r"given|considering|instead of|rather than|at the moment|at least|to be honest|lately|recently|for now|"
    r"whenever possible|when possible|if possible|at all|in general|though|too(?=\s*[,.;!?]|\s*$)|as soon as|"
    r"even (?:if|though))(?=\W|$)|"
    r",?\s+and (?:\w+ ){1,3}(?:is|are|was|were|seems?|sounds?|looks?|just|would|can|will|makes?)\b|,\s+(?:and (?:the|"
    r"this|then)|so |which|where|who|do|does|can|could|would|should|what|is|are|any|mine|yours|"
    r"hers|ours|theirs|especially|particularly|actually|"
    r"however|please|right|you|it|that|this|there|then|to be|making|giving|having|plus|not|finding|even|or anything)\b",
    re.IGNORECASE,
)
_ACRONYM = re.compile(r"\s\([A-Z][A-Z0-9]{1,6}s?\)")
_COMMA = re.compile(r",(?=\s)")
_LEADING = re.compile(
    r"^(?:[\"'“”‘*_(\[,]+|(?:other (?:options|ones|choices)(?: with| involving| that)?|a|an|the|my|our|their|his|her|"
    r"its|some|any|this|these|those|all|every|each|both|certain|"
    r"a lot of|lots of|plenty of|a few|a couple of|a bunch of|a bit of|more of|that|own|such|either|more|most|many|"
    r"several|various|just|really|very|also|of|kind of|sort of|actually|about|to|as|only|especially|primarily|"
    r"mainly|mostly|super|quite|pretty|so|too|a little|particularly|new|like)(?=\s)\s*)",
    re.IGNORECASE,
)
_TRAILING = re.compile(
    r"(?:[\s.,!;:\"'“”’*_)\]]+|\s(?:for me|to me|as well|too|though|today|tonight|anymore|any more|either|soon|"
    r"for my (?:taste|liking)|and|or|to|of|for|with|in|on|at|that|the|a|by|from|so|even|yesterday|last (?:week|month|"
    r"year|night|weekend)|very much|a lot|best|"
    r"please|sorry|thanks|thank you|thx|cheers|btw|tbh|imo|lol|haha|tho|"
    r"right away|myself|more|next|now|again|instead|already|first))$",
    re.IGNORECASE,
)
_SECOND_PERSON = re.compile(r"\b(?:you|your|yours|ya)\b", re.IGNORECASE)
_NO_BEGINNING = re.compile(
    r"(?:and|or|but|than|then|yesterday|today|tomorrow|tonight|online(?= (?:last|on|for|from|yesterday)\b|$)|on|by|"
    r"from|at|in|into|last|next|recently|for|"
    r"with|during|is|are|am|"
    r"was|were|be|been|could|will|would|"
    r"should|it|them|us|him|her|they|he|she|we|i|there|how|what|who|if|since|because|when|yum|wow|ooh|not|do not|"
    r"does)\b(?![-'])",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"^\w+(?: \w+)? (?:it|them|that|this|him|her)(?: (?:out|up|off|back|all|soon|someday|sometime))*$", re.IGNORECASE
)
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_EMPTY = frozenset(listed("tails", "empty"))


#: How somebody or something is at the moment: behind a verb these name nothing that it is about.
_STATES = frozenset(listed("tails", "states"))


def tail_of(text: str, *, most: int = _MOST_WORDS) -> str:
    """The phrase that `text` begins with, normalised, of at most `most` words; empty where nothing is left."""
    text = _ACRONYM.sub("", text[:_LONGEST])
    end = _END.search(text)
    if end:
        text = text[: end.start()]
    text = " ".join(_in_series(text).split()[:most])
    return _stripped(text)


def is_telling(tail: str) -> bool:
    """Whether a tail names something of its own: no pronoun, no "something", nothing of whoever is spoken to."""
    if _SECOND_PERSON.search(tail):
        return False
    if _POINTING.match(tail) or _NO_BEGINNING.match(tail):
        return False
    words = [w.lower() for w in _WORD.findall(tail)]
    return any(w not in STOPWORDS and w not in _EMPTY and len(w) > 1 for w in words)


def is_about_something(tail: str) -> bool:
    """Whether what somebody is doing has an object: "running errands", and not "running late"."""
    doing, *rest = [w.lower() for w in _WORD.findall(tail)] or [""]
    if not doing.endswith("ing") or not rest:
        return True
    return any(w not in STOPWORDS and w not in _STATES and not is_adverb(w) for w in rest)


def _in_series(text: str) -> str:
    """`text` up to its first comma, unless the commas part a series that "and" or "or" ends."""
    comma = _COMMA.search(text)
    if comma is None:
        return text
    if len(text[: comma.start()].split()) <= _ADJECTIVES:
        return _up_to_next(text, comma.end())
    rest = text[comma.start() :]
    closed = re.search(r"\b(?:and|or)\b", rest)
    items = rest[: closed.start()].split(",") if closed else []
    is_series = closed is not None and all(len(item.split()) <= 3 for item in items)
    return text if is_series else text[: comma.start()]


def _up_to_next(text: str, start: int) -> str:
    """Beyond a comma after few words, which parts adjectives: "mild, dry climates", to the next that does not."""
    comma = _COMMA.search(text, start)
    closes = comma is None or re.match(r",\s+(?:and|or)\b|(?:,\s+[\w-]+){1,3},?\s+(?:and|or)\b", text[comma.start() :])
    return text if closes or comma is None else text[: comma.start()]


def _stripped(text: str) -> str:
    before = ""
    while text != before:
        before = text
        text = _TRAILING.sub("", _LEADING.sub("", text.strip(), count=1)).strip()
    return text
