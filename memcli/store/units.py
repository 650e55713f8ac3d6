"""Units and what joins them: rows are gathered for a whole session and appended table by table.

Sentence and turn units are appended and stay; the round and session units of a session that grew are made again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..model import Kind, Relation, TurnId, UnitId
from .identity import dimension_of
from .packing import unpacked
from .rows import append, columns, scalar
from .schema import clearing, of_kinds, referring

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "Joined",
    "Numbers",
    "SentenceRow",
    "UnitRows",
    "add_edges",
    "drop_coarse",
    "drop_units",
    "first_units",
    "replace_edges",
    "sentence_rows",
    "sentence_rows_of",
    "turn_units",
    "turn_units_of",
    "write_units",
]


#: Two units, by number, and the weight of the edge between them.
Joined = tuple[int, int, float]


@dataclass(slots=True)
class Numbers:
    """The next free number of each kind of row: read once while the store is held for writing."""

    session: int
    turn: int
    unit: int
    vector: int

    @classmethod
    def read(cls, db: DuckDBPyConnection) -> Numbers:
        """From the open store."""
        return cls(*(_next(db, table) for table in ("session", "turn", "unit", "vector")))


def _next(db: DuckDBPyConnection, table: str) -> int:
    return int(scalar(db, f"select coalesce(max(seq), -1) + 1 from {table}"))


@dataclass(slots=True)
class UnitRows:
    """Units of one session with their sources and edges, not yet written."""

    session: int
    first: int
    ids: list[UnitId] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    texts: list[str | None] = field(default_factory=list)
    vectors: list[int | None] = field(default_factory=list)
    norms: list[float | None] = field(default_factory=list)
    sources: list[tuple[int, int]] = field(default_factory=list)
    edges: list[tuple[int, int, str, float]] = field(default_factory=list)

    def add(
        self,
        kind: Kind,
        id_: str,
        sources: Iterable[int],
        *,
        text: str | None = None,
        vector: int | None = None,
        norm: float | None = None,
    ) -> int:
        """One more unit, made from the turns with the numbers `sources`; returns its number.

        A unit without text is the text of its sources; one without a vector is pooled, and `norm` is the length of
        its sum of sentence vectors.
        """
        seq = self.first + len(self.ids)
        self.ids.append(UnitId(id_))
        self.kinds.append(kind.value)
        self.texts.append(text)
        self.vectors.append(vector)
        self.norms.append(norm)
        self.sources.extend((seq, turn) for turn in sources)
        return seq

    def join(self, src: int, dst: int, relation: Relation, weight: float = 1.0) -> None:
        """One more edge, between the units with these numbers."""
        self.edges.append((src, dst, relation.value, weight))

    def write(self, db: DuckDBPyConnection) -> None:
        """Appends everything to the open store."""
        write_units(db, [self])


def write_units(db: DuckDBPyConnection, sessions: Sequence[UnitRows]) -> None:
    """Appends the units of several sessions, their sources and edges: one append a table, whatever their number."""
    seqs = np.concatenate([np.arange(rows.first, rows.first + len(rows.ids)) for rows in sessions])
    session = np.repeat([rows.session for rows in sessions], [len(rows.ids) for rows in sessions])
    held = {
        name: [each for rows in sessions for each in getattr(rows, f"{name}s")]
        for name in ("id", "kind", "text", "vector", "norm")
    }
    order = ("seq", "id", "kind", "session", "text", "vector", "norm")  # the table's own
    found: dict[str, Any] = {"seq": seqs, "session": session, **held}
    append(db, "unit", {name: found[name] for name in order})
    if sources := [pair for rows in sessions for pair in rows.sources]:
        append(db, "source", dict(zip(("unit", "turn"), np.array(sources).T, strict=True)))
    add_edges(db, [edge for rows in sessions for edge in rows.edges])


def add_edges(db: DuckDBPyConnection, edges: Sequence[tuple[int, int, str, float]]) -> None:
    """Appends edges: the numbers of the two units, the relation, the weight."""
    if edges:
        src, dst, relation, weight = map(list, zip(*edges, strict=True))
        append(db, "edge", {"src": src, "dst": dst, "relation": relation, "weight": weight})


def replace_edges(db: DuckDBPyConnection, session: int, relation: Relation, edges: Iterable[Joined]) -> None:
    """Makes these the edges of this relation that leave the units of a session, in place of those that it had."""
    own = "select seq from unit where session = ?"
    db.execute(f"delete from edge where relation = ? and src in ({own})", [relation.value, session])
    add_edges(db, [(src, dst, relation.value, weight) for src, dst, weight in edges])


@dataclass(frozen=True, slots=True)
class SentenceRow:
    """A sentence of a session: the numbers of its unit, turn and vector; its weight (words); the vector [d]."""

    unit: int
    turn: int
    number: int
    weight: int
    vector: npt.NDArray[np.float32]


_SENTENCES = """select u.session, u.seq, o.turn, v.seq as number, v.weight, v.data from unit u
    join source o on o.unit = u.seq join vector v on v.seq = u.vector join turn t on t.seq = o.turn
    where {} and u.kind = 'sentence' order by u.session, t.position, u.seq"""
_TURNS = """select t.session, t.seq, t.id, t.speaker, u.seq from turn t join source o on o.turn = t.seq
    join unit u on u.seq = o.unit and u.kind = 'turn' where {} order by t.session, t.position"""
_AMONG = "session in (select unnest(?::integer[]))"


def sentence_rows(db: DuckDBPyConnection, session: int) -> list[SentenceRow]:
    """The sentences of a stored session, in the order of conversation."""
    return _sentence_rows(db, "u.session = ?", session).get(session, [])


def sentence_rows_of(db: DuckDBPyConnection, sessions: Sequence[int]) -> dict[int, list[SentenceRow]]:
    """The same of several sessions, by their numbers; one without a sentence is left out."""
    return _sentence_rows(db, f"u.{_AMONG}", list(sessions))


def _sentence_rows(db: DuckDBPyConnection, where: str, which: int | list[int]) -> dict[int, list[SentenceRow]]:
    rows: dict[int, list[SentenceRow]] = {}
    found = columns(db, _SENTENCES.format(where), [which])
    vectors = unpacked(found.pop("data").tolist(), dimension_of(db)).astype(np.float32)
    for session, unit, turn, number, weight, vector in zip(*found.values(), vectors, strict=True):
        row = SentenceRow(int(unit), int(turn), int(number), int(weight), vector)
        rows.setdefault(int(session), []).append(row)
    return rows


def turn_units(db: DuckDBPyConnection, session: int) -> list[tuple[int, TurnId, str, int]]:
    """For each indexed turn of a session in order: its number, its id, its speaker and its unit's number."""
    return _turn_units(db, "t.session = ?", session).get(session, [])


def turn_units_of(db: DuckDBPyConnection, sessions: Sequence[int]) -> dict[int, list[tuple[int, TurnId, str, int]]]:
    """The same of several sessions, by their numbers; one without an indexed turn is left out."""
    return _turn_units(db, f"t.{_AMONG}", list(sessions))


def _turn_units(
    db: DuckDBPyConnection, where: str, which: int | list[int]
) -> dict[int, list[tuple[int, TurnId, str, int]]]:
    rows: dict[int, list[tuple[int, TurnId, str, int]]] = {}
    for session, *row in db.execute(_TURNS.format(where), [which]).fetchall():
        rows.setdefault(session, []).append(tuple(row))
    return rows


def drop_units(
    db: DuckDBPyConnection, where: str, parameters: Sequence[object] = (), kinds: Collection[Kind] = tuple(Kind)
) -> bool:
    """Removes the units of these kinds for which `where` holds, SQL over a row of `unit` and never from data, with all
    that refers to them; what they had taken the place of holds again. Returns whether there were any.
    """
    which = where if len(kinds) == len(Kind) else f"{where} and {of_kinds(kinds)}"
    if not scalar(db, f"select count(*) from unit where {which}", parameters):
        return False
    own = f"select seq from unit where {which}"
    for table, column, clears in clearing("unit", "seq", kinds):
        cleared = ", ".join(f"{each} = null" for each in clears)
        db.execute(f"update {table} set {cleared} where {column} in ({own})", parameters)
    for table, column in referring("unit", "seq", kinds):
        db.execute(f"delete from {table} where {column} in ({own})", parameters)
    db.execute(f"delete from unit where {which}", parameters)
    return True


def drop_coarse(db: DuckDBPyConnection, session: int) -> None:
    """Removes the round and session units of a session, and what refers to them."""
    drop_units(db, "session = ?", [session], (Kind.ROUND, Kind.SESSION))


def first_units(
    db: DuckDBPyConnection, vectors: Iterable[int], within: Iterable[str] | None = None
) -> dict[tuple[str, int], int]:
    """For each of these vectors, by number, the number of the sentence unit that had it first.

    `within`: in each of these conversations, by its name; else in the whole store, by an empty name.
    """
    where = "vector in (select unnest(?::integer[]))"
    parameters: list[object] = [list(vectors)]
    sql = f"select '' as scope, vector, min(seq) as unit from unit where {where} group by vector"
    if within is not None:
        sql = f"""select s.conversation as scope, vector, min(u.seq) as unit from unit u
            join session s on s.seq = u.session where {where} and s.conversation in (select unnest(?::varchar[]))
            group by all"""
        parameters.append(list(dict.fromkeys(within)))
    found = columns(db, sql, parameters)
    keys = zip(found["scope"].tolist(), found["vector"].tolist(), strict=True)
    return dict(zip(keys, found["unit"].tolist(), strict=True))
