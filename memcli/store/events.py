"""Events in the store: EDUs and structured chunks, their arguments, and the edges between them (EMem §3.2).

An argument is one node however many events it takes part in: its number is looked up by its text, without regard to
case. Every table grows by what is new; a session that is read again loses its own events first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..model import Kind, Relation
from .cosine import cosines
from .memories import MemoryRow, append_memories, numbered_memories
from .rows import append, columns
from .schema import EVENTS, of_kinds
from .units import Numbers, UnitRows, drop_units

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Arguments", "EventRow", "drop_events", "find_arguments", "load_arguments", "write_events"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event to be written. `roles`: what takes part in it, as pairs of a role and the id of an argument."""

    memory: MemoryRow
    type: str
    body: str
    roles: Sequence[tuple[str, str]]


@dataclass(slots=True)
class Arguments:
    """The arguments of a store in memory, kept up to date while sessions are added: numbers, and vectors [n, d]."""

    seqs: list[int]
    vectors: list[npt.NDArray[np.float16]]
    neighbours: dict[int, int]

    def synonyms(self, new: Mapping[int, Floats], least: float, most: int) -> list[tuple[int, int, float]]:
        """Takes in new arguments, by number; returns E_syn: the pairs that hold one, with their cosine (EMem §3.2).

        A new argument is joined to the nearest ones, and to none that has `most` neighbours already.
        """
        edges: list[tuple[int, int, float]] = []
        for start in range(0, len(new), _BLOCK):
            part = dict(list(new.items())[start : start + _BLOCK])
            edges += self._joined(list(part), np.stack(list(part.values())), least, most)
        return edges

    def _joined(self, seqs: list[int], rows: Floats, least: float, most: int) -> list[tuple[int, int, float]]:
        before = len(self.seqs)
        self.seqs += seqs
        self.vectors.append(rows.astype(np.float16))
        pairs = []
        at = 0
        for block in self.vectors:
            alike = cosines(rows, block)
            for new, old in np.argwhere(alike >= least).tolist():
                if at + old < before + new:  # each pair once, and none with itself
                    pairs.append((float(alike[new, old]), seqs[new], self.seqs[at + old]))
            at += len(block)
        return [
            (a, b, cosine) for cosine, a, b in sorted(pairs, key=lambda p: (-p[0], p[1:])) if self._takes(a, b, most)
        ]

    def _takes(self, a: int, b: int, most: int) -> bool:
        room = max(self.neighbours.get(a, 0), self.neighbours.get(b, 0)) < most
        if room:
            for end in (a, b):
                self.neighbours[end] = self.neighbours.get(end, 0) + 1
        return room


_BLOCK = 4096


def load_arguments(db: DuckDBPyConnection, dimension: int, before: int) -> Arguments:
    """The arguments of the open store whose units have numbers below `before`."""
    found = columns(
        db,
        """select u.seq, m.data from unit u join memory m on m.unit = u.seq
           where u.kind = 'argument' and u.seq < ? order by u.seq""",
        [before],
    )
    joined = columns(
        db,
        """select node, count(*) as many from (select src as node from edge where relation = 'synonym'
           union all select dst from edge where relation = 'synonym') group by node""",
    )
    rows = np.frombuffer(b"".join(found["data"].tolist()), dtype=np.float16).reshape(-1, dimension)
    blocks = [rows[at : at + _BLOCK] for at in range(0, len(rows), _BLOCK)]
    neighbours = dict(zip(joined["node"].tolist(), joined["many"].tolist(), strict=True))
    return Arguments(found["seq"].tolist(), blocks, neighbours)


def find_arguments(db: DuckDBPyConnection, ids: Iterable[str]) -> dict[str, int]:
    """The numbers of the arguments that the store has already, by id."""
    found = columns(
        db,
        "select id, seq from unit where kind = 'argument' and id in (select unnest(?::varchar[]))",
        [list(dict.fromkeys(ids))],
    )
    return dict(zip(found["id"].tolist(), found["seq"].tolist(), strict=True))


def write_events(
    db: DuckDBPyConnection, session: int, events: Sequence[EventRow], arguments: Mapping[str, MemoryRow]
) -> dict[str, int]:
    """Adds a session's events, with the arguments that the store has not yet; returns all their arguments' numbers.

    `arguments`: by id, all that the events name. One that the store has gets their turns as sources, too.
    """
    numbers = find_arguments(db, (id_ for event in events for _, id_ in event.roles))
    units = UnitRows(session, Numbers.read(db).unit)
    rows = [event.memory for event in events]
    seqs = numbered_memories(db, units, rows)
    new = [id_ for id_ in dict.fromkeys(id_ for event in events for _, id_ in event.roles) if id_ not in numbers]
    new_rows = [arguments[id_] for id_ in new]
    numbers |= {
        id_: units.add(Kind.ARGUMENT, id_, row.turns, text=row.text) for id_, row in zip(new, new_rows, strict=True)
    }
    for id_ in set(arguments).intersection(numbers).difference(new):
        units.sources += [(numbers[id_], turn) for turn in arguments[id_].turns]
    roles = []
    for seq, event in zip(seqs, events, strict=True):
        for argument in dict.fromkeys(numbers[id_] for _, id_ in event.roles):
            units.join(seq, argument, Relation.HAS_ARGUMENT)
        roles += [(seq, numbers[id_], name) for name, id_ in event.roles]
    units.write(db)
    append_memories(db, [*seqs, *(numbers[id_] for id_ in new)], [*rows, *new_rows])
    _append(db, seqs, events, roles)
    return numbers


def _append(
    db: DuckDBPyConnection, seqs: Sequence[int], events: Sequence[EventRow], roles: Sequence[tuple[int, int, str]]
) -> None:
    bodies = [event.body or None for event in events]
    append(db, "event", {"unit": seqs, "type": [event.type for event in events], "body": bodies})
    if roles:
        event, argument, name = map(list, zip(*roles, strict=True))
        append(db, "role", {"event": event, "argument": argument, "name": name})


def drop_events(db: DuckDBPyConnection, session: int) -> None:
    """Removes the events of a session, and the arguments that take part in no other."""
    drop_units(db, "session = ?", [session], EVENTS)
    db.execute(
        f"""delete from source where unit in (select seq from unit where {of_kinds([Kind.ARGUMENT])})
            and turn in (select seq from turn where session = ?)""",
        [session],
    )
    drop_units(db, "seq not in (select argument from role)", kinds=[Kind.ARGUMENT])
