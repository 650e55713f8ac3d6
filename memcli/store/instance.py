"""One DuckDB for one file, made once: it has the file for as long as somebody works with it, and lets go of it then.

To make a DuckDB costs twenty times what it costs to attach a file to one, and whoever adds a message opens its store
more than twenty times.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from weakref import ReferenceType, ref

import duckdb

__all__ = ["CATALOG", "CONFIG", "Instance", "quoted"]

#: What a DuckDB is made with. It loads nothing; what it can reach is each one's own.
CONFIG: Mapping[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "preserve_insertion_order": "true",
    "threads": 1,
    "async_threads": 0,  # which are for files on other machines
}

#: What the file is called in its DuckDB.
CATALOG = "store"
#: So many DuckDBs are kept though nobody works with them: each takes 4 MB.
_KEPT = 16
#: What DuckDB may add to the name of a file for those that it makes beside it.
_BESIDE = ("", ".wal", ".wal.checkpoint", ".wal.recovery")

_recent: list[ReferenceType[Instance]] = []
_listing = threading.Lock()


class Instance:
    """The DuckDB of one file, which it can reach, and nothing else: a store may come from somebody else."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._db: duckdb.DuckDBPyConnection | None = None
        self._name = ""
        self._readers: list[duckdb.DuckDBPyConnection] = []
        self._writers: list[duckdb.DuckDBPyConnection] = []
        self._only_reads = False

    @property
    def is_written(self) -> bool:
        """Whether somebody works with it who may write."""
        return bool(self._writers)

    def connected(self, name: str, *, only_reads: bool) -> duckdb.DuckDBPyConnection:
        """One more connection to the file `name`. Who reads while another writes sees what was committed.

        Raises duckdb.Error, and ResourceInUseException where others read that are in the way of who writes, or are left
        from when somebody wrote: to let more of them in would keep other processes out for as long as they come.
        """
        with self._lock, self._left_to_others():
            if not self._is_shared(only_reads=only_reads):
                self._attach(name, only_reads=only_reads)
            assert self._db is not None
            db = self._db.cursor()
            db.execute(f"use {CATALOG}")
            (self._readers if only_reads else self._writers).append(db)
        self._note()
        return db

    @contextmanager
    def _left_to_others(self) -> Iterator[None]:
        """What fails, or is interrupted, leaves no file attached that nobody works with."""
        try:
            yield
        except BaseException:
            if not self._is_used:
                self._give_up()
            raise

    def disconnected(self, db: duckdb.DuckDBPyConnection) -> None:
        """This connection is done with; with the last one the file is let go of. Raises duckdb.Error."""
        with self._lock:
            (self._writers if db in self._writers else self._readers).remove(db)
            try:
                db.close()
            finally:
                if not self._is_used:
                    self._detach()

    @property
    def _is_used(self) -> bool:
        return bool(self._readers or self._writers)

    def _is_shared(self, *, only_reads: bool) -> bool:
        """Whether it has the file in a way that one more can make use of."""
        if not self._is_used:
            return False
        return only_reads if self._only_reads else self.is_written or not only_reads

    def rest(self) -> None:
        """Gives up the DuckDB, if nobody works with it."""
        with self._lock:
            if not self._is_used:
                self._give_up()

    def _attach(self, name: str, *, only_reads: bool) -> None:
        if name != self._name and not self._is_used:
            self._give_up()
        if self._db is None:
            self._db, self._name = _made(name), name
        self._db.execute("reset memory_limit")
        how = "type duckdb, read_only" if only_reads else "type duckdb"
        self._db.execute(f"attach {quoted(name)} as {CATALOG} ({how})")
        self._only_reads = only_reads

    def _detach(self) -> None:
        assert self._db is not None
        # One that has failed badly does nothing any more; what was committed is in the log.
        with suppress(duckdb.Error), self._left_to_others():
            self._db.execute(f"detach {CATALOG}")
        if os.path.exists(_overflow(self._name)):  # cleared away with the DuckDB that has made it
            self._give_up()

    def _give_up(self) -> None:
        if self._db is not None:
            with suppress(duckdb.Error):
                self._db.close()
        self._db = None

    def _note(self) -> None:
        """It is in use just now: of those that are not, the longest unused gives way."""
        with _listing:
            others = [known for known in _recent if known() not in {None, self}]
            _recent[:] = [*others, ref(self)][-_KEPT:]
            oldest = others[0]() if len(others) >= _KEPT else None
        if oldest is not None:
            oldest.rest()


def _made(name: str) -> duckdb.DuckDBPyConnection:
    """A DuckDB that can reach this file and what belongs to it."""
    config = {**CONFIG, "enable_external_access": "true", "temp_directory": _overflow(name)}
    db = duckdb.connect(":memory:", config=config)
    db.execute("set allowed_paths = $paths", {"paths": [name + more for more in _BESIDE]})
    db.execute("set allowed_directories = $folders", {"folders": [_overflow(name)]})
    db.execute("set enable_external_access = false")
    return db


def _overflow(name: str) -> str:
    """Where DuckDB puts what does not fit into memory."""
    return f"{name}.tmp"


def quoted(name: str) -> str:
    """The name of a file as a statement has it."""
    return "'" + name.replace("'", "''") + "'"
