"""What every strategy is, and the steps that all of them share: collapse to evidence, and cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..model import Filters, Hit, Kind, Needs, Query, Turn, Unit, UnitId
from ..ranking.arrays import top
from ..store.view import View

__all__ = ["Strategy", "cut", "turn_unit"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class Strategy(Protocol):
    """A way of finding evidence. Adding one is one file here and one line in `STRATEGIES`."""

    @property
    def needs(self) -> Needs:
        """The kinds and relations that it retrieves from."""
        ...

    @property
    def phrasings(self) -> Sequence[str]:
        """The wordings of a question (`ranking.phrasing`) whose vectors it asks for beside the question's own."""
        ...

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:
        """At most k hits, best first; scores finite and non-increasing; each traceable to turns."""
        ...


def cut(
    view: View, scores: Floats, filters: Filters, k: int, traces: Mapping[str, Floats], rows: Ints | None = None
) -> list[Hit]:
    """The k best turns that the filters let through, as hits.

    `scores` and each of `traces` have one number a turn of `rows` (all turns, where None).
    """
    allowed = view.allowed(filters) if rows is None else view.allowed(filters)[rows]
    places = np.flatnonzero(allowed)
    best = places[top(scores[places], k)]
    units = _units(view, (best if rows is None else rows[best]).tolist())
    columns = [values[best].tolist() for values in traces.values()]
    return [
        Hit(unit, score, dict(zip(traces, values, strict=True)))
        for unit, score, *values in zip(units, scores[best].tolist(), *columns, strict=True)
    ]


def _units(view: View, rows: Sequence[int]) -> list[Unit]:
    """The turns at `rows` as units: the same ones for every question."""
    made = view.once(_no_units)
    missing = [row for row in rows if row not in made]
    if missing:
        made.update(zip(missing, map(turn_unit, view.fetch(missing)), strict=True))
    return [made[row] for row in rows]


def _no_units(_: View) -> dict[int, Unit]:
    return {}


def turn_unit(turn: Turn) -> Unit:
    """The turn as a unit of evidence."""
    return Unit(UnitId(turn.id), Kind.TURN, turn.text, (turn.id,), turn.said_at, turn.speaker)
