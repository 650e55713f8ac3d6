"""What an id stands for, in its surroundings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import NothingFound, UsageError
from ..store import naming
from ..store.excerpts import Excerpt, excerpts

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from ..model import TurnId
    from ..store.connection import Store

__all__ = ["Entry", "show"]


@dataclass(frozen=True, slots=True)
class Entry:
    """What has this id. `text`: what it says itself, as a fact does; empty for turns and sessions."""

    id: str
    text: str
    excerpts: Sequence[Excerpt]


def show(store: Store, ids: Sequence[str], around: int, *, whole: bool) -> list[Entry]:
    """See `Memory.show`."""
    if around < 0:
        raise UsageError("-C must be at least 0")
    with store.reading() as db:
        return list(_entries(db, ids, None if whole else around))


def _entries(db: DuckDBPyConnection, ids: Sequence[str], around: int | None) -> Iterator[Entry]:
    for name, turns in dict(_named(db, id_) for id_ in ids).items():
        yield Entry(name, naming.wording(db, name), excerpts(db, turns, around))


def _named(db: DuckDBPyConnection, id_: str) -> tuple[str, list[TurnId]]:
    """The whole id of which this is all, or the beginning, and the turns that it stands for."""
    if turns := naming.turns(db, id_):
        return id_, turns
    name = naming.whole(db, id_)
    if not (turns := naming.turns(db, name) if name != id_ else []):
        raise NothingFound(f"nothing in the store has the id {id_}", "memcli search shows the ids")
    return name, turns
