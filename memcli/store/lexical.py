"""The postings table: which stem occurs how often in which turn. BM25 of every coarser unit is summed from it.

Beside it: in which language a turn is that is in another one than English.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..text import ENGLISH
from .rows import append, columns

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["add_documents", "languages", "postings", "remove_documents"]

Ints = npt.NDArray[np.int64]


def add_documents(
    db: DuckDBPyConnection,
    turns: Sequence[int],
    counts: Sequence[Mapping[str, int]],
    cues: Sequence[int],
    languages: Sequence[str],
) -> None:
    """Appends the stems of each turn with their frequencies, its length in content stems, its cues and its language."""
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
    others = [(turn, code) for turn, code in zip(turns, languages, strict=True) if code != ENGLISH]
    if others:
        numbers, codes = zip(*others, strict=True)
        append(db, "spoken", {"turn": np.array(numbers, dtype=np.int32), "language": list(codes)})


def remove_documents(db: DuckDBPyConnection, turns: Sequence[int]) -> None:
    """Takes out what `add_documents` noted of these turns."""
    for table in ("posting", "document", "spoken"):
        db.execute(f"delete from {table} where turn in (select unnest(?::integer[]))", [list(turns)])


def languages(db: DuckDBPyConnection) -> dict[str, int]:
    """How many turns are in each language beside English, the commonest first."""
    found = db.execute("select language, count(*) from spoken group by language order by 2 desc, 1").fetchall()
    return {str(code): int(count) for code, count in found}


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
