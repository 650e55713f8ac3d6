"""The vectors of an older store, brought to the form in which they are stored now (`packing`), once and for all.

What was computed of them is computed again: the codes, and the lengths of pooled vectors. What holds of the sentence
graph stays: its cosines were those of a hair's breadth more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import codes
from .identity import dimension_of
from .packing import are_sound, is_packable, packed, unpacked
from .rows import Columns, append, columns, scalar
from .vectors import load_weighted_rows, part_after

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["repack"]

#: Sessions that are in memory at a time.
_SESSIONS = 500


def repack(db: DuckDBPyConnection) -> None:
    """Stores all vectors anew; what is none stays as it is, for `doctor` to find. Raises StoreDamaged."""
    dimension = dimension_of(db)
    if is_packable(dimension) and scalar(db, "select count(*) from vector"):
        _vectors(db, dimension)
        if scalar(db, "select count(*) from code"):
            codes.renew(db)
        if not _broken(db, dimension):
            _norms(db, dimension)


def _vectors(db: DuckDBPyConnection, dimension: int) -> None:
    db.execute("alter table vector rename to loose")
    db.execute("create table vector (seq integer not null, hash ubigint not null, weight integer not null, "
               "data blob not null)")  # fmt: skip
    last = -1
    while len((found := part_after(db, last, "loose"))["seq"]):
        append(db, "vector", found | {"data": _packed(found["data"].tolist(), dimension)})
        last = int(found["seq"].max())
    db.execute("drop table loose")


def _packed(data: list[bytes], dimension: int) -> list[bytes]:
    good = are_sound(data, dimension)
    rows = iter(packed(unpacked([each for each, is_good in zip(data, good, strict=True) if is_good], dimension)))
    return [next(rows) if is_good else each for each, is_good in zip(data, good, strict=True)]


def _broken(db: DuckDBPyConnection, dimension: int) -> bool:
    return bool(scalar(db, "select count(*) from vector where octet_length(data) <> ?", [dimension]))


def _norms(db: DuckDBPyConnection, dimension: int) -> None:
    first, last = (int(scalar(db, f"select coalesce({each}(seq), -1) from session")) for each in ("min", "max"))
    for session in range(first, last + 1, _SESSIONS):
        found = _pooled(db, [session, session + _SESSIONS - 1], dimension)
        db.register("pooled", found)
        db.execute("update unit set norm = pooled.norm from pooled where unit.seq = pooled.seq")
        db.unregister("pooled")


def _pooled(db: DuckDBPyConnection, sessions: list[int], dimension: int) -> Columns:
    """The units of these sessions that have a length, with it: that of the sum of their turns' sentences."""
    of = "from unit u join source o on o.unit = u.seq where u.session between ? and ?"
    said = columns(db, f"select o.turn, u.vector {of} and u.kind = 'sentence'", sessions)
    pooled = columns(db, f"select u.seq, o.turn {of} and u.norm is not null order by u.seq", sessions)
    numbers, row = np.unique(said["vector"], return_inverse=True)
    weights, rows = load_weighted_rows(db, numbers, dimension)
    turns, turn = np.unique(np.concatenate([said["turn"], pooled["turn"]]), return_inverse=True)
    of_turns = np.zeros((len(turns), dimension))
    np.add.at(of_turns, turn[: len(row)], rows[row].astype(np.float64) * np.maximum(weights[row], 1)[:, None])
    units, unit = np.unique(pooled["seq"], return_inverse=True)
    sums = np.zeros((len(units), dimension))
    np.add.at(sums, unit, of_turns[turn[len(row) :]])
    return {"seq": units, "norm": np.linalg.norm(sums, axis=1)}
