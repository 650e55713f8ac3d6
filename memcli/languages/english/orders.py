"""Questions for what came first, or last, of several, and in which order they came."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...model import Reckoned, Reckoning
from .coordination import EDGES, coordinated, plainly
from .reckonings import THE_DAY, when
from .tenses import base_form
from .verbs import is_past

__all__ = ["ordered"]

_ENDS = {
    "first": Reckoned.FIRST, "earlier": Reckoned.FIRST,
    "last": Reckoned.LAST, "later": Reckoned.LAST, "most recently": Reckoned.LAST,
}  # fmt: skip
#: Any but the first is one only before a comma: "last year" is none.
_END = rf"(?P<end>first|(?:{'|'.join(_ENDS)})(?=[,:]))"
_OF = rf"{_END}(?: (?P<within>(?:in|on|at|this|last) [^,]+),|[,:]?) (?P<named>.+ or .+)$"
_ORDER = r"(?:\w+ )?(?:order|sequence)\b"
#: Each form of such a question; `named`: what came, `did` and `was`: what is asked of it, or told of it.
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"^(?:which|what|whom?)\b[^,]*? (?P<did>did .+) {_OF}",
        rf"^(?:which|what)\b[^,]* (?:happened|came|was|took place|(?<!was )(?<!were )(?:started|began)) {_OF}",
        rf"^who (?P<was>(?!was |were )\w+(?: [^,]+?)?) {_OF}",
        rf"^(?:who|(?:which|what)(?: \w+){{0,3}}) (?P<was>(?:was|were|got|became) \w+(?: [^,]+?)?) {_OF}",
        rf"^what(?:'s| is| was) the {_ORDER}[^:]*: ?(?P<named>.+ and .+)$",
        rf"^which\b[^:]* in (?:the|what|which) {_ORDER}[^:]*: ?(?P<named>.+ and .+)$",
        r"^(?:who|which(?: \w+)?) (?P<was>\w+(?: [^,]+?)?) first,? (?:then )?second,? (?:and|then) third"
        r"(?: among| of|[:,]) (?P<named>.+ (?:and|or) .+)$",
    )
)
_DID = re.compile(rf"^in (?:what|which) {_ORDER} (?P<all>(?P<did>did \S+) (?P<named>.+))$", re.IGNORECASE)
#: Something that is done, where a thing would have its article first: "move to Leith", "start the cello".
_OWN = r"(?:the|an?|my|our|your|his|her|their)\b"
_DOING = re.compile(rf"(?!{_OWN})[a-z]+ (?:{_OWN}|(?:to|in|at|on|from|with|into|up|off|out)\b)")
#: Between two that stand in quotes, and before the last of those that do not.
_QUOTES = re.compile(r"['\"”’],? (?:(?:and|or) )?['\"“‘]")
#: What is not named is looked for: "What is the order of the six museums I visited, from the earliest on?"
_FROM = r"(?:,? (?:from (?:the )?(?:earliest|first|oldest)\b|starting|beginning|in (?:chronological|the) order).*)?$"
_UNNAMED = re.compile(
    rf"^what(?:'s| is| was) the {_ORDER} of (?:the |my |all )?(?:(?:two|three|four|five|six|\d+) )?"
    rf"(?P<what>[^:]+?){_FROM}",
    re.IGNORECASE,
)
_DONE = re.compile(r"(?P<things>.+?) (?:that )?(?P<who>[Ii]|we|he|she|they|[A-Z]\w+) (?P<verb>\w+)(?P<rest>.*)$")
_LAST = re.compile(r",? (?:and|or) ", re.IGNORECASE)
#: What says more of the one before, and names no other.
_RELATIVE = re.compile(r"(?:which|who|that|where|when)\b", re.IGNORECASE)


def ordered(question: str) -> Reckoning | None:
    """What is to be put in order, and the question for the day of each, or, where it is not named, for what it is; None
    where no order is asked for.
    """
    plain = plainly(question)
    if in_order := _DID.match(plain):
        return _in_order(in_order)
    match = next((found for form in _FORMS if (found := form.search(plain))), None)
    if match is None:
        unnamed = _UNNAMED.match(plain)
        return Reckoning(Reckoned.ORDER, "", (_which(unnamed["what"]),), ()) if unnamed else None
    told = match.groupdict()
    named = tuple(_named(told["named"]))
    kind = _ENDS[told["end"].lower()] if told.get("end") else Reckoned.ORDER
    return Reckoning(kind, "", tuple(_day(each, told) for each in named), named)


def _in_order(asked: re.Match[str]) -> Reckoning | None:
    """Of several things with which one did the same, or of several that one did."""
    named = tuple(_named(asked["named"]))
    if all(map(_DOING.match, named)):
        parts = tuple(f"When {asked['did']} {each}?" for each in named), named
    else:
        parts = coordinated(f"When {asked['all']}") or ((), ())
    return Reckoning(Reckoned.ORDER, "", *parts) if len(parts[0]) > 1 else None


def _named(told: str) -> Iterator[str]:
    """What came, as the question calls it: what stands in quotes, or between commas."""
    quoted = _QUOTES.split(told)
    if len(quoted) > 1:
        yield from (each.strip(EDGES) for each in quoted)
        return
    for each in _LAST.split(told):
        pieces = each.split(", ")
        listed = all(pieces) and not any(map(_RELATIVE.match, pieces[1:]))
        yield from (piece.strip(EDGES) for piece in (pieces if listed else [each]))


def _which(what: str) -> str:
    """The question for things that somebody did something with: "museums I visited" are asked for by "did I visit"."""
    done = _DONE.match(what)
    if done is None or not is_past(done["verb"].lower()):
        return f"What {what}?"
    return f"What {done['things']} did {done['who']} {base_form(done['verb'].lower())}{done['rest']}?"


def _day(what: str, told: dict[str, str | None]) -> str:
    """The question for the day on which it came."""
    within = f" {told['within']}" if told.get("within") else ""
    if told.get("did"):
        return f"When {told['did']} {what}{within}?"
    if told.get("was"):
        return f"When was it that {what} {told['was']}{within}?"
    return when(re.sub(rf"^{THE_DAY}", "", what, flags=re.IGNORECASE) + within)
