"""Raw streams that the readers stand on: one that counts, and one that gives back what was looked at.

Neither reads ahead: a read returns what is there, so that a line of a live stream can be had when it is written.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

__all__ = ["Counted", "Rewound"]


class Counted(io.RawIOBase):
    """Tells `count` how many bytes each read took."""

    def __init__(self, read: Callable[[int], bytes | None], count: Callable[[int], None]) -> None:
        super().__init__()
        self._read = read
        self._count = count

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """One read, no longer than `buffer`."""
        view = memoryview(buffer).cast("B")
        data = self._read(len(view)) or b""
        view[: len(data)] = data
        self._count(len(data))
        return len(data)


class Rewound(io.RawIOBase):
    """`head` again, then the rest. Where the rest cannot be read, the stream ends and `failure` says why."""

    def __init__(self, head: bytes, read: Callable[[int], bytes]) -> None:
        super().__init__()
        self._head = head
        self._read = read
        self.failure = ""

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """What is left of the head, or one read of the rest."""
        view = memoryview(buffer).cast("B")
        data = self._head[: len(view)] or self.take(len(view))
        self._head = self._head[len(view) :]
        view[: len(data)] = data
        return len(data)

    def take(self, size: int) -> bytes:
        """At most `size` bytes of the rest, empty at its end or where it is damaged."""
        if self.failure:
            return b""
        try:
            return self._read(size)
        except (EOFError, OSError, zlib.error, zipfile.BadZipFile) as error:
            self.failure = str(error) or type(error).__name__
            return b""

    def give_back(self, head: bytes) -> None:
        """Let the next read begin with `head`."""
        self._head = head + self._head
