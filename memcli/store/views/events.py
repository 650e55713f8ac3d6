"""The event graph as a view shows it: arrays to score and walk over, and events to hand out when they are chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...model import Kind, TurnId, Unit, UnitId
from ..rows import Columns, columns, from_microseconds
from ..schema import EVENTS, of_kinds
from .view import View

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["EventGraph", "bodies", "event_graph"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class EventGraph:
    """G = (V, E) of EMem §3.2. Events and arguments have places from 0, each their own.

    Of the events: their numbers in the store, `session` by place among the view's sessions, `vectors` float32 [n, d],
    `supported`; `members` and `rows` pair them with the rows of their source turns. Of the arguments: `texts` and their
    vectors. `links` pairs events with arguments, `synonyms` arguments with a cosine.
    """

    seqs: Ints
    session: Ints
    sessions: int
    vectors: Floats
    supported: Bools
    members: Ints
    rows: Ints
    texts: Sequence[str]
    argument_vectors: Floats
    links: tuple[Ints, Ints]
    synonyms: tuple[Ints, Ints, npt.NDArray[np.float64]]
    _shown: Columns
    _units: dict[int, Unit] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """How many events there are."""
        return len(self.seqs)

    def allowed(self, turns: Bools, *, unsupported: bool = False) -> Bools:
        """Which events rest on allowed turns alone, and are supported by them, or need not be."""
        refused = np.bincount(self.members, weights=~turns[self.rows], minlength=self.n)
        found: Bools = (refused == 0) & (self.supported | unsupported)
        return found

    def units(self, view: View, places: Sequence[int]) -> list[Unit]:
        """The events at these places."""
        missing = [place for place in places if place not in self._units]
        if missing:
            bounds = np.searchsorted(self.members, [[place, place + 1] for place in missing])
            turns = view.fetch([int(row) for start, end in bounds for row in self.rows[start:end]])
            said = iter(turns)
            for place, (start, end) in zip(missing, bounds.tolist(), strict=True):
                self._units[place] = self._unit(place, tuple(turn.id for turn in islice(said, end - start)))
        return [self._units[place] for place in places]

    def _unit(self, place: int, sources: tuple[TurnId, ...]) -> Unit:
        names = ("id", "kind", "text", "label", "said", "utc_offset", "reason")
        id_, kind, text, label, said, offset, reason = (self._shown[name][place] for name in names)
        worded = f"{text} (unsupported: {reason})" if reason else str(text)
        return Unit(UnitId(id_), Kind(kind), worded, sources, from_microseconds(int(said), int(offset)), label)


def bodies(view: View, chunks: Sequence[UnitId]) -> dict[UnitId, str]:
    """The whole blocks that structured chunks stand for."""
    if not chunks:
        return {}
    found = view.read(
        partial(
            columns,
            sql="""select u.id, e.body from unit u join event e on e.unit = u.seq
                   where e.body is not null and u.id in (select unnest(?::varchar[]))""",
            parameters=[list(chunks)],
        )
    )
    return dict(zip(found["id"].tolist(), found["body"].tolist(), strict=True))


def event_graph(view: View) -> EventGraph:
    """The events of the view's turns with their arguments; read once. One that another turn is a source of is not."""
    return view.once(_load)


def _load(view: View) -> EventGraph:
    events, sources, arguments, links, synonyms = view.read(_rows)
    rows = view.rows_of_numbers(sources["turn"])
    place = np.searchsorted(events["seq"], sources["unit"])
    kept = np.flatnonzero(np.bincount(place, weights=rows < 0, minlength=len(events["seq"])) == 0)
    seqs = events["seq"][kept].astype(np.int64)
    used = np.isin(arguments["seq"], links["dst"][np.isin(links["src"], seqs)])
    known = arguments["seq"][used].astype(np.int64)
    numbers = np.unique(view.session_numbers)
    inside = np.isin(sources["unit"], seqs)
    return EventGraph(
        seqs,
        np.searchsorted(numbers, events["session"][kept]).astype(np.int64),
        len(numbers),
        _matrix(events["data"][kept], view.dimension),
        events["supported"][kept].astype(bool),
        np.searchsorted(seqs, sources["unit"][inside]),
        rows[inside],
        arguments["text"][used].tolist(),
        _matrix(arguments["data"][used], view.dimension),
        _ends(links, seqs, known)[:2],
        _ends(synonyms, known, known),
        {name: column[kept] for name, column in events.items()},
    )


def _matrix(data: npt.NDArray[np.object_], dimension: int) -> Floats:
    return np.frombuffer(b"".join(data.tolist()), dtype=np.float16).astype(np.float32).reshape(-1, dimension)


def _ends(edges: Columns, src: Ints, dst: Ints) -> tuple[Ints, Ints, npt.NDArray[np.float64]]:
    """The edges between units with these numbers, by place, with their weight."""
    inside = np.isin(edges["src"], src) & np.isin(edges["dst"], dst)
    ends = (np.searchsorted(of, edges[name][inside]).astype(np.int64) for of, name in ((src, "src"), (dst, "dst")))
    return (*ends, edges["weight"][inside].astype(np.float64))  # type: ignore[return-value]


def _rows(db: DuckDBPyConnection) -> tuple[Columns, Columns, Columns, Columns, Columns]:
    return (
        columns(
            db,
            f"""select u.seq, u.session, m.supported, m.data, u.id, u.kind, u.text, m.label,
                epoch_us(m.valid_from) as said, m.utc_offset, m.reason
                from unit u join memory m on m.unit = u.seq where u.{of_kinds(EVENTS)} order by u.seq""",
        ),
        columns(
            db,
            f"""select o.unit, o.turn from source o join unit u on u.seq = o.unit
                where u.{of_kinds(EVENTS)} order by o.unit, o.rowid""",  # in the order of telling
        ),
        columns(
            db,
            """select u.seq, u.text, m.data from unit u join memory m on m.unit = u.seq
               where u.kind = 'argument' order by u.seq""",
        ),
        columns(db, "select src, dst, weight from edge where relation = 'has_argument' order by src, dst"),
        columns(db, "select src, dst, weight from edge where relation = 'synonym' order by src, dst"),
    )
