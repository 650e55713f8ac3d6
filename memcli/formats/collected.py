"""One conversation of a JSON benchmark, gathered until all of it is known.

Its name and the dates of its sessions may come after its messages, and its sessions in any order, so the
conversation is the unit that memory holds: the file may have any number of them.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import PurePath
from typing import BinaryIO, ClassVar

from .base import Message, Problem, where_in
from .json_walk import BrokenJsonError, Path, Want, walk
from .moments import moment

__all__ = ["Collected", "InSchema", "is_json"]

_OPENING = re.compile(rb"\s*[\[{]")


def is_json(head: bytes) -> bool:
    """Whether `head` could be the beginning of a JSON array or object."""
    return _OPENING.match(head) is not None


@dataclass(slots=True)
class Collected:
    """What is known so far of the conversation at `index`; messages are by number of session, without dates."""

    index: int
    source: str
    name: str = ""
    sessions: dict[int, list[Message]] = field(default_factory=dict)
    dates: dict[int, object] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def rename(self, name: object) -> None:
        """Give the conversation its name, if it is one."""
        self.name = str(name).strip() if isinstance(name, str | int) else ""

    def add(self, session: int, message: Message) -> None:
        """One more message of session number `session`."""
        self.sessions.setdefault(session, []).append(message)

    def report(self, reason: str, *parts: str, kept_out: bool = True) -> None:
        """Note what is wrong with a part of the conversation."""
        self.problems.append(Problem(where_in(self.source, f"item {self.index + 1}", *parts), reason, kept_out))

    def records(self) -> Iterator[Message | Problem]:
        """The messages by number of session, with their dates, then the problems."""
        # A conversation without a name must not share one with the next: ids are unique within it only.
        name = self.name or f"{PurePath(self.source).name}#{self.index + 1}"
        for number in sorted(self.sessions):
            started_at = self._date(number)
            for message in self.sessions[number]:
                yield replace(message, conversation=name, said_at=started_at, session_started_at=started_at)
        yield from self.problems

    def _date(self, number: int) -> datetime | None:
        value = self.dates.get(number)
        found = moment(value)
        if found is None and value not in (None, ""):
            self.report("date not understood: the messages are kept without it", f"session {number}", kept_out=False)
        return found


class InSchema(ABC):
    """A benchmark's format, known by the keys of its JSON: one of `marks`, or all `questions`."""

    export = "the benchmark's official file, or one in its schema"
    marks: ClassVar[re.Pattern[bytes]]
    questions: ClassVar[Sequence[bytes]]

    def sniff(self, head: bytes) -> bool:
        """Whether the input has a mark, or (the official files begin so) questions with what belongs to them."""
        return is_json(head) and (self.marks.search(head) is not None or all(mark in head for mark in self.questions))

    def read(self, stream: BinaryIO, source: str) -> Iterator[Message | Problem]:
        """The messages, a conversation at a time, its sessions in order."""
        return _collect(stream, source, self._want, self._take)

    @staticmethod
    @abstractmethod
    def _want(path: Path) -> Want:
        """What of the document is to be built."""

    @staticmethod
    @abstractmethod
    def _take(gathered: Collected, path: Path, value: object) -> None:
        """Adds a value to the conversation being gathered."""


def _collect(
    stream: BinaryIO,
    source: str,
    want: Callable[[Path], Want],
    take: Callable[[Collected, Path, object], None],
) -> Iterator[Message | Problem]:
    """The records of every item of `stream`: `want` chooses what `take` adds to the conversation being gathered.

    Where the document breaks off, what was read of the last conversation is kept.
    """
    gathered: Collected | None = None
    broken: list[Problem] = []
    try:
        for path, value in walk(stream, want):
            gathered = gathered or Collected(int(path[0]), source)
            take(gathered, path, value)
            if len(path) == 1:
                yield from gathered.records()
                gathered = None
    except BrokenJsonError as error:
        broken.append(Problem(source, f"broken JSON, the rest is not read: {error}"))
    if gathered is not None:
        yield from gathered.records()
    yield from broken
