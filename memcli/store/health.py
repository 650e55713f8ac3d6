"""Whether a store is sound: everything that must hold of it is checked, and nothing is changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..errors import StoreDamaged
from . import location, migrations
from .checks import Check, checks
from .compaction import leftovers
from .connection import Store
from .identity import Identity, identity
from .packing import are_sound, unpacked
from .revision import counters, is_counted
from .rows import columns, scalar
from .schema import Mend
from .unsound import unsound
from .vectors import part_after

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Finding", "examine"]

_SAMPLED = 200  # pooled vectors that are made again and compared
_APART = 2e-3  # by which a length may differ from the one that is stored, which is rounded


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that should not be so: what, how often, and one of them. `mend` None: nothing can be done about it.

    `touches`: the sessions, or for Mend.MEMORY the units, that are to be made again. `harmless`: nothing reads it.
    """

    what: str
    count: int
    example: str
    mend: Mend | None = None
    touches: frozenset[int] = frozenset()
    harmless: bool = False
    check: Check | None = None


def examine(store: Store) -> list[Finding]:
    """Everything that is wrong with the store. Raises StoreError where it cannot be read at all."""
    found = list(_file(store.path)) if store.path is not None and store.exists else []
    with store.reading() as db:
        found += _schema(db)
        for check in checks():
            found += _rows(db, check)
        found += _embedder(db)
        found += _snapshots(db)
    return found


def _file(path: Path) -> Iterator[Finding]:
    mode = path.stat().st_mode & 0o777
    if mode & 0o077:
        yield Finding("the file is open to others", 1, f"mode {mode:04o}", Mend.FILE)
    log = location.log(path)
    if log.exists():
        yield Finding("a log that is not yet in the file", 1, log.name, Mend.FILE, harmless=True)
    for left in leftovers(path):
        if left.exists():
            yield Finding("what an interrupted run left", 1, left.name, Mend.FILE)


def _schema(db: DuckDBPyConnection) -> Iterator[Finding]:
    done = [(int(n), str(name)) for n, name in db.execute("select number, name from migration order by 1").fetchall()]
    known = [(number, name) for number, (name, _) in enumerate(migrations.MIGRATIONS, start=1)]
    if done != known:
        wrong = next((each for each in done if each not in known), done[-1])
        yield Finding("migrations that are none of memcli's", 1, f"{wrong[0]} {wrong[1]}")
    if not is_counted(db):
        yield Finding("a revision that is no number", 1, str(counters(db)))


def _rows(db: DuckDBPyConnection, check: Check) -> Iterator[Finding]:
    rows = db.execute(
        f"""select count(*), min(({check.example})::varchar), list(distinct ({check.touches})::integer)
            from {check.table} where {check.where}"""
    ).fetchall()
    count, example, touches = rows[0]
    if count:
        sessions = frozenset(each for each in touches if each >= 0)
        yield Finding(check.what, int(count), str(example), check.mend, sessions, check.harmless, check)


def _embedder(db: DuckDBPyConnection) -> Iterator[Finding]:
    try:
        filled = identity(db)
    except StoreDamaged as error:
        yield Finding(error.message, 1, "meta")
        return
    if filled is None:
        if scalar(db, "select count(*) from vector"):
            yield Finding("vectors of no known embedder", 1, "meta")
        return
    yield from _vectors(db, filled)
    yield from _memory_vectors(db, filled)


def _vectors(db: DuckDBPyConnection, filled: Identity) -> Iterator[Finding]:
    broken: list[int] = []
    last = -1
    while len((found := part_after(db, last))["seq"]):
        broken += _broken(found["seq"].tolist(), found["data"].tolist(), filled.dimension)
        last = int(found["seq"].max())
    if broken:
        using = "select distinct session from unit where kind = 'sentence' and vector in (select unnest(?::integer[]))"
        sessions = frozenset(int(s) for (s,) in db.execute(using, [broken]).fetchall())
        yield Finding("vectors that are none", len(broken), str(broken[0]), Mend.INDEX, sessions)
    else:
        yield from _norms(db, filled.dimension)


def _memory_vectors(db: DuckDBPyConnection, filled: Identity) -> Iterator[Finding]:
    found = columns(db, "select unit, data from memory order by unit")
    broken = _broken(found["unit"].tolist(), found["data"].tolist(), filled.dimension)
    if broken:
        what = "vectors of generated memory that are none"
        yield Finding(what, len(broken), str(broken[0]), Mend.MEMORY, frozenset(broken))


def _broken(numbers: list[int], data: list[bytes], dimension: int) -> list[int]:
    """The numbers of what is no vector of this length: of unit length, or for nothing at all of zeros."""
    sound = are_sound(data, dimension)
    return sorted(number for number, good in zip(numbers, sound, strict=True) if not good)


def _norms(db: DuckDBPyConnection, dimension: int) -> Iterator[Finding]:
    """Pooled vectors, evenly sampled, made again: their lengths must be those that are stored."""
    seqs = [s for (s,) in db.execute("select seq from unit where norm is not null order by seq").fetchall()]
    chosen = seqs[:: max(1, len(seqs) // _SAMPLED)]
    found = columns(
        db,
        """select u.seq, u.session, u.norm, v.weight, v.data from unit u join source o on o.unit = u.seq
           join source p on p.turn = o.turn join unit s on s.seq = p.unit and s.kind = 'sentence'
           join vector v on v.seq = s.vector where u.seq in (select unnest(?::integer[])) order by u.seq""",
        [chosen],
    )
    names, place = np.unique(found["seq"], return_inverse=True)
    sums = np.zeros((len(names), dimension))
    rows = unpacked(found["data"].tolist(), dimension)
    np.add.at(sums, place, rows.astype(np.float64) * np.maximum(found["weight"], 1)[:, None])
    lengths = np.linalg.norm(sums, axis=1)[place]
    off = np.abs(lengths - found["norm"]) > _APART * np.maximum(lengths, 1.0)
    wrong = np.unique(found["seq"][off]).tolist()
    if wrong:
        sessions = frozenset(int(s) for s in np.unique(found["session"][off]))
        yield Finding("pooled vectors of another length", len(wrong), str(wrong[0]), Mend.INDEX, sessions)


def _snapshots(db: DuckDBPyConnection) -> Iterator[Finding]:
    for name, why in unsound(db).items():
        yield Finding(why, 1, name, Mend.SNAPSHOT)
