"""Zips, read where they are: nothing is extracted, and no member's name is ever a path on the disk.

A zip is hostile until shown otherwise. How much its directory, each of its members and all of them together may take
is bounded before anything is unpacked; zips in zips are not followed, nor are methods other than the usual one.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePath, PurePosixPath
from posixpath import normpath
from typing import IO, BinaryIO

from memcli.errors import InputUnreadable
from memcli.text import clean

from .base import LARGEST_BESIDE, Format, Setting
from .detection import recognise
from .opened import EmptyInput, Opened
from .streams import Rewound

__all__ = ["LARGEST_IN_ALL", "Archive", "Member", "has_transcripts", "opened_zip"]

LARGEST_DIRECTORY = 32 * 1024 * 1024
MOST_MEMBERS = 250_000
LARGEST_MEMBER = 4 * 1024**3
LARGEST_IN_ALL = 8 * 1024**3
#: Text packs up to some fifty times, deflate can pack a thousand times; below this size it may.
HIGHEST_RATIO = 250
ANY_RATIO_BELOW = 16 * 1024 * 1024

_END = struct.Struct("<4s4H2LH")
_END64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR_SIZE = 20
_FAULTS = (
    zipfile.BadZipFile, zlib.error, struct.error, OSError, EOFError, ValueError, OverflowError, RuntimeError,
    IndexError, KeyError,
)  # fmt: skip
_ENCRYPTED = 0x1


class Member:
    """One file in a zip. `label` names it in messages."""

    def __init__(self, archive: Archive, info: zipfile.ZipInfo) -> None:
        self.info = info
        self.label = f"{archive.label}: {_printable(info.filename)}"
        self._archive = archive

    def why_refused(self) -> str:
        """Why it must not be unpacked, or nothing."""
        info = self.info
        if info.flag_bits & _ENCRYPTED:
            return "it is encrypted: unpack it with its password first"
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            return "it is compressed by a method that is not read"
        if info.file_size > LARGEST_MEMBER:
            return f"it would unpack to {info.file_size:,} bytes; at most {LARGEST_MEMBER:,} are read"
        if info.file_size > max(ANY_RATIO_BELOW, HIGHEST_RATIO * info.compress_size):
            return f"it would unpack to more than {HIGHEST_RATIO} times its size"
        return ""

    @contextmanager
    def open(self) -> Iterator[Opened]:
        """Its content. `InputUnreadable` if there is none."""
        try:
            file = self._archive.file.open(self.info)
        except _FAULTS as error:
            raise InputUnreadable(f"{self.label} cannot be read: {_one_line(error)}") from error
        with file:
            yield Opened(Rewound(b"", partial(_read1, file)), self.label, lambda _head: False)

    def recognised(self, chosen: Format | None = None) -> Format | None:
        """Its format, if it is of any or of the one that was `chosen`. `InputUnreadable` if it is broken."""
        try:
            with self.open() as opened:
                if chosen is not None:
                    return chosen if chosen.sniff(opened.head) else None
                return recognise(opened.head)
        except EmptyInput:
            return None

    @contextmanager
    def again(self) -> Iterator[BinaryIO]:
        """Its content once more."""
        with self.open() as opened:
            yield opened.stream

    def setting(self, *, all_branches: bool) -> Setting:
        """What a reader may want to know besides the content."""
        place = PurePath(self._archive.path.name, *_parts(self.info.filename))
        beside = partial(self._archive.beside, PurePosixPath(self.info.filename).parent)
        return Setting(place, all_branches, self.again, beside)


class Archive:
    """An open zip. `members` are its files by name, without what cannot be a transcript."""

    def __init__(self, path: Path, label: str, file: zipfile.ZipFile) -> None:
        self.path = path
        self.label = label
        self.file = file
        infos = [info for info in file.infolist() if not info.is_dir() and not info.filename.startswith("__MACOSX/")]
        self.members = [Member(self, info) for info in sorted(infos, key=lambda info: info.filename)]
        self._by_name = {normpath(info.filename): info for info in infos}
        self._beside: dict[str, bytes | None] = {}

    def beside(self, folder: PurePosixPath, name: str) -> bytes | None:
        """A small member by its path as seen from a folder in the zip."""
        path = normpath((folder / name).as_posix())
        if path not in self._beside:
            self._beside[path] = self._small(path)
        return self._beside[path]

    def _small(self, path: str) -> bytes | None:
        info = self._by_name.get(path)
        if info is None or info.file_size > LARGEST_BESIDE or Member(self, info).why_refused():
            return None
        try:
            return self.file.read(info)
        except _FAULTS:
            return None


@contextmanager
def opened_zip(path: Path, label: str) -> Iterator[Archive]:
    """The zip at `path`; `InputUnreadable` if it is broken, or larger than anyone's chats."""
    try:
        with path.open("rb") as raw:
            _check(raw, label)
        file = zipfile.ZipFile(path)
    except _FAULTS as error:
        raise InputUnreadable(f"{label} is no zip that can be read: {_one_line(error)}") from error
    with file:
        if len(file.filelist) > MOST_MEMBERS:
            raise InputUnreadable(f"{label} has more than {MOST_MEMBERS:,} members", "nothing was ingested from it")
        yield Archive(path, label, file)


def has_transcripts(path: Path, label: str) -> bool:
    """Whether a zip has a member that a format recognises, or that nobody can tell because it must not be unpacked."""
    with opened_zip(path, label) as archive:
        return any(member.why_refused() or member.recognised() for member in archive.members)


def _check(raw: BinaryIO, label: str) -> None:
    """Looks how long the directory is: `zipfile` reads all of it at once, whatever its length."""
    size = raw.seek(0, io.SEEK_END)
    tail_at = max(0, size - _END.size - 0xFFFF)
    raw.seek(tail_at)
    tail = raw.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < _END.size:
        raise zipfile.BadZipFile("its directory is missing: it is cut off, or no zip")
    length = _END.unpack_from(tail, at)[5]
    end64 = tail_at + at - _LOCATOR_SIZE - _END64.size
    if end64 >= 0:
        raw.seek(end64)
        record = raw.read(_END64.size)
        if record.startswith(b"PK\x06\x06"):
            # A zip that is too large for the one field says so there, and what counts is the other.
            length = max(_END64.unpack(record)[8], 0 if length == 0xFFFFFFFF else length)
    if length > LARGEST_DIRECTORY:
        raise InputUnreadable(f"{label} has a directory of more than {LARGEST_DIRECTORY // 2**20} MB", "refused")


def _read1(file: IO[bytes], size: int) -> bytes:
    read1: Callable[[int], bytes] = getattr(file, "read1")  # noqa: B009
    return read1(size)


def _parts(name: str) -> list[str]:
    """The folders and the name, of which none leads anywhere."""
    return [part for part in PurePosixPath(_printable(name)).parts if part not in ("..", "/", "//")]


def _printable(name: str) -> str:
    return " ".join(clean(name).encode("utf-8", "replace").decode().split())


def _one_line(error: BaseException) -> str:
    return " ".join(clean(str(error)).split())[:200] or type(error).__name__
