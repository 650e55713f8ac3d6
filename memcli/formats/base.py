"""What every format agrees on: the records that it yields, and the protocol that it meets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from typing import BinaryIO, Protocol, runtime_checkable

from memcli.text import clean

__all__ = [
    "HEAD_BYTES",
    "LARGEST_BESIDE",
    "NOWHERE",
    "Adaptable",
    "ByName",
    "Format",
    "Guess",
    "Message",
    "Problem",
    "Setting",
    "dated",
    "text_of",
    "where_in",
]

#: How much of an input, decompressed, a format may look at to recognise it.
HEAD_BYTES = 64 * 1024
#: A list of users, which an export has beside its messages, is no larger.
LARGEST_BESIDE = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Message:
    """One message as a transcript has it, before it is given a session.

    `session` is the name that the transcript gives to the session, if any; `id` is unique within it. `arrived_at`: when
    it came, which is when it was said if nothing else tells; it is no part of what the message is known by.
    `is_unreadably_dated`: it has a time, and nobody can say which.
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
    arrived_at: datetime | None = None
    is_unreadably_dated: bool = False


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in an input that could not be read as it stands. `where` is a file and a line or a part of it.

    `kept_out` is false where nothing that was said is lost: the message is kept without what was wrong with it.
    """

    where: str
    reason: str
    kept_out: bool = True


def dated(where: str, message: Message) -> Iterator[Message | Problem]:
    """The message; and, where nobody can say when it was said, that it is kept without its date."""
    yield message
    if message.is_unreadably_dated:
        yield Problem(where, "date not understood: the message is kept without it", kept_out=False)


class Format(Protocol):
    """One kind of transcript."""

    @property
    def name(self) -> str:
        """The name for `--format`."""

    @property
    def description(self) -> str:
        """What it is, in one line."""

    @property
    def recognised(self) -> str:
        """By what its content is recognised, in one line."""

    @property
    def export(self) -> str:
        """How to come by such a file, in one line."""

    def sniff(self, head: bytes) -> bool:
        """Whether an input that begins with `head` (at most `HEAD_BYTES`, no byte order mark) is of this format."""

    def read(self, stream: BinaryIO, source: str) -> Iterator[Message | Problem]:
        """The messages of `stream` in order; `source` names the input in every `Problem`. Never raises on content."""


#: Of what has no name.
NOWHERE = PurePath()


@dataclass(frozen=True, slots=True)
class Setting:
    """What a reader may want to know besides the content.

    `place` is the input's name with its folders; of a zip's member, within the zip: it names things, it is never
    opened. `again` reads the content once more from its beginning, where that can be done. `beside` gives a small
    file of the same export by its path as seen from the input's folder.
    """

    place: PurePath = NOWHERE
    all_branches: bool = False
    again: Callable[[], AbstractContextManager[BinaryIO]] | None = None
    beside: Callable[[str], bytes | None] = lambda _name: None


@runtime_checkable
class Adaptable(Protocol):
    """A format that reads better where it knows its setting."""

    def within(self, setting: Setting) -> Format:
        """The format's reader for one input."""


@runtime_checkable
class ByName(Protocol):
    """A format that nothing in a file shows: of a folder it takes what is named so, where it is asked for."""

    @property
    def suffixes(self) -> frozenset[str]:
        """The endings of its files' names, in small letters, with the dot."""


@runtime_checkable
class Guess(Protocol):
    """A format without a mark of its own: much that is no transcript looks like it."""

    def is_sure(self, head: bytes) -> bool:
        """Whether an input that nobody named, found in a folder, is of this format beyond doubt."""


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
