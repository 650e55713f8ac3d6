"""Relative times in a sentence, put as dates: "yesterday", said on 8 May 2023, is "on 7 May 2023"."""

from __future__ import annotations

import re
from datetime import datetime

from ...text.times import Expression, Grain, TimeKind, describe
from .times import find
from .words import listed

__all__ = ["dated"]

_LEADS = frozenset(listed("dates", "leads"))
_PREPOSITIONS = _LEADS | frozenset(listed("dates", "prepositions"))
_DETERMINED = frozenset(listed("dates", "determined"))
_PART_OF_DAY = re.compile(r"\s+(morning|afternoon|evening|night)\b(?!')", re.IGNORECASE)
_OWN_PART = re.compile(r"(?:this|last)\s+(morning|afternoon|evening|night)|to(night)", re.IGNORECASE)
_LEFT = re.compile(
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days|later|from now|recently|the other \w+|christmas|halloween|"
    r"new year's|valentine's)\b",
    re.IGNORECASE,
)
_FINE = re.compile(r"\b(?:19|20)\d\d\b")
_PART_OF_YEAR = re.compile(r"\b(?:early|mid|late)\b", re.IGNORECASE)
_PERFECT = re.compile(r"\b(?:have|has|been)\b|'ve\b|'s been\b", re.IGNORECASE)
_AS_SUBJECT = re.compile(r"\s+(?:(?:has|have|is|was|will|had|would|went|felt)\b)")
_OR_SO = re.compile(r"\s+(?:or so|or two|or later|of)\b")


def dated(text: str, said_at: datetime | None) -> str:
    """`text` with its relative times as dates; what is vague, a clock time or a mere length of time stays."""
    out, last = [], 0
    for expression in find(text, said_at):
        words, end = _words(text, expression)
        out += [text[last : expression.start_offset], words]
        last = end
    return "".join((*out, text[last:]))


def _words(text: str, what: Expression) -> tuple[str, int]:
    """What to say instead of an expression, and where the text goes on."""
    if _stays(text, what):
        return what.text, what.end_offset
    if what.kind is TimeKind.STRETCH:
        return _stretch(text, what), what.end_offset
    if what.kind is TimeKind.SINCE:
        return describe(what), what.end_offset
    rest = text[what.end_offset :]
    if rest.startswith(("'s ", "’s ")):
        return (f"the {describe(what)}", what.end_offset + 2) if not what.relation else (what.text, what.end_offset)
    if part := _OWN_PART.fullmatch(what.text):
        return f"on the {(part[1] or part[2]).lower()} of {describe(what)}", what.end_offset
    if (part := _PART_OF_DAY.match(rest)) and what.span.grain is Grain.DAY:
        return f"on the {part[1].lower()} of {_bare(what)}", what.end_offset + part.end()
    return _with_preposition(text, what), what.end_offset


def _stays(text: str, what: Expression) -> bool:
    if what.kind is TimeKind.CLOCK or what.span.grain is Grain.MINUTE or _LEFT.search(what.text):
        return True
    if what.kind is TimeKind.ABSOLUTE and _FINE.search(what.text):
        return True
    before = _word_before(text, what)
    return (before in _DETERMINED and not what.text.lower().startswith("day")) or bool(
        _OR_SO.match(text, what.end_offset)
    )


def _word_before(text: str, what: Expression) -> str:
    words = text[: what.start_offset].rsplit(None, 1)
    return words[-1].lower() if words else ""


def _stretch(text: str, what: Expression) -> str:
    """ "For three years" is kept; where it lasts until now it is also said since when."""
    since = describe(what)
    lasting = since.startswith("since") and _PERFECT.search(text[: what.start_offset])
    return f"{what.text} ({since})" if lasting and what.said_at is not None else what.text


def _bare(what: Expression) -> str:
    """The date without a lead of its own; "early June" keeps its words and gains the year."""
    if _PART_OF_YEAR.search(what.text) and what.kind is TimeKind.ABSOLUTE:
        words = what.text.split(None, 1)
        return f"{words[1] if words[0].lower() in _LEADS else what.text} {what.span.start.year}"
    return describe(what)


def _with_preposition(text: str, what: Expression) -> str:
    said, lead = _bare(what), what.text.split()[0].lower()
    counted = bool(what.relation) and not what.relation.startswith("the ")
    if counted or _word_before(text, what) in _PREPOSITIONS or _AS_SUBJECT.match(text, what.end_offset):
        return said
    if lead in _LEADS:
        return f"{lead} {said}"
    return f"{'on' if what.span.grain in (Grain.DAY, Grain.WEEKEND, Grain.RANGE) else 'in'} {said}"
