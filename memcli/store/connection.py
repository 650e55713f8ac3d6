"""Opening the file: who may, how long to wait, and what each way of failing is called.

DuckDB lets one process write or many read. So every opening is short, and both sides wait a bounded time for the other.
"""

from __future__ import annotations

import glob
import os
import random
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import ClassVar, TypeVar
from weakref import WeakValueDictionary

import duckdb

from ..errors import StoreBusy, StoreDamaged, StoreError, StoreMissing, StoreNotWritable
from . import migrations
from .process_wide import ProcessWide

__all__ = ["READ_WAIT", "WRITE_WAIT", "Store", "both", "unfinished"]

#: Seconds that a reader, and a writer, waits for another process before it gives up with StoreBusy.
READ_WAIT = 10.0
WRITE_WAIT = 60.0

#: A store is a file that people send to each other: it may load nothing and reach nothing.
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "enable_external_access": "false",
    "preserve_insertion_order": "true",
    "threads": 1,
}

_UNFINISHED = ".new-"

_Opened = TypeVar("_Opened")


class _Access:
    """Who in this process has a file open for writing: one at a time, whatever `Store`s and threads there are."""

    _all: ClassVar[WeakValueDictionary[str, _Access]] = WeakValueDictionary()
    _making: ClassVar = threading.Lock()

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.writers = 0
        self._turn = threading.RLock()

    @classmethod
    def of(cls, path: Path | None) -> _Access:
        """The one of this file, whichever of its names it is called by."""
        if path is None:
            return cls()
        with cls._making:
            return cls._all.setdefault(os.path.realpath(path), cls())

    @contextmanager
    def alone(self, path: Path | None, wait: float) -> Iterator[None]:
        """Waits for the others of this process that write. Raises StoreBusy."""
        if not self._turn.acquire(timeout=wait):
            raise StoreBusy(f"{path} is in use by another thread", "try again when it is done")
        try:
            yield
        finally:
            self._turn.release()


class Store:
    """One DuckDB file (or, with `path` None, one database in memory, for tests).

    `reading()` and `writing()` give an open connection for as short as their block lasts.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._access = _Access.of(path)
        self._held = threading.local()  # the connection that this thread has open for reading, if any
        self._shared = duckdb.connect(":memory:", config=_CONFIG) if path is None else None
        if self._shared is not None:
            migrations.migrate(self._shared)

    @property
    def exists(self) -> bool:
        """Whether there is a file (or memory) to read."""
        return self.path is None or self.path.exists()

    @contextmanager
    def reading(self, wait: float = READ_WAIT) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection to read over; a block within such a block shares it.

        A store of an older schema is upgraded first. While this process has the store open for writing, a reader sees
        what is committed.
        Raises StoreMissing, StoreDamaged, StoreTooNew, StoreBusy; StoreNotWritable where an upgrade is not possible.
        """
        held = getattr(self._held, "db", None)
        if held is not None:
            yield held
            return
        if self._shared is not None:
            with self._shared.cursor() as db:  # a connection of its own: one that threads share mixes up their results
                yield db
            return
        if not self.exists:
            raise StoreMissing(f"no store at {self.path}", "make one with: memcli ingest FILE")
        with ExitStack() as opened:
            db = opened.enter_context(self._opened(self._open_to_read, self._close_reader, wait))
            if self._is_old(migrations.version(db)):
                opened.close()
                with self.writing():  # migrates
                    pass
                db = opened.enter_context(self._opened(self._open_to_read, self._close_reader, wait))
            self._held.db = db
            try:
                yield db
            finally:
                self._held.db = None

    def _is_old(self, done: int) -> bool:
        migrations.check(done)
        if done == 0:
            raise StoreMissing(f"{self.path} is empty", "fill it with: memcli ingest FILE")
        return done < len(migrations.MIGRATIONS)

    @contextmanager
    def writing(self, wait: float = WRITE_WAIT) -> Iterator[duckdb.DuckDBPyConnection]:
        """A read-write connection to a store that is made or migrated as needed; the file's mode is 0600.

        Raises StoreDamaged, StoreTooNew, StoreNotWritable, StoreBusy.
        """
        if self._shared is not None:
            with self._access.alone(self.path, wait), self._shared.cursor() as db:
                yield db
            return
        with _privately():
            self._make()
            with self._access.alone(self.path, wait), self._opened(self._open_to_write, self._close_writer, wait) as db:
                migrations.migrate(db)
                yield db

    # DuckDB refuses to open a file for reading that the same process has open for writing: under the lock, a reader
    # either finds a writer and opens the file as it did, or opens it for reading. It is no cursor of the writer's
    # connection: those are closed with it, and it cannot be closed while one of them is at work.

    def _open_to_read(self) -> duckdb.DuckDBPyConnection:
        with self._access.lock:
            return duckdb.connect(_name(self.path), read_only=not self._access.writers, config=_CONFIG)

    def _close_reader(self, db: duckdb.DuckDBPyConnection) -> None:
        db.close()

    def _open_to_write(self) -> duckdb.DuckDBPyConnection:
        with self._access.lock:
            db = duckdb.connect(_name(self.path), config=_CONFIG)
            self._access.writers += 1
            return db

    def _close_writer(self, db: duckdb.DuckDBPyConnection) -> None:
        with self._access.lock:
            self._access.writers -= 1
            db.close()

    def _make(self) -> None:
        assert self.path is not None
        try:
            _name(self.path)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if not self.path.exists():
                _create(self.path)
            elif not (os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK)):
                raise PermissionError(13, "permission denied")
        except (OSError, duckdb.Error) as error:
            raise _explained(error, self.path) from error

    @contextmanager
    def _opened(
        self,
        attempt: Callable[[], duckdb.DuckDBPyConnection],
        close: Callable[[duckdb.DuckDBPyConnection], None],
        wait: float,
    ) -> Iterator[duckdb.DuckDBPyConnection]:
        assert self.path is not None
        try:
            db = _retried(attempt, self.path, wait)
            try:
                yield db
            finally:
                close(db)
        except duckdb.Error as error:
            raise _explained(error, self.path) from error


def _create(path: Path) -> None:
    """Makes an empty store that has its whole schema from the moment when it has its name.

    A file that a kill or a full disk left without it could not be opened by anybody again.
    """
    path.with_name(path.name + ".wal").unlink(missing_ok=True)  # of a store that somebody has removed
    folder = Path(mkdtemp(prefix=f".{path.name}{_UNFINISHED}", dir=path.parent))
    try:
        new = folder / path.name
        with duckdb.connect(_name(new), config=_CONFIG) as db:
            migrations.migrate(db)
        # Another process may have been faster; where the file system has no links, DuckDB makes the file in its place.
        with suppress(OSError):
            os.link(new, path)
    except duckdb.Error:
        if not path.exists():  # else the faster one has cleared this folder away
            raise
    finally:
        for left in (folder, *(unfinished(path) if path.exists() else ())):
            shutil.rmtree(left, ignore_errors=True)


def unfinished(path: Path) -> list[Path]:
    """The folders in which the store at `path` is being made, or in which a run that was making it was killed."""
    return list(path.parent.glob(f".{glob.escape(path.name)}{_UNFINISHED}*"))


@contextmanager
def both(original: Path, compacted: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """One connection to the store `original`, which it holds for writing, and to the new file `compacted`.

    The two are attached under these names; nothing else can be reached from it. Raises what `Store.writing` raises.
    """
    with _privately(), duckdb.connect(":memory:") as db:
        try:
            _retried(lambda: db.execute(f"attach {_quoted(original)} as original"), original, WRITE_WAIT)
            db.execute(f"attach {_quoted(compacted)} as compacted")
            db.execute("set enable_external_access = false")
            yield db
        except duckdb.Error as error:
            raise _explained(error, original) from error


def _mask() -> Callable[[], object]:
    previous = os.umask(0o077)
    return lambda: os.umask(previous)


#: Files that DuckDB makes meanwhile, the write-ahead log among them, are the user's alone (mode 0600).
_privately = ProcessWide(_mask)


def _name(path: Path | None) -> str:
    """The path as DuckDB takes it: UTF-8, whatever the locale. Raises StoreNotWritable for one that is not."""
    assert path is not None
    try:
        return os.fsencode(path).decode()
    except UnicodeDecodeError:
        raise StoreNotWritable(f"{path} has a name that is not UTF-8", "choose another --store PATH") from None


def _quoted(path: Path) -> str:
    return "'" + _name(path).replace("'", "''") + "'"


def _retried(attempt: Callable[[], _Opened], path: Path, wait: float) -> _Opened:
    """Attempts again, for up to `wait` seconds, as long as another process holds the store."""
    deadline = time.monotonic() + wait
    pause = 0.01
    while True:
        try:
            return attempt()
        except duckdb.Error as error:
            problem = _explained(error, path)
            if not isinstance(problem, StoreBusy) or time.monotonic() >= deadline:
                raise problem from error
        # Without the jitter, processes that met once would meet again at every attempt.
        time.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311
        pause = min(pause * 1.5, 0.25)


def _explained(error: Exception, path: Path) -> StoreError:
    text = str(error)
    low = text.lower()
    if "lock on file" in low or "conflicting lock" in low or "different configuration" in low:
        return StoreBusy(f"{path} is in use by another process", "try again when it is done")
    if "no space left" in low or "disk full" in low or "could not write all bytes" in low:
        return StoreNotWritable(f"no space left to write {path}", "free some space; what was stored is safe")
    if isinstance(error, OSError) or "permission denied" in low or "read-only file system" in low:
        return StoreNotWritable(f"cannot write {path}: {_first_line(text)}", "choose another --store PATH")
    if "cannot open file" in low and "no such file" in low:
        return StoreMissing(f"no store at {path}", "make one with: memcli ingest FILE")
    if "newer" in low and "version" in low:
        return StoreDamaged(f"{path} needs a newer DuckDB than this one", "upgrade memcli and duckdb")
    return StoreDamaged(f"{path} cannot be read as a memcli store: {_first_line(text)}", "choose another --store PATH")


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0][:200] if text.strip() else "unknown error"
