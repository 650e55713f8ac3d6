"""Questions that compare: how much older A is than B, how much more was paid in A than in B, which of two is older."""

from __future__ import annotations

import re

from ...model import Reckoned, Reckoning
from .amounts import MEASURES, asked_in
from .coordination import AUXILIARY, BE, EDGES, TIES, plainly

__all__ = ["compared"]

_THAN = r"(?:than|compared (?:to|with)|in comparison (?:to|with))"
#: How much of it there is is asked for so.
_POSITIVE = {
    "older": "old", "younger": "old", "taller": "tall", "shorter": "long", "longer": "long", "heavier": "heavy",
    "lighter": "heavy", "farther": "far", "further": "far", "higher": "high", "wider": "wide", "deeper": "deep",
}  # fmt: skip
_COMPARATIVE = rf"(?P<how>{'|'.join(_POSITIVE)}|(?:more|less) expensive|cheaper|dearer|more|less|fewer)"
_APART = re.compile(
    rf"^(?:[^,?]+, )?how (?:much|many)(?: (?:{'|'.join(MEASURES)}))? {_COMPARATIVE}"
    rf"(?P<of>(?: (?!{TIES})\w+| per \w+){{0,4}}) (?P<verb>{BE}|{AUXILIARY}) (?P<one>.+?),? {_THAN} (?P<other>.+)$",
    re.IGNORECASE,
)
_WHICH = re.compile(
    rf"^(?:which|what|who)(?: one)?(?: of (?:the|them|these) ?(?:two)?)? (?:(?P<verb>{BE}) {_COMPARATIVE}"
    rf"|costs? (?P<costs>more|less)),? (?P<one>[^,]+?),? or (?P<other>.+)$",
    re.IGNORECASE,
)
#: The one of two that is meant has less of it.
_LESS = frozenset(("younger", "shorter", "lighter", "cheaper", "less expensive", "less", "fewer"))
_IS = re.compile(BE, re.IGNORECASE)
_DOING = re.compile(r" \w+ing\b")
_SUBJECTS = {
    "me": "am I",
    "i": "am I",
    "i am": "am I",
    "you": "are you",
    "us": "are we",
    "him": "is he",
    "her": "is she",
}
#: What says when, and what else a question ends with: what it is compared to stands in its place.
_WHEN = re.compile(
    r" (?:(?:an?|\w+)(?: few)? \w+ ago|(?:last|this|next) \w+|now|before|today|yesterday)$", re.IGNORECASE
)
_TIE = r"\b(?:in|on|at|for|from|to|with|during|of) "
_END = re.compile(rf"{_TIE}(?!.*{_TIE}).+$")


def compared(question: str) -> Reckoning | None:
    """The two that are compared, and the question for each; None where neither how far they are apart is asked for, nor
    which of them is more.
    """
    plain = plainly(question)
    if match := _WHICH.match(plain):
        return _of_two(match)
    match = _APART.match(plain)
    if not match:
        return None
    both = _of_subjects(match) if _compares_subjects(match) else _of_ends(match)
    named = tuple(each.strip(EDGES) for each in _named(match))
    return Reckoning(Reckoned.DIFFERENCE, asked_in(match[0]), both, named)


def _of_two(match: re.Match[str]) -> Reckoning:
    how, verb = (match["how"] or match["costs"]).lower(), match["verb"] or "was"
    named = (match["one"].strip(EDGES), match["other"].strip(EDGES))
    begins = f"How {_POSITIVE.get(how, 'much')}"
    asked = tuple(f"{begins} {_being(verb, each, '')}?" for each in named)
    return Reckoning(Reckoned.LEAST if how in _LESS else Reckoned.MOST, "", asked, named)


def _compares_subjects(match: re.Match[str]) -> bool:
    """Whether somebody or something is more than another, and does not do more."""
    return bool(_IS.fullmatch(match["verb"])) and not _DOING.search(match["one"])


def _of_subjects(match: re.Match[str]) -> tuple[str, str]:
    begins = f"How {_POSITIVE.get(match['how'].lower()) or _much(match['of'])}"
    verb, one = match["verb"], match["one"]
    return tuple(f"{begins} {_being(verb, subject, one)}?" for subject in (one, match["other"]))  # type: ignore[return-value]


def _being(verb: str, subject: str, one: str) -> str:
    """The subject behind its verb: "is Ana", "am I"; "was I when I left" of what was so once."""
    if subject.lower().startswith("when "):
        return f"was {one} {subject}"
    return _SUBJECTS.get(subject.lower(), f"{'is' if verb.lower() == 'am' else verb} {subject}")


def _of_ends(match: re.Match[str]) -> tuple[str, str]:
    """What the second is stands where the first one's end does, or its subject."""
    begins = f"How {_much(match['of'])} {match['verb']}"
    return f"{begins} {match['one']}?", f"{begins} {_in_place(match['one'], match['other'])}?"


def _in_place(one: str, other: str) -> str:
    if end := _end(one, other):
        tie = "" if _WHEN.fullmatch(f" {other}") else f"{end[0].split()[0]} "
        return f"{one[: end.start()].rstrip()} {tie}{other.removeprefix(tie)}"
    return f"{other} {one.partition(' ')[2]}".strip()


def _end(one: str, other: str) -> re.Match[str] | None:
    """What it is compared to takes the place of: another time that of a time, else of what stands last."""
    return (_WHEN if _WHEN.fullmatch(f" {other}") else _END).search(one)


def _named(match: re.Match[str]) -> tuple[str, str]:
    """What differs of both."""
    one, other = match["one"], match["other"]
    end = None if _compares_subjects(match) else _end(one, other)
    return end[0] if end else one, other


def _much(of: str) -> str:
    """What is asked how much of: "many miles per gallon", "much money"."""
    of = of.strip()
    return f"many {of}" if of.split(" ")[0].endswith("s") else f"much {of}".strip()
