"""Assertions in the store: what turns say of people, typed; and as a view shows them (Tag2Graph, step I)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from .memories import MemoryRow, append_memories, numbered_memories
from .rows import Columns, append, columns
from .units import Numbers, UnitRows
from .view import View

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["AssertionIndex", "AssertionRow", "assertion_index", "drop_assertions", "write_assertions"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AssertionRow:
    """An assertion to be written: its unit, with one source turn, and what is asserted; see `indexing.ontology`."""

    memory: MemoryRow
    relation: str
    tail: str
    negated: bool
    strength: float
    confidence: float


@dataclass(frozen=True, slots=True, eq=False)
class AssertionIndex:
    """The assertions of a view: for each the row of its turn, its vector float32 [m, d], relation and confidence."""

    rows: Ints
    vectors: npt.NDArray[np.float32]
    relation: npt.NDArray[np.str_]
    confidence: Floats


def write_assertions(db: DuckDBPyConnection, session: int, rows: Sequence[AssertionRow]) -> None:
    """Adds a session's assertions."""
    units = UnitRows(session, Numbers.read(db).unit)
    memories = [row.memory for row in rows]
    seqs = numbered_memories(db, units, memories)
    units.write(db)
    append_memories(db, seqs, memories)
    append(
        db,
        "assertion",
        {
            "unit": seqs,
            "relation": [row.relation for row in rows],
            "tail": [row.tail for row in rows],
            "negated": np.array([row.negated for row in rows], dtype=bool),
            "strength": [row.strength for row in rows],
            "confidence": [row.confidence for row in rows],
        },
    )


def drop_assertions(db: DuckDBPyConnection, session: int) -> None:
    """Removes the assertions of a session."""
    own = "select seq from unit where session = ? and kind = 'assertion'"
    for table, column in (("memory", "unit"), ("source", "unit"), ("assertion", "unit"), ("edge", "src")):
        db.execute(f"delete from {table} where {column} in ({own})", [session])
    db.execute("delete from unit where session = ? and kind = 'assertion'", [session])


def assertion_index(view: View) -> AssertionIndex:
    """The assertions of the view's turns; read once."""
    return view.once(_load)


def _load(view: View) -> AssertionIndex:
    found = view.read(_rows)
    rows = view.rows_of_numbers(found["turn"])
    kept = rows >= 0
    data = b"".join(found["data"][kept].tolist())
    return AssertionIndex(
        rows[kept],
        np.frombuffer(data, dtype=np.float16).astype(np.float32).reshape(-1, view.dimension),
        found["relation"][kept].astype(str),
        found["confidence"][kept].astype(np.float64),
    )


def _rows(db: DuckDBPyConnection) -> Columns:
    return columns(
        db,
        """select o.turn, m.data, a.relation, a.confidence from assertion a join memory m on m.unit = a.unit
           join source o on o.unit = a.unit order by a.unit""",
    )
