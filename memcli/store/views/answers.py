"""What the last answers cited, as rows of a view."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..rows import Columns, columns
from .view import View

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["RECENT", "recent"]

#: What so many answers before cited is what was recently retrieved.
RECENT = 50

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def recent(view: View) -> tuple[Ints, Floats]:
    """The rows of the turns that the last answers cited, and for each how old that is, in days before the newest.

    A turn comes as often as it was cited. Abstentions, and answers judged wrong, do not count.
    """
    found = view.read(_recent)
    rows = view.rows_of_numbers(found["turn"].astype(np.int64))
    days = found["at"].astype(np.float64) / 86_400e6
    inside = rows >= 0
    return rows[inside], (days.max(initial=0.0) - days)[inside]


def _recent(db: DuckDBPyConnection) -> Columns:
    return columns(
        db,
        """with late as (select id, asked_at from answered where not abstained
               and id not in (select answer from feedback where verdict = 'wrong')
               order by asked_at desc, id limit ?)
           select t.seq as turn, epoch_us(late.asked_at) as at from late join cited c on c.answer = late.id
           join turn t on t.id = c.turn order by late.asked_at desc, late.id, c.place""",
        [RECENT],
    )
