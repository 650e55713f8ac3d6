"""Which turns a command is about: by id, session, speaker, conversation and date, all of which must hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ..errors import NothingFound
from ..model import Filters, TurnId
from . import names, naming

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Selection", "condition", "selected"]


@dataclass(frozen=True, slots=True)
class Selection:
    """Turns that `ids` stand for (see `naming`: a session's are all its turns) and that pass the filters.

    No ids: all turns that pass. A turn without a time passes no bound on time.
    """

    ids: Sequence[str] = ()
    filters: Filters = field(default_factory=Filters)

    @property
    def is_everything(self) -> bool:
        """Whether nothing was chosen by anything."""
        return not self.ids and self.filters == Filters()


def selected(db: DuckDBPyConnection, which: Selection) -> list[TurnId]:
    """The turns, conversation by conversation, as they were said. Raises NothingFound for an id that is not stored."""
    where, parameters = condition(db, which)
    rows = db.execute(
        f"""select t.id from turn t join session s on s.seq = t.session where {where}
            order by s.conversation, t.session, t.position""",
        parameters,
    ).fetchall()
    return [TurnId(turn) for (turn,) in rows]


def condition(db: DuckDBPyConnection, which: Selection) -> tuple[str, list[object]]:
    """The selection as SQL over a turn `t` with its session `s`, and its parameters. Raises what `selected` does."""
    parts = [("true", None), *_conditions(db, which)]
    return " and ".join(sql for sql, _ in parts), [value for _, value in parts if value is not None]


def _conditions(db: DuckDBPyConnection, which: Selection) -> Iterator[tuple[str, object]]:
    filters = names.named(db, which.filters)
    if which.ids:
        yield "t.id in (select unnest(?::varchar[]))", _named(db, which.ids)
    if filters.speaker is not None:
        yield "t.speaker in (select unnest(?::varchar[]))", _called(db, filters.speaker)
    if filters.conversation is not None:
        yield "lower(s.conversation) = lower(?)", filters.conversation
    if filters.since is not None:
        yield "t.said_at >= ?", _as_stored(filters.since)
    if filters.until is not None:
        yield "t.said_at < ?", _as_stored(filters.until)


def _called(db: DuckDBPyConnection, name: str) -> list[str]:
    """The speakers of this name, without regard to case."""
    names = db.execute("select distinct speaker from turn").fetchall()
    return [each for (each,) in names if each.casefold() == name.casefold()]


def _as_stored(moment: datetime) -> datetime:
    return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)


def _named(db: DuckDBPyConnection, ids: Sequence[str]) -> list[TurnId]:
    found = {each: naming.turns(db, each) for each in ids}
    unknown = [each for each, turns in found.items() if not turns]
    if unknown:
        more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
        raise NothingFound(f"nothing in the store has the id {min(unknown)}{more}", "memcli search shows the ids")
    return list(dict.fromkeys(turn for turns in found.values() for turn in turns))
