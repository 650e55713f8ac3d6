"""Transcripts of any supported format → messages → sessions and turns, streamed.

`sources` finds the inputs, `read` gives a source's messages and what is wrong with it, `SessionSplitter` makes
sessions of them. One file a format; `FORMATS` is the table of them.
"""

from __future__ import annotations

from .base import HEAD_BYTES, Format, Message, Problem
from .detection import FORMATS, detect, named
from .reading import read
from .sessions import GAP, Piece, SessionSplitter, turn_id
from .sources import Source, bytes_of, is_transcript, sources

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
    "bytes_of",
    "detect",
    "is_transcript",
    "named",
    "read",
    "sources",
    "turn_id",
]
