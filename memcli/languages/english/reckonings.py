"""Questions whose answer is a time worked out of days: how long ago, until or between, how long something had been."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...model import Reckoned, Reckoning
from .tenses import base_form

__all__ = ["THE_DAY", "reckoning", "when"]

_MANY = r"^how (?:many (?P<unit>day|week|month|year)s|long)\b"
THE_DAY = r"(?:the (?:day|date|time|moment) (?:that |when )?)"
#: Where one had been, which one did not become.
_AT = r"(?:in|at|on|to|from|with|off|out|away|there|here|since|between)\b"
_THEN = r"(?:when|by the time(?: that)?)"
#: Each form with what is asked by it; `a` and `b` are what happened.
_FORMS = tuple(
    (re.compile(form, re.IGNORECASE), reckoned)
    for form, reckoned in (
        (rf"{_MANY} ago (?P<a>(?:did|was|were) .+) when (?P<b>.+)$", Reckoned.BETWEEN),
        (rf"{_MANY} ago (?P<a>(?:did|was|were|has|have) .+)$", Reckoned.AGO),
        (rf"{_MANY}(?: has| have| had)?(?: it)?(?: been| passed| gone by| elapsed)? since (?P<a>.+) when (?P<b>.+)$",
         Reckoned.BETWEEN),
        (rf"{_MANY}(?: has| have| is)?(?: it)?(?: been| passed| gone by| elapsed)? since (?P<a>.+)$", Reckoned.AGO),
        (rf"{_MANY}[^,]*? between {THE_DAY}(?P<a>.+?),? and {THE_DAY}(?P<b>.+)$", Reckoned.BETWEEN),
        (rf"{_MANY}[^,]*? between (?P<a>.+),? and (?P<b>.+)$", Reckoned.BETWEEN),
        (rf"{_MANY} (?:before|after) (?P<a>.+) (?P<b>did .+)$", Reckoned.BETWEEN),
        (rf"{_MANY} (?:before|after) (?P<a>.+?) (?P<b>(?:was|were) .+)$", Reckoned.BETWEEN),
        (rf"{_MANY}(?: is it| will it be| are there| is there| (?:are |is )?left)? (?:until|till) (?P<a>.+)$",
         Reckoned.UNTIL),
        (rf"{_MANY} (?:had|have|has) (?P<who>(?!it\b|there\b).+?) been (?P<state>(?!{_AT})\w.*?)"
         rf" {_THEN} (?P<b>.+)$", Reckoned.HAD),
        (rf"{_MANY} had (?P<who>(?!it\b|there\b).+?) (?P<done>\w+ed|known|had|kept|seen) (?P<what>.+?)"
         rf" {_THEN} (?P<b>.+)$", Reckoned.HAD),
    )
)  # fmt: skip
_VERB = re.compile(r"(?:did|was|were|has|have) ", re.IGNORECASE)
#: What one has been doing, or had done, was started, and what one has been was become; but one gets married, and gets
#: what one owns.
_DOING, _LINKED = re.compile(r"\w+ing\b"), re.compile(r"(?:married|engaged|divorced)\b", re.IGNORECASE)
_BEGUN = {"owned": "get", "had": "get", "kept": "get", "known": "get to know", "seen": "start to see"}
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
    yield from (each.strip(" ,'\"“”‘’") for name in ("a", "state", "what", "b") if (each := told.get(name)))


def _days(reckoned: Reckoned, told: dict[str, str | None]) -> Iterator[str]:
    """The question for the day of each."""
    if state := told.get("state"):
        begin = "start" if _DOING.match(state) else "get" if _LINKED.match(state) else "become"
        yield f"When did {told['who']} {begin} {state}?"
    if done := told.get("done"):
        begin = _BEGUN.get(done.lower()) or f"start to {base_form(done.lower())}"
        yield f"When did {told['who']} {begin} {told['what']}?"
    for name in ("a", "b"):
        if what := told.get(name):
            yield when(what, ahead=reckoned is Reckoned.UNTIL)


def when(what: str, *, ahead: bool = False) -> str:
    """The question for the day on which something was, or will be."""
    be = "is" if ahead else "was"
    if _VERB.match(what):
        return f"When {what}?"
    return f"When {be} it that {what}?" if _SUBJECT.match(what) else f"When {be} {what}?"
