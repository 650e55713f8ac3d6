"""What a store is made with: the embedder's name, id and dimension, and the means to begin anew with another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import StoreDamaged, UsageError
from . import ledger
from .revision import bump_revision
from .rows import transaction
from .schema import TABLES, Origin

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "Identity",
    "another_embedder",
    "begin_anew",
    "dimension_of",
    "identity",
    "set_identity",
    "settle_identity",
]


@dataclass(frozen=True, slots=True)
class Identity:
    """The embedder that filled a store: its name on the command line, its id, the length of its vectors."""

    name: str
    id: str
    dimension: int


def identity(db: DuckDBPyConnection) -> Identity | None:
    """The embedder of the open store; None where nothing was embedded yet."""
    found = dict(db.execute("select key, value from meta where starts_with(key, 'embedder.')").fetchall())
    if not found:
        return None
    try:
        return Identity(found["embedder.name"], found["embedder.id"], int(found["embedder.dimension"]))
    except (KeyError, ValueError) as error:
        raise StoreDamaged("the store does not say which embedder filled it", "memcli compact --re-embed") from error


def dimension_of(db: DuckDBPyConnection) -> int:
    """How many numbers a vector of the open store has; 1 where there is none."""
    held = identity(db)
    return held.dimension if held else 1


def set_identity(db: DuckDBPyConnection, chosen: Identity) -> None:
    """Notes the embedder of the open store, the whole of it at once."""
    with transaction(db):
        _note(db, chosen)


def settle_identity(db: DuckDBPyConnection, chosen: Identity) -> None:
    """Notes the embedder of the open store, the whole of it at once, where it has none yet.

    Raises UsageError where somebody else has noted another meanwhile.
    """
    held = identity(db)
    if held is None:
        set_identity(db, chosen)
    elif held.id != chosen.id:
        raise another_embedder(held, chosen, f"use --embedder {held.name}")


def another_embedder(held: Identity, chosen: Identity, cure: str) -> UsageError:
    """What to say where a store is to be filled with another embedder than the one that filled it."""
    return UsageError(
        f"this store was filled with {held.id}, not {chosen.id}",
        f"{cure}, or embed everything again with memcli compact --re-embed",
    )


def _note(db: DuckDBPyConnection, chosen: Identity) -> None:
    db.execute("delete from meta where starts_with(key, 'embedder.')")
    for key, value in (("name", chosen.name), ("id", chosen.id), ("dimension", str(chosen.dimension))):
        db.execute("insert into meta values (?, ?)", [f"embedder.{key}", value])


def begin_anew(db: DuckDBPyConnection, chosen: Identity) -> None:
    """Removes everything rebuildable and notes another embedder, in one transaction.

    What was said stays, and the ledger knows what is to be made again: whoever makes it may be interrupted.
    """
    with transaction(db):
        for table in TABLES.values():
            if table.origin is Origin.REBUILDABLE and table.name != "built":
                db.execute(f"delete from {table.name}")
        ledger.begin_anew(db)
        _note(db, chosen)
        bump_revision(db)
