"""What is new in files that are followed, stored as it comes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from ..errors import InputUnreadable, StoreBusy
from ..formats import Problem, Source, is_transcript
from ..formats.following import Followed, awake

if TYPE_CHECKING:
    from ..formats.redaction import Redactor
    from . import Memory

__all__ = ["Noticed", "Watching", "watched"]


@dataclass(frozen=True, slots=True)
class Noticed:
    """Of a file: how many messages were new, in how many sessions, and what could not be read."""

    path: Path
    added: int = 0
    sessions: int = 0
    problems: Sequence[Problem] = ()


def watched(
    memory: Memory, paths: Sequence[Path], stop: Event | None = None, redactor: Redactor | None = None
) -> Iterator[Noticed]:
    """See `Memory.watch`."""
    watching = Watching(memory, paths, redactor)
    return chain.from_iterable(watching.look() for _ in awake(paths, stop or Event()))


class Watching:
    """What is known of the files. Raises InputUnreadable where one is not there.

    One that is being written may end in half a line, so what is wrong with it is told when it has not changed since.
    """

    def __init__(self, memory: Memory, paths: Sequence[Path], redactor: Redactor | None) -> None:
        for path in paths:
            if not path.exists():
                raise InputUnreadable(f"cannot follow {path}: there is no such file or folder", "check the path")
        self._memory, self._redactor = memory, redactor
        self._named = frozenset(path for path in paths if not path.is_dir())
        self._followed = Followed(paths)
        self._doubtful: dict[Path, Sequence[Problem]] = {}
        self._told: set[Problem] = set()

    def look(self) -> Iterator[Noticed]:
        """Stores what is new, and tells what has been wrong for a while."""
        changed = self._followed.changed()
        for path in set(self._doubtful) - set(changed):
            if new := [each for each in self._doubtful.pop(path) if each not in self._told]:
                self._told.update(new)
                yield Noticed(path, problems=new)
        for path in changed:
            state = self._followed.state(path)
            try:
                noticed = self._stored(path)
            except StoreBusy:
                continue  # it is as new as before when it looks again
            self._followed.done(path, state)
            self._doubtful[path] = noticed.problems
            if noticed.added:
                yield Noticed(path, noticed.added, noticed.sessions)

    def _stored(self, path: Path) -> Noticed:
        """Whatever is not named may be anything, so only what is a transcript is read."""
        is_named = path in self._named
        if not is_named and not is_transcript(path):
            return Noticed(path)
        try:
            report = self._memory.ingest([Source(path, found=not is_named)], redactor=self._redactor)
        except InputUnreadable as error:
            return Noticed(path, problems=[Problem(str(path), error.message)])
        return Noticed(path, report.added, len(report.sessions), tuple(report.problems))
