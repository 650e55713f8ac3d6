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
    found = columns(
        db,
        "select term, turn, frequency from posting where term in (select unnest(?::varchar[])) order by term, turn",
        [list(dict.fromkeys(stems))],
    )
    terms = found["term"]
    starts = [i for i in range(len(terms)) if i == 0 or terms[i] != terms[i - 1]]
    ends = [*starts[1:], len(terms)]
    return {
        str(terms[a]): (found["turn"][a:b].astype(np.int64), found["frequency"][a:b].astype(np.int64))
        for a, b in zip(starts, ends[: len(starts)], strict=True)
    }
