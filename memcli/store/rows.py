"""Columns in and out of DuckDB through numpy: the fast way, and the one place that knows how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "UNKNOWN",
    "Columns",
    "append",
    "columns",
    "columns_among",
    "from_microseconds",
    "from_stored",
    "microseconds",
    "runs",
    "scalar",
    "to_stored",
    "transaction",
]

Columns = dict[str, npt.NDArray[Any]]

#: What stands for null among integers: no time, offset or number that a store can hold.
UNKNOWN = int(np.iinfo(np.int64).min)

_EPOCH = datetime(1970, 1, 1)  # naive: as times are stored
_MICROSECOND = timedelta(microseconds=1)


def append(db: DuckDBPyConnection, table: str, values: Mapping[str, Sequence[Any] | npt.NDArray[Any]]) -> None:
    """Appends columns, in the order of the table's own. `table` is a name from this package, never from data."""
    rows = {name: _column(column) for name, column in values.items()}
    if not len(next(iter(rows.values()))):
        return
    db.register("appended", rows)
    db.execute(f"insert into {table} select * from appended")
    db.unregister("appended")


def _column(values: Sequence[Any] | npt.NDArray[Any]) -> npt.NDArray[Any]:
    if isinstance(values, np.ndarray):
        return values
    if values and isinstance(values[0], (int, float)) and None not in values:
        return np.asarray(values)
    # One object array whatever the values are: numpy would read a list of equal-length bytes as characters.
    column = np.empty(len(values), dtype=object)
    column[:] = list(values)
    return column


def columns(db: DuckDBPyConnection, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> Columns:
    """The result of `sql` as one numpy array a column; its parameters in order, or by name.

    Null is `UNKNOWN` among integers (int64 where there is any), nan among floats, None among everything else.
    """
    given = dict(parameters) if isinstance(parameters, Mapping) else list(parameters)
    result = db.execute(sql, given).fetchnumpy()
    return {name: _plain(column) for name, column in result.items()}


def columns_among(
    db: DuckDBPyConnection, sql: str, numbers: Sequence[int] | npt.NDArray[Any], parameters: Sequence[Any] = ()
) -> Columns:
    """The same of SQL that reads the column `seq` of the table `among`: these numbers.

    As a parameter a list of them takes longer than what it is asked for.
    """
    db.register("among", {"seq": np.asarray(numbers, dtype=np.int32)})
    try:
        return columns(db, sql, parameters)
    finally:
        db.unregister("among")


def _plain(column: Any) -> npt.NDArray[Any]:
    if not np.ma.is_masked(column):
        return np.asarray(column)
    if column.dtype.kind == "i":
        return np.asarray(column.astype(np.int64).filled(UNKNOWN))
    if column.dtype.kind == "f":
        return np.asarray(column.filled(np.nan))
    plain = column.data.astype(object)
    plain[column.mask] = None
    return np.asarray(plain)


def runs(starts: npt.NDArray[Any], ends: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """The places of several runs, each from its start up to its end, one run after the other."""
    lengths = ends - starts
    before = np.cumsum(lengths) - lengths
    places: npt.NDArray[np.int64] = np.arange(lengths.sum()) + np.repeat(starts - before, lengths)
    return places


@contextmanager
def transaction(db: DuckDBPyConnection) -> Iterator[None]:
    """All of the block is committed, or nothing of it."""
    db.execute("begin")
    try:
        yield
        db.execute("commit")
    except BaseException:
        with suppress(duckdb.Error):  # a full disk has ended the transaction already: say that, and not this
            db.execute("rollback")
        raise


def scalar(db: DuckDBPyConnection, sql: str, parameters: Sequence[Any] = ()) -> Any:
    """The first value of the first row, or None."""
    rows = db.execute(sql, list(parameters)).fetchall()  # DuckDB wants a result read to its end
    return rows[0][0] if rows else None


def to_stored(moment: datetime | None) -> tuple[datetime | None, int | None]:
    """A time as it is stored: UTC and the offset in minutes that was said; a local time as it is, with no offset."""
    if moment is None:
        return None, None
    offset = moment.utcoffset()
    if offset is None:
        return moment, None
    return moment.astimezone(UTC).replace(tzinfo=None), round(offset.total_seconds() / 60)


def from_stored(moment: datetime | None, offset: int | None) -> datetime | None:
    """The inverse of `to_stored`."""
    if moment is None or offset is None:
        return moment
    return moment.replace(tzinfo=UTC).astimezone(timezone(timedelta(minutes=offset)))


def microseconds(moment: datetime) -> int:
    """A time on the one line on which times are compared: microseconds since 1970; a local time counts as UTC."""
    stored = moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)
    return (stored - _EPOCH) // _MICROSECOND


def from_microseconds(said: int, offset: int) -> datetime | None:
    """Microseconds since 1970 and an offset in minutes, each `UNKNOWN` where it is not known, as a time."""
    if said == UNKNOWN:
        return None
    return from_stored(_EPOCH + timedelta(microseconds=said), None if offset == UNKNOWN else offset)
