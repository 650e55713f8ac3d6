"""Transcripts as text: lines that say who speaks, each followed by the rest of what was said."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import BinaryIO

from .base import Message, Problem
from .lines import LONGEST_LINE, lines

__all__ = ["MARKS", "Begin", "head_lines", "spoken"]

#: Marks of direction, which show nothing and may stand anywhere in a line; and the byte order mark.
MARKS = dict.fromkeys(map(ord, "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"))

#: Characters of a message's text; what goes on for longer is no message.
_LONGEST = 16 * 1024 * 1024
#: How many different messages are remembered to tell those apart that are alike.
_REMEMBERED = 100_000


@dataclass(frozen=True, slots=True)
class Begin:
    """The line that begins a message. `stamp` is its time as written; what has no speaker is left out."""

    speaker: str
    text: str
    said_at: datetime | None = None
    stamp: str = ""
    role: str = ""
    title: str = ""


@dataclass(slots=True)
class _Open:
    begin: Begin
    where: str
    parts: list[str]
    size: int = 0


def spoken(
    stream: BinaryIO,
    source: str,
    conversation: str,
    begins: Callable[[str], Begin | None],
    tidy: Callable[[str], str] = str.strip,
    known: Callable[[str], str] | None = None,
) -> Iterator[Message | Problem]:
    """The messages: each from a line that `begins` one to before the next; `tidy` makes its text of its lines.

    A message has no id of its own: what identifies it is its time as written, its speaker and its text, or what
    `known` makes of its lines, and the how-manieth it is of those alike.
    """
    made = _Made(conversation, tidy, known or tidy)
    open_: _Open | None = None
    for where, text in _decoded(stream, source):
        if isinstance(text, Problem):
            yield text
            continue
        begin = begins(text)
        if begin is not None:
            yield from made.message(open_)
            open_ = _Open(begin, where, [begin.text]) if begin.speaker else None
        elif open_ is not None:
            yield from _continued(open_, text)
    yield from made.message(open_)


def _decoded(stream: BinaryIO, source: str) -> Iterator[tuple[str, str | Problem]]:
    """Each line and where it is. What is no UTF-8 is told of once: there may be a million such lines."""
    told = False
    for number, line in enumerate(lines(stream), start=1):
        where = f"{source}:{number}"
        if line is None:
            yield where, Problem(where, f"line longer than {LONGEST_LINE // 2**20} MB")
            continue
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if not told and "\ufffd" in text and _is_broken(line):
            told = True
            yield where, Problem(where, "invalid UTF-8: what cannot be read is shown as \ufffd", kept_out=False)
        yield where, text


def _is_broken(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return True
    return False


def _continued(open_: _Open, text: str) -> Iterator[Problem]:
    was, open_.size = open_.size, open_.size + len(text) + 1
    if open_.size <= _LONGEST:
        open_.parts.append(text)
    elif was <= _LONGEST:
        yield Problem(open_.where, f"message longer than {_LONGEST // 2**20} MB: the rest of it is left out")
        open_.size = _LONGEST + 1


class _Made:
    """Makes messages, and tells those apart that are alike."""

    def __init__(self, conversation: str, tidy: Callable[[str], str], known: Callable[[str], str]) -> None:
        self._conversation = conversation
        self._tidy = tidy
        self._known = known
        self._stamp = ""
        self._seen: dict[bytes, int] = {}
        self._undated: dict[bytes, int] = {}

    def message(self, open_: _Open | None) -> Iterator[Message]:
        if open_ is None:
            return
        begin, written = open_.begin, "\n".join(open_.parts)
        text = self._tidy(written)
        if text:
            yield Message(
                text=text,
                speaker=begin.speaker,
                role=begin.role,
                said_at=begin.said_at,
                conversation=self._conversation,
                id=self._id(begin.stamp, begin.speaker, self._known(written)),
                title=begin.title,
            )

    def _id(self, stamp: str, *parts: str) -> str:
        seen = self._seen if stamp else self._undated
        if (stamp and stamp != self._stamp) or len(seen) >= _REMEMBERED:
            seen.clear()
            self._stamp = stamp
        digest = blake2b("\x1f".join((stamp, *parts)).encode("utf-8", "surrogatepass"), digest_size=8)
        count = seen[digest.digest()] = seen.get(digest.digest(), 0) + 1
        return digest.hexdigest() + (f"#{count}" if count > 1 else "")


def head_lines(head: bytes) -> list[str]:
    """The lines with something in them of an input's beginning; none if it is no text."""
    if b"\x00" in head:
        return []
    return [line for line in head.decode("utf-8", "ignore").split("\n") if line.strip()]
