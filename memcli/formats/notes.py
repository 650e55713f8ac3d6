"""Notes: Markdown or plain text that nobody speaks in, a message for each heading's section; where they are asked for.

A file is a session of the conversation of its folder, titled by its name. The day comes from the front matter (`date`,
`created`) or from a name like 2024-05-03; links stand as what they show.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import PurePath
from typing import BinaryIO

from .base import NOWHERE, Format, Message, Problem, Setting
from .lines import LONGEST_LINE, lines
from .moments import moment

__all__ = ["Notes"]

_HEADING = re.compile(r"(#{1,6})\s+(\S.*?)\s*#*\s*$")
_FENCE = re.compile(r"\s{0,3}(```|~~~)")
_WIKI = re.compile(r"!?\[\[(?:[^\[\]|]*\|)?([^\[\]|]+)\]\]")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_DATED = re.compile(r"(?:date|created|created_at|day)\s*:\s*[\"']?(?P<at>[^\"'\s][^\"']*?)[\"']?\s*$", re.IGNORECASE)


class Notes:
    """Notes by file and heading."""

    name = "notes"
    description = "notes: Obsidian's or other Markdown, or plain text, by file and heading"
    recognised = "by nothing: it is asked for by --format notes, and takes .md, .markdown, .org and .txt of a folder"
    export = "not needed: memcli ingest ~/vault --format notes"
    #: Which files of a folder are notes.
    suffixes = frozenset({".md", ".markdown", ".org", ".txt"})

    def __init__(self, place: PurePath = NOWHERE) -> None:
        self._place = place

    def sniff(self, head: bytes) -> bool:  # noqa: ARG002
        """Never: any text could be a note."""
        return False

    def within(self, setting: Setting) -> Format:
        """With the names of the file and its folder."""
        return Notes(setting.place)

    def read(self, stream: BinaryIO, source: str) -> Iterator[Message | Problem]:
        """A message for each section with anything in it, in the order of the text."""
        place = self._place if self._place.name else PurePath(source)
        texts: list[str] = []
        for number, line in enumerate(lines(stream), start=1):
            if line is None:
                yield Problem(f"{source}:{number}", f"line longer than {LONGEST_LINE // 2**20} MB")
            else:
                texts.append(line.decode("utf-8", "replace").rstrip("\r\n"))
        at, body = _front(texts, place)
        for heading, text in _sections(body):
            shown = f"{heading}\n{text}" if heading else text
            yield Message(
                _WIKI.sub(r"\1", shown), "me", said_at=at, conversation=place.parent.name or "notes",
                session=place.name, title=place.stem,
            )  # fmt: skip


def _front(texts: list[str], place: PurePath) -> tuple[datetime | None, list[str]]:
    """When the note was made, as it says itself, and what stands below its front matter."""
    named = _DAY.search(place.stem)
    at = moment(named[0]) if named else None
    if not texts or texts[0].strip() != "---" or "---" not in (line.strip() for line in texts[1:]):
        return at, texts
    end = next(i for i, line in enumerate(texts[1:], start=1) if line.strip() == "---")
    told = (moment(found["at"]) for line in texts[1:end] if (found := _DATED.match(line.strip())))
    return next((each for each in told if each), at), texts[end + 1 :]


def _sections(texts: list[str]) -> Iterator[tuple[str, str]]:
    """Each heading with those above it, and what stands below it."""
    above: list[tuple[int, str]] = []
    held: list[str] = []
    fence = ""
    for line in texts:
        if found := _FENCE.match(line):
            fence = "" if fence == found[1] else fence or found[1]
        heading = None if fence else _HEADING.match(line)
        if heading is None:
            held.append(line)
            continue
        yield from _section(above, held)
        above = [each for each in above if each[0] < len(heading[1])] + [(len(heading[1]), heading[2])]
        held = []
    yield from _section(above, held)


def _section(above: list[tuple[int, str]], held: list[str]) -> Iterator[tuple[str, str]]:
    if text := "\n".join(held).strip():
        yield " › ".join(name for _, name in above), text
