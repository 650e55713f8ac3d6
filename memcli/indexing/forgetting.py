"""Turns out of the store with all that was made of them, in one transaction: all of it or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..model import SessionId, TurnId
from ..store import forgetting, units
from ..store import topics as concepts
from ..store.connection import Store
from ..store.forgetting import Marked
from ..store.identity import identity
from ..store.rows import transaction
from ..store.units import Numbers, UnitRows
from .transcript.writer import PlacedTurn, coarse_units

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["forget", "forget_within", "learn_again"]

#: Of so many sessions the vectors are held at once.
_SESSIONS = 500


def forget(store: Store, turns: Sequence[TurnId]) -> Marked:
    """Forgets these turns; those that the store has no more are passed over. Raises StoreError."""
    with store.writing() as db, transaction(db):
        return forget_within(db, turns)


def forget_within(db: DuckDBPyConnection, turns: Sequence[TurnId]) -> Marked:
    """The same, within a transaction of the caller's."""
    marked = forgetting.mark(db, turns)
    forgetting.remove(db, marked)
    for start in range(0, len(marked.rest), _SESSIONS):
        _make_again(db, marked.rest[start : start + _SESSIONS])
    learn_again(db, topics=marked.asserts)
    return marked


def learn_again(db: DuckDBPyConnection, *, topics: bool) -> None:
    """Learns strengths from what is left, and `topics`: they hold something of every answer and every assertion."""
    from .ontology.topics import grow, sensitive
    from .strengths import settle

    filled = identity(db)
    if topics and filled is not None:
        concepts.drop_concepts(db)
        grow(db, filled.dimension, sensitive())
    settle(db)


def _make_again(db: DuckDBPyConnection, sessions: Sequence[tuple[int, SessionId]]) -> None:
    """Adds the rounds and the sessions over the turns that are left of these."""
    numbers = [number for number, _ in sessions]
    turns, sentences = units.turn_units_of(db, numbers), units.sentence_rows_of(db, numbers)
    first, made = Numbers.read(db).unit, list[UnitRows]()
    for number, session in sessions:
        if number in turns:
            rows = UnitRows(number, first)
            coarse_units(rows, session, [PlacedTurn(*row) for row in turns[number]], sentences[number])
            made.append(rows)
            first += len(rows.ids)
    if made:
        units.write_units(db, made)
