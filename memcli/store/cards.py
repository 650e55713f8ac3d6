"""What cards are made of: a person's own turns, what is asserted in them, and what people said is wrong on a card."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..model import Turn, TurnId
from ..model.generated import Assertion
from . import transcript
from .assertions import stated_of
from .ids import Tag
from .rows import append

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "NotedRow", "decide_note", "notes", "own_assertions", "own_turns", "unread", "write_notes", "wrong_notes",
]  # fmt: skip

#: What is noted: the turn that tells it, kind and value, how probably it is told of who speaks. A turn that tells
#: nothing has a row without a kind.
NotedRow = tuple[TurnId, str, str, float]


def own_turns(db: DuckDBPyConnection, speaker: str, conversation: str | None) -> list[Turn]:
    """What somebody said, in the order of time; what is undated comes first."""
    rows = db.execute(
        """select t.seq from turn t join session s on s.seq = t.session
           where t.speaker = $1 and ($2::varchar is null or lower(s.conversation) = lower($2))
           order by t.said_at nulls first, t.seq""",
        [speaker, conversation],
    ).fetchall()
    return transcript.turns_by_number(db, [seq for (seq,) in rows])


def unread(db: DuckDBPyConnection, speaker: str, version: int) -> list[tuple[TurnId, int]]:
    """The turns of somebody that this version of what notes did not read, each with the number of its session."""
    rows = db.execute(
        """select id, session from turn where speaker = ?
           and seq not in (select turn from noted where version = ?) order by seq""",
        [speaker, version],
    ).fetchall()
    return [(TurnId(turn), int(session)) for turn, session in rows]


def write_notes(db: DuckDBPyConnection, rows: Sequence[NotedRow], version: int) -> None:
    """Makes these the notes of their turns, of those that are still there."""
    numbers = {turn: number for turn, (number, _) in transcript.indexed(db, list({row[0] for row in rows})).items()}
    db.execute("delete from noted where turn in (select unnest(?::integer[]))", [list(numbers.values())])
    kept = [(numbers[turn], version, *rest) for turn, *rest in rows if turn in numbers]
    if kept:
        columns = ("turn", "version", "kind", "value", "chance")
        append(db, "noted", {name: list(values) for name, values in zip(columns, zip(*kept, strict=True), strict=True)})


def notes(db: DuckDBPyConnection, speaker: str) -> list[NotedRow]:
    """What is noted of somebody's own turns, in the order of the store."""
    rows = db.execute(
        """select t.id, kind, value, chance from noted n join turn t on t.seq = n.turn
           where t.speaker = ? and kind <> '' order by t.seq""",
        [speaker],
    ).fetchall()
    return [(TurnId(turn), str(kind), str(value), float(chance)) for turn, kind, value, chance in rows]


def own_assertions(db: DuckDBPyConnection, speaker: str, turns: list[TurnId]) -> list[Assertion]:
    """What is asserted in these turns of who speaks in them."""
    own = set(turns)
    return [each for _, each, _ in stated_of(db, speaker) if each.turn in own and each.head == speaker]


def wrong_notes(db: DuckDBPyConnection) -> set[str]:
    """The ids of what people said is wrong on a card."""
    rows = db.execute("select edge from decision where starts_with(edge, ?)", [Tag.NOTE.prefix]).fetchall()
    return {str(edge) for (edge,) in rows}


def decide_note(db: DuckDBPyConnection, name: str, turn: TurnId, *, holds: bool) -> None:
    """Notes that something on a card is wrong, or takes that back; in the caller's transaction."""
    db.execute("delete from decision where edge = ?", [name])
    if not holds:
        db.execute("insert into decision values (?, '', ?, now())", [name, turn])
