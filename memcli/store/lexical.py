"""The postings table: which stem occurs how often in which turn. BM25 of every coarser unit is summed from it.

Beside it: in which language a turn is that is in another one than English.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..text import ENGLISH
from .rows import append, columns, columns_among

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["add_documents", "best", "frequencies", "languages", "postings", "remove_documents"]

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
    db: DuckDBPyConnection, stems: Sequence[str], turns: str = "", parameters: Sequence[object] = ()
) -> dict[str, int]:
    """In how many turns each of `stems` occurs that is there. `turns`: only in these, as SQL over `parameters`."""
    found = columns(
        db,
        f"""select term, count(*) as turns from posting where term in (select unnest(?::varchar[]))
            {f"and turn in ({turns})" if turns else ""} group by term""",
        [list(dict.fromkeys(stems)), *parameters],
    )
    return dict(zip(found["term"].tolist(), found["turns"].tolist(), strict=True))


def best(
    db: DuckDBPyConnection, stems: Sequence[str], most: int, turns: str, parameters: Mapping[str, object]
) -> list[int]:
    """The sessions, by their numbers, that hold the turns which most of the weight of the stems is in, best first.

    `most`: how many turns are looked at; `turns`: which may be, as SQL over `parameters`; empty: all. Stems that fill
    more than `_COMMON` postings together with rarer ones choose nobody: the rarer ones have.
    """
    found = columns(
        db,
        f"""with said as materialized (
                select term, turn, frequency from posting where term in (select unnest($stems::varchar[]))
                {f"and turn in ({turns})" if turns else ""}),
            counted as (select term, count(*) as turns from said group by term),
            rare as (select term, ln(1 + (select count(*) from document) / (turns + 0.5)) as weight
                from (select *, sum(turns) over (order by turns, term) as together from counted)
                where together - turns < {_COMMON:d}),
            scored as (select s.turn, sum(r.weight * s.frequency / (s.frequency + 0.9)) as score
                from said s join rare r on r.term = s.term group by s.turn order by score desc, s.turn limit {most:d})
            select t.session from scored s join turn t on t.seq = s.turn
            group by t.session order by max(s.score) desc, t.session""",
        {"stems": list(dict.fromkeys(stems)), **parameters},
    )
    sessions: list[int] = found["session"].tolist()
    return sessions
