"""Transcripts of any supported format → messages → sessions and turns, streamed.

`sources` finds the inputs, `read` gives a source's messages and what is wrong with it, `SessionSplitter` makes
sessions of them. One file a format; `FORMATS` is the table of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from .base import HEAD_BYTES, Format, Message, Problem
from .detection import FORMATS, detect, named, recognise
from .sessions import GAP, Piece, SessionSplitter, turn_id
from .sources import Opened, Source, sources

__all__ = [
    "FORMATS",
    "GAP",
    "HEAD_BYTES",
    "Format",
    "Message",
    "Piece",
    "Problem",
    "SessionSplitter",
    "Source",
    "detect",
    "read",
    "sources",
    "turn_id",
]


def read(source: Source, format_name: str | None = None) -> Iterator[Message | Problem]:
    """The messages of `source` in order, and a `Problem` for each part that cannot be read as it stands.

    `format_name` overrides detection; an unknown one is a `UsageError` at once. While reading, `InputUnreadable`
    is raised where nothing can be had: missing, empty, of no known format.
    """
    return _read(source, named(format_name) if format_name else None)


def _read(source: Source, chosen: Format | None) -> Iterator[Message | Problem]:
    with source.open(bytes.strip if chosen else recognise) as opened:
        any_record = False
        for record in (chosen or detect(opened.head, source.label)).read(opened.stream, source.label):
            any_record = True
            yield record
        yield from _at_the_end(source, opened, any_record)


def _at_the_end(source: Source, opened: Opened, any_record: bool) -> Iterator[Problem]:
    if opened.failure:
        yield Problem(source.label, f"the rest cannot be read: {opened.failure}")
    elif not any_record:
        yield Problem(source.label, "no messages in it")
