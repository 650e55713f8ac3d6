"""Opening the file: who may, how long to wait, and what each way of failing is called.

DuckDB lets one process write or many read. So every opening is short, and both sides wait a bounded time for the other.
"""

from __future__ import annotations

import os
import random
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import ClassVar, TypeVar
from weakref import WeakValueDictionary

import duckdb

from ..errors import StoreBusy, StoreMissing, StoreNotWritable, UsageError
from . import location, migrations
from .failures import explained, failed_on_file, was_interrupted
from .instance import CATALOG, CONFIG, Instance, quoted
from .keeping import Keeper
from .process_wide import ProcessWide

__all__ = ["READ_WAIT", "WRITE_WAIT", "Store", "both", "bound", "together"]

#: Seconds that a reader, and a writer, waits for another process before it gives up with StoreBusy.
READ_WAIT = 10.0
WRITE_WAIT = 60.0

#: Bytes of a block of a new file. Each column of each table takes one at least: DuckDB's 262,144 make 8 MB of nothing.
_BLOCK = 32768
#: A store is a file that people send to each other: it may reach nothing.
_CONFIG = {**CONFIG, "enable_external_access": "false", "default_block_size": _BLOCK}

#: What DuckDB may hold of a large store for one question after another: without a bound it holds whatever it has read.
_HELD = "256MB"

_Opened = TypeVar("_Opened")


class _Access:
    """Who in this process has a file open for writing: one at a time, whatever `Store`s and threads there are."""

    _all: ClassVar[WeakValueDictionary[str, _Access]] = WeakValueDictionary()
    _making: ClassVar = threading.Lock()

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.instance = Instance()
        self.keeper: Keeper | None = None
        self._turn = threading.RLock()

    @classmethod
    def of(cls, path: Path | None) -> _Access:
        """The one of this file, whichever of its names it is called by."""
        if path is None:
            return cls()
        try:
            real = os.path.realpath(path)
        except ValueError:  # no file has such a name: opening it says so
            return cls()
        with cls._making:
            return cls._all.setdefault(real, cls())

    def let_go(self) -> None:
        """The file is left to others, if it is kept open."""
        with self.lock:
            if self.keeper is not None:
                self.keeper.let_go()

    @contextmanager
    def alone(self, path: Path | None, wait: float) -> Iterator[None]:
        """Waits for the others of this process that write. Raises StoreBusy."""
        if not self._turn.acquire(timeout=wait):
            raise StoreBusy(f"{path} is in use by another thread", "try again when it is done")
        try:
            self.let_go()
            yield
        finally:
            self._turn.release()


class Store:
    """One DuckDB file (or, with `path` None, one database in memory, for tests).

    `reading()` and `writing()` give an open connection for as short as their block lasts. Where a path is a link, the
    store is what it leads to when the object is made.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = None if path is None else location.resolved(path)
        self._access = _Access.of(self.path)
        self._first: Callable[[duckdb.DuckDBPyConnection], object] | None = None
        self._held = threading.local()  # the connection that this thread has open for reading, if any
        self._shared = duckdb.connect(":memory:", config=_CONFIG) if path is None else None
        self._closed = False
        if self._shared is not None:
            migrations.migrate(self._shared)

    def keep_open(self) -> None:
        """Keeps the file open for moments after each reading, for a process that is asked again and again."""
        with self._access.lock:
            if self._access.keeper is None and self.path is not None:
                disconnect = self._access.instance.disconnected
                self._access.keeper = Keeper(self._connected_to_read, disconnect, self._access.lock)

    def close(self) -> None:
        """Gives up what it holds. Whoever uses it afterwards is told so by a UsageError; once more does no harm."""
        self._closed = True
        self._access.let_go()
        if self._shared is not None:
            self._shared.close()

    def _check_open(self) -> None:
        if self._closed:
            raise UsageError("this memory is closed", "open it again: Memory(path)")

    @property
    def parts(self) -> Sequence[Store]:
        """The stores that it is made of: itself."""
        return [self]

    @property
    def name(self) -> str:
        """Where it is, for people."""
        return str(self.path)

    @contextmanager
    def held(self) -> Iterator[None]:
        """The stores that it is made of stay the same ones meanwhile. Raises StoreError."""
        yield

    @property
    def exists(self) -> bool:
        """Whether there is a file (or memory) to read. Raises StoreError where its path can be none of a store."""
        self._check_open()
        return self.path is None or location.is_there(self.path)

    def begin_with(self, first: Callable[[duckdb.DuckDBPyConnection], object]) -> None:
        """Has `first` done once, before what is written next: nothing is made as long as nothing is written.

        Raises StoreNotWritable where a store plainly cannot be made.
        """
        if self.path is not None and not self.exists:
            _check_folder(self.path)
        self._first = first

    @contextmanager
    def reading(self, wait: float = READ_WAIT) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection to read over; a block within such a block shares it, and all of it sees the store as it was.

        A store of an older schema is upgraded first. While this process has the store open for writing, a reader sees
        what was committed when it began.
        Raises StoreMissing, StoreDamaged, StoreTooNew, StoreBusy; StoreNotWritable where an upgrade is not possible.
        """
        held = getattr(self._held, "db", None)
        if held is not None:
            yield held
            return
        self._check_open()
        if self._shared is not None:
            with self._shared.cursor() as db, self._snapshot(db):  # threads that share one mix up their results
                yield db
            return
        if not self.exists:
            raise StoreMissing(f"no store at {self.path}", "make one with: memcli ingest FILE")
        with ExitStack() as opened:
            db = opened.enter_context(self._opened(self._open_to_read, wait))
            if self._is_old(migrations.version(db)):
                opened.close()
                with self.writing():  # migrates
                    pass
                db = opened.enter_context(self._opened(self._open_to_read, wait))
            with self._snapshot(db):
                yield db

    @contextmanager
    def _snapshot(self, db: duckdb.DuckDBPyConnection) -> Iterator[None]:
        """What this thread reads meanwhile is read over `db`, in one transaction: others of its process may write."""
        db.execute("begin")
        self._held.db = db
        try:
            yield
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
        self._check_open()
        if self._shared is not None:
            with self._access.alone(self.path, wait), self._shared.cursor() as db:
                self._begin(db)
                yield db
            return
        with _privately():
            self._make()
            with self._access.alone(self.path, wait), self._opened(self._open_to_write, wait) as db:
                migrations.migrate(db)
                self._begin(db)
                yield db

    def _begin(self, db: duckdb.DuckDBPyConnection) -> None:
        if self._first is not None:
            self._first(db)
            self._first = None

    def _open_to_read(self) -> duckdb.DuckDBPyConnection:
        with self._access.lock:
            if self._access.keeper is not None and not self._access.instance.is_written:
                self._access.keeper.used()
            return self._connected_to_read()

    def _connected_to_read(self) -> duckdb.DuckDBPyConnection:
        return self._access.instance.connected(self._name(), only_reads=True)

    def _name(self) -> str:
        assert self.path is not None
        return location.checked_name(self.path)

    def _open_to_write(self) -> duckdb.DuckDBPyConnection:
        self._access.let_go()
        with self._access.lock:  # nothing is kept open from now on
            return self._access.instance.connected(self._name(), only_reads=False)

    def _make(self) -> None:
        assert self.path is not None
        try:
            if not self.exists:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                _create(self.path)
            elif not (os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK)):
                raise PermissionError(13, "permission denied")
        except (OSError, duckdb.Error) as error:
            raise explained(error, self.path) from error

    @contextmanager
    def _opened(
        self, attempt: Callable[[], duckdb.DuckDBPyConnection], wait: float
    ) -> Iterator[duckdb.DuckDBPyConnection]:
        assert self.path is not None
        db = _retried(attempt, self.path, wait)
        try:
            with _blaming(self.path, db, CATALOG):
                yield db
        finally:
            self._close(db)

    def _close(self, db: duckdb.DuckDBPyConnection) -> None:
        assert self.path is not None
        try:
            self._access.instance.disconnected(db)
        except duckdb.Error as error:
            raise explained(error, self.path) from error


@contextmanager
def _blaming(path: Path, db: duckdb.DuckDBPyConnection, catalog: str) -> Iterator[None]:
    """What the file is to blame for is said of it; a mistake in a statement stays what it is."""
    try:
        yield
    except duckdb.Error as error:
        if failed_on_file(error, db, catalog):
            raise explained(error, path) from error
        raise
    except RuntimeError as error:
        if was_interrupted(error):
            raise KeyboardInterrupt from error
        raise


def _check_folder(path: Path) -> None:
    """Raises StoreNotWritable where no store can be made at `path`: in a folder that takes no files, over a log."""
    folder = next((folder for folder in path.absolute().parents if os.path.lexists(folder)), path.parent)
    if not (folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)):
        raise StoreNotWritable(f"cannot write {path}: {folder} takes no files", "choose another --store PATH")
    left = location.log(path)
    if os.path.lexists(left) and not path.exists():  # looked at in this order: whoever makes a store makes it first
        raise StoreNotWritable(
            f"{left} is in the way: it is of no store that is here, but may be of one that was",
            "move it away, or choose another --store PATH",
        )


def _create(path: Path) -> None:
    """Makes an empty store that has its whole schema from the moment when it has its name.

    A file that a kill or a full disk left without it could not be opened by anybody again.
    """
    _check_folder(path)
    start = location.beside(path, location.UNFINISHED)
    folder = Path(mkdtemp(prefix=start.name, dir=path.parent))
    try:
        new = folder / path.name
        with duckdb.connect(location.checked_name(new), config=_CONFIG) as db:
            migrations.migrate(db)
        # Another process may have been faster; where the file system has no links, DuckDB makes the file in its place.
        with suppress(OSError):
            os.link(new, path)
    except duckdb.Error:
        if not path.exists():  # else the faster one has cleared this folder away
            raise
    finally:
        for left in (folder, *(location.unfinished(path) if path.exists() else ())):
            shutil.rmtree(left, ignore_errors=True)


def bound(db: duckdb.DuckDBPyConnection) -> None:
    """Has DuckDB hold little of files that are open for reading alone, as long as they are: to read a block again costs
    less than to find room for another.
    """
    if db.execute("select bool_and(readonly) from duckdb_databases() where path is not null").fetchall() == [(True,)]:
        db.execute(f"set memory_limit = '{_HELD}'")


@contextmanager
def both(original: Path, compacted: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """One connection to the store `original`, which it holds for writing, and to the new file `compacted`.

    The two are attached under these names; nothing else can be reached from it. Raises what `Store.writing` raises.
    """
    alone = _Access.of(original).alone(original, WRITE_WAIT)
    with alone, _privately(), duckdb.connect(":memory:") as db, _blaming(original, db, "original"):
        _retried(lambda: db.execute(f"attach {_quoted(original)} as original"), original, WRITE_WAIT)
        db.execute(f"attach {_quoted(compacted)} as compacted (block_size {_BLOCK})")
        db.execute("set enable_external_access = false")
        yield db


@contextmanager
def together(paths: Sequence[Path], wait: float) -> Iterator[duckdb.DuckDBPyConnection]:
    """One connection to several stores, for reading: attached as `part0`, `part1`, …, in this order.

    Nothing else can be reached from it. Raises what `Store.reading` raises.
    """
    with ExitStack() as opened:
        for path in sorted(paths, key=os.path.realpath):  # in one order: nobody waits in a circle
            opened.enter_context(_Access.of(path).alone(path, wait))
        db = opened.enter_context(duckdb.connect(":memory:", config={**_CONFIG, "enable_external_access": "true"}))
        for number, path in enumerate(paths):
            attach = f"attach {_quoted(path)} as part{number} (read_only)"
            _retried(partial(db.execute, attach), path, wait)
            opened.enter_context(_blaming(path, db, f"part{number}"))
        db.execute("set enable_external_access = false")
        yield db


def _mask() -> Callable[[], object]:
    previous = os.umask(0o077)
    return lambda: os.umask(previous)


#: Files that DuckDB makes meanwhile, the write-ahead log among them, are the user's alone (mode 0600).
_privately = ProcessWide(_mask)


def _quoted(path: Path) -> str:
    return quoted(location.checked_name(path))


def _retried(attempt: Callable[[], _Opened], path: Path, wait: float) -> _Opened:
    """Attempts again, for up to `wait` seconds, as long as another process holds the store."""
    deadline = time.monotonic() + wait
    pause = 0.01
    while True:
        try:
            return attempt()
        except duckdb.Error as error:
            problem = explained(error, path)
            if not isinstance(problem, StoreBusy) or time.monotonic() >= deadline:
                raise problem from error
        # Without the jitter, processes that met once would meet again at every attempt.
        time.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311
        pause = min(pause * 1.5, 0.25)
