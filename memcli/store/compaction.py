"""Giving space back: a smaller copy of the store, verified, then swapped in by one rename.

DuckDB never shrinks a file. So everything is copied into a new one without what nothing refers to, the copy is
compared with the original table by table, and only then takes its name; until then the original is untouched.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import StoreDamaged, StoreMissing, StoreNotWritable
from . import communities, location
from .connection import Store, both
from .orphans import ORPHANS
from .rows import scalar
from .schema import TABLES
from .snapshots import LINKS
from .unsound import drop_unsound

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Compaction", "compact", "copied", "leftovers", "remove_leftovers", "settled", "size_of", "summed", "synced"]


@dataclass(frozen=True, slots=True)
class Compaction:
    """Sizes in bytes before and after (equal for a dry run), rows removed by reason, snapshots that were not sound."""

    before: int
    after: int
    removed: Mapping[str, int]
    dropped: tuple[str, ...]


def compact(store: Store, *, dry_run: bool = False) -> Compaction:
    """Compacts the store in place; with `dry_run` only says what would go.

    Raises StoreMissing, StoreBusy, StoreDamaged (the copy does not match), StoreNotWritable (no room for the copy).
    """
    if not store.exists or store.path is None:
        raise StoreMissing(f"no store at {store.path}", "make one with: memcli ingest FILE")
    before = size_of(store.path)
    if dry_run:
        with store.reading() as db:
            return Compaction(before, before, _countable(db), ())
    with store.writing():  # brings an older store to the newest schema, and says who may not write
        pass
    remove_leftovers(store.path)  # a copy that was cut short, and the log beside it, which DuckDB would replay
    _check_names(store.path)
    try:
        removed, dropped = _copy_and_swap(store.path, leftovers(store.path)[0])
    finally:
        remove_leftovers(store.path)
    communities.snapshot(store)  # of a revision that lasts: whoever compacts has just stopped adding
    return Compaction(before, size_of(store.path), removed, dropped)


def summed(done: Sequence[Compaction]) -> Compaction:
    """What was done to several stores, as one."""
    removed: Counter[str] = Counter()
    for each in done:
        removed.update(each.removed)
    dropped = tuple(dict.fromkeys(name for each in done for name in each.dropped))
    return Compaction(sum(each.before for each in done), sum(each.after for each in done), removed, dropped)


def leftovers(path: Path) -> tuple[Path, ...]:
    """What compacting or making the store at `path` has beside it: it is there meanwhile, or after a kill."""
    copy = location.beside(path, location.COMPACTING)
    return copy, location.log(copy), *location.unfinished(path)


def _check_names(path: Path) -> None:
    """Raises StoreNotWritable where the file has a second name: that would keep the old file, and be another store."""
    if path.stat().st_nlink > 1:
        raise StoreNotWritable(
            f"{path} has a second name (a hard link), which would keep what is to go", "remove one of the two"
        )


def remove_leftovers(path: Path) -> None:
    """Removes what was left where compacting or making the store at `path` was interrupted."""
    for left in leftovers(path):
        if left.is_dir():
            shutil.rmtree(left, ignore_errors=True)
        else:
            left.unlink(missing_ok=True)


def _copy_and_swap(path: Path, copy: Path) -> tuple[dict[str, int], tuple[str, ...]]:
    with both(path, copy) as db:
        copied(db, path)
        db.execute("use compacted")
        removed = _remove(db)
        said = _content(db, "turn")
        dropped = drop_unsound(db)
        db.execute("use memory")
        settled(db)
        _read_back(copy, said)
        # The original is still held: nobody can have added to it what the copy has not.
        _swap(copy, path)
    return removed, dropped


def copied(db: DuckDBPyConnection, path: Path) -> None:
    """Copies all of the store at `path`, `original`, into the new one, `compacted`. Raises StoreDamaged."""
    db.execute("copy from database original to compacted (schema)")
    for table in _tables(db, "original"):
        order = f" order by {TABLES[table].laid}" if table in TABLES and TABLES[table].laid else ""
        own = ", ".join(_quoted(column) for column in _stored(db, table))
        db.execute(f"insert into compacted.{_quoted(table)} select {own} from original.{_quoted(table)}{order}")
    if _contents(db, "original") != _contents(db, "compacted"):
        raise StoreDamaged(f"the copy of {path} does not match it", "the original is unchanged; check the disk")


def settled(db: DuckDBPyConnection) -> None:
    """Has both stores written to their files, and lets go of the copy: it can be read from the disk."""
    db.execute("checkpoint compacted")
    db.execute("checkpoint original")
    db.execute("detach compacted")


def synced(path: Path) -> None:
    """Has the file written to the disk."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _read_back(copy: Path, said: tuple[int, str]) -> None:
    """Opens the copy from the disk, through the same door as everybody, and compares what was said."""
    with Store(copy).reading() as db:
        if _content(db, "turn") != said:
            raise StoreDamaged("the compacted copy does not read back", "the original is unchanged; check the disk")


def _swap(copy: Path, path: Path) -> None:
    try:
        synced(copy)
        copy.replace(path)
    except OSError as error:
        raise StoreNotWritable(f"cannot replace {path}: {error.strerror}", "the original is unchanged") from error


def _contents(db: DuckDBPyConnection, name: str) -> dict[str, tuple[int, str]]:
    return {table: _content(db, f"{name}.{_quoted(table)}") for table in _tables(db, name)}


def _tables(db: DuckDBPyConnection, name: str) -> list[str]:
    """The tables of the attached store `name`: those that somebody else has made in it, too."""
    found = db.execute("select table_name from duckdb_tables() where database_name = ?", [name]).fetchall()
    return [table for (table,) in found]


def _stored(db: DuckDBPyConnection, table: str) -> list[str]:
    """The columns of a table of the original that are not worked out from others."""
    found = db.execute(
        """select column_name from duckdb_columns()
           where database_name = 'original' and table_name = ? and not is_generated order by column_index""",
        [table],
    ).fetchall()
    return [column for (column,) in found]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _countable(db: DuckDBPyConnection) -> dict[str, int]:
    counts = {
        each.fault.what: int(scalar(db, f"select count(*) from {each.table} where {each.where}")) for each in ORPHANS
    }
    return {reason: count for reason, count in counts.items() if count}


def _remove(db: DuckDBPyConnection) -> dict[str, int]:
    removed = {}
    for each in ORPHANS:
        count = int(scalar(db, f"select count(*) from {each.table} where {each.where}"))
        if count:
            db.execute(f"delete from {each.table} where {each.where}")
            removed[each.fault.what] = count
            if each.table == "vector":  # the snapshot covers the first so many: these are others now
                db.execute("delete from snapshot where name = ?", [LINKS])
    return removed


def _content(db: DuckDBPyConnection, table: str) -> tuple[int, str]:
    """The number of rows, and a hash of all of them that no order changes."""
    ((count, content),) = db.execute(
        f"select count(*), coalesce(bit_xor(md5_number(t::varchar)), 0)::varchar from {table} t"
    ).fetchall()
    return int(count), str(content)


def size_of(path: Path) -> int:
    """Bytes of the store at `path`, with what is not yet in its file."""
    log = location.log(path)
    return path.stat().st_size + (log.stat().st_size if log.exists() else 0)
