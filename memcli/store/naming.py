"""What an id stands for, whatever it names: any id that memcli prints is taken wherever it takes one.

Of what is no turn, the turns are meant that it was made of, rests on, or cites.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..model import TurnId
from . import lifted
from .ids import CHUNKS, FORMERLY, TAGS, Tag, noted_in, with_tag

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["nodes", "turns", "whole", "wording"]

#: So many digits may stand for an id, where no other begins with them.
_DIGITS = 4


def turns(db: DuckDBPyConnection, name: str) -> list[TurnId]:
    """The turns that the whole id `name` stands for, as they were said; none where nothing has it."""
    found = (
        _of_units(db, [noted_in(name), *_renamed(name)])
        or _cited(db, name)
        or _rested_on(db, name)
        or _of_chunk(db, name)
    )
    rows = db.execute(
        "select id from turn where id in (select unnest(?::varchar[])) order by session, position", [found]
    ).fetchall()
    return [TurnId(turn) for (turn,) in rows]


def whole(db: DuckDBPyConnection, beginning: str) -> str:
    """The one id that begins so, with four digits at least, of what stands on a card its turn's; what was given where
    none does.

    Raises UsageError where several do.
    """
    digits = beginning.partition(":")[2]
    if len(digits) < _DIGITS or noted_in(beginning) != beginning:
        return beginning
    is_note = beginning.startswith(Tag.NOTE.prefix)  # what is noted of a turn begins as that does
    rows = db.execute(
        """select id from (select id from turn union select id from session union select id from unit
                           union select id from answered)
           where starts_with(id, ?) limit 2""",
        [with_tag(digits[:16], Tag.TURN) if is_note else beginning],
    ).fetchall()
    if len(rows) > 1:
        raise UsageError(f"several ids begin with {beginning}", "write more of it")
    return str(rows[0][0]) if rows else beginning


def wording(db: DuckDBPyConnection, name: str) -> str:
    """What the thing called `name` says itself: a unit's text, the question of an answer; empty for what was said."""
    rows = db.execute(
        """select text from unit where text is not null and id in (select unnest(?::varchar[]))
           union all select question from answered where id = ?""",
        [[name, *_renamed(name)], name],
    ).fetchall()
    return str(rows[0][0]) if rows else ""


def nodes(db: DuckDBPyConnection, name: str) -> list[str]:
    """The ids of the units that `name` stands for: itself where a unit's id begins so or nothing has it."""
    if db.execute("select 1 from unit where starts_with(id, ?) limit 1", [name]).fetchall():
        return [name]
    for each in _renamed(name):
        if db.execute("select 1 from unit where id = ?", [each]).fetchall():
            return [each]
    if name.startswith(CHUNKS) and (chunk := _chunk(db, name)):
        return chunk
    return [str(turn) for turn in turns(db, name)] or [name]


def _renamed(name: str) -> Iterator[str]:
    """What is called so today, if it was called `name` before tags were renamed."""
    tag, _, digits = name.partition(":")
    return (TAGS[kind].prefix + digits for kind, old in FORMERLY.items() if old == tag)


def _of_units(db: DuckDBPyConnection, names: Sequence[str]) -> list[str]:
    rows = db.execute(
        """with wanted as (select unnest(?::varchar[]) as id)
           select t.id from turn t join wanted w on w.id = t.id union
           select t.id from turn t join session s on s.seq = t.session join wanted w on w.id = s.id union
           select t.id from unit u join wanted w on w.id = u.id join source o on o.unit = u.seq
               join turn t on t.seq = o.turn""",
        [list(names)],
    ).fetchall()
    return [str(turn) for (turn,) in rows]


def _cited(db: DuckDBPyConnection, name: str) -> list[str]:
    return [str(turn) for (turn,) in db.execute("select turn from cited where answer = ?", [name]).fetchall()]


def _rested_on(db: DuckDBPyConnection, name: str) -> list[str]:
    if not name.startswith(Tag.CONCEPT.prefix):
        return []
    edges = [edge for edge in lifted.edges(db) if edge.id == name]
    return [str(turn) for edge in edges for turn in lifted.turns(db, edge)]


def _of_chunk(db: DuckDBPyConnection, name: str) -> list[str]:
    return _of_units(db, _chunk(db, name)) if name.startswith(CHUNKS) else []


def _chunk(db: DuckDBPyConnection, name: str) -> list[str]:
    kind, _, turn = name.partition(":")
    rows = db.execute(
        """select u.id from unit u join source o on o.unit = u.seq join turn t on t.seq = o.turn
           where u.kind = ? and t.id = ?""",
        [kind, turn],
    ).fetchall()
    return [str(unit) for (unit,) in rows]
