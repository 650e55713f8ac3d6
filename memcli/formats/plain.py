"""Transcripts as people type them: "Name: text", perhaps with a date before the name or after it.

The file is a conversation. A line without a name goes on with what was said before.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePath
from typing import BinaryIO

from .base import NOWHERE, Format, Message, Problem, Setting
from .moments import moment
from .speakers import NAME, Speakers, is_chat
from .spoken import MARKS, Begin, head_lines, spoken

__all__ = ["Plain"]

_DAY = r"\d{4}[-/]\d{1,2}[-/]\d{1,2}"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z| ?[+-]\d{2}:?\d{2})?"
_STAMP = rf"(?:{_DAY}(?:[T ,]{{1,2}}{_CLOCK})?|{_CLOCK})"
_LINE = re.compile(
    rf"(?:[\[(](?P<in>{_STAMP})[\])] ?(?:[-–] )?|(?P<before>{_STAMP}) (?:[-–] )?)?"
    rf"(?P<name>{NAME})(?: ?[\[(](?P<after>{_STAMP})[\])])? ?:(?:[ \t]+(?P<text>.*)|\s*$)",
    re.DOTALL,
)


class Plain:
    """Lines that begin with a name and a colon."""

    name = "plain"
    description = "a transcript as text: lines like `Ana: Hello!`, perhaps dated"
    recognised = "two lines that begin with a name and a colon; in a folder, only where names recur"
    export = "any program or person that writes who said what"

    def __init__(self, place: PurePath = NOWHERE) -> None:
        self._place = place

    def sniff(self, head: bytes) -> bool:
        """Whether two lines, and no small part of all, begin with a name."""
        lines = head_lines(head)
        names = _names(lines)
        return len(names) >= 2 and len(names) * 5 >= len(lines) and not lines[0].lstrip().startswith(("{", "<"))

    def is_sure(self, head: bytes) -> bool:
        """Whether most lines begin with a name, and the names recur, as keys and labels do not."""
        lines = head_lines(head)
        names = Counter(_names(lines))
        recurring = sum(count for count in names.values() if count > 1)
        if not self.sniff(head) or len(names) < 2 or 2 * recurring < len(lines):
            return False
        return is_chat(names) or names.total() >= max(6, 3 * len(names))

    def within(self, setting: Setting) -> Format:
        """With the conversation's name from the file's."""
        return Plain(setting.place)

    def read(self, stream: BinaryIO, source: str) -> Iterator[Message | Problem]:
        """The messages in the order of the text."""
        place = self._place if self._place.name else PurePath(source)
        return spoken(stream, source, place.stem, _Lines().begins)


class _Lines:
    def __init__(self) -> None:
        self._speakers = Speakers()

    def begins(self, line: str) -> Begin | None:
        found = _LINE.match(line.translate(MARKS)) if ":" in line[:200] else None
        if found is None:
            return None
        name = self._speakers.named(found["name"])
        if name is None:
            return None
        self._speakers.began(name)
        stamp = found["in"] or found["before"] or found["after"] or ""
        return Begin(name[0], found["text"] or "", moment(stamp), stamp, name[1])


def _names(lines: list[str]) -> list[str]:
    reading = _Lines()
    return [begin.speaker for line in lines if (begin := reading.begins(line.rstrip("\r"))) is not None]
