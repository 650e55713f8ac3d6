"""What a store holds, counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ..model import Kind
from . import lexical, migrations
from .connection import Store
from .identity import Identity, identity
from .rows import from_stored, scalar
from .schema import GENERATED, SAID, TABLES

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Statistics", "statistics"]

_COUNTED = [table.name for table in TABLES.values() if table.counted]
_GENERATED = [kind.value for kind in GENERATED]
_EVENTS = [kind.value for kind in Kind if kind not in {*SAID, *GENERATED}]


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts by name. `first` and `last`: when the oldest and the newest dated turn was said; `size` in bytes.

    `topics`: how many there are, and how many edges were lifted of them. `tokens`: what the kept calls of models cost,
    in prompts and completions. `languages`: how many turns are in each beside English. `snapshots`: the rows that each
    covers.
    """

    conversations: int
    speakers: int
    tables: Mapping[str, int]
    undated: int
    languages: Mapping[str, int]
    first: datetime | None
    last: datetime | None
    units: Mapping[str, int]
    edges: Mapping[str, int]
    unsupported: int
    topics: tuple[int, int]
    tokens: tuple[int, int]
    snapshots: Mapping[str, int]
    embedder: Identity | None
    schema: int
    size: int

    def of_kinds(self, kinds: list[str]) -> dict[str, int]:
        """How many units there are of each of these kinds, of which there are any."""
        return {kind: self.units[kind] for kind in kinds if kind in self.units}

    @property
    def generated(self) -> dict[str, int]:
        """Generated memory, by kind."""
        return self.of_kinds(_GENERATED)

    @property
    def events(self) -> dict[str, int]:
        """Events and what takes part in them, by kind."""
        return self.of_kinds(_EVENTS)


def statistics(store: Store) -> Statistics:
    """Counts what the store holds. Raises StoreError."""
    with store.reading() as db:
        size = sum(part.path.stat().st_size for part in store.parts if part.path is not None)
        return Statistics(
            conversations=int(scalar(db, "select count(distinct conversation) from session")),
            speakers=int(scalar(db, "select count(distinct speaker) from turn")),
            tables={table: int(scalar(db, f"select count(*) from {table}")) for table in _COUNTED},
            undated=int(scalar(db, "select count(*) from turn where said_at is null")),
            languages=lexical.languages(db),
            first=_dated(db, "asc"),
            last=_dated(db, "desc"),
            units=_counts(db, "select kind, count(*) from unit group by kind order by kind"),
            edges=_counts(db, "select relation, count(*) from edge group by relation order by relation"),
            unsupported=int(scalar(db, "select count(*) from memory where not supported")),
            topics=_topics(db),
            tokens=_tokens(db),
            snapshots=_counts(db, "select name, max(rows) from snapshot group by name order by name"),
            embedder=identity(db),
            schema=migrations.version(db),
            size=size,
        )


def _counts(db: DuckDBPyConnection, sql: str) -> dict[str, int]:
    return {str(name): int(count) for name, count in db.execute(sql).fetchall()}


def _topics(db: DuckDBPyConnection) -> tuple[int, int]:
    belonging = "seq in (select concept from belongs)"  # else a seed is none yet
    topics = scalar(db, f"select count(*) from concept where kind = 'topic' or (kind = 'seed' and {belonging})")
    return int(topics), int(scalar(db, "select count(*) from lifted where declined = ''"))


def _dated(db: DuckDBPyConnection, order: str) -> datetime | None:
    rows = db.execute(
        f"select said_at, utc_offset from turn where said_at is not null order by said_at {order} limit 1"
    ).fetchall()
    return from_stored(*rows[0]) if rows else None


def _tokens(db: DuckDBPyConnection) -> tuple[int, int]:
    """What the replies that can be read say that they cost."""
    ((prompt, completion),) = db.execute("""
        with reply as (select case when json_valid(response) then response end as json from call)
        select coalesce(sum(try_cast(json_extract_string(json, '$.prompt') as bigint)), 0),
               coalesce(sum(try_cast(json_extract_string(json, '$.completion') as bigint)), 0) from reply""").fetchall()
    return int(prompt), int(completion)
