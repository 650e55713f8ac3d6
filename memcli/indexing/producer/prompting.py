"""How prompts show what was said: a line a turn under short ids, days between them, in as few calls as they fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import TypeVar

from ...model import Turn
from ...text import token_estimate
from ...text.times import day, describe, weekday_name

__all__ = ["PER_LINE", "date_of", "longest_reply", "packed", "shortened", "transcript"]

#: Tokens of a line that are not its text: an id, a name, a date.
PER_LINE = 12

_LEAST_REPLY = 512

_Item = TypeVar("_Item")


def transcript(said: Iterable[tuple[Turn, Sequence[str]]]) -> str:
    """The lines of each turn, and one with the date before the first turn of a day."""
    return "\n".join(_lines(said))


def _lines(said: Iterable[tuple[Turn, Sequence[str]]]) -> Iterator[str]:
    today = None
    for turn, lines in said:
        at = turn.said_at
        if at is not None and at.date() != today:
            today = at.date()
            yield f"== {weekday_name(at)}, {date_of(at)} =="
        yield from lines


def packed(items: Iterable[_Item], tokens: Callable[[_Item], int], room: int) -> list[list[_Item]]:
    """The items in order, in as few calls as they fit."""
    parts: list[list[_Item]] = []
    left = 0
    for item in items:
        needed = tokens(item)
        if not parts or needed > left:
            parts.append([])
            left = room
        parts[-1].append(item)
        left -= needed
    return parts


def shortened(text: str, room: int) -> str:
    """`text`, or the beginning of one that is estimated at more tokens than `room`."""
    estimate = token_estimate(text)
    return text if estimate <= room else f"{text[: len(text) * (room - PER_LINE) // estimate]} …"


def longest_reply(said: str, times: int) -> int:
    """Tokens that a reply about `said` stays under which repeats it at most so many `times`: a model may ramble."""
    return _LEAST_REPLY + times * token_estimate(said)


def date_of(at: datetime) -> str:
    """The day as a person would say it."""
    return describe(day(at))
