"""Questions for a sum that name its parts: what A and B cost together, how many days were spent in A, B and C."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...model import Reckoned, Reckoning
from .amounts import asked_in

__all__ = ["AUXILIARY", "BE", "EDGES", "TIES", "coordinated", "plainly", "summed"]

BE = r"(?:is|was|are|were|am)"
AUXILIARY = r"(?:did|do|does|has|have|had|will|would|can|could)"
#: Who asks so asks for an amount; how many times two met is none of each.
_ASKS = re.compile(
    r"^(?:[^,?]+, )?(?:how (?:much|many(?! times))\b"
    r"|what(?:'s| is| was| are| were)(?: (?:the|my|our|his|her|their))?(?: (?:total|combined|overall|joint))?"
    r" (?:number of|amount|costs?|price|distance|weight|length|time|value|sum|page count)\b"
    rf"|what {AUXILIARY} .+ (?:cost|weigh|come to|add up to)\b)",
    re.IGNORECASE,
)
#: What says that all is meant together, and is not asked of a part.
_TOGETHER = re.compile(
    r"\b(?:in (?:total|all)|all told|altogether|together|combined)\b"
    r"|(?<=\bthe )(?:total|combined|overall|joint) |\btotal (?=(?:money|amount|number|cost)\b)",
    re.IGNORECASE,
)
#: What is no word of a part: what ties it to the rest of the question.
TIES = (
    r"(?:of|on|for|from|in|at|to|by|with|during|per|over|than|between|and|or|that|which|who|last|this|these|next|since"
    r"|when|while|before|after|how|much|many|i|we|he|she|they|you|it|me|us|him|them|be|been|costs?"
    rf"|{BE}|{AUXILIARY})\b"
)
_QUOTED = r"(?:(?<!\w)'[^']+'(?!\w)|\"[^\"]+\"|“[^”]+”|‘[^’]+’)"
_WORD = rf"(?!{TIES})[\w$&'’.-]*[\w$]"
_PART = rf"(?:{_QUOTED}|{_WORD}(?: {_WORD}){{0,5}}?)"
_LAST = rf"(?:{_QUOTED}|{_WORD}(?: {_WORD}){{0,5}})"
_COORDINATED = re.compile(
    rf"(?<![\w'])(?P<first>{_PART})(?:(?P<more>(?:, {_PART})+),? and (?P<listed>{_LAST}(?: and {_LAST})?)"
    rf"| and (?P<last>{_LAST}))(?!\w)",
    re.IGNORECASE,
)
#: What lies between two is no sum, a mean is none, and examples are not all of it.
_OTHERWISE = re.compile(r"\b(?:between (?:\w+ )*and|including|averag\w+)\b", re.IGNORECASE)
#: What the first part may begin with that belongs to all: a verb behind its subject, and a participle.
_SUBJECT = re.compile(r"\b(?:i|we|he|she|they|you) $", re.IGNORECASE)
_PARTICIPLE = re.compile(r"^[a-z]+ing (?=\S)")
#: Who does it, behind "did": a name, or somebody with a word before him; what follows is what he does.
_DID = re.compile(rf"\b{AUXILIARY} $", re.IGNORECASE)
_COSTS = re.compile(r" costs?\b", re.IGNORECASE)
_DOER = re.compile(r"(?:(?:the|my|our|your|his|her|their|an?) )?(?:[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*|\w+)(?= )")
#: What a part is called without.
EDGES = " ,'\"“”‘’"


def summed(question: str) -> Reckoning | None:
    """The parts of a sum that is asked for, and the question for each; None where none is, or no parts are named."""
    plain = plainly(question)
    parts = coordinated(" ".join(_TOGETHER.sub("", plain).split())) if _ASKS.match(plain) else None
    return Reckoning(Reckoned.SUM, asked_in(plain), *parts) if parts else None


def coordinated(asked: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The question for each of what one names side by side, and what each is called; None where it names no such."""
    match = _COORDINATED.search(asked)
    if not match or _OTHERWISE.search(asked[: match.end()]):
        return None
    named = list(_named(asked, match))
    start = match.start() + len(match["first"]) - len(named[0])
    end = match.end() - len(match["listed"] or match["last"]) + len(named[-1])
    each = tuple(f"{asked[:start]}{name}{asked[end:]}?" for name in named)
    return each, tuple(name.strip(EDGES) for name in named)


def plainly(question: str) -> str:
    """The question without its mark."""
    return question.strip(" ?")


def _named(asked: str, match: re.Match[str]) -> Iterator[str]:
    """The parts as the question calls them, the first without the verb that stands before all, the last without one
    behind all.
    """
    before, first, last = asked[: match.start()], match["first"], match["listed"] or match["last"]
    if _SUBJECT.search(before):
        first = first.partition(" ")[2] or first
    yield first if _PARTICIPLE.match(last) else _PARTICIPLE.sub("", first)
    yield from (match["more"] or "").split(", ")[1:]
    doer = _DOER.match(last) if _DID.search(before) and not _COSTS.match(asked, match.end()) else None
    yield doer[0] if doer else last
