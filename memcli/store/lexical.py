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
from .rows import Columns, append, columns, columns_among, scalar

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
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


def postings(db: DuckDBPyConnection, stems: Sequence[str], turns: Ints | None = None) -> dict[str, tuple[Ints, Ints]]:
    """For each of `stems` that the store has: the numbers of its turns, ascending, and the frequencies in them.

    `turns`: only of these, by their numbers.
    """
    wanted = list(dict.fromkeys(stems))
    # The stem by its place: a number a row is quickly handed over, a text a row is not.
    said = """select w.place, p.turn, p.frequency from posting p
        join (select unnest($1::varchar[]) as term, unnest(range(len($1))) as place) w on w.term = p.term"""
    if turns is None:
        found = columns(db, f"{said} order by w.place, p.turn", [wanted])
    else:
        among = "where p.turn in (select seq from among)"
        found = columns_among(db, f"{said} {among} order by w.place, p.turn", turns, [wanted])
    bounds = np.searchsorted(found["place"], np.arange(len(wanted) + 1)).tolist()
    return {
        stem: (found["turn"][a:b].astype(np.int64), found["frequency"][a:b].astype(np.int64))
        for stem, a, b in zip(wanted, bounds[:-1], bounds[1:], strict=True)
        if a < b
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


def best(
    db: DuckDBPyConnection, weighed: Mapping[str, float], most: int, turns: str, parameters: Mapping[str, object]
) -> Columns:
    """The `turn`s that most of the weight of the stems is in, with their `session`s, by their numbers, and `score`s.

    `most`: how many turns; `turns`: which may be, as SQL over `parameters`; empty: all.
    """
    return columns(
        db,
        f"""with rare as (select unnest($stems::varchar[]) as term, unnest($weights::double[]) as weight),
            scored as (select p.turn, sum(r.weight * p.frequency / (p.frequency + 0.9)) as score
                from posting p join rare r on r.term = p.term {f"where p.turn in ({turns})" if turns else ""}
                group by p.turn order by score desc, p.turn limit {most:d})
            select s.turn::bigint as turn, t.session::bigint as session, s.score
            from scored s join turn t on t.seq = s.turn""",
        {"stems": list(weighed), "weights": list(weighed.values()), **parameters},
    )


def in_order(scored: Columns, most: int) -> list[int]:
    """The sessions of the `most` best turns of what `best` found, best first."""
    order = np.lexsort((scored["turn"], -scored["score"]))[:most]
    order = order[np.lexsort((scored["session"][order], -scored["score"][order]))]
    return list(dict.fromkeys(scored["session"][order].tolist()))
