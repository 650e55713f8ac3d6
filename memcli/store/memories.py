"""Generated memory: summaries, keywords, facts and insights, what they rest on, how long they hold, their vectors.

Their vectors stand apart from the sentences': what was generated is never taken for what was said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..model import Kind, Relation, SessionId, TurnId
from .cosine import cosines
from .identity import dimension_of
from .packing import unpacked
from .rows import append, columns, from_stored, to_stored
from .schema import GENERATED
from .units import Numbers, UnitRows, drop_units

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "Fact",
    "IndexedTurn",
    "MemoryRow",
    "append_memories",
    "drop_memories",
    "facts",
    "numbered_memories",
    "replace",
    "said_in",
    "whole_units",
    "write_memories",
]

Floats = npt.NDArray[np.float32]

_BLOCK = 8192  # vectors that are compared at a time


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """A generated unit, to be written. `turns`: the numbers of its sources; `vector`: float32 [d], of unit length."""

    id: str
    kind: Kind
    text: str
    turns: Sequence[int]
    at: datetime | None
    label: str
    vector: Floats
    support: int = 1
    supported: bool = True
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """A stored fact or insight that still holds: the number of its unit, and what it is compared by."""

    unit: int
    kind: Kind
    text: str
    vector: Floats
    label: str
    session: SessionId
    at: datetime | None
    turns: tuple[TurnId, ...] = ()


def write_memories(db: DuckDBPyConnection, session: int, rows: Sequence[MemoryRow]) -> list[int]:
    """Adds generated units to a session, joined to the session's unit; returns their numbers."""
    units = UnitRows(session, Numbers.read(db).unit)
    seqs = numbered_memories(units, rows, whole_units(db, [session]))
    units.write(db)
    append_memories(db, seqs, rows)
    return seqs


def whole_units(db: DuckDBPyConnection, sessions: Sequence[int]) -> dict[int, int]:
    """The numbers of the units of whole sessions, by the session's; of one without an indexed turn none."""
    rows = db.execute(
        """select session, min(seq) from unit where session in (select unnest(?::integer[])) and kind = 'session'
           group by session""",
        [list(sessions)],
    ).fetchall()
    return dict(rows)


def numbered_memories(units: UnitRows, rows: Sequence[MemoryRow], whole: Mapping[int, int]) -> list[int]:
    """The numbers that generated units get among the `units` of a session; they are joined to its own, of `whole`."""
    seqs = [units.add(row.kind, row.id, row.turns, text=row.text) for row in rows]
    if units.session in whole:
        for seq in seqs:
            units.join(seq, whole[units.session], Relation.MEMBERSHIP)
    return seqs


def append_memories(db: DuckDBPyConnection, seqs: Sequence[int], rows: Sequence[MemoryRow]) -> None:
    """Notes what is known of generated units beside their text and sources, under their numbers."""
    times = [to_stored(row.at) for row in rows]
    append(
        db,
        "memory",
        {
            "unit": seqs,
            "valid_from": [at for at, _ in times],
            "utc_offset": [offset for _, offset in times],
            "valid_to": [None] * len(rows),
            "replaced_by": [None] * len(rows),
            "label": [row.label for row in rows],
            "support": [row.support for row in rows],
            "supported": np.array([row.supported for row in rows], dtype=bool),
            "reason": [row.reason for row in rows],
            "data": [row.vector.astype(np.float16).tobytes() for row in rows],
        },
    )


def drop_memories(db: DuckDBPyConnection, session: int) -> None:
    """Removes what was generated for a session; what it had taken the place of holds again."""
    drop_units(db, "session = ?", [session], GENERATED)


def replace(db: DuckDBPyConnection, old: int, new: int, at: datetime | None) -> None:
    """Notes that the unit `new` has taken the place of `old`, from `at` on: neither is lost."""
    db.execute("update memory set valid_to = ?, replaced_by = ? where unit = ?", [to_stored(at)[0], new, old])


def facts(db: DuckDBPyConnection, kind: Kind, like: Floats | None = None, least: float = 0.0) -> list[Fact]:
    """The supported units of `kind` (facts or insights) that nothing has replaced, in the order in which they came.

    With `like` [n, d]: those alone that have at least the cosine `least` to one of these vectors.
    """
    held = columns(
        db,
        """select m.unit, m.data from memory m join unit u on u.seq = m.unit
           where u.kind = ? and m.supported and m.replaced_by is null order by m.unit""",
        [kind.value],
    )
    if not len(held["unit"]) or (like is not None and not len(like)):
        return []
    vectors = np.frombuffer(b"".join(held["data"].tolist()), dtype=np.float16).reshape(len(held["unit"]), -1)
    chosen = _near(vectors, like, least) if like is not None else np.arange(len(vectors))
    seqs = held["unit"][chosen].tolist()
    vector = dict(zip(seqs, vectors[chosen].astype(np.float32), strict=True))
    found = db.execute(
        """select u.seq, u.text, m.label, s.id, m.valid_from, m.utc_offset, list(t.id order by t.seq)
           from memory m join unit u on u.seq = m.unit join session s on s.seq = u.session
           join source o on o.unit = u.seq join turn t on t.seq = o.turn
           where u.seq in (select unnest(?::integer[]))
           group by all order by u.seq""",
        [seqs],
    ).fetchall()
    return [
        Fact(seq, kind, text, vector[seq], label, SessionId(session), from_stored(at, offset), tuple(turns))
        for seq, text, label, session, at, offset, turns in found
    ]


def _near(vectors: npt.NDArray[np.float16], like: Floats, least: float) -> npt.NDArray[np.intp]:
    """The rows of `vectors` with at least the cosine `least` to some row of `like`; widened block by block."""
    best = [cosines(like, vectors[at : at + _BLOCK]).max(axis=0) for at in range(0, len(vectors), _BLOCK)]
    return np.flatnonzero(np.concatenate(best) >= least)


@dataclass(frozen=True, slots=True)
class IndexedTurn:
    """An indexed turn: its number, its sentences, and their vectors float32 [n, d]."""

    number: int
    sentences: tuple[str, ...]
    vectors: Floats


def said_in(db: DuckDBPyConnection, sessions: Sequence[int]) -> dict[TurnId, IndexedTurn]:
    """The indexed turns of these sessions, by id."""
    found = columns(
        db,
        """select t.id, t.seq, u.text, v.data from unit u join source o on o.unit = u.seq join turn t on t.seq = o.turn
           join vector v on v.seq = u.vector where u.session in (select unnest(?::integer[])) and u.kind = 'sentence'
           order by t.session, t.position, u.seq""",
        [list(sessions)],
    )
    out: dict[TurnId, IndexedTurn] = {}
    ids = found["id"].tolist()
    vectors = unpacked(found["data"].tolist(), dimension_of(db)).astype(np.float32)
    starts = [i for i in range(len(ids)) if i == 0 or ids[i] != ids[i - 1]]
    for start, end in zip(starts, [*starts[1:], len(ids)], strict=True):
        said = tuple(found["text"][start:end].tolist())
        out[TurnId(ids[start])] = IndexedTurn(int(found["seq"][start]), said, vectors[start:end])
    return out
