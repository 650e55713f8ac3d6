"""What English denies: one list of the words that do, whoever asks."""

from __future__ import annotations

import re

from ...text import stem

__all__ = ["NEGATED_VERB", "denied", "denies", "failing"]

#: What only sounds like a denial: "can't wait", "not only", "not until Friday", "don't forget", "no wonder".
_IDIOM = (
    r"(?:can(?:no|'|’)?t (?:wait|stop|get enough|help)|could(?:n't|n’t| not) (?:stop|put \S+ down)"
    r"|not (?:only|just|until|till|before|to mention)|do(?:n't|n’t| not) forget"
    r"|no (?:wonder|doubt|matter|problem|worries)|why not)"
)
_DENIAL = re.compile(
    rf"(?!\b{_IDIOM}\b)\b(?:not|no|never|none|without|nor|neither|hardly|nope|\w+n['’]t|cannot|dont)\b", re.IGNORECASE
)
_DENIED = re.compile(
    r"\b(?:not|never|\w+n't|dont)\s+(?:(?:really|ever|even|just|had|much|going|gonna|into|quite|been|be|to|have|get)\s+)*(\w+)",
    re.IGNORECASE,
)
#: A verb that is denied, contractions written out; "cannot wait" denies nothing.
NEGATED_VERB = re.compile(r"\b(?:not|never|no longer|cannot(?! wait)|hardly|rarely|seldom|barely)\b", re.IGNORECASE)


#: Verbs that say no by themselves.
_FAILING = frozenset(
    map(stem, "miss skip fail forget lose refuse cancel quit avoid stop reject decline drop leave abandon".split())
)


def denies(text: str) -> bool:
    """Whether `text` denies anything."""
    return bool(_DENIAL.search(text))


def failing(text: str) -> frozenset[str]:
    """The stems of its words that say that something does not come to be: "miss", "skip"."""
    return _FAILING & {stem(word) for word in re.findall(r"[a-z]+", text.lower())}


def denied(sentence: str) -> list[str]:
    """The stems of the words that a sentence denies."""
    return [stem(match[1].lower()) for match in _DENIED.finditer(sentence)]
