"""Where a store is: what its path leads to, which paths none can have, and the names of what stands beside it."""

from __future__ import annotations

import errno
import glob
import os
import stat
from hashlib import sha256
from pathlib import Path

from ..errors import StoreDamaged, StoreError, StoreMissing, StoreNotWritable

__all__ = ["COMPACTING", "UNFINISHED", "beside", "checked_name", "is_there", "log", "resolved", "unfinished"]

#: What is added to a store's name while a copy is made of it, and while it is made.
COMPACTING, UNFINISHED = ".compacting", ".new-"

_ANOTHER = "choose another --store PATH"
_LONGEST = 255  # bytes of a file's name, of the file systems that there are
_ADDED = 24  # of them what is added to a store's name at the most
_LOG = ".wal"  # DuckDB's own


def resolved(path: Path) -> Path:
    """The file that a path leads to, whatever links are in between: renaming onto a link would replace the link."""
    return Path(os.path.realpath(path)) if os.path.islink(path) else path


def is_there(path: Path) -> bool:
    """Whether there is a file. Raises StoreError where none can be, and where it is no file."""
    checked_name(path)
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise _unreachable(error, path) from error
    if not stat.S_ISREG(mode):
        raise StoreDamaged(f"{path} is a {'folder' if stat.S_ISDIR(mode) else 'device'}, not a file", _ANOTHER)
    return True


def _unreachable(error: OSError, path: Path) -> StoreError:
    if error.errno == errno.ELOOP:
        return StoreMissing(f"{path} is a link that leads back to itself", _ANOTHER)
    return StoreNotWritable(f"cannot reach {path}: {error.strerror}", _ANOTHER)


def checked_name(path: Path) -> str:
    """The path as DuckDB takes it: absolute and in UTF-8, whatever the locale. Raises StoreNotWritable where it cannot.

    A relative one could be taken for an address, or for the name of a database in memory.
    """
    try:
        name = os.fsencode(os.path.abspath(path)).decode()
    except UnicodeDecodeError:
        raise StoreNotWritable(f"{path} has a name that is not UTF-8", _ANOTHER) from None
    for sign in ("?", "\\", "\0"):  # DuckDB takes them for something else, in folders' names, too
        if sign in name:
            raise StoreNotWritable(f"{path} cannot be a store's path, since {sign!r} is in it", _ANOTHER)
    if len(os.fsencode(path.name + _LOG)) > _LONGEST:
        raise StoreNotWritable(f"{path} has too long a name", f"{_ANOTHER}, with at most {_LONGEST - len(_LOG)} bytes")
    return name


def log(path: Path) -> Path:
    """What was written last to the file at `path`, until DuckDB has put it there."""
    return path.with_name(path.name + _LOG)


def beside(path: Path, what: str) -> Path:
    """The hidden name beside a store of what has to do with it; of a long name a hash, so that it is not too long."""
    name = os.fsencode(path.name)
    stem = path.name if len(name) + _ADDED <= _LONGEST else sha256(name).hexdigest()[:32]
    return path.with_name(f".{stem}{what}")


def unfinished(path: Path) -> list[Path]:
    """The folders in which the store at `path` is being made, or in which a run that was making it was killed."""
    return list(path.parent.glob(glob.escape(beside(path, UNFINISHED).name) + "*"))
