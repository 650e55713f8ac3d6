"""The ledger: which producer has been run over how many turns of which session, and in which version.

A producer's work may be a language model's. The ledger then has an entry `PRODUCER:MODEL` beside the producer's own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from . import transcript
from .rows import scalar

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from ..model import SessionId

__all__ = [
    "Run", "begin_anew", "drop_models", "entries", "is_model_used", "make_outdated", "outdated_models", "producers",
    "record_built", "unbuilt", "undone",
]  # fmt: skip


class Run(NamedTuple):
    """That a producer, in this version, has been run over the first `turns` turns of a session."""

    session: int
    producer: str
    version: int
    turns: int


def record_built(db: DuckDBPyConnection, runs: Sequence[Run]) -> None:
    """Notes in the ledger what was run; each takes the place of an earlier run of its producer over its session."""
    if not runs:
        return
    among = ", ".join(str(int(run.session)) for run in runs)
    known = set(db.execute(f"select session, producer from built where session in ({among})").fetchall())
    for run in runs:
        if run[:2] in known:
            db.execute("delete from built where session = ? and producer = ?", run[:2])
    # A statement costs more than a row.
    db.execute(f"insert into built values {', '.join(['(?, ?, ?, ?)'] * len(runs))}", list(chain(*runs)))


#: For each session and producer that is wanted whose run is missing, of another version, or not over all turns.
_MISSING = """with size as (select session, count(*) as turns from turn group by session),
        wanted as (select unnest(?::varchar[]) as producer, unnest(?::integer[]) as version)
   select distinct {} as found from size s cross join wanted w left join built b
     on b.session = s.session and b.producer = w.producer and b.version = w.version and b.turns = s.turns
   where b.session is null order by found"""


def unbuilt(
    db: DuckDBPyConnection, producers: Mapping[str, int], among: Collection[SessionId] | None = None
) -> list[int]:
    """The sessions, or those of `among`, for which some producer lacks a run in its present version over all turns."""
    rows = _missing(db, producers, "s.session")
    known = None if among is None else set(transcript.session_numbers(db, list(among)).values())
    return [int(seq) for (seq,) in rows if known is None or seq in known]


def undone(db: DuckDBPyConnection, producers: Mapping[str, int]) -> frozenset[str]:
    """Those of the producers that lack such a run for any session."""
    return frozenset(str(name) for (name,) in _missing(db, producers, "w.producer"))


def _missing(db: DuckDBPyConnection, producers: Mapping[str, int], what: str) -> list[tuple[Any, ...]]:
    return db.execute(_MISSING.format(what), [list(producers), list(producers.values())]).fetchall()


def producers(db: DuckDBPyConnection) -> frozenset[str]:
    """What has been run for any session."""
    return frozenset(str(name) for (name,) in db.execute("select distinct producer from built").fetchall())


def is_model_used(db: DuckDBPyConnection, producer: str) -> bool:
    """Whether a model has done the work of `producer` for any session."""
    return bool(scalar(db, "select count(*) from built where starts_with(producer, ?)", [f"{producer}:"]))


def entries(db: DuckDBPyConnection, sessions: Sequence[int], producer: str) -> dict[int, dict[str, int]]:
    """For each session, by the producer and each model that has done its work: over how many turns it was run."""
    rows = db.execute(
        """select session, producer, turns from built where session in (select unnest(?::integer[]))
           and (producer = ? or starts_with(producer, ?))""",
        [list(sessions), producer, f"{producer}:"],
    ).fetchall()
    found: dict[int, dict[str, int]] = {session: {} for session in sessions}
    for session, name, turns in rows:
        found[session][str(name)] = int(turns)
    return found


def drop_models(db: DuckDBPyConnection, session: int, producer: str) -> None:
    """Removes what says that a model has done the work of `producer` for the session."""
    db.execute("delete from built where session = ? and starts_with(producer, ?)", [session, f"{producer}:"])


def make_outdated(db: DuckDBPyConnection, session: int, producer: str) -> None:
    """Notes that what `producer` has made for the session is to be made again."""
    db.execute("update built set version = 0 where session = ? and producer = ?", [session, producer])


def begin_anew(db: DuckDBPyConnection) -> None:
    """Notes that everything that was made is to be made again: what was used stays known, a model's work, too."""
    db.execute("update built set version = 0, turns = 0")


def outdated_models(db: DuckDBPyConnection) -> list[str]:
    """The models whose work for some session is gone, and was not done again."""
    rows = db.execute(
        "select distinct substr(producer, strpos(producer, ':') + 1) from built where contains(producer, ':') "
        "and turns = 0 order by 1"
    ).fetchall()
    return [str(name) for (name,) in rows]
