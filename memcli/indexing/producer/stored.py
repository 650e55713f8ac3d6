"""A stored session as producers of generated memory read it, and what the ledger says of it.

A language model may have made what a producer makes. The ledger then says so beside what it says of the producer in
general: what a model made is not made again without it, and what was made without it is, once, when a model is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...model import TurnId
from ...model.generated import SessionText
from ...store import ledger, memories, transcript
from ...store.ledger import Run
from ...store.revision import bump_revision
from ..plan import Producer

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["StoredSession", "read_session", "record"]


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A stored session: its number, its text, and the numbers of its turns.

    What was made of its first `kept` turns is a model's: only a model makes it again.
    """

    seq: int
    text: SessionText
    numbers: dict[TurnId, int]
    kept: int

    def rest(self) -> SessionText:
        """The turns of which memory may be made without a model."""
        text, kept = self.text, self.kept
        return SessionText(text.session, text.turns[kept:], text.sentences[kept:], text.vectors[kept:])


def read_session(db: DuckDBPyConnection, seq: int, producer: Producer) -> StoredSession:
    """The session with this number, for `producer` to make something of."""
    turns = transcript.turns_of(db, seq)
    session = transcript.sessions_of(db, [turns[0].session])[turns[0].session]
    said = memories.said_in(db, seq)
    text = SessionText(session, turns, [said[t.id].sentences for t in turns], [said[t.id].vectors for t in turns])
    return StoredSession(seq, text, {turn: found.number for turn, found in said.items()}, _kept(db, seq, producer))


def _kept(db: DuckDBPyConnection, seq: int, producer: Producer) -> int:
    """Of how many turns a model made what is stored, with those of which some was added to it since."""
    turns = ledger.entries(db, seq, producer.name)
    is_by_model = any(count for name, count in turns.items() if name != producer.name)
    return max(turns.values()) if is_by_model else 0


def record(db: DuckDBPyConnection, of: Producer, made: Sequence[tuple[StoredSession, Producer, int]]) -> None:
    """Notes that `of` has been run for sessions, and by which model's producer, in its version: one takes any other's
    place.
    """
    runs = [Run(session.seq, of.name, of.version, len(session.text.turns)) for session, _, _ in made]
    for session, by, version in made:
        if by.name != of.name:
            ledger.drop_models(db, session.seq, of.name)
            runs.append(Run(session.seq, by.name, version, len(session.text.turns)))
    ledger.record_built(db, runs)
    bump_revision(db)
