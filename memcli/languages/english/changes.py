"""Whether a new fact takes the place of an older one. Precision before recall: a wrong answer hides what is true."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache

from ...model.generated import Told
from ...providers.profiles import ENCODER
from ...store.cosine import cosines
from ...text import content_stems
from .negation import denies

__all__ = ["supersedes"]

_SHARED = 0.5  # the least share of content stems, of the shorter fact, where there are no vectors

_END = (
    r"(?=\s+(?:with|and|but|since|because|for|last|on|in \w+ \d{4}|in \d{4}|now|these|this|near|by|from|as|"
    r"the \w+ before)\b|[,.;(]|$)"
)
_VALUE = rf"(?:the |a |an |their )?(?P<value>[\w'’&. -]+?){_END}"
_ADVERB = r"(?:\s+(?:now|just|recently|finally|currently|also|already))*"
#: A relation that one person has to one thing at a time, and the value that it takes.
_SLOTS = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("home", rf"\b(?:lives?|living|based|resides?)\b{_ADVERB} in {_VALUE}"),
        ("home", rf"\b(?:moved|moving|relocated)\b{_ADVERB} to {_VALUE}"),
        ("work", rf"\b(?:works?|working)\b{_ADVERB} (?:at|for) {_VALUE}"),
        (
            "work",
            rf"\b(?:started|got|took|accepted)\b (?:a |an |their )?(?:new )?(?:job|position|role) (?:at|with) {_VALUE}",
        ),
        ("parked", rf"\bparked\b(?: \w+){{0,3}}? (?:on|in|at|near|behind|outside|by) {_VALUE}"),
        ("study", rf"\b(?:studies at|studying at|majoring in|majors in) {_VALUE}"),
        ("partner", rf"\b(?:is dating|is married to|is engaged to|married) {_VALUE}"),
    )
)
_NO_VALUE = frozenset(("home", "night", "time"))
_NAMED = re.compile(r"\b(?P<thing>[\w' ]+?) (?:is|are|was)(?: now)? (?:called|named) (?P<value>[\w' ]+)", re.IGNORECASE)
_FAVOURITE = re.compile(r"\bfavou?rite (?P<thing>[\w ]+?) (?:is|are)(?: now)? (?P<value>[\w' ]+)", re.IGNORECASE)
#: Where a thing is, and what opens it or stands for it: one place, one code at a time.
_PLACED = re.compile(
    r"^\W*(?:(?:the|my|our|\w+['’]s) (?P<thing>[\w -]+?)|(?!(?:it|this|that|he|she|they|we|you|there|here|who|what)\b)"
    r"(?P<bare>[\w-]+(?: [\w-]+)?)) (?:is|are|stands|hangs)(?: now| parked| kept)*"
    r" (?:on|in|at|under|behind|beside|near|with) (?!(?:(?:a|the|my|our) )?"
    rf"(?:band|choir|team|club|class|group|love|charge)\b){_VALUE}",
    re.IGNORECASE,
)
#: Where a thing is is no other value of when it is: "practice is at the gym", "practice is at 7".
_TIME = re.compile(r"\d[\d:.]*\s?(?:[ap]m)?|noon|midday|\w*days?", re.IGNORECASE)
_CODED = re.compile(
    r"\b(?P<thing>(?:code|password|pin|number|address|combination|key)(?: (?:for|of|to) [\w ]+?)?)"
    r" (?:is|are)(?: now)? (?P<value>\S*\d\S*)",
    re.IGNORECASE,
)
_ENDED = re.compile(
    r"(?<!n't )(?<!not )(?<!never )\b(?:no longer|used to|quit|sold|broke up with|stopped|gave up|cancell?ed|"
    r"divorced|moved out of|got rid of|"
    r"dropped out of|not \w+(?: \w+)* anymore|doesn't \w+(?: \w+)* any ?more)\b",
    re.IGNORECASE,
)
_HOLDS = re.compile(
    r"\b(?:is|are|has|have|owns?|weighs?|earns?|pays?|costs?|runs|reads|teaches|employs)\b", re.IGNORECASE
)
_DATE = re.compile(r"\b(?:(?:on|in|since|of) )?(?:\d{1,2} )?(?:[A-Z][a-z]+ )?(?:19|20)\d\d\b|\((?:since|said) [^)]*\)")
_COUNT = re.compile(r"\b(\d+(?:[.,]\d+)?|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\s+([a-z]+)\b")


def supersedes(new: Told, old: Told, one_thing: float = ENCODER.one_thing) -> bool:
    """Whether `new` makes `old` untrue: said later by the same person, of the same thing, with another value.

    Such are another home, workplace, partner, name or favourite; another place of a thing; another count of the same
    things; the same said with a "not", or without; and the end of it ("no longer", "sold", "quit"). Two facts of
    unknown time change nothing.
    """
    if new.speaker != old.speaker or not _is_later(new.at, old.at):
        return False
    return _other_value(new, old) or (
        _is_alike(new, old, one_thing) and (_ends(new, old) or _other_count(new, old) or _flips(new, old))
    )


def _is_later(new: datetime | None, old: datetime | None) -> bool:
    return new is not None and old is not None and _instant(new) > _instant(old)


def _instant(at: datetime) -> float:
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()


def _is_alike(new: Told, old: Told, one_thing: float) -> bool:
    if new.vector.any() and old.vector.any():
        return float(cosines(new.vector, old.vector[None])[0]) >= one_thing
    return _share(_stems(new), _stems(old)) >= _SHARED


def _stems(fact: Told) -> set[str]:
    return set(_content(fact.text, fact.speaker))


@lru_cache(maxsize=4096)
def _content(text: str, speaker: str) -> frozenset[str]:
    return frozenset(content_stems(_DATE.sub("", text))) - frozenset(content_stems(speaker))


def _share(one: set[str], other: set[str]) -> float:
    return len(one & other) / max(min(len(one), len(other)), 1)


def _other_value(new: Told, old: Told) -> bool:
    """Both fill a slot that holds one value, and differ. What is denied or over fills none, and where a person is now
    is in the place of nothing.
    """
    now = _slots(new.text)
    if not now:  # as of most facts: then nothing needs to be known of the old one
        return False
    before, oneself = _slots(old.text), " ".join(content_stems(new.speaker))
    return any(_differ(value, before[slot]) for slot, value in now.items() if slot in before and slot != oneself)


@lru_cache(maxsize=4096)
def _slots(text: str) -> dict[str, frozenset[str]]:
    if denies(text) or _ENDED.search(text):
        return {}
    plain = _DATE.sub("", text)
    found: dict[str, frozenset[str]] = {}
    for name, pattern in _SLOTS:
        if match := pattern.search(plain):
            found.setdefault(name, frozenset(content_stems(match["value"])) - _NO_VALUE)
    for pattern in (_NAMED, _FAVOURITE, _PLACED, _CODED):
        if match := pattern.search(plain):
            thing = match.groupdict().get("bare") or match["thing"]
            of_time = "at a time " if pattern is _PLACED and _TIME.fullmatch(match["value"]) else ""
            found[of_time + " ".join(content_stems(thing))] = frozenset(content_stems(match["value"]))
    return found


def _differ(one: frozenset[str], other: frozenset[str]) -> bool:
    """Neither says the other more exactly; of numbered ones, as levels are, the numbers count."""
    numbered = [{stem for stem in value if stem[:1].isdigit()} for value in (one, other)]
    if all(numbered):
        return not numbered[0] & numbered[1]
    return bool(one and other) and not one & other


def _ends(new: Told, old: Told) -> bool:
    """The new fact says that something is over, and the old one is of that very thing."""
    match = _ENDED.search(new.text)
    if match is None or _ENDED.search(old.text) or denies(old.text):
        return False
    spoken_of = set(content_stems(_DATE.sub("", new.text[match.end() :])))
    words = match.group().split()
    if words[-1].lower() in ("anymore", "more"):
        spoken_of = set(content_stems(" ".join(words[1:-1])))
    return bool(spoken_of) and len(spoken_of & _stems(old)) / len(spoken_of) >= _SHARED


def _other_count(new: Told, old: Told) -> bool:
    """Both say how many of one thing there are."""
    if not (_HOLDS.search(new.text) and _HOLDS.search(old.text)):
        return False
    now, before = (_COUNT.findall(_DATE.sub("", fact.text)) for fact in (new, old))
    if len(now) != 1 or len(before) != 1 or now[0][1] != before[0][1]:
        return False
    rest = (_stems(new) - set(content_stems(now[0][0])), _stems(old) - set(content_stems(before[0][0])))
    return now[0][0] != before[0][0] and _share(*rest) >= 0.75


def _flips(new: Told, old: Told) -> bool:
    """The same words, one time denied."""
    if denies(new.text) == denies(old.text):
        return False
    if " since " in f" {new.text} {old.text} ":  # "hasn't been there since June" denies no visit
        return False
    one, other = _stems(new), _stems(old)
    return len(one & other) >= 2 and len(one & other) / len(one | other) >= 0.6
