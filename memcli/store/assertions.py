"""Assertions in the store: what turns say of people, typed; and as a view shows them (Tag2Graph, step I)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..relations import DOMAINS, PREFERENCES, SHAPING, RelationType
from .cosine import unit_rows
from .memories import MemoryRow, append_memories, numbered_memories
from .rows import Columns, append, columns, scalar
from .units import Numbers, UnitRows, write_units
from .view import View

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["AssertionIndex", "AssertionRow", "assertion_index", "drop_assertions", "write_assertions"]

Ints = npt.NDArray[np.int64]
Matrix = npt.NDArray[np.float32]
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
    """The assertions of a view that may shape a ranking (`relations.SHAPING`).

    For each the row of its turn, its vector float32 [m, d], its confidence, whether it voices a preference; the place
    of its topic among `topics` float32 [t, d], of unit length, where that was lifted to an edge of its head, with the
    edge's probability (else -1, and 0); and the place of its relation's domain among `domains` float32 [·, d], or -1.
    """

    rows: Ints
    vectors: Matrix
    confidence: Floats
    taste: npt.NDArray[np.bool_]
    topic: Ints
    lifted: Floats
    topics: Matrix
    domain: Ints
    domains: Matrix


def write_assertions(db: DuckDBPyConnection, sessions: Mapping[int, Sequence[AssertionRow]]) -> None:
    """Makes these the assertions of the sessions with these numbers, in place of what they had."""
    drop_assertions(db, list(sessions))
    rows = [row for own in sessions.values() for row in own]
    if not rows:
        return
    units, first = [], Numbers.read(db).unit
    for session, own in sessions.items():
        units.append(UnitRows(session, first))
        first += len(numbered_memories(db, units[-1], [row.memory for row in own]))
    write_units(db, units)
    seqs = [each.first + place for each in units for place in range(len(each.ids))]
    append_memories(db, seqs, [row.memory for row in rows])
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


def drop_assertions(db: DuckDBPyConnection, sessions: Sequence[int]) -> None:
    """Removes the assertions of these sessions."""
    among = "kind = 'assertion' and session in (select unnest(?::integer[]))"
    if not scalar(db, f"select count(*) from unit where {among}", [list(sessions)]):
        return
    own = f"select seq from unit where {among}"
    for table, column in (
        ("memory", "unit"),
        ("source", "unit"),
        ("assertion", "unit"),
        ("belongs", "unit"),
        ("edge", "src"),
    ):
        db.execute(f"delete from {table} where {column} in ({own})", [list(sessions)])
    db.execute(f"delete from unit where {among}", [list(sessions)])


def assertion_index(view: View) -> AssertionIndex:
    """The assertions of the view's turns; read once."""
    return view.once(_load)


def _load(view: View) -> AssertionIndex:
    found, concepts = view.read(lambda db: (_rows(db), _concepts(db)))
    rows = view.rows_of_numbers(found["turn"])
    kept = (rows >= 0) & (found["confidence"] >= SHAPING)
    own = {name: column[kept] for name, column in found.items()}
    relation = own["relation"].astype(str)
    used = np.unique(own["concept"][own["concept"] >= 0])
    domains = np.flatnonzero(concepts["kind"] == "domain")
    place = {str(concepts["name"][at]): number for number, at in enumerate(domains)}
    return AssertionIndex(
        rows[kept],
        _matrix(own["data"], np.float16, view.dimension),
        own["confidence"].astype(np.float64),
        np.isin(relation, sorted(PREFERENCES)),
        np.where(own["concept"] >= 0, np.searchsorted(used, own["concept"]), -1),
        np.nan_to_num(np.ma.filled(own["probability"], 0.0).astype(np.float64)),
        unit_rows(_matrix(concepts["data"][np.isin(concepts["seq"], used)], np.float32, view.dimension)),
        np.array([place.get(DOMAINS.get(RelationType(each), ""), -1) for each in relation], dtype=np.int64),
        _matrix(concepts["data"][domains], np.float32, view.dimension),
    )


def _matrix(data: npt.NDArray[np.object_], dtype: type[np.floating], dimension: int) -> Matrix:
    return np.frombuffer(b"".join(data.tolist()), dtype=dtype).astype(np.float32).reshape(-1, dimension)


def _rows(db: DuckDBPyConnection) -> Columns:
    """The assertions, each with its lifted topic, if it has one."""
    return columns(
        db,
        """select o.turn, m.data, a.relation, a.confidence, l.concept, coalesce(l.probability, 0) as probability
           from assertion a join memory m on m.unit = a.unit join source o on o.unit = a.unit
           left join belongs b on b.unit = a.unit
           left join lifted l on l.concept = b.concept and l.head = m.label and l.declined = ''
           order by a.unit""",
    )


def _concepts(db: DuckDBPyConnection) -> Columns:
    return columns(db, "select seq, kind, name, data from concept order by seq")
