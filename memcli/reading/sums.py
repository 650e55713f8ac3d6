"""What is worked out of amounts: a sum, how far two are apart, or which of them is more.

The amounts are read as answers to questions of their own, over what was found for the whole one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..languages import language
from ..model import Question, Reckoned, Reckoning, Seeks, Standing
from ..text import content_stems
from ..text.amounts import Amount, difference, in_one, total
from .look import Look

__all__ = ["are_apart", "for_amounts", "for_things", "is_of_part", "said_at", "told", "worked_out"]


def for_amounts(question: Question, sought: Reckoning) -> list[Question]:
    """The questions for the amounts, each about whom it names, else whom the whole one is about."""
    return [
        replace(
            question, text=text, core=text, seeks=Seeks.COUNT, listing=False, several=False, counts_times=False,
            standing=Standing.ANY, about=_about(question, text),
            stems=tuple(stem for stem in question.stems if stem in set(content_stems(text))),
        )
        for text in sought.asked
    ]  # fmt: skip


def for_things(question: Question, sought: Reckoning) -> Question:
    """The question for what is to be counted, of the same person."""
    (text,) = sought.asked
    return replace(question, text=text, core=text, seeks=Seeks.WHAT, several=False, stems=question.stems)


def _about(question: Question, text: str) -> str | None:
    return next((each.speaker for each in question.named if each.word and each.word in text), question.about)


def told(question: Question, text: str) -> Amount | None:
    """The one amount that an answer tells; a day is none."""
    known = language(question.language)
    return None if known.times(text, None) else known.amount(text)


def are_apart(question: Question, sought: Reckoning, looks: Sequence[Look]) -> bool:
    """Whether the amounts may be of what is asked for: each is told where its own part is named, and no two are one.
    Where nothing says that a sum is meant, no window names another part, either: how much the fish and the wine were
    may have been told at once.
    """
    known = language(question.language)
    own, told = _stems(question, sought), [said_at(look) for look in looks]
    if any(ours and not ours & there for ours, there in zip(own, told, strict=True)):
        return False
    if sought.kind is not Reckoned.SUM or known.is_worked_out(question.asks):
        return len({(look.first.passage.turn, look.text) for look in looks}) == len(looks)
    others = [set[str]().union(*own[:place], *own[place + 1 :]) - ours for place, ours in enumerate(own)]
    return not any(theirs & there for theirs, there in zip(others, told, strict=True))


def is_of_part(look: Look, sought: Reckoning) -> bool:
    """Whether a value was read where some of the parts are named, and not all."""
    named = [bool(ours & said_at(look)) for ours in _stems(look.question, sought) if ours]
    return any(named) and not all(named)


def _stems(question: Question, sought: Reckoning) -> list[set[str]]:
    """What names each part."""
    known = language(question.language)
    return [{stem for stem in content_stems(name) if not known.is_lasting(stem)} for name in sought.named]


def said_at(look: Look) -> set[str]:
    """The stems of the window that the value was read in, and of what it replies to."""
    window = look.first.passage.window
    return {*content_stems(window.before), *content_stems(window.shown)}


def worked_out(question: Question, sought: Reckoning, amounts: Sequence[Amount]) -> str:
    """The answer, its parts behind it; empty where they are not of one thing."""
    if sought.kind in (Reckoned.MOST, Reckoned.LEAST):
        return _of_two(question, sought, amounts)
    known = language(question.language)
    of_all = (difference if sought.kind is Reckoned.DIFFERENCE else total)(amounts, sought.unit)
    if of_all is None:
        return ""
    parts = "; ".join(f"{name}: {known.spelled(each)}" for name, each in zip(sought.named, amounts, strict=True))
    return f"{known.spelled(of_all)} ({parts})"


def _of_two(question: Question, sought: Reckoning, amounts: Sequence[Amount]) -> str:
    """Which has more, or less, with both amounts behind it; empty where they are equal, or not of one thing."""
    spelled = language(question.language).spelled
    alike = None if amounts[0].each != amounts[1].each else in_one(amounts)
    if alike is None or alike[0].number == alike[1].number:
        return ""
    ranked = sorted(zip(alike, sought.named, amounts, strict=True), key=lambda each: each[0].number)
    (_, other, less), (_, one, more) = ranked if sought.kind is Reckoned.MOST else ranked[::-1]
    return f"{one} ({spelled(more)}; {other}: {spelled(less)})"
