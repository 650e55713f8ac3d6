"""Snapshots: what is costly to make, kept as bytes; a snapshot that is missing, behind or broken is made again.

Whoever writes a snapshot writes its checksum: it tells what a disk has damaged, not what somebody has forged. So what
is read here is looked at again by whoever uses it (`hnsw`, `communities`), and is never unpickled.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from .rows import columns, scalar, transaction

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from .connection import Store

__all__ = ["LINKS", "UNFINISHED", "covered", "load", "names", "save"]

#: The snapshot of the HNSW index.
LINKS = "links"

_PART = 4 << 20
#: How a snapshot is called while it is being written.
UNFINISHED = ".new"


def save(store: Store, name: str, data: bytes, rows: int, made_at: int) -> None:
    """Stores `data`, made at the revision `made_at`, as the snapshot `name` in place of the one before.

    The store is held for a part of it at a time; until all of it is there, the one before stays.
    """
    new, checksum = name + UNFINISHED, hashlib.sha256(data).hexdigest()
    for part, at in enumerate(range(0, max(len(data), 1), _PART)):
        with store.writing() as db:
            if not part:
                db.execute("delete from snapshot where name = ?", [new])
            values = [new, part, made_at, rows, checksum, data[at : at + _PART]]
            db.execute("insert into snapshot values (?, ?, ?, ?, ?, ?)", values)
    with store.writing() as db, transaction(db):
        db.execute("delete from snapshot where name = ?", [name])
        db.execute("update snapshot set name = ? where name = ?", [name, new])


def load(db: DuckDBPyConnection, name: str) -> tuple[bytes, int, int] | None:
    """The snapshot's bytes, rows and revision; None where it is missing or its checksum is wrong."""
    found = columns(db, "select data, rows, generation, checksum from snapshot where name = ? order by part", [name])
    if not len(found["data"]):
        return None
    data = b"".join(found["data"].tolist())
    if hashlib.sha256(data).hexdigest() != found["checksum"][0]:
        return None
    return data, int(found["rows"][0]), int(found["generation"][0])


def covered(db: DuckDBPyConnection, name: str) -> int:
    """How many rows the snapshot `name` says that it covers, without reading it; 0 where there is none."""
    return int(scalar(db, "select coalesce(max(rows), 0) from snapshot where name = ?", [name]))


def names(db: DuckDBPyConnection) -> list[str]:
    """The names of the snapshots in the store, one that was never finished among them."""
    return [n for (n,) in db.execute("select distinct name from snapshot order by name").fetchall()]
