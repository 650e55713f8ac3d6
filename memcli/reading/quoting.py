"""The sentence that answers, as it was said, with who said it and when."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..languages import language
from ..model import Item
from ..text.times import day
from .enumerations import introduced
from .windows import placed

if TYPE_CHECKING:
    from datetime import datetime

    from ..model import Question
    from .look import Look
    from .relevance import Found

__all__ = ["of_two", "quoted", "said"]

#: A window of at most so many words is quoted whole.
_SHORT = 30
#: The number of the next item of a list, which no sentence ends with.
_NEXT_ITEM = re.compile(r"(?<=:)\s+\d{1,3}[.)]$")


def quoted(look: Look) -> str:
    """“…” of the best window that the answer rests on, behind its speaker and day; of each, where no value stands for
    them.
    """
    found = look.cited if look.cited and not look.text else [*look.cited, *look.found][:1]
    return "; ".join(_said(look.question, each) for each in found)


def of_two(look: Look, rival: Found) -> tuple[Item, Item]:
    """The sentence of the best window, and that of another which may be what answers."""
    first, second = (
        Item(_said(look.question, each), each.passage.at, each.passage.turn) for each in (look.first, rival)
    )
    return first, second


def _said(question: Question, found: Found) -> str:
    return said(question, found.passage.window.speaker, found.passage.at, _sentence(found))


def said(question: Question, speaker: str, at: datetime | None, text: str) -> str:
    """A text as it is quoted in an answer to `question`."""
    when = language(question.language).describe(day(at)) if at else ""
    who = ", ".join([each for each in (speaker, when) if each])
    return f"{who}: “{text}”" if who else f"“{text}”"


def _sentence(found: Found) -> str:
    """The whole of a short window; of a longer one the sentence with the likeliest span, and what stands beside it.
    What introduces a list has its items behind it.
    """
    sentence = _likeliest(found)
    return " ".join([sentence, "; ".join(introduced(found.passage, sentence))]).strip()


def _likeliest(found: Found) -> str:
    window = found.passage.window
    if len(window.text.split()) <= _SHORT or not found.finding.spans:
        return window.text
    told, place = list(placed(window)), found.finding.spans[0].start
    at = next((n for n, (start, each) in enumerate(told) if start + len(each) > place), None)
    return window.text if at is None else _around([_NEXT_ITEM.sub("", each) for _, each in told], at)


def _around(told: Sequence[str], at: int) -> str:
    """A sentence with as many of those behind it, and then of those before it, as are short together: what explains it
    stands beside it.
    """
    first, last = at, at
    if told[at].rstrip().endswith(":"):  # what it introduces is told item by item
        return told[at]
    while last + 1 < len(told) and _words(told[first : last + 2]) <= _SHORT:
        last += 1
    while first > 0 and _words(told[first - 1 : last + 1]) <= _SHORT:
        first -= 1
    return " ".join(told[first : last + 1])


def _words(told: Sequence[str]) -> int:
    return sum(len(each.split()) for each in told)
