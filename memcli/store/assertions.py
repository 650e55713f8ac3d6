"""Assertions in the store: what turns say of people, typed (Tag2Graph, step I)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model import Kind, TurnId
from ..model.generated import Assertion
from ..model.relations import SHAPING, RelationType
from .memories import MemoryRow, append_memories, numbered_memories, whole_units
from .rows import append, from_stored
from .units import Numbers, UnitRows, drop_units, write_units

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["AssertionRow", "assertions_in", "doubtful", "drop_assertions", "stated_of", "write_assertions"]


@dataclass(frozen=True, slots=True)
class AssertionRow:
    """An assertion to be written: its unit, with one source turn, and what is asserted; see `indexing.ontology`."""

    memory: MemoryRow
    relation: str
    tail: str
    negated: bool
    strength: float
    confidence: float


def write_assertions(db: DuckDBPyConnection, sessions: Mapping[int, Sequence[AssertionRow]]) -> None:
    """Makes these the assertions of the sessions with these numbers, in place of what they had."""
    drop_assertions(db, list(sessions))
    rows = [row for own in sessions.values() for row in own]
    if not rows:
        return
    units, first, whole = [], Numbers.read(db).unit, whole_units(db, list(sessions))
    for session, own in sessions.items():
        units.append(UnitRows(session, first))
        first += len(numbered_memories(units[-1], [row.memory for row in own], whole))
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


def assertions_in(db: DuckDBPyConnection, session: int) -> list[tuple[int, str, str, str, float, bool, float]]:
    """The assertions of a session in order: for each the number of its turn, its head, relation and tail, its
    confidence, whether it is negated, its strength.
    """
    return db.execute(
        """select source.turn, label, relation, tail, confidence, negated, strength from assertion
           join memory using (unit) join source using (unit) join unit on unit.seq = assertion.unit
           where unit.session = ? order by assertion.unit""",
        [session],
    ).fetchall()


def stated_of(
    db: DuckDBPyConnection, head: str, turns: Sequence[TurnId] | None = None
) -> list[tuple[int, Assertion, bytes]]:
    """What is asserted of somebody, in these turns or in any, and may shape an answer, as it was said one by one.

    For each the number of its turn, what is asserted, and its vector as float16; of one who speaks of himself the head
    is the speaker.
    """
    rows = db.execute(
        f"""select label, relation, tail, t.said_at, t.utc_offset, t.id, confidence, negated, strength, t.speaker,
               t.seq, memory.data
           from assertion join memory using (unit) join source using (unit) join turn t on t.seq = source.turn
           where confidence >= {SHAPING} and (lower(label) = lower($1) or (lower(t.speaker) = lower($1)
               and lower(label) = lower('the ' || t.speaker)))
               and ($2 is null or t.id in (select unnest($2::varchar[]))) order by t.seq, unit""",
        [head, None if turns is None else list(turns)],
    ).fetchall()
    return [(int(row[-2]), _assertion(row), bytes(row[-1])) for row in rows]


def _assertion(row: Sequence[Any]) -> Assertion:
    head, relation, tail, at, offset, turn, confidence, negated, strength, speaker = row[:10]
    return Assertion(speaker if head.lower() == f"the {speaker}".lower() else head, RelationType(relation), tail,
                     from_stored(at, offset), TurnId(turn), confidence, negated, strength)  # fmt: skip


def doubtful(db: DuckDBPyConnection, below: float) -> tuple[int, int]:
    """How many assertions the store has, and how many of them have a confidence below this."""
    ((of, low),) = db.execute("select count(*), count(*) filter (confidence < ?) from assertion", [below]).fetchall()
    return int(of), int(low)


def drop_assertions(db: DuckDBPyConnection, sessions: Sequence[int]) -> None:
    """Removes the assertions of these sessions."""
    drop_units(db, "session in (select unnest(?::integer[]))", [list(sessions)], [Kind.ASSERTION])
