"""Where transcripts come from: files, directories, standard input, each of them perhaps compressed by gzip; zips."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import BinaryIO, cast

from memcli.errors import InputUnreadable

from .base import LARGEST_BESIDE, ByName, Setting
from .detection import named, recognise
from .opened import BUFFER, ZIP, Opened, unpacked
from .streams import Counted
from .zips import has_transcripts

__all__ = ["Source", "bytes_of", "is_transcript", "sources"]

#: Whether a file under a folder is read.
_Takes = Callable[[Path, Path], bool]


class Source:
    """One input. `label` names it in messages, `name` (no folders) in the store; `found`: in a folder, named by nobody.

    `bytes_done` of `bytes_total` (None where it is not known) are as stored, compressed or not.
    """

    def __init__(self, path: Path | None, *, found: bool = False) -> None:
        self.path = path
        self.found = found
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
            content = unpacked(io.BufferedReader(Counted(_reader(file), self.advance), BUFFER))
            yield Opened(content, self.label, is_enough if self.bytes_total is None else _all_of_it)

    @contextmanager
    def again(self) -> Iterator[BinaryIO]:
        """The decompressed content once more, which is not counted as progress."""
        with Source(self.path).open() as opened:
            yield opened.stream

    def is_zip(self) -> bool:
        """Whether it is a file that begins like a zip."""
        if self.path is None or self.bytes_total is None:
            return False
        try:
            with self.path.open("rb") as file:
                return file.read(4) in ZIP
        except OSError:
            return False

    def setting(self, *, all_branches: bool = False) -> Setting:
        """What a reader may want to know besides the content."""
        if self.path is None or self.bytes_total is None:
            return Setting(Path(self.name), all_branches)
        place = Path(os.path.abspath(self.path))
        return Setting(place, all_branches, self.again, lambda name: _beside(os.path.normpath(place.parent / name)))

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

    def advance(self, size: int) -> None:
        """So many more bytes are done."""
        self.bytes_done += size


def sources(
    paths: Iterable[str | Path | Source],
    on_skip: Callable[[Path], object] | None = None,
    format_name: str | None = None,
) -> Iterator[Source]:
    """The inputs that `paths` stand for: files, `-` for standard input, all transcripts under a directory.

    Checked before the first is handed over: a missing path or a directory without transcripts is `InputUnreadable`.
    `on_skip` is told of every file of a directory that no format recognises. `format_name`: one that knows its files
    of a directory by their names takes these, and no others.
    """
    chosen = named(format_name) if format_name else None
    takes: _Takes = partial(_is_named_so, chosen) if isinstance(chosen, ByName) else lambda path, _: is_transcript(path)
    found: list[Source] = []
    for path in paths:
        found.extend([path] if isinstance(path, Source) else _expand(str(path), on_skip, takes))
    return iter(found)


def _is_named_so(chosen: ByName, path: Path, root: Path) -> bool:
    """Whether a file under `root` has such a name, is not hidden there, nor in what is hidden, and not empty."""
    is_hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
    return path.suffix.lower() in chosen.suffixes and not is_hidden and not _is_empty(path)


def _is_empty(path: Path) -> bool:
    try:
        return path.stat().st_size == 0
    except OSError:
        return False  # reading it says what is wrong


def bytes_of(found: Iterable[Source]) -> int | None:
    """How many bytes these inputs have together, None where nobody can tell."""
    sizes = [source.bytes_total for source in found]
    return None if None in sizes else sum(size or 0 for size in sizes)


def _expand(path: str, on_skip: Callable[[Path], object] | None, takes: _Takes) -> list[Source]:
    if path == "-":
        return [Source(None)]
    if Path(path).is_dir():
        return _directory(Path(path), on_skip, takes)
    source = Source(Path(path))
    try:
        os.stat(path)
    except (OSError, ValueError) as error:
        raise _unreadable(source.label, error) from error
    return [source]


def _directory(root: Path, on_skip: Callable[[Path], object] | None, takes: _Takes) -> list[Source]:
    found = []
    for path in _files(root):
        if takes(path, root):
            found.append(Source(path, found=True))
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


def is_transcript(path: Path) -> bool:
    """Whether a format recognises the file; also one that cannot be opened, so that reading it says so."""
    try:
        if stat.S_ISFIFO(path.stat().st_mode):
            return False
        source = Source(path, found=True)
        if source.is_zip():
            return _may_hold_transcripts(source)
        with source.open() as opened:
            return recognise(opened.head) is not None
    except InputUnreadable as error:
        return isinstance(error.__cause__, OSError)
    except OSError:
        return True


def _may_hold_transcripts(source: Source) -> bool:
    """Whether a zip has a member of a known format, or is broken, so that nobody can tell."""
    try:
        return source.path is not None and has_transcripts(source.path, source.label)
    except InputUnreadable:
        return True


@lru_cache(maxsize=4)
def _beside(path: str) -> bytes | None:
    """A small file's content: a list that an export gives once for many files."""
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST_BESIDE + 1)
    except OSError:
        return None
    return data if len(data) <= LARGEST_BESIDE else None


def _all_of_it(_head: bytes) -> bool:
    """A file is there: as much is looked at as may be."""
    return False


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
