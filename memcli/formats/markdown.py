"""Transcripts in Markdown: the speaker in bold before what is said, or in a heading above it.

The file is a conversation, its first heading the title. Whatever stands in a fenced block is text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePath
from typing import BinaryIO

from .base import HEAD_BYTES, NOWHERE, Format, Message, Problem, Setting
from .moments import moment
from .speakers import NAME, Speaker, Speakers, is_chat, speaker
from .spoken import MARKS, Begin, head_lines, spoken

__all__ = ["Markdown"]

_AT = r"\d[\w :./+,-]{3,40}?"
_BOLD = re.compile(
    rf"\s{{0,3}}(?:[-*>] )?(?P<mark>\*\*|__)(?P<name>{NAME})"
    rf"(?: ?[(\[—–,|-]{{1,2}} ?(?P<in>{_AT})[)\]]?)?(?P<colon>:?)(?P=mark)"
    rf"(?: ?[(\[](?P<after>{_AT})[)\]])? ?(?P<late>:?)(?:\s+(?P<text>.*)|\s*$)",
    re.DOTALL,
)
_HEADING = re.compile(
    rf"#{{1,6}} {{1,3}}(?:\*\*)?(?P<name>{NAME})(?:\*\*)?"
    rf"(?: ?[(\[—–,|-]{{1,2}} ?(?P<at>{_AT})[)\]]?)? ?:?(?:\*\*)?\s*$"
)
_TITLE = re.compile(r"# {1,3}(\S.{0,199})")
_FENCE = re.compile(r"\s{0,3}(```|~~~)")
_RULE = re.compile(r"\n\s*(?:-{3,}|\*{3,}|_{3,})\s*$")
_LONGEST = 400
_END = 100


class Markdown:
    """Speakers in bold or in headings."""

    name = "markdown"
    description = "a transcript in Markdown: `**Ana:** Hello!`, or `## Ana` above what is said"
    recognised = "two names in bold with a colon, or headings that are names; in a folder, only where names recur"
    export = "any program that exports a chat as Markdown"

    def __init__(self, place: PurePath = NOWHERE, headings: frozenset[str] = frozenset()) -> None:
        self._place = place
        self._headings = headings

    def sniff(self, head: bytes) -> bool:
        """Whether there are two names that somebody could be speaking by."""
        return len(_names(head)) >= 2

    def is_sure(self, head: bytes) -> bool:
        """Whether the names are those of a person and a model, or most lines begin with one of a few in bold."""
        names = Counter(_names(head))
        lines = _lines(head)
        if is_chat(names):
            return True
        is_page = sum(line.startswith("#") for line in lines) > 2 or 3 * names.total() < len(lines)
        return len(names) >= 2 and names.total() >= max(6, 3 * len(names)) and not is_page

    def within(self, setting: Setting) -> Format:
        """With the conversation's name from the file's, and the headings that recur."""
        if setting.again is None:
            return Markdown(setting.place)
        with setting.again() as stream:
            return Markdown(setting.place, _recurring(stream.read(HEAD_BYTES)))

    def read(self, stream: BinaryIO, source: str) -> Iterator[Message | Problem]:
        """The messages in the order of the text."""
        place = self._place if self._place.name else PurePath(source)
        return spoken(stream, source, place.stem, _Page(self._headings).begins, _tidy)


class _Page:
    """Where the reading stands: in a fenced block or not, and under which title."""

    def __init__(self, headings: frozenset[str]) -> None:
        self._headings = headings
        self._fence = ""
        self._title = ""
        self._speakers = Speakers()
        self._way: Callable[[str], Begin | None] | None = None

    def begins(self, line: str) -> Begin | None:
        line = line.translate(MARKS)
        if fence := _FENCE.match(line):
            self._fence = "" if self._fence == fence[1] else self._fence or fence[1]
        if self._fence or fence:
            return None
        begin = self._begin(line)
        if begin is None and not self._title and (title := _TITLE.match(line)):
            self._title = title[1].strip()
        return begin

    def _begin(self, line: str) -> Begin | None:
        """The first speaker is in bold or in a heading, and so are all others: the other of the two is text."""
        for way in [self._way] if self._way else [self._bold, self._heading]:
            if begin := way(line):
                self._way = way
                return begin
        return None

    def _bold(self, line: str) -> Begin | None:
        found = _BOLD.match(line) if line.lstrip().startswith(("*", "_", "-", ">")) else None
        name = self._speakers.named(found["name"]) if found else None
        if found is None or name is None:
            return None
        has_colon = found["colon"] or found["late"]
        stamp = found["in"] or found["after"] or ""
        if not has_colon and (found["text"] or not (name[1] or stamp)):
            return None
        return self._spoken(name, stamp, found["text"] or "")

    def _heading(self, line: str) -> Begin | None:
        found = _HEADING.match(line[:_LONGEST]) if line.startswith("#") and len(line) <= _LONGEST else None
        name = self._speakers.named(found["name"]) if found else None
        if found is None or name is None:
            return None
        is_name = name[1] or name[0] in self._headings or moment(found["at"])
        return self._spoken(name, found["at"] or "", "") if is_name else None

    def _spoken(self, name: Speaker, stamp: str, text: str) -> Begin:
        self._speakers.began(name)
        return Begin(name[0], text, moment(stamp.strip()), stamp, name[1], self._title)


def _tidy(text: str) -> str:
    """The text without the rule that parts it from the next."""
    text = text.strip()
    return (text[:-_END] + _RULE.sub("", text[-_END:])).strip()


def _names(head: bytes) -> list[str]:
    page = _Page(_recurring(head))
    return [begin.speaker for begin in map(page.begins, _lines(head)) if begin is not None]


def _recurring(head: bytes) -> frozenset[str]:
    found = Counter(_headed(_lines(head)))
    return frozenset(name for name, count in found.items() if count > 1)


def _headed(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        found = _HEADING.match(line) if len(line) <= _LONGEST else None
        if found and (name := speaker(found["name"])):
            yield name[0]


def _lines(head: bytes) -> list[str]:
    return [line.rstrip("\r") for line in head_lines(head)]
