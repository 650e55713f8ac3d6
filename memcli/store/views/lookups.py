"""Rows of a large store by their numbers: read from the file, or taken from memory for whoever keeps asking.

DuckDB reads rows in parts of 2,048. What belongs to some hundred sessions lies in nearly all parts of a table, so that
to read it takes about as long as to read all of the table, each time.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...model import Kind
from ..packing import lengths, stacked, widened
from ..rows import Columns, columns, columns_among, runs
from ..schema import of_kinds
from ..vectors import part_after

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["EDGES", "FROM_TURNS", "OF_TURN", "SHOWN", "TURNS", "UNITS", "Held", "HeldVectors", "Lookup", "selected"]

Ints = npt.NDArray[np.int64]

#: The units that are looked up; their kinds by their places here, from 1 on.
SHOWN = (Kind.SENTENCE, Kind.TURN, Kind.ROUND, Kind.SESSION, Kind.ASSERTION)
#: Parts of the vectors, of 20,000 each, that are taken in for one question.
_PARTS = 5


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
        places = np.sort(self._places[runs(starts, ends)])
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
    """The vectors of a store in memory, as they are stored: a byte a number, a weight each.

    They are taken in bit by bit, by one thread at a time: no question waits for all of them.
    """

    def __init__(self, room: int, dimension: int) -> None:
        self._numbers, self._weights = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int32)
        self._rows, self._lengths = np.empty((room, dimension), dtype=np.int8), np.empty(room)
        self._taken, self._last = 0, -1
        self._taking = threading.Lock()

    def is_whole(self, db: DuckDBPyConnection) -> bool:
        """Whether all vectors of the open store are here, after the next ones have been taken in.

        Raises ValueError where one is not stored in a byte a number, or under no number.
        """
        with self._taking:
            for _ in range(_PARTS):
                if self._taken < len(self._numbers):
                    self._take(part_after(db, self._last))
            return self._taken == len(self._numbers)

    def _take(self, part: Columns) -> None:
        if not len(part["seq"]):
            raise ValueError("fewer vectors than there are")
        order = np.argsort(part["seq"])
        here = slice(self._taken, self._taken + len(order))
        self._numbers[here], self._weights[here] = part["seq"][order], part["weight"][order]
        self._rows[here] = stacked(part["data"][order].tolist(), self._rows.shape[1])
        self._lengths[here] = lengths(self._rows[here])
        self._taken, self._last = here.stop, int(self._numbers[here][-1])

    def of(self, numbers: Ints) -> tuple[Ints, npt.NDArray[np.float64]]:
        """The weights [n], and the vectors [n, d] as `cosine.exact` has them, with these numbers, which ascend."""
        places = np.searchsorted(self._numbers, numbers)
        return self._weights[places].astype(np.int64), widened(self._rows[places], self._lengths[places])


#: What is known of each turn, as SQL over `FROM_TURNS`.
OF_TURN = {
    "seq": "t.seq",
    "session": "t.session",
    "position": "t.position",
    "speaker": "t.speaker",
    "role": "t.role",
    "said_at": "epoch_us(t.said_at)",
    "length": "d.length",
    "cues": "d.cues",
}
FROM_TURNS = "from turn t join session s on s.seq = t.session join document d on d.turn = t.seq"


def selected(names: Iterable[str]) -> str:
    """These columns of `OF_TURN`, as SQL."""
    return ", ".join(f"{OF_TURN[name]} as {name}" for name in names)


#: Turns by their sessions.
TURNS = Lookup(
    f"select {selected(OF_TURN)} {FROM_TURNS} where true",
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
