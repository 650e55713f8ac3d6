"""Answers of several: a list, gathered or written in its turn, and how many times something was."""

from __future__ import annotations

from collections.abc import Sequence

from ..languages import language
from ..model import Item, Question, Seeks
from ..text import content_stems
from ..text.times import day
from .enumerations import enumerated
from .look import LISTED, Look
from .ordering import ASSISTANT
from .relevance import Found
from .states import when
from .values import Value

__all__ = ["NAMED", "as_written", "listed", "times"]

#: An item is listed beside the best one if so much of the answer is expected in it: a window is not less true for
#: another that answers, too.
_ITEM = 0.3
_MOST_LISTED = 8
#: What the items of a written list may answer.
NAMED = frozenset((Seeks.WHAT, Seeks.WHICH, Seeks.WHO, Seeks.WHERE))
#: So much of a question is in what somebody asked an assistant for, where that wrote what is asked about; and how sure
#: its list is then.
_ASKED_FOR, _SURE = 0.7, 0.9
#: A number of times is believed from this chance on; without one, windows that answer as probably are counted.
_COUNTED = 0.5


def listed(question: Question, found: Sequence[Found], ranked: Sequence[Value]) -> Look:
    """The likeliest value and those beside it that answer as well, each told once."""
    if not ranked:
        return Look(question, found)
    chosen: list[Value] = []
    seen: set[str] = set()
    for value in ranked:
        new = set(content_stems(value.text))
        if (value is ranked[0] or _is_item(value)) and not new & seen and len(chosen) < _MOST_LISTED:
            chosen.append(value)
            seen |= new
    text = ", ".join(value.text for value in chosen)
    items = tuple(Item(value.text, value.found.passage.at, value.found.passage.turn) for value in chosen)
    cited = tuple(value.found for value in chosen)
    return Look(question, found, text, cited, chosen[0].chance, chosen[0].typed, items=items if len(items) > 1 else ())


def _is_item(value: Value) -> bool:
    return value.typed and value.chance >= _ITEM and value.found.finding.answers >= LISTED


def as_written(question: Question, found: Sequence[Found]) -> Look | None:
    """The list that is written in the turn of the likeliest window, or its item that is asked for by its place; as sure
    as the sentence of the window that is of it. None where neither is asked for, or nothing is listed there.
    """
    if question.seeks not in NAMED:
        return None
    place = language(question.language).nth(question.asks)
    names = enumerated(found[0].passage) if place or question.listing else []
    if len(names) < max(place, 1):
        return None
    items = [Item(name, found[0].passage.at, found[0].passage.turn) for name in names]
    chosen = items[place - 1 : place] if place else items[:_MOST_LISTED]
    text, passage = ", ".join(each.text for each in chosen), found[0].passage
    # The list that an assistant wrote to whom asked for just that needs no likeness of its own.
    is_asked = question.about == ASSISTANT == passage.window.speaker and passage.thread_covered >= _ASKED_FOR
    sure = passage.thread_covered * _SURE if is_asked else 0.0
    return Look(question, found, text, (found[0],), sure, asserted=is_asked, items=tuple(chosen))


def times(question: Question, found: Sequence[Found], ranked: Sequence[Value]) -> Look | None:
    """How many times, by the days on which it was told that it happened; None where a number is said, or one day alone.

    One day counts nothing: it may have been told once of what is done every week.
    """
    best = ranked[0]
    if best.typed and best.chance >= _COUNTED:
        return None
    told = [each for each in found if each.trust >= _COUNTED and each.passage.at]
    describe = language(question.language).describe
    days = {describe(day(each.passage.at)): each for each in sorted(told, key=when) if each.passage.at}
    if len(days) < 2:
        return None
    return Look(question, found, f"{len(days)}: {', '.join(days)}", tuple(days.values()), found[0].trust)
