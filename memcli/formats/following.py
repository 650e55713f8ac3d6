"""Following files and folders: which of them changed, by the kernel's notice or a look around.

A notice only wakes: what changed is told by sizes and times, so that nothing is missed while the machine slept, or
where a file system gives no notice.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from memcli.errors import UsageError

if TYPE_CHECKING:
    from threading import Event

__all__ = ["Followed", "awake"]

#: A file that is being written is left until nothing came for so long, in milliseconds; but no longer than the second.
_QUIET, _LONGEST = 500, 4000
#: Without a notice it looks around after so many milliseconds.
_LOOK = 5000

#: What browsers, copying programs and editors call a file that is not whole yet, where it is not hidden: once it is
#: renamed it would be another conversation.
_UNFINISHED = (".part", ".partial", ".crdownload", ".tmp", ".temp", ".swp", "~")

#: Size and time of the last change.
_State = tuple[int, int]


class Followed:
    """The files at `paths`: named ones, and all under folders that are finished."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths
        self._seen: dict[Path, _State] = {}

    def changed(self) -> list[Path]:
        """Those that are new or other than when they were last `done`, in the order of their last change."""
        found = [(state, path) for path, state in self._states() if self._seen.get(path) != state]
        return [path for (_, _), path in sorted(found, key=lambda each: (each[0][1], each[1]))]

    def state(self, path: Path) -> _State | None:
        """What the file is like now; None where it is gone."""
        try:
            status = path.stat()
        except OSError:
            return None
        return status.st_size, status.st_mtime_ns

    def done(self, path: Path, state: _State | None) -> None:
        """Notes that the file was read when it was like that."""
        if state is not None:
            self._seen[path] = state

    def _states(self) -> Iterator[tuple[Path, _State]]:
        for path in self._files():
            if (state := self.state(path)) is not None:
                yield path, state

    def _files(self) -> Iterator[Path]:
        for path in self._paths:
            if path.is_dir():
                for folder, _, names in os.walk(path):
                    yield from (Path(folder, name) for name in names if _is_finished(name))
            else:
                yield path


def _is_finished(name: str) -> bool:
    return not name.startswith(".") and not name.casefold().endswith(_UNFINISHED)


def awake(paths: Sequence[Path], stop: Event) -> Iterator[None]:
    """Comes round at once, whenever something may have changed, and at least every five seconds, until `stop` is set.

    Raises UsageError, before it is asked for the first, without the extra memcli[watch].
    """
    try:
        from watchfiles import watch
    except ModuleNotFoundError as error:
        raise UsageError("following files needs an extra", "pip install 'memcli[watch]'") from error
    folders = {path if path.is_dir() else path.parent for path in paths}
    noticed = watch(
        *folders, debounce=_LONGEST, step=_QUIET, rust_timeout=_LOOK, yield_on_timeout=True, stop_event=stop,
        watch_filter=None, ignore_permission_denied=True,
    )  # fmt: skip
    return chain([None], (None for _ in noticed))
