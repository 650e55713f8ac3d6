"""A stored session as producers of generated memory read it, and what the ledger says of it.

A language model may have made what a producer makes. The ledger then says so beside what it says of the producer in
general: what a model made is not made again without it, and what was made without it is, once, when a model is asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...model import Session, SessionId, Turn, TurnId
from ...model.generated import SessionText
from ...store import ledger, memories, transcript
from ...store.ledger import Run
from ...store.memories import IndexedTurn
from ...store.revision import bump_revision
from ..plan import Producer

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["StoredSession", "read_sessions", "record"]


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


def read_sessions(db: DuckDBPyConnection, seqs: Sequence[int], producer: Producer) -> list[StoredSession]:
    """The sessions with these numbers, for `producer` to make something of."""
    if not seqs:
        return []
    turns = transcript.turns_of(db, seqs)
    sessions = transcript.sessions_of(db, [each[0].session for each in turns.values()])
    said = memories.said_in(db, seqs)
    entries = ledger.entries(db, seqs, producer.name)
    return [_stored(seq, turns[seq], sessions, said, _kept(entries[seq], producer)) for seq in seqs]


def _stored(
    seq: int,
    turns: Sequence[Turn],
    sessions: Mapping[SessionId, Session],
    said: Mapping[TurnId, IndexedTurn],
    kept: int,
) -> StoredSession:
    sentences, vectors = [said[t.id].sentences for t in turns], [said[t.id].vectors for t in turns]
    text = SessionText(sessions[turns[0].session], turns, sentences, vectors)
    return StoredSession(seq, text, {turn.id: said[turn.id].number for turn in turns}, kept)


def _kept(entries: Mapping[str, int], producer: Producer) -> int:
    """Of how many turns a model made what is stored, with those of which some was added to it since."""
    is_by_model = any(count for name, count in entries.items() if name != producer.name)
    return max(entries.values()) if is_by_model else 0


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
