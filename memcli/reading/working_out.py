"""Answers that no single turn tells: worked out of days or amounts, each read as an answer of its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from ..model import Hit, Query, Question, Reckoned, Reckoning, Seeks, TurnId
from . import reckoning, sums
from .look import Look, parts

__all__ = ["in_time", "left_open", "told_of", "worked_out"]

Read = Callable[[Query, Sequence[Hit]], Look]
ReadPart = Callable[[Query, Sequence[Hit], Collection[TurnId]], Look]
Sure = Callable[[Look], float]
#: What was read for each part, and what comes of it; empty for nothing.
_Made = tuple[list[Look], str]
_LENGTHS = (Reckoned.AGO, Reckoned.UNTIL, Reckoned.BETWEEN)
_AMOUNTS = (Reckoned.SUM, Reckoned.DIFFERENCE, Reckoned.MOST, Reckoned.LEAST)


def worked_out(query: Query, hits: Sequence[Hit], sought: Reckoning, read: ReadPart, sure: Sure) -> Look | None:
    """What is worked out of what is `read` for each part, but for some turns, as `sure` as all of it together (see
    `_together`); None where not all is found, or not exactly enough.
    """
    made = _of_amounts if sought.kind in _AMOUNTS else _of_days
    looks, text = made(query, hits, sought, read, sure)
    if not text:
        return None
    cited = tuple({look.first.passage.turn: look.first for look in looks}.values())
    return Look(query.question, looks[0].found, text, cited, _together([sure(look) for look in looks]), asserted=True)


def _together(chances: Sequence[float]) -> float:
    """How probable it is that all parts are right: their geometric mean. It would be their product if each were right
    by chance of its own; but they are told in one chat to one question, and what is found that fits is mostly right.
    """
    return float(math.prod(chances) ** (1 / len(chances)))


def left_open(sought: Reckoning, look: Look) -> Look:
    """What was read without a value, where that is no answer: a length of time that a turn names is of something else
    than what was to be worked out, one of several is no order, an amount where one part alone is named is of that part.
    """
    of_something_else = sought.kind in _LENGTHS and look.question.seeks is not Seeks.WHEN
    of_a_part = sought.kind is Reckoned.SUM and bool(look.found) and sums.is_of_part(look, sought)
    is_none = of_something_else or of_a_part or sought.kind is Reckoned.ORDER
    return replace(look, text="", items=()) if is_none else look


def told_of(query: Query, hits: Sequence[Hit], sought: Reckoning, look: Look, read: Read, sure: Sure) -> Look:
    """The turns that tell of what is to be counted, or put in order, at most three, where these are surer than `look`,
    which was read for the question itself and has no number that is told for sure.
    """
    which = read(replace(query, question=sums.for_things(query.question, sought)), hits)
    if not which.found:
        return look
    told = Look(look.question, which.found, cited=parts(which.found))
    return told if sure(told) > sure(look) else look


def in_time(look: Look) -> Look:
    """What is quoted in the order in which it was said; what has no time last."""
    times = [each.passage.at for each in look.cited]
    places = sorted(range(len(times)), key=lambda place: at.timestamp() if (at := times[place]) else math.inf)
    return replace(look, cited=tuple(look.cited[place] for place in places))


def _of_amounts(
    query: Query, hits: Sequence[Hit], sought: Reckoning, read: ReadPart, sure: Sure
) -> tuple[list[Look], str]:
    question = query.question
    looks = _looks(query, sums.for_amounts(question, sought), hits, read, sure)
    if not all(look.found for look in looks) or not sums.are_apart(question, sought, looks):
        return looks, ""
    amounts = [each for look in looks if (each := sums.told(question, look.text))]
    return looks, sums.worked_out(question, sought, amounts) if len(amounts) == len(looks) else ""


def _of_days(
    query: Query, hits: Sequence[Hit], sought: Reckoning, read: ReadPart, sure: Sure
) -> tuple[list[Look], str]:
    question = query.question
    looks = _looks(query, reckoning.for_days(question, sought), hits, read, sure)
    days = [each for look in looks if (each := reckoning.told(question, look.text, query.asked_at))]
    if not all(look.found for look in looks) or len(days) < len(looks):
        return looks, ""
    return looks, reckoning.worked_out(question, sought, days, query.asked_at)


def _looks(query: Query, asked: Sequence[Question], hits: Sequence[Hit], read: ReadPart, sure: Sure) -> list[Look]:
    """What is read for each question. Where several are answered by one turn, and the same, that is of the one whose
    own words are there, or of the surest: the others are looked for in what is left.
    """
    queries = [replace(query, question=each) for each in asked]
    looks = [read(each, hits, ()) for each in queries]
    if not all(look.found for look in looks):
        return looks
    fits = [(_own_words(each, asked, look), sure(look)) for each, look in zip(asked, looks, strict=True)]
    owner = {_place(looks[place]): place for place in sorted(range(len(looks)), key=fits.__getitem__)}
    for place, look in enumerate(looks):
        if owner[_place(look)] != place:
            looks[place] = read(queries[place], hits, (look.first.passage.turn,))
    return looks


def _place(look: Look) -> tuple[str, str]:
    return look.first.passage.turn, look.text


def _own_words(question: Question, asked: Sequence[Question], look: Look) -> int:
    """How many words that no other question has stand where it was read."""
    others = {stem for each in asked if each is not question for stem in each.stems}
    return len((set(question.stems) - others) & sums.said_at(look))
