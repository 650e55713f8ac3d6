"""Exports that begin with what was said last: all of a file is gathered, and handed over in the order of time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from .base import Message, Problem

__all__ = ["in_order"]


def in_order(records: Iterable[Message | Problem]) -> Iterator[Message | Problem]:
    """The messages, the oldest first; those of one moment in the order of the reversed file; then the problems.

    What has no date stands where it stood among the others.
    """
    said: list[Message] = []
    problems: list[Problem] = []
    for record in records:
        if isinstance(record, Message):
            said.append(record)
        else:
            problems.append(record)
    said.reverse()
    at, moments = datetime.min.replace(tzinfo=UTC), []
    for message in said:
        at = message.said_at or at
        moments.append(at)
    yield from (said[place] for place in sorted(range(len(said)), key=moments.__getitem__))
    yield from problems
