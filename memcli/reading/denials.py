"""What was denied, or not done after all, is no item of a list, unless just that is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..languages import language, spoken
from ..model import Question, Standing
from ..text import content_stems
from .relevance import Found
from .states import when
from .values import Value

__all__ = ["as_asked", "naming"]

#: What ends a part of a sentence.
_PART = re.compile(r"[,;:.!?…–—]+(?:\s|$)")


def as_asked(question: Question, values: Sequence[Value], found: Sequence[Found]) -> list[Value]:
    """The values without what is denied, in a clause that names it, where it was read or in what the same person said
    later: "haven't been to Porto", "gave up on Dune". Whoever asks what is not so is told that alone, if any of it is.
    """
    if not _asks_what_is_not(question):
        return [each for each in values if not _is_denied(question, each, found)]
    return [each for each in values if _is_denied(question, each, found)] or list(values)


def _asks_what_is_not(question: Question) -> bool:
    """Whether it asks for what is not so, or no more: "hasn't read", "gave up", "has sold"."""
    known = language(question.language)
    return known.is_undone(question.asks) or known.is_over(question.asks)


def _is_denied(question: Question, value: Value, found: Sequence[Found]) -> bool:
    stems, own = set(content_stems(value.text)), value.found
    windows = [own, *(each for each in found if _says_later(each, own))]
    return bool(stems) and any(_denies(question, each) for each in _clauses(stems, windows))


def _says_later(each: Found, own: Found) -> bool:
    return each.passage.window.speaker == own.passage.window.speaker and when(each) > when(own)


def naming(stems: set[str], text: str) -> list[str]:
    """The parts of its sentences, from pause to pause, that have all of these stems, each in any of its forms."""
    forms = [{stem, *spoken([text]).forms(stem)} for stem in stems]
    return [part for part in _PART.split(text) if not any(map(set(content_stems(part)).isdisjoint, forms))]


def _clauses(stems: set[str], windows: Sequence[Found]) -> Iterator[str]:
    """The clauses of these parts that have them; the whole part where they are of several."""
    for part in (part for each in windows for part in naming(stems, each.passage.window.text)):
        yield from [each for each in spoken([part]).clauses(part) if stems <= set(content_stems(each))] or [part]


def _denies(question: Question, clause: str) -> bool:
    """Whether it was never so; or is no more, where what holds now is asked for."""
    known = spoken([clause])
    return known.is_undone(clause) or (question.standing is Standing.NOW and known.is_over(clause))
