"""Questions that look back at a stretch of time, and ask of no thing: "What did we talk about last week?"."""

from __future__ import annotations

import re
from datetime import datetime

from ...text.times import Span, TimeKind
from .times import find

__all__ = ["looks_back"]

_WHO = r"(?P<who>we|you|they|everyone|everybody|people|[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?)"
_TALK = (
    r"(?:talk(?:ed|ing)?(?: about)?|discuss(?:ed|ing)?|chat(?:ted|ting)?(?: about)?|say|said|tell|told|mention(?:ed)?"
    r"|write|written|wrote)(?: (?:to )?(?:me|us|each other))?"
)
_HAPPENED = r"(?:happened|happening|went on|going on|was going on|new|discussed|said|talked about)"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"^what (?:did|have|had|has|were|was) (?-i:{_WHO})(?: (?:all|both|been))* {_TALK}$",
        rf"^what(?:'s| is| was)? (?:all )?{_HAPPENED}(?: (?:to|with) (?-i:{_WHO}))?$",
        rf"^(?:what(?:'s| is| was|) |any )(?:(?-i:{_WHO})'s |the )?news$",
        rf"^(?:what(?:'s| is| was|) |any )(?:the )?news (?:from|of|with) (?-i:{_WHO})$",
        r"^(?:please )?(?:summari[sz]e|recap|sum up|give me a (?:recap|summary) of|catch me up on)"
        r"(?: (?:what happened|what was said|our chats|our conversations?|everything))?$",
    )
)
_EVERYONE = frozenset(("we", "you", "they", "everyone", "everybody", "people"))
_BEFORE_TIME = re.compile(r"[\s,]*\b(?P<word>in|on|during|over|from|for|of|since)?\s*$", re.IGNORECASE)


def looks_back(question: str, at: datetime) -> tuple[Span, str] | None:
    """The time that is asked about and, where one person is, whose words are; None for any other question."""
    plain = " ".join(question.replace("’", "'").split()).rstrip("?!. ")
    times = [each for each in find(plain, at) if each.kind is not TimeKind.CLOCK]
    if len(times) != 1:
        return None
    (time,) = times
    before = plain[: time.start_offset]
    rest = _BEFORE_TIME.sub("", before) + plain[time.end_offset :]
    match = next(filter(None, (form.match(rest.strip(" ,")) for form in _FORMS)), None)
    if match is None:
        return None
    who = match.groupdict().get("who") or ""
    open_ended = time.kind is TimeKind.SINCE or "since " in f"{before}{time.text}".lower()
    span = Span(time.span.start, at, time.span.grain) if open_ended else time.span
    return span, "" if who.lower() in _EVERYONE else who
