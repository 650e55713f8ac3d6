"""The revision of a store: how many times it was written to. Whoever holds something of it can tell whether it changed.

Its key is `generation`, as it was called when the first stores were made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import StoreDamaged

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["KEY", "bump_revision", "counters", "is_counted", "revision", "start_counting"]

#: The key in `meta`.
KEY = "generation"


def counters(db: DuckDBPyConnection) -> list[int | None]:
    """The revisions that the open store says it is of, None for one that is no number: a single one, if it is sound."""
    rows = db.execute("select try_cast(value as bigint) from meta where key = ?", [KEY]).fetchall()
    return [number for (number,) in rows]


def is_counted(db: DuckDBPyConnection) -> bool:
    """Whether the open store has one revision, and that is a number."""
    found = counters(db)
    return len(found) == 1 and found[0] is not None


def revision(db: DuckDBPyConnection) -> int:
    """How many times the open store was written to. Raises StoreDamaged where it holds no number for that."""
    found = next(iter(counters(db)), None)
    if found is None:
        raise StoreDamaged("the store does not say how often it was written to", "memcli doctor says what is wrong")
    return found


def bump_revision(db: DuckDBPyConnection) -> None:
    """Notes that the open store has changed, so that what a program holds of it is read again."""
    db.execute("update meta set value = (value::bigint + 1)::varchar where key = ?", [KEY])


def start_counting(db: DuckDBPyConnection) -> None:
    """Notes that nothing was written yet, in a store that is new."""
    db.execute("insert into meta values (?, '0')", [KEY])
