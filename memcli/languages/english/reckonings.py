"""Questions whose answer is worked out of dates: how long ago or until, how long between, which of two came first."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...model import Reckoned, Reckoning

__all__ = ["reckoning"]

_MANY = r"^how (?:many (?P<unit>day|week|month|year)s|long)\b"
_DAY = r"(?:the (?:day|date|time|moment) (?:that |when )?)"
_OR = r"first(?: (?P<within>(?:in|on|at|this|last) [^,]+),|[,:]?) (?P<a>.+?),? or (?P<b>.+)$"
#: Each form with what is asked by it; `a` and `b` are what happened.
_FORMS = tuple(
    (re.compile(form, re.IGNORECASE), reckoned)
    for form, reckoned in (
        (rf"{_MANY} ago (?P<a>(?:did|was|were) .+) when (?P<b>.+)$", Reckoned.BETWEEN),
        (rf"{_MANY} ago (?P<a>(?:did|was|were|has|have) .+)$", Reckoned.AGO),
        (rf"{_MANY}(?: has| have| had)?(?: it)?(?: been| passed| gone by| elapsed)? since (?P<a>.+) when (?P<b>.+)$",
         Reckoned.BETWEEN),
        (rf"{_MANY}(?: has| have| is)?(?: it)?(?: been| passed| gone by| elapsed)? since (?P<a>.+)$", Reckoned.AGO),
        (rf"{_MANY}[^,]*? between {_DAY}(?P<a>.+?),? and {_DAY}(?P<b>.+)$", Reckoned.BETWEEN),
        (rf"{_MANY}[^,]*? between (?P<a>.+),? and (?P<b>.+)$", Reckoned.BETWEEN),
        (rf"{_MANY} (?:before|after) (?P<a>.+) (?P<b>did .+)$", Reckoned.BETWEEN),
        (rf"{_MANY} (?:before|after) (?P<a>.+?) (?P<b>(?:was|were) .+)$", Reckoned.BETWEEN),
        (rf"{_MANY}(?: is it| will it be| are there| is there| (?:are |is )?left)? (?:until|till) (?P<a>.+)$",
         Reckoned.UNTIL),
        (rf"^(?:which|what|whom?)\b[^,]*? (?P<did>did .+) {_OR}", Reckoned.FIRST),
        (rf"^(?:which|what)\b[^,]* (?:happened|came|was|took place|started|began) {_OR}", Reckoned.FIRST),
    )
)  # fmt: skip
_VERB = re.compile(r"(?:did|was|were|has|have) ", re.IGNORECASE)
_SUBJECT = re.compile(r"(?:i|we|he|she|they|it|you)\b", re.IGNORECASE)


def reckoning(question: str) -> Reckoning | None:
    """What has to be worked out for a question, and the questions for the days that it takes; None for any other."""
    plain = question.strip(" ?")
    for form, reckoned in _FORMS:
        if match := form.search(plain):
            told = match.groupdict()
            return Reckoning(reckoned, told.get("unit") or "", tuple(_days(reckoned, told)), tuple(_named(told)))
    return None


def _named(told: dict[str, str | None]) -> Iterator[str]:
    """What happened, as the question calls it."""
    yield from (each.strip(" ,'\"“”‘’") for name in ("a", "b") if (each := told.get(name)))


def _days(reckoned: Reckoned, told: dict[str, str | None]) -> Iterator[str]:
    """The question for the day of each."""
    did, within = told.get("did"), f" {told['within']}" if told.get("within") else ""
    for name in ("a", "b"):
        if what := told.get(name):
            yield f"When {did} {what}{within}?" if did else _when(what + within, ahead=reckoned is Reckoned.UNTIL)


def _when(what: str, *, ahead: bool) -> str:
    be = "is" if ahead else "was"
    if _VERB.match(what):
        return f"When {what}?"
    return f"When {be} it that {what}?" if _SUBJECT.match(what) else f"When {be} {what}?"
