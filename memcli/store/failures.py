"""What each way of failing is called: a file that cannot be opened, read or written, and nothing else.

A mistake in a statement is no fault of the file: it stays what it is, unless the file lacks tables that it should have.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from ..errors import StoreBusy, StoreDamaged, StoreError, StoreMissing, StoreNotWritable
from . import migrations

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["explained", "failed_on_file", "was_interrupted"]

#: What DuckDB raises where reading or writing a file fails, or what it reads there makes no sense.
_OF_FILES = (
    duckdb.IOException, duckdb.FatalException, duckdb.InternalException, duckdb.SerializationException,
    duckdb.OutOfMemoryException,
)  # fmt: skip


def failed_on_file(error: duckdb.Error, db: DuckDBPyConnection, catalog: str) -> bool:
    """Whether the open file, `catalog` by its name there, is to blame for an error of a statement."""
    if isinstance(error, _OF_FILES) or type(error) is duckdb.Error:  # which is none of the kinds that a statement has
        return True
    if isinstance(error, duckdb.TransactionException):  # a commit writes
        return "failed to commit" in str(error).lower()
    with db.cursor() as apart:  # the transaction in which it happened takes no more statements
        apart.execute(f"use {catalog}")
        return not migrations.is_whole(apart)


def was_interrupted(error: RuntimeError) -> bool:
    """Whether this is DuckDB's way of saying that somebody pressed Ctrl-C."""
    return "query interrupted" in str(error).lower()


def explained(error: Exception, path: Path) -> StoreError:
    """The error as the project's own, with what to do."""
    text = str(error)
    low = text.lower()
    if isinstance(error, duckdb.ResourceInUseException) or "lock on file" in low or "conflicting lock" in low:
        return StoreBusy(f"{path} is in use by another process", "try again when it is done")
    if "no space left" in low or "disk full" in low or "could not write all bytes" in low:
        return StoreNotWritable(f"no space left to write {path}", "free some space; what was stored is safe")
    if isinstance(error, duckdb.OutOfMemoryException):
        return StoreError(f"{path} needs more memory than there is: {_first_line(text)}", "close other programs")
    if isinstance(error, OSError) or "permission denied" in low or "read-only file system" in low:
        return StoreNotWritable(f"cannot write {path}: {_first_line(text)}", "choose another --store PATH")
    if "cannot open file" in low and "no such file" in low:
        return StoreMissing(f"no store at {path}", "make one with: memcli ingest FILE")
    if "newer" in low and "version" in low:
        return StoreDamaged(f"{path} needs a newer DuckDB than this one", "upgrade memcli and duckdb")
    return StoreDamaged(f"{path} cannot be read as a memcli store: {_first_line(text)}", "choose another --store PATH")


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0][:200] if text.strip() else "unknown error"
