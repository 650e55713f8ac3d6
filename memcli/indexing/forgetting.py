"""Turns out of the store with all that was made of them, in one transaction: all of it or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..model import SessionId, TurnId
from ..store import concepts, forgetting, lifted, units
from ..store.connection import Store
from ..store.forgetting import Doomed
from ..store.identity import identity
from ..store.rows import transaction
from ..store.units import Numbers, UnitRows
from .writer import PlacedTurn, coarse_units

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["forget"]


def forget(store: Store, turns: Sequence[TurnId]) -> Doomed:
    """Forgets these turns; those that the store has no more are passed over. Raises StoreError."""
    with store.writing() as db, transaction(db):
        doomed = forgetting.doom(db, turns)
        forgetting.remove(db, doomed)
        first = Numbers.read(db).unit
        for number, session in doomed.rest:
            first = _made_again(db, first, number, session)
        _learned_again(db)
    return doomed


def _learned_again(db: DuckDBPyConnection) -> None:
    """Learns topics and strengths from what is left: they hold something of every assertion and every answer."""
    from .concepts import grow, sensitive
    from .feedback import settle

    lifted.drop_forgotten(db)
    filled = identity(db)
    if filled is not None:
        concepts.drop_concepts(db)
        grow(db, filled.dimension, sensitive())
    settle(db)


def _made_again(db: DuckDBPyConnection, first: int, number: int, session: SessionId) -> int:
    """Adds the rounds and the session over the turns that are left; returns the next free number of a unit."""
    rows = UnitRows(number, first)
    turns = [PlacedTurn(*row) for row in units.turn_units(db, number)]
    if turns:
        coarse_units(rows, session, turns, units.sentence_rows(db, number))
        rows.write(db)
    return first + len(rows.ids)
