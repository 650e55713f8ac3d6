"""An exception that nobody meant to raise: one line for the user, and a file that says where it happened.

Messages of exceptions may hold what was said, so the file has none of them, nor any value: only what each exception is
called, and the files and lines that it passed.
"""

from __future__ import annotations

import platform
import traceback
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from .. import __version__
from ..config import settings
from ..errors import MemcliError
from ..text import clean

__all__ = ["noted", "shown"]

_FILE = "last-error.log"
_PARTS = 3  # of a file's path: where it is installed is nobody's business


def noted(error: Exception, *, debug: bool) -> Path | None:
    """Writes the details of an error in place of the last one's; returns where, or None where that is not possible.

    With `debug` that is the whole traceback, which may quote the store.
    """
    with suppress(OSError, MemcliError):
        folder = settings().cache
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / _FILE
        path.unlink(missing_ok=True)
        path.touch(mode=0o600)
        path.write_text(
            "\n".join([_made_by(), *_whole(error)] if debug else [_made_by(), *_bare(error)]) + "\n", "utf-8"
        )
        return path
    return None


def shown(error: Exception) -> str:
    """The whole traceback, for the eyes of whoever asked for it."""
    return "\n".join(_whole(error))


def _made_by() -> str:
    return f"memcli {__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}"


def _whole(error: Exception) -> list[str]:
    return [clean(line.rstrip("\n")) for line in traceback.format_exception(error)]


def _bare(error: BaseException) -> Iterator[str]:
    for each in _chain(error):
        yield f"{type(each).__module__}.{type(each).__qualname__}"
        for frame in traceback.extract_tb(each.__traceback__, limit=-50):
            yield f"  {'/'.join(Path(frame.filename).parts[-_PARTS:])}:{frame.lineno}"


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error, what it came from, what that came from, …"""
    seen = set[int]()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        found = found.__cause__ or (None if found.__suppress_context__ else found.__context__)
