"""Rows of a large store by their numbers: read from the file, or taken from memory for whoever keeps asking.

DuckDB reads rows in parts of 2,048. What belongs to some hundred sessions lies in nearly all parts of a table, so that
to read it takes about as long as to read all of the table, each time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...model import Kind
from ..packing import lengths, stacked, widened
from ..rows import Columns, columns, columns_among, scalar
from ..schema import of_kinds

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["EDGES", "SHOWN", "TURNS", "UNITS", "Held", "HeldVectors", "Lookup"]

Ints = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.int8]

#: The units that are looked up; their kinds by their places here, from 1 on.
SHOWN = (Kind.SENTENCE, Kind.TURN, Kind.ROUND, Kind.SESSION, Kind.ASSERTION)
#: Vectors that are objects of Python at a time.
_PART = 8192


@dataclass(frozen=True, slots=True)
class Lookup:
    """What is looked up: the `rows`, as SQL that ends with a condition, and how they are ordered, as SQL; `column`: by
    whose numbers, as SQL, and its name among what is selected, `key`.
    """

    rows: str
    column: str
    key: str
    order: str = ""

    def read(self, db: DuckDBPyConnection, numbers: Ints) -> Columns:
        """The rows with these numbers, from the open store."""
        among = f"and {self.column} in (select seq from among)"
        return columns_among(db, f"{self.rows} {among} {self.order}", numbers)

    def all(self, db: DuckDBPyConnection) -> Columns:
        """All rows, from the open store."""
        return columns(db, f"{self.rows} {self.order}")

    def held(self, db: DuckDBPyConnection) -> Held:
        """The same, to be found by their numbers again and again."""
        return Held(self.all(db), self.key)

    def ordered(self, order: str) -> Lookup:
        """The same in another order."""
        return replace(self, order=order)


class Held:
    """Rows in memory, in the order in which they were read; they are found by their numbers in the column `key`."""

    def __init__(self, rows: Columns, key: str) -> None:
        order = np.argsort(rows[key], kind="stable")
        self._numbers, self._places = rows[key][order], order.astype(np.int32)
        self._columns = {name: _compact(column) for name, column in rows.items()}

    def of(self, numbers: Ints) -> Columns:
        """The rows with these numbers, which are distinct: what `Lookup.read` reads of the store."""
        starts, ends = (np.searchsorted(self._numbers, numbers, side) for side in ("left", "right"))
        lengths = ends - starts
        before = np.cumsum(lengths) - lengths
        places = np.sort(self._places[np.arange(lengths.sum()) + np.repeat(starts - before, lengths)])
        return {name: column[places] for name, column in self._columns.items()}


def _compact(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Of equal texts one."""
    if not (len(column) and isinstance(column[0], str)):
        return column
    known: dict[Any, Any] = {}
    found = np.empty(len(column), dtype=object)
    found[:] = [known.setdefault(each, each) for each in column.tolist()]
    return found


class HeldVectors:
    """The vectors of a store in memory, as they are stored: a byte a number, a weight each."""

    def __init__(self, numbers: Ints, weights: Ints, rows: Bytes, over: npt.NDArray[np.float64]) -> None:
        self._numbers, self._weights, self._rows, self._over = numbers, weights, rows, over

    @classmethod
    def of_store(cls, db: DuckDBPyConnection, dimension: int) -> HeldVectors | None:
        """All vectors of the open store; None where one is stored otherwise."""
        try:
            return cls(*map(np.concatenate, zip(*_in_parts(db, dimension), strict=True)))
        except ValueError:
            return None

    def of(self, numbers: Ints) -> tuple[Ints, npt.NDArray[np.float64]]:
        """The weights [n], and the vectors [n, d] as `cosine.exact` has them, with these numbers, which ascend."""
        places = np.searchsorted(self._numbers, numbers)
        return self._weights[places], widened(self._rows[places], self._over[places])


def _in_parts(db: DuckDBPyConnection, dimension: int) -> Iterator[tuple[Ints, Ints, Bytes, npt.NDArray[np.float64]]]:
    """The numbers, the weights, the bytes and their lengths of all vectors, by their numbers."""
    for first in range(0, int(scalar(db, "select max(seq) from vector")) + 1, _PART):
        sql = "select seq, weight, data from vector where seq >= ? and seq < ? order by seq"
        found = columns(db, sql, [first, first + _PART])
        rows = stacked(found["data"].tolist(), dimension)
        yield found["seq"], found["weight"], rows, lengths(rows)


_TURN = "t.seq, t.session, t.position, t.speaker, t.role, epoch_us(t.said_at) as said_at, d.length, d.cues"
#: Turns by their sessions.
TURNS = Lookup(
    f"select {_TURN} from turn t join session s on s.seq = t.session join document d on d.turn = t.seq where true",
    column="t.session",
    key="session",
    order="order by t.session, t.position",
)
#: Units by their sessions, each once with every turn that is a source of it.
UNITS = Lookup(
    f"""select u.session, u.seq, list_position({[kind.value for kind in SHOWN]}, u.kind) as kind, o.turn, u.vector,
        u.norm from unit u join source o on o.unit = u.seq where {of_kinds(SHOWN)}""",
    column="u.session",
    key="session",
)
#: Edges of the sentence graph by the sentences that they leave.
EDGES = Lookup(
    "select src, dst, weight from edge where relation = 'similar'", column="src", key="src", order="order by src, dst"
)
