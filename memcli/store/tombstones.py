"""What was forgotten on purpose: a hash of each turn's id, so that the same transcript does not bring it back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

from ..model import Turn, TurnId
from .connection import Store

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["KEY", "Gate", "bury", "forgotten", "lift"]

#: The hash of a turn's id, as SQL over a row of `turn`; the same as `_key`.
KEY = "sha256('memcli tombstone ' || id)"


def bury(db: DuckDBPyConnection, ids: Sequence[TurnId]) -> None:
    """Notes that these turns are forgotten."""
    lift(db, ids)
    db.execute("insert into tombstone select unnest(?::varchar[]), now()", [[_key(i) for i in ids]])


def forgotten(db: DuckDBPyConnection, ids: Iterable[TurnId]) -> frozenset[TurnId]:
    """Which of these turns were forgotten."""
    by_key = {_key(i): i for i in ids}
    rows = db.execute("select key from tombstone where key in (select unnest(?::varchar[]))", [list(by_key)]).fetchall()
    return frozenset(by_key[key] for (key,) in rows)


def lift(db: DuckDBPyConnection, ids: Iterable[TurnId]) -> None:
    """Lets these turns be stored again."""
    with_keys = [[_key(i) for i in ids]]
    db.execute("delete from tombstone where key in (select unnest(?::varchar[]))", with_keys)


def _key(turn: TurnId) -> str:
    return sha256(f"memcli tombstone {turn}".encode()).hexdigest()


class Gate:
    """Lets those turns pass that were not forgotten; with `allow_again`, all, and their tombstones are lifted.

    The tombstones are read once: what is forgotten later, the writer keeps out.
    """

    def __init__(self, store: Store, *, allow_again: bool = False) -> None:
        self._store = store
        self._allow_again = allow_again
        self._keys: set[str] | None = None

    def __call__(self, turns: Sequence[Turn]) -> Sequence[Turn]:
        """The turns that may be stored. Raises StoreError."""
        if self._keys is None:
            self._keys = self._read()
        gone = {turn.id for turn in turns if _key(turn.id) in self._keys} if self._keys else set()
        if gone and self._allow_again:
            for part in self._store.parts:
                with part.writing() as db:
                    lift(db, gone)
            gone = set()
        return [turn for turn in turns if turn.id not in gone] if gone else turns

    def _read(self) -> set[str]:
        if not self._store.exists:
            return set()
        with self._store.reading() as db:
            return {key for (key,) in db.execute("select key from tombstone").fetchall()}
