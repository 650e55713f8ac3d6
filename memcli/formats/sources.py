"""Where transcripts come from: files, directories, standard input, each of them perhaps compressed by gzip."""

from __future__ import annotations

import gzip
import io
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from memcli.errors import InputUnreadable

from .base import HEAD_BYTES
from .detection import recognise
from .streams import Counted, Rewound

__all__ = ["Opened", "Source", "sources"]

_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_BUFFER = 64 * 1024


class Source:
    """One input. `label` names it in messages, `name` (no folders) in the store.

    `bytes_done` of `bytes_total` (None where it is not known) are as stored, compressed or not.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.label = "stdin" if path is None else _printable(path)
        self.name = "stdin" if path is None else _printable(Path(path.name))
        self.bytes_done = 0
        self.bytes_total = None if path is None else _size(path)

    def __repr__(self) -> str:
        return f"Source({self.label!r})"

    @contextmanager
    def open(self, is_enough: Callable[[bytes], object] = recognise) -> Iterator[Opened]:
        """The decompressed content, its head as long as `is_enough` asks for. `InputUnreadable` if there is none."""
        with self._file() as file:
            self.bytes_done = 0
            yield Opened(Counted(_reader(file), self._count), self.label, is_enough)

    @contextmanager
    def _file(self) -> Iterator[BinaryIO]:
        if self.path is None:
            yield _stdin()
            return
        try:
            file = self.path.open("rb", buffering=0)
        except OSError as error:
            raise _unreadable(self.label, error) from error
        with file:
            yield cast(BinaryIO, file)

    def _count(self, size: int) -> None:
        self.bytes_done += size


class Opened:
    """An open source: `head`, as much of its beginning as was needed to recognise it, and then all of `stream`."""

    def __init__(self, counted: Counted, label: str, is_enough: Callable[[bytes], object]) -> None:
        self._rest = _unpacked(io.BufferedReader(counted, _BUFFER))
        self.head = self._look(label, is_enough)
        self.stream = cast(BinaryIO, io.BufferedReader(self._rest, _BUFFER))

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
            reason = f"cannot be read: {self.failure}" if self.failure else "is empty"
            raise InputUnreadable(f"{label} {reason}", "nothing was ingested from it")
        self._rest.give_back(head)
        return head


def sources(paths: Iterable[str | Path], on_skip: Callable[[Path], object] | None = None) -> Iterator[Source]:
    """The inputs that `paths` stand for: a file, `-` for standard input, or all transcripts under a directory.

    Checked before the first is handed over: a missing path or a directory without transcripts is `InputUnreadable`.
    `on_skip` is told of every file of a directory that no format recognises.
    """
    found: list[Source] = []
    for path in paths:
        found.extend(_expand(str(path), on_skip))
    return iter(found)


def _expand(path: str, on_skip: Callable[[Path], object] | None) -> list[Source]:
    if path == "-":
        return [Source(None)]
    if Path(path).is_dir():
        return _directory(Path(path), on_skip)
    source = Source(Path(path))
    try:
        os.stat(path)
    except (OSError, ValueError) as error:
        raise _unreadable(source.label, error) from error
    return [source]


def _directory(root: Path, on_skip: Callable[[Path], object] | None) -> list[Source]:
    found = []
    for path in _files(root):
        if _is_transcript(path):
            found.append(Source(path))
        elif on_skip is not None:
            on_skip(path)
    if not found:
        raise InputUnreadable(f"no transcripts in {_printable(root)}", "name a file to see why it is not recognised")
    return found


def _files(root: Path) -> Iterator[Path]:
    unreadable: list[Path] = []
    for folder, folders, files in os.walk(root, onerror=lambda error: unreadable.append(Path(error.filename))):
        folders.sort()
        yield from (Path(folder, name) for name in sorted(files))
    yield from unreadable


def _is_transcript(path: Path) -> bool:
    """Whether a format recognises the file; also one that cannot be opened, so that reading it says so."""
    try:
        if stat.S_ISFIFO(path.stat().st_mode):
            return False
        with Source(path).open() as opened:
            return recognise(opened.head) is not None
    except InputUnreadable as error:
        return isinstance(error.__cause__, OSError)
    except OSError:
        return True


def _unpacked(raw: io.BufferedReader) -> Rewound:
    """The content of `raw`, decompressed if its first two bytes say that it is gzip's."""
    plain = Rewound(b"", raw.read1)
    magic = plain.take(1)
    magic += plain.take(1)
    plain.give_back(magic)
    if magic != _GZIP:
        return plain
    return Rewound(b"", gzip.GzipFile(fileobj=io.BufferedReader(plain, _BUFFER)).read1)


def _reader(file: BinaryIO) -> Callable[[int], bytes | None]:
    """One read of what is there, where the file knows how to do that."""
    reader: Callable[[int], bytes | None] = getattr(file, "read1", file.read)
    return reader


def _stdin() -> BinaryIO:
    if sys.stdin is None or sys.stdin.closed:
        raise InputUnreadable("standard input is closed", "name a file instead of -")
    return sys.stdin.buffer


def _size(path: Path) -> int | None:
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def _printable(path: Path) -> str:
    """A file's name as text that can be written anywhere: names need not be UTF-8."""
    return os.fsencode(path).decode("utf-8", "replace")


def _unreadable(label: str, error: Exception) -> InputUnreadable:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    missing = isinstance(error, FileNotFoundError)
    hint = "check the path" if missing else "check the file and its permissions"
    return InputUnreadable(f"cannot read {label}: {reason}", hint)
