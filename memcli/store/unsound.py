"""Which snapshots of an open store are not to be believed, whoever wrote them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from . import communities, hnsw, snapshots
from .revision import revision
from .rows import scalar

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["drop_unsound", "unsound"]

#: For each snapshot that there can be how many rows are in what is sound of it, 0 where it is not.
_ROWS: Mapping[str, Callable[[bytes], int]] = {
    snapshots.LINKS: hnsw.rows_of,
    communities.SNAPSHOT: communities.rows_of,
}


def unsound(db: DuckDBPyConnection) -> dict[str, str]:
    """What is wrong with snapshots, by their names."""
    found = {name: _wrong(db, name) for name in snapshots.names(db)}
    return {name: why for name, why in found.items() if why}


def drop_unsound(db: DuckDBPyConnection) -> tuple[str, ...]:
    """Removes these; returns their names. Whoever needs one makes it again."""
    names = tuple(unsound(db))
    for name in names:
        db.execute("delete from snapshot where name = ?", [name])
    return names


def _wrong(db: DuckDBPyConnection, name: str) -> str:
    if name not in _ROWS:
        return "snapshots that no run has finished" if name.endswith(snapshots.UNFINISHED) else "unknown snapshots"
    found = snapshots.load(db, name)
    rows = _ROWS[name](found[0]) if found is not None else 0
    if found is None or rows != found[1]:
        return "broken snapshots"
    ahead = found[2] > revision(db) or rows > int(scalar(db, "select count(*) from unit"))
    return "snapshots ahead of the store" if ahead else ""
