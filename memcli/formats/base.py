"""What every format agrees on: the records that it yields, and the protocol that it meets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO, Protocol

from memcli.text import clean

__all__ = ["HEAD_BYTES", "Format", "Message", "Problem", "text_of", "where_in"]

#: How much of an input, decompressed, a format may look at to recognise it.
HEAD_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Message:
    """One message as a transcript has it, before it is given a session.

    `session` is the name that the transcript gives to the session, if any; `id` is unique within it.
    """

    text: str
    speaker: str = ""
    role: str = ""
    said_at: datetime | None = None
    conversation: str = ""
    session: str | None = None
    id: str | None = None
    title: str = ""
    session_started_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in an input that could not be read as it stands. `where` is a file and a line or a part of it.

    `kept_out` is false where the message itself is kept, without what was wrong with it.
    """

    where: str
    reason: str
    kept_out: bool = True


class Format(Protocol):
    """One kind of transcript."""

    @property
    def name(self) -> str:
        """The name for `--format`."""

    @property
    def description(self) -> str:
        """One line for the help."""

    def sniff(self, head: bytes) -> bool:
        """Whether an input that begins with `head` (at most `HEAD_BYTES`, no byte order mark) is of this format."""

    def read(self, stream: BinaryIO, source: str) -> Iterator[Message | Problem]:
        """The messages of `stream` in order; `source` names the input in every `Problem`. Never raises on content."""


def text_of(text: object, caption: object = None) -> str:
    """A message's text with an image's caption as its last line; empty where there is nothing to read."""
    lines = [text] if isinstance(text, str) and _has_text(text) else []
    if isinstance(caption, str) and _has_text(caption):
        lines.append(f"[image: {caption.strip()}]")
    return "\n".join(lines)


def _has_text(text: str) -> bool:
    """Whether anything is left of `text` without white space and control characters."""
    return bool(clean(text).strip())


def where_in(source: str, *parts: str) -> str:
    """`source` and the way down to a part of it, for `Problem.where`."""
    return f"{source}: {', '.join(parts)}"
