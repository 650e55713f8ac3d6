"""What cards are made of: a person's own turns, what is asserted in them, and what people said is wrong on a card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..model import Turn, TurnId
from ..model.generated import Assertion
from . import transcript
from .assertions import stated_of
from .ids import Tag

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["decide_note", "own_assertions", "own_turns", "wrong_notes"]


def own_turns(db: DuckDBPyConnection, speaker: str, conversation: str | None) -> list[Turn]:
    """What somebody said, in the order of time; what is undated comes first."""
    rows = db.execute(
        """select t.seq from turn t join session s on s.seq = t.session
           where t.speaker = $1 and ($2::varchar is null or lower(s.conversation) = lower($2))
           order by t.said_at nulls first, t.seq""",
        [speaker, conversation],
    ).fetchall()
    return transcript.turns_by_number(db, [seq for (seq,) in rows])


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
