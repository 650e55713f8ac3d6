"""Whether what a time expression dates lies ahead or behind, by the verb that stands nearest to it."""

from __future__ import annotations

import re

from .verbs import is_past
from .words import listed

__all__ = ["Outlook", "outlook"]

#: Ahead, behind, or nothing that tells: as the sign of a step in time.
Outlook = int

#: Behind a comma a beginning is a clause of its own, and a plan: "quit my job, starting at the library in June".
_CLAUSE = re.compile(
    r"[.!?;\n]|,? (?:but|because|since|so that|although|though|and then)\b"
    r"|(?:[,–—]| -)(?= ?(?:starting|beginning|joining|moving)\b)"
)
_TOKEN = re.compile(r"[a-z]+(?:'[a-z]+)?")
_AHEAD = frozenset(listed("outlook", "ahead"))
_BEHIND = frozenset(listed("outlook", "behind"))
#: Verbs whose present tense, with a date, tells of a plan: "the train leaves on Monday", "I start in September".
_PLANNED = frozenset(listed("outlook", "planned"))
_PHRASES_AHEAD = re.compile(
    r"\b(?:going to|can't wait|excited for|look\w* forward|due|scheduled|booked|tickets? for|see you|don't forget|"
    r"remember to|have to|need to|supposed to|rescheduled)\b"
    r"|(?<!was )(?<!were )(?<!been )\b(?:planned|set|pencill?ed in|fixed|slated) for\b"
    r"|\b(?:rented|hired|reserved|leased|arranged|organi[sz]ed|ordered|invited|bought|off)\b[^.;]* for(?: the)?\s*$"
    r"|\b(?:moved?|postponed?|pushed|bumped|shifted|switched|rescheduled|delayed|slipped|extended"
    r"|put (?:off|back))(?: \w+){0,4} (?:to|till|until)(?: the)?\s*$"
    r"|\b(?:moved|postponed|pushed|bumped|slipped|delayed)\b[^.;]*,? so(?: (?:it's|it is|now))*(?: on)?(?: the)?\s*$"
)
#: Who gives thanks for something, or is sorry about it, has it behind him.
_PHRASES_BEHIND = re.compile(r"\b(?:thanks|thank you|sorry|apologies) (?:for|about)\b")
#: What something has been since is over, whatever stands beside it: "since 20 February, and will plant them out".
_SINCE = re.compile(r"\bsince(?: about| around| the)?\s*$")
#: With these a bare verb tells of what is over: "did you see him on Monday".
_DID = frozenset(("did", "didn't"))
_NO_GERUND = frozenset(listed("outlook", "no_gerund"))
_OWNERS = frozenset(("the", "a", "an", "my", "our", "your", "his", "her", "their", "this", "that"))
_REACH = 90


def outlook(text: str, start: int, end: int) -> Outlook:
    """1 where what `text[start:end]` dates is yet to come, -1 where it is over, 0 where no verb tells."""
    plain = text.lower().replace("’", "'")
    if _SINCE.search(plain[max(0, start - _REACH) : start]):
        return -1
    before = _CLAUSE.split(plain[max(0, start - _REACH) : start])[-1]
    after = _CLAUSE.split(plain[end : end + _REACH])[0]
    if _PHRASES_AHEAD.search(before):
        return 1
    if _PHRASES_BEHIND.search(before):
        return -1
    return _said(_verbs(before)[::-1]) or _said(_verbs(after))


def _verbs(clause: str) -> list[str]:
    """The words that may be verbs: behind an article or an owner stands a noun."""
    words = _TOKEN.findall(clause)
    return [word for left, word in zip(["", *words], words, strict=False) if left not in _OWNERS]


def _said(words: list[str]) -> Outlook:
    """What the first verb among the words says; a gerund means what stands with it, or where nothing does, a plan."""
    gerund = 0
    did = not _DID.isdisjoint(words)
    for word in words:
        if did and word in _PLANNED and not word.endswith("s"):
            continue
        if told := _tense(word):
            return told
        if word.endswith("ing") and len(word) > 5 and word not in _NO_GERUND:
            gerund = 1
    return gerund


def _tense(word: str) -> Outlook:
    if word in _AHEAD or word in _PLANNED or word.endswith("'ll"):
        return 1
    return -1 if word in _BEHIND or is_past(word) else 0
