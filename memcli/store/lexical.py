"""The postings table: which stem occurs how often in which turn. BM25 of every coarser unit is summed from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from .rows import append, columns

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["add_documents", "postings"]

Ints = npt.NDArray[np.int64]


def add_documents(
    db: DuckDBPyConnection, turns: Sequence[int], counts: Sequence[Mapping[str, int]], cues: Sequence[int]
) -> None:
    """Appends the stems of each turn with their frequencies, its length in content stems, and its surface cues."""
    sizes = [len(c) for c in counts]
    append(
        db,
        "posting",
        {
            "term": [term for c in counts for term in c],
            "turn": np.repeat(np.array(turns, dtype=np.int32), sizes),
            "frequency": np.array([f for c in counts for f in c.values()], dtype=np.int32),
        },
    )
    lengths = np.array([sum(c.values()) for c in counts], dtype=np.int32)
    append(db, "document", {"turn": np.array(turns), "length": lengths, "cues": np.array(cues, dtype=np.int32)})


def postings(db: DuckDBPyConnection, stems: Sequence[str]) -> dict[str, tuple[Ints, Ints]]:
    """For each of `stems` that the store has: the numbers of its turns, ascending, and the frequencies in them."""
    wanted = list(dict.fromkeys(stems))
    found = columns(  # the stem by its place: a number a row is quickly handed over, a text a row is not
        db,
        """select w.place, p.turn, p.frequency from posting p
           join (select unnest($1::varchar[]) as term, unnest(range(len($1))) as place) w on w.term = p.term
           order by w.place, p.turn""",
        [wanted],
    )
    bounds = np.searchsorted(found["place"], np.arange(len(wanted) + 1)).tolist()
    return {
        stem: (found["turn"][a:b].astype(np.int64), found["frequency"][a:b].astype(np.int64))
        for stem, a, b in zip(wanted, bounds[:-1], bounds[1:], strict=True)
        if a < b
    }
