"""Events in the store: EDUs and structured chunks, their arguments, and the edges between them (EMem §3.2).

An argument is one node however many events it takes part in: its number is looked up by its text, without regard to
case. Every table grows by what is new; a session that is read again loses its own events first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..model import Kind, Relation
from .cosine import cosines
from .memories import MemoryRow, append_memories, numbered_memories, whole_units
from .rows import append, columns
from .schema import EVENTS, of_kinds
from .units import Numbers, UnitRows, drop_units, write_units

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Arguments", "EventRow", "SessionEvents", "drop_events", "load_arguments", "write_events"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event to be written. `roles`: what takes part in it, as pairs of a role and the id of an argument."""

    memory: MemoryRow
    type: str
    body: str
    roles: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class SessionEvents:
    """The events of a session, by its number, to be written; `arguments`: by id, all that they name."""

    session: int
    events: Sequence[EventRow]
    arguments: Mapping[str, MemoryRow]


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


def _known_arguments(db: DuckDBPyConnection, ids: Iterable[str]) -> dict[str, int]:
    """The numbers of the arguments that the store has already, by id."""
    found = columns(
        db,
        "select id, seq from unit where kind = 'argument' and id in (select unnest(?::varchar[]))",
        [list(dict.fromkeys(ids))],
    )
    return dict(zip(found["id"].tolist(), found["seq"].tolist(), strict=True))


def write_events(
    db: DuckDBPyConnection,
    sessions: Sequence[SessionEvents],
    synonyms: Callable[[Mapping[int, Floats]], Iterable[tuple[int, int, float]]],
) -> None:
    """Adds the events of sessions, with the arguments that the store has not yet, and what `synonyms` joins these to,
    which are given by number with their vectors: one append a table, whatever the number of sessions.
    """
    numbers = _known_arguments(db, (id_ for each in sessions for id_ in each.arguments))
    first, whole = Numbers.read(db).unit, whole_units(db, [each.session for each in sessions])
    written = []
    for each in sessions:
        written.append(_Written.of(each, UnitRows(each.session, first), numbers, whole))
        new = zip(written[-1].new, written[-1].rows[len(each.events) :], strict=True)
        edges = synonyms({seq: row.vector for seq, row in new})
        written[-1].units.edges += [(src, dst, Relation.SYNONYM.value, cosine) for src, dst, cosine in edges]
        first += len(written[-1].units.ids)
    write_units(db, [each.units for each in written])
    seqs = [seq for each in written for seq in (*each.events, *each.new)]
    append_memories(db, seqs, [row for each in written for row in each.rows])
    _append(db, written, [event for each in sessions for event in each.events])


@dataclass(slots=True)
class _Written:
    """What is added of a session: the numbers of its events and of its new arguments, `rows` of both, and who takes
    part in what.
    """

    units: UnitRows
    events: list[int]
    new: list[int]
    rows: list[MemoryRow]
    roles: list[tuple[int, int, str]]

    @classmethod
    def of(cls, added: SessionEvents, units: UnitRows, numbers: dict[str, int], whole: Mapping[int, int]) -> _Written:
        """Takes the numbers of its new arguments into `numbers`; those that are known get its turns as sources, too."""
        rows = [event.memory for event in added.events]
        seqs = numbered_memories(units, rows, whole)
        known = set(numbers)
        new = {id_: row for id_, row in added.arguments.items() if id_ not in known}
        numbers.update({id_: units.add(Kind.ARGUMENT, id_, row.turns, text=row.text) for id_, row in new.items()})
        for id_, row in added.arguments.items():
            if id_ in known:
                units.sources += [(numbers[id_], turn) for turn in row.turns]
        for seq, event in zip(seqs, added.events, strict=True):
            for argument in dict.fromkeys(numbers[id_] for _, id_ in event.roles):
                units.join(seq, argument, Relation.HAS_ARGUMENT)
        pairs = zip(seqs, added.events, strict=True)
        roles = [(seq, numbers[id_], name) for seq, event in pairs for name, id_ in event.roles]
        return cls(units, seqs, [numbers[id_] for id_ in new], [*rows, *new.values()], roles)


def _append(db: DuckDBPyConnection, written: Sequence[_Written], events: Sequence[EventRow]) -> None:
    bodies = [event.body or None for event in events]
    seqs = [seq for each in written for seq in each.events]
    append(db, "event", {"unit": seqs, "type": [event.type for event in events], "body": bodies})
    if roles := [role for each in written for role in each.roles]:
        event, argument, name = map(list, zip(*roles, strict=True))
        append(db, "role", {"event": event, "argument": argument, "name": name})


def drop_events(db: DuckDBPyConnection, sessions: Sequence[int]) -> None:
    """Removes the events of these sessions, and the arguments that take part in no other."""
    among = "session in (select unnest(?::integer[]))"
    if not drop_units(db, among, [list(sessions)], EVENTS):
        return
    db.execute(
        f"""delete from source where unit in (select seq from unit where {of_kinds([Kind.ARGUMENT])})
            and turn in (select seq from turn where {among})""",
        [list(sessions)],
    )
    drop_units(db, "seq not in (select argument from role)", kinds=[Kind.ARGUMENT])
