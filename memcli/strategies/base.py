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
    rows = np.arange(view.n) if rows is None else rows
    allowed = np.flatnonzero(view.allowed(filters)[rows])
    best = allowed[top(scores[allowed], k)]
    turns = view.fetch(rows[best].tolist())
    return [
        Hit(turn_unit(turn), float(scores[at]), {name: float(values[at]) for name, values in traces.items()})
        for at, turn in zip(best.tolist(), turns, strict=True)
    ]


def turn_unit(turn: Turn) -> Unit:
    """The turn as a unit of evidence."""
    return Unit(UnitId(turn.id), Kind.TURN, turn.text, (turn.id,), turn.said_at, turn.speaker)
