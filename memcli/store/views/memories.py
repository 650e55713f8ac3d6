"""Generated memory as a view shows it: arrays to score over, and units to hand out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...model import Kind, TurnId, Unit, UnitId
from ..rows import Columns, columns, from_microseconds
from ..schema import GENERATED
from .view import View

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Memories", "memories"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Memories:
    """The units of one kind that nothing of their own kind sums up again.

    `vectors` float32 [m, d]; `members` and `rows` pair units, by place, with the rows of their source turns;
    `supported` [m]: by them.
    """

    kind: Kind
    supported: npt.NDArray[np.bool_]
    vectors: npt.NDArray[np.float32]
    members: Ints
    rows: Ints
    units: Sequence[Unit]

    def allowed(self, turns: npt.NDArray[np.bool_], *, unsupported: bool = False) -> npt.NDArray[np.bool_]:
        """Which units rest on allowed turns alone, and are supported by them, or need not be."""
        refused: npt.NDArray[np.int64] = np.bincount(self.members, weights=~turns[self.rows], minlength=len(self.units))
        found: npt.NDArray[np.bool_] = (refused == 0) & (self.supported | unsupported)
        return found


def memories(view: View, kind: Kind) -> Memories:
    """The generated units of a kind; read once for a view. One that a turn outside the view is a source of is not."""
    return view.once(_LOADERS[kind])


def _load(view: View, kind: Kind) -> Memories:
    found, sources = view.read(partial(_rows, kind=kind))
    place = np.searchsorted(found["seq"], sources["unit"])
    rows = view.rows_of_numbers(sources["turn"])
    outside = np.bincount(place, weights=rows < 0, minlength=len(found["seq"])) > 0
    kept = np.flatnonzero(~outside)
    renumbered = np.cumsum(~outside) - 1
    inside = ~outside[place]
    members, rows = renumbered[place[inside]], rows[inside]
    vectors = np.frombuffer(b"".join(found["data"][kept].tolist()), dtype=np.float16).astype(np.float32)
    units = _units(view, kind, {name: column[kept] for name, column in found.items()}, members, rows)
    supported = found["supported"][kept].astype(bool)
    return Memories(kind, supported, vectors.reshape(-1, view.dimension), members, rows, units)


def _rows(db: DuckDBPyConnection, kind: Kind) -> tuple[Columns, Columns]:
    which = """from unit u join memory m on m.unit = u.seq
               where u.kind = ? and (u.kind <> 'insight' or m.replaced_by is null)"""
    found = columns(
        db,
        f"""select u.seq, u.id, u.text, m.label, m.data, epoch_us(m.valid_from) as said, m.utc_offset,
            coalesce(strftime(m.valid_to, '%-d %B %Y'), '') as until, m.supported, m.reason {which} order by u.seq""",
        [kind.value],
    )
    sources = columns(
        db, f"select unit, turn from source where unit in (select u.seq {which}) order by unit, turn", [kind.value]
    )
    return found, sources


def _units(
    view: View, kind: Kind, found: Mapping[str, npt.NDArray[np.generic]], members: Ints, rows: Ints
) -> list[Unit]:
    """The units themselves. A fact that another has replaced says until when it held; an unsupported one, why."""
    turns = view.fetch(rows.tolist())
    sources: list[list[TurnId]] = [[] for _ in found["seq"]]
    for member, turn in zip(members.tolist(), turns, strict=True):
        sources[member].append(turn.id)
    made = []
    lists = [found[name].tolist() for name in ("id", "text", "label", "said", "utc_offset", "until", "reason")]
    for own, id_, text, label, said, offset, until, reason in zip(sources, *lists, strict=True):
        worded = f"{text} (until {until})" if until else f"{text} (unsupported: {reason})" if reason else text
        made.append(Unit(UnitId(id_), kind, worded, tuple(own), from_microseconds(said, offset), label))
    return made


_LOADERS = {kind: partial(_load, kind=kind) for kind in GENERATED}
