"""Other wordings of a question, made to lie nearer to what was said than the question itself does."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

__all__ = ["NAMELESS", "PREFERENCE", "is_blank", "phrase", "spoken_names"]

#: The question without the speakers it names: a name pulls greetings ("Hey Anna!") above what Anna said.
NAMELESS = "nameless"
#: What someone with a taste in the matter could have said: advice is asked for in other words than tastes are voiced.
PREFERENCE = "preference"

_ROLES = {"user", "assistant", "system", "unknown", "tool"}
_ADDRESS = re.compile(r"^\s*(?:(?:hi|hey|hello|please|so|ok|okay)\b[,!]?\s*)+", re.I)
_REQUEST = re.compile(
    r"^(?:(?:can|could|would|will) you (?:please )?(?:help me |recommend |suggest |give me |tell me |share |provide |"
    r"create |plan |find |design |write )*(?:me |some |any |a |an |the )*|"
    r"(?:what|which|who|whom|whose|when|where|why|how)(?:'s)?\b(?: (?:many|much|long|often|old|kind of|type of|"
    r"are some|are the best|are))*\s*|i'm looking for |i need |i want )",
    re.I,
)
_AUXILIARY = re.compile(r"^(?:do|does|did|is|are|was|were|has|have|had|should|would|can|could|will|be|been)\b\s*", re.I)


def is_blank(question: str) -> bool:
    """Whether there is nothing to see in it: spaces, control characters, signs without a form."""
    return all(unicodedata.category(sign)[0] in "CZ" for sign in question)


def phrase(kind: str, question: str, names: Iterable[str]) -> str:
    """The wording `kind` of a question in which the speakers `names` are named."""
    bare = _without(question, names)
    if kind == NAMELESS:
        return bare
    return f"I don't like, I avoid, I prefer: {_topic(bare) or question}"


def spoken_names(question: str, speakers: Iterable[str]) -> list[str]:
    """Which of the speakers the question names, by their full or their first name, sorted. Roles are no names."""
    low = question.casefold()
    found = []
    for speaker in speakers:
        first = next(iter(speaker.casefold().split()), "")
        if len(first) > 1 and first not in _ROLES and re.search(rf"\b{re.escape(first)}\b", low):
            found.append(speaker)
    return sorted(found)


def _without(question: str, names: Iterable[str]) -> str:
    for name in names:
        first = name.split()[0]
        pattern = "|".join(re.escape(n) for n in dict.fromkeys((name, first)))
        question = re.sub(rf"\b(?:{pattern})(?:'s|’s)?(?!\w)", "", question, flags=re.I)
    return re.sub(r"\s+", " ", question).strip()


def _topic(question: str) -> str:
    topic = _ADDRESS.sub("", question.rstrip("?. "))
    for _ in range(2):
        topic = _AUXILIARY.sub("", _REQUEST.sub("", topic).strip())
    return topic.strip()
