"""An open input: as much of its beginning as it takes to recognise it, and then all of it."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from typing import BinaryIO, cast

from memcli.errors import InputUnreadable

from .base import HEAD_BYTES
from .streams import Rewound

__all__ = ["BUFFER", "ZIP", "EmptyInput", "Opened", "unpacked"]

BUFFER = 64 * 1024
#: How a zip begins, also one with nothing in it.
ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"


class EmptyInput(InputUnreadable):
    """There is nothing in it."""


class Opened:
    """An open source: `head`, as much of its beginning as was needed to recognise it, and then all of `stream`."""

    def __init__(self, rest: Rewound, label: str, is_enough: Callable[[bytes], object]) -> None:
        self._rest = rest
        self.head = self._look(label, is_enough)
        self.stream = cast(BinaryIO, io.BufferedReader(self._rest, BUFFER))

    @property
    def failure(self) -> str:
        """Why the content ended early, or empty."""
        return self._rest.failure

    def _look(self, label: str, is_enough: Callable[[bytes], object]) -> bytes:
        """Read on until there is enough, no further: the next line of a live stream may be hours away."""
        head = b""
        while len(head) < HEAD_BYTES:
            buffer = bytearray(HEAD_BYTES - len(head))
            size = self._rest.readinto(buffer)
            head += buffer[:size]
            if not size or is_enough(head.removeprefix(_BOM)):
                break
        head = head.removeprefix(_BOM)
        if not head.strip() and len(head) < HEAD_BYTES:
            if self.failure:
                raise InputUnreadable(f"{label} cannot be read: {self.failure}", "nothing was ingested from it")
            raise EmptyInput(f"{label} is empty", "nothing was ingested from it")
        self._rest.give_back(head)
        return head


def unpacked(raw: io.BufferedReader) -> Rewound:
    """The content of `raw`, decompressed if its first two bytes say that it is gzip's."""
    plain = Rewound(b"", raw.read1)
    magic = plain.take(1)
    magic += plain.take(1)
    plain.give_back(magic)
    if magic != _GZIP:
        return plain
    return Rewound(b"", gzip.GzipFile(fileobj=io.BufferedReader(plain, BUFFER)).read1)
