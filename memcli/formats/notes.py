"""Notes: Markdown, Org or plain text that nobody speaks in, a message for each heading's section; where asked for.

A file is a session of the conversation of its folder, titled by its name. The day comes from the front matter (`date`,
`created`) or from a name like 2024-05-03; links stand as what they show, pictures and files as marks. Left out is what
is not shown: of Obsidian's comments, and the blocks that ask for a list of notes; of Org drawers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from itertools import takewhile
from pathlib import PurePath
from typing import BinaryIO, NamedTuple

from .base import NOWHERE, Format, Message, Problem, Setting
from .lines import LONGEST_LINE, lines
from .media import KINDS, mark
from .moments import moment

__all__ = ["Notes"]

_FENCE = re.compile(r"\s{0,3}(```|~~~)")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_DATED = re.compile(r"(?:date|created|created_at|day)\s*:\s*[\"']?(?P<at>[^\"'\s][^\"']*?)[\"']?\s*$", re.IGNORECASE)
#: A comment of Obsidian's, or a picture; and code, in which there are none: a block with its language, or some words of
#: a line.
_HIDDEN = re.compile(
    r"^ {0,3}(?P<fence>`{3,}+|~{3,}+) *+(?P<language>[\w-]*+)[^\n]*+\n.*?^ {0,3}(?P=fence)[^\n]*+$|`[^`\n]+`|%%.*?%%"
    r"|!\[(?P<caption>[^\[\]\n]*+)\]\((?P<picture>[^()\n]++)\)",
    re.DOTALL | re.MULTILINE,
)
#: What Org folds away: properties and logs; what has no end before a heading is none, but passed over at once.
_DRAWER = re.compile(
    r"^[ \t]*+:[\w-]++:[ \t]*+\n(?:(?![ \t]*+:end:[ \t]*+$|\*).*+\n)*+(?P<end>[ \t]*+:end:[ \t]*+$\n?)?",
    re.IGNORECASE | re.MULTILINE,
)
#: What such blocks are written in: what they show is found in other notes.
_QUERIES = frozenset({"dataview", "dataviewjs", "query", "tasks"})
#: A file's name and no note's: "plan.pdf", not "Version 1.2".
_FILE = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}$")
_KEYWORD = re.compile(r"(?:#\+|:)[\w-]+:")
_ORG_DATED = re.compile(r"#\+date:\s*[<\[]?(?P<at>\d{4}-\d{2}-\d{2})", re.IGNORECASE)


class _Markup(NamedTuple):
    """How notes are written: headings by level and name; links by what they lead to and show, or what they embed."""

    heading: re.Pattern[str]
    link: re.Pattern[str]
    has_fences: bool


_MARKDOWN = _Markup(
    re.compile(r"(?P<level>#{1,6})\s+(?P<name>\S.*?)\s*#*\s*$"),
    re.compile(r"(?P<embeds>!?)\[\[(?P<target>[^\[\]|]*)(?:\|(?:[^\[\]|]*\|)*(?P<shown>[^\[\]|]+))?\]\]"),
    has_fences=True,
)
_ORG = _Markup(
    re.compile(r"(?P<level>\*+)\s+(?P<name>\S.*?)\s*$"),
    re.compile(r"(?P<embeds>\[)\[(?:file:)?(?P<target>[^\[\]]+)\]\]|\[\[[^\[\]]+\]\[(?P<shown>[^\[\]]+)\]\]"),
    has_fences=False,
)


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
        at, body, markup = _note(texts, place)
        for heading, text in _sections(body, markup):
            shown = f"{heading}\n{text}" if heading else text
            yield Message(
                markup.link.sub(_linked, shown), "me", said_at=at, conversation=place.parent.name or "notes",
                session=place.name, title=place.stem,
            )  # fmt: skip


def _note(texts: list[str], place: PurePath) -> tuple[datetime | None, list[str], _Markup]:
    """When a note was made, what it shows, and how it is written."""
    if place.suffix.lower() == ".org":
        at, body = _keywords(texts, place)
        return at, _DRAWER.sub(_unfolded, "\n".join(body)).split("\n"), _ORG
    at, body = _front(texts, place)
    if place.suffix.lower() != ".txt":
        body = _HIDDEN.sub(_seen, "\n".join(body)).split("\n")
    return at, body, _MARKDOWN


def _front(texts: list[str], place: PurePath) -> tuple[datetime | None, list[str]]:
    """When the note was made, as it says itself, and what stands below its front matter."""
    named = _DAY.search(place.stem)
    at = moment(named[0]) if named else None
    if not texts or texts[0].strip() != "---" or "---" not in (line.strip() for line in texts[1:]):
        return at, texts
    end = next(i for i, line in enumerate(texts[1:], start=1) if line.strip() == "---")
    told = (moment(found["at"]) for line in texts[1:end] if (found := _DATED.match(line.strip())))
    return next((each for each in told if each), at), texts[end + 1 :]


def _keywords(texts: list[str], place: PurePath) -> tuple[datetime | None, list[str]]:
    """The same of Org, whose keywords stand above everything else."""
    above = list(takewhile(lambda line: not line.strip() or _KEYWORD.match(line), texts))
    named = _DAY.search(place.stem)
    told = (moment(found["at"]) for line in above if (found := _ORG_DATED.match(line)))
    at = next((each for each in told if each), moment(named[0]) if named else None)
    return at, texts[len(above) :]


def _seen(found: re.Match[str]) -> str:
    """What is seen of a comment, a picture, of code or of a block that asks for something."""
    if picture := found["picture"]:
        name = PurePath(picture.partition(" ")[0].partition("?")[0]).name
        return f"{mark(name, '' if _is_file(name) else 'image')} {found['caption']}".strip()
    if found[0].startswith("%%") or (found["language"] or "").lower() in _QUERIES:
        return ""
    return found[0]


def _unfolded(found: re.Match[str]) -> str:
    """What is seen of what may be a drawer."""
    return "" if found["end"] else found[0]


def _linked(found: re.Match[str]) -> str:
    """What a link shows; a picture or a file that stands there itself is a mark."""
    target = found["target"] or ""
    name = PurePath(target.partition("#")[0].strip()).name
    if found["embeds"] and "://" not in target and _is_file(name):
        return mark(name)
    return found["shown"] or target or found[0]


def _is_file(name: str) -> bool:
    """Whether it is a file's and no note's name."""
    ending = PurePath(name).suffix.lower()
    is_medium = any(ending[1:] in endings for endings in KINDS.values())
    return is_medium or (_FILE.search(name) is not None and ending not in Notes.suffixes)


def _sections(texts: list[str], markup: _Markup) -> Iterator[tuple[str, str]]:
    """Each heading with those above it, and what stands below it."""
    above: list[tuple[int, str]] = []
    held: list[str] = []
    fence = ""
    for line in texts:
        if markup.has_fences and (found := _FENCE.match(line)):
            fence = "" if fence == found[1] else fence or found[1]
        heading = None if fence else markup.heading.match(line)
        if heading is None:
            held.append(line)
            continue
        yield from _section(above, held)
        level = len(heading["level"])
        above = [each for each in above if each[0] < level] + [(level, heading["name"])]
        held = []
    yield from _section(above, held)


def _section(above: list[tuple[int, str]], held: list[str]) -> Iterator[tuple[str, str]]:
    if text := "\n".join(held).strip():
        yield " › ".join(name for _, name in above), text
