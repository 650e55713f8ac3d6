"""The sentence that answers, as it was said, with who said it and when."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..languages import language
from ..text import sentences
from ..text.times import day
from .enumerations import introduced

if TYPE_CHECKING:
    from datetime import datetime

    from ..model import Question
    from .look import Look
    from .relevance import Found

__all__ = ["quoted", "said"]

#: A window of at most so many words is quoted whole.
_SHORT = 30
#: The number of the next item of a list, which no sentence ends with.
_NEXT_ITEM = re.compile(r"(?<=:)\s+\d{1,3}[.)]$")


def quoted(look: Look) -> str:
    """“…” of the best window that the answer rests on, behind its speaker and day; of each, where no value stands for
    them.
    """
    found = look.cited if look.cited and not look.text else [*look.cited, *look.found][:1]
    return "; ".join(
        said(look.question, each.passage.window.speaker, each.passage.at, _sentence(each)) for each in found
    )


def said(question: Question, speaker: str, at: datetime | None, text: str) -> str:
    """A text as it is quoted in an answer to `question`."""
    when = language(question.language).describe(day(at)) if at else ""
    who = ", ".join([each for each in (speaker, when) if each])
    return f"{who}: “{text}”" if who else f"“{text}”"


def _sentence(found: Found) -> str:
    """The whole of a short window; of a longer one the sentence with the likeliest span. What introduces a list has its
    items behind it.
    """
    sentence = _likeliest(found)
    return " ".join([sentence, "; ".join(introduced(found.passage, sentence))]).strip()


def _likeliest(found: Found) -> str:
    window = found.passage.window
    if len(window.text.split()) <= _SHORT or not found.finding.spans:
        return window.text
    place = found.finding.spans[0].start - len(window.speaker) - 2
    offset = 0
    for sentence in sentences(window.text):
        offset = window.text.find(sentence, offset) + len(sentence)
        if offset > place:
            return _NEXT_ITEM.sub("", sentence)
    return window.text
