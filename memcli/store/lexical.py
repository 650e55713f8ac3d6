"""The postings table: which stem occurs how often in which turn. BM25 of every coarser unit is summed from it.

Beside it: in which language a turn is that is in another one than English.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..text import ENGLISH
from .rows import Columns, append, columns, scalar

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "Postings",
    "add_documents",
    "best",
    "documents",
    "frequencies",
    "in_order",
    "languages",
    "postings",
    "remove_documents",
    "weights",
]

Ints = npt.NDArray[np.int64]
#: For each stem that occurs the numbers of its turns, ascending, and the frequencies in them.
Postings = Mapping[str, tuple[Ints, Ints]]

#: Postings that choose candidates, at most: those of the rarest stems come first.
_COMMON = 50_000


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


def postings(
    db: DuckDBPyConnection, stems: Sequence[str], turns: str = "", parameters: Mapping[str, object] | None = None
) -> Postings:
    """The postings of those of `stems` that the store has. `turns`: only of these, as SQL over `parameters`."""
    wanted = list(dict.fromkeys(stems))
    # The stem by its place: a number a row is quickly handed over, a text a row is not.
    found = columns(
        db,
        f"""select w.place, p.turn, p.frequency from posting p
            join (select unnest($stems::varchar[]) as term, unnest(range(len($stems))) as place) w on w.term = p.term
            {f"where p.turn in ({turns})" if turns else ""}""",
        {"stems": wanted, **(parameters or {})},
    )
    order = np.lexsort((found["turn"], found["place"]))
    turn, frequency = (found[name][order].astype(np.int64) for name in ("turn", "frequency"))
    bounds = np.searchsorted(found["place"][order], np.arange(len(wanted) + 1)).tolist()
    return {
        stem: (turn[a:b], frequency[a:b]) for stem, a, b in zip(wanted, bounds[:-1], bounds[1:], strict=True) if a < b
    }


def frequencies(
    db: DuckDBPyConnection, stems: Sequence[str], turns: str = "", parameters: Mapping[str, object] | None = None
) -> dict[str, int]:
    """In how many turns each of `stems` occurs that is there. `turns`: only in these, as SQL over `parameters`."""
    found = columns(
        db,
        f"""select term, count(*) as turns from posting where term in (select unnest($stems::varchar[]))
            {f"and turn in ({turns})" if turns else ""} group by term""",
        {"stems": list(dict.fromkeys(stems)), **(parameters or {})},
    )
    return dict(zip(found["term"].tolist(), found["turns"].tolist(), strict=True))


def documents(db: DuckDBPyConnection) -> int:
    """How many turns have stems."""
    return int(scalar(db, "select count(*) from document"))


def weights(frequencies: Mapping[str, int], turns: int) -> dict[str, float]:
    """What each stem weighs where candidates are chosen: log(1 + N / (df + ½)), by the `turns` N that there are.

    Stems that fill more than `_COMMON` postings together with rarer ones choose nobody: the rarer ones have.
    """
    found, together = dict[str, float](), 0
    for stem, count in sorted(frequencies.items(), key=lambda each: (each[1], each[0])):
        if together < _COMMON:
            found[stem] = math.log1p(turns / (count + 0.5))
        together += count
    return found


def best(found: Postings, weighed: Mapping[str, float], most: int) -> tuple[Ints, npt.NDArray[np.float64]]:
    """The turns that most of the weight of the stems is in, at most so many, by their numbers; and their scores."""
    rare = [(found[stem], weight) for stem, weight in weighed.items() if stem in found]
    turns = np.concatenate([np.zeros(0, dtype=np.int64), *(turn for (turn, _), _ in rare)])
    shares = np.concatenate([np.zeros(0), *(weight * count / (count + 0.9) for (_, count), weight in rare)])
    numbers, place = np.unique(turns, return_inverse=True)
    scores: npt.NDArray[np.float64] = np.bincount(place, shares, len(numbers)).astype(np.float64)
    order = np.lexsort((numbers, -scores))[:most]
    return numbers[order], scores[order]


def in_order(scored: Columns, most: int) -> list[int]:
    """The sessions of the `most` best turns of what `best` found, best first."""
    order = np.lexsort((scored["turn"], -scored["score"]))[:most]
    order = order[np.lexsort((scored["session"][order], -scored["score"][order]))]
    return list(dict.fromkeys(scored["session"][order].tolist()))
