"""Concepts in the store: topics with their assertions, domains, and the topics lifted to a person's edges (Tag2Graph).

A topic is the mean of its assertions' vectors, and has no words of its own: nothing in it outlives what was forgotten.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..relations import PREFERENCES, SHAPING
from .cosine import unit_rows
from .rows import UNKNOWN, append, columns, scalar

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "LiftedRow",
    "Tastes",
    "Topics",
    "add_domains",
    "drop_concepts",
    "edges_of",
    "missing_domains",
    "strays",
    "tastes",
    "topics",
    "write_lifted",
    "write_members",
    "write_topics",
]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]

_TASTES = ", ".join(f"'{relation.value}'" for relation in sorted(PREFERENCES))


@dataclass(slots=True, eq=False)
class Topics:
    """Topics by number, with the sum of their assertions' vectors float32 [t, d] and how many those are."""

    seqs: list[int]
    sums: Floats
    members: list[int]

    def centres(self) -> dict[int, Floats]:
        """The vector of each topic, of unit length, by its number."""
        return dict(zip(self.seqs, unit_rows(self.sums), strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class Tastes:
    """Assertions that voice a preference, in the order in which they came.

    For each the number of its unit and of its session, its head, relation, whether it is negated, its confidence, when
    it was said in days since 1970 (nan: unknown), its vector float32 [m, d], its topic and its thing (`UNKNOWN`: none
    yet).
    """

    unit: Ints
    session: Ints
    head: npt.NDArray[np.object_]
    relation: npt.NDArray[np.object_]
    negated: npt.NDArray[np.bool_]
    confidence: npt.NDArray[np.float64]
    days: npt.NDArray[np.float64]
    vectors: Floats
    topic: Ints
    thing: Ints


@dataclass(frozen=True, slots=True)
class LiftedRow:
    """A topic as an edge of a person: the share of assertions in favour, how many there are, the scorer's probability,
    and why it was declined; empty, where it was not.
    """

    topic: int
    head: str
    liking: float
    support: int
    probability: float
    declined: str


def topics(db: DuckDBPyConnection, dimension: int) -> Topics:
    """Every topic of the open store."""
    found = columns(db, "select seq, members, data from concept where kind = 'topic' order by seq")
    data = np.frombuffer(b"".join(found["data"].tolist()), dtype=np.float32).reshape(-1, dimension)
    return Topics(found["seq"].tolist(), data.copy(), found["members"].tolist())


def strays(db: DuckDBPyConnection, dimension: int) -> Tastes:
    """The assertions that belong to no topic yet."""
    return _read(db, dimension, "b.unit is null", [])


def tastes(db: DuckDBPyConnection, dimension: int, among: Sequence[int]) -> Tastes:
    """The assertions of the topics with these numbers."""
    return _read(db, dimension, "b.concept in (select unnest(?::integer[]))", [list(among)])


def _read(db: DuckDBPyConnection, dimension: int, where: str, parameters: Sequence[object]) -> Tastes:
    found = columns(
        db,
        f"""select a.unit, u.session, m.label, a.relation, a.negated, a.confidence, epoch_us(m.valid_from) as at,
            m.data, b.concept, b.thing from assertion a join unit u on u.seq = a.unit join memory m on m.unit = a.unit
            left join belongs b on b.unit = a.unit
            where a.relation in ({_TASTES}) and a.confidence >= {SHAPING} and {where} order by a.unit""",
        parameters,
    )
    vectors = np.frombuffer(b"".join(found["data"].tolist()), dtype=np.float16).astype(np.float32)
    return Tastes(
        found["unit"].astype(np.int64), found["session"].astype(np.int64), found["label"], found["relation"],
        found["negated"].astype(bool), found["confidence"].astype(np.float64),
        np.where(found["at"] == UNKNOWN, np.nan, found["at"] / 86_400e6), vectors.reshape(-1, dimension),
        found["concept"].astype(np.int64), found["thing"].astype(np.int64),
    )  # fmt: skip


def write_members(db: DuckDBPyConnection, unit: Ints, topic: Ints, thing: Ints, weight: Floats) -> None:
    """Adds assertions to topics. `weight`: the cosine to the topic as it was then."""
    append(db, "belongs", {"unit": unit, "concept": topic, "thing": thing, "weight": weight})


def write_topics(db: DuckDBPyConnection, found: Topics, changed: Sequence[int]) -> None:
    """Writes the topics at these places in `found` anew."""
    seqs = [found.seqs[place] for place in changed]
    db.execute("delete from concept where seq in (select unnest(?::integer[]))", [seqs])
    append(
        db,
        "concept",
        {
            "seq": seqs,
            "kind": ["topic"] * len(seqs),
            "name": [""] * len(seqs),
            "members": [found.members[place] for place in changed],
            "data": [found.sums[place].tobytes() for place in changed],
        },
    )


def missing_domains(db: DuckDBPyConnection, names: Sequence[str]) -> list[str]:
    """Which of these domains the store has no vector of."""
    if not names:
        return []
    held = {name for (name,) in db.execute("select name from concept where kind = 'domain'").fetchall()}
    return [name for name in names if name not in held]


def add_domains(db: DuckDBPyConnection, vectors: Mapping[str, Floats]) -> None:
    """Adds domains with their vectors float32 [d], numbered downwards from -1: topics count upwards from 0."""
    first = int(scalar(db, "select coalesce(min(seq), 0) from concept where kind = 'domain'"))
    append(
        db,
        "concept",
        {
            "seq": [first - 1 - place for place in range(len(vectors))],
            "kind": ["domain"] * len(vectors),
            "name": list(vectors),
            "members": [0] * len(vectors),
            "data": [vector.astype(np.float32).tobytes() for vector in vectors.values()],
        },
    )


def write_lifted(db: DuckDBPyConnection, among: Sequence[int], rows: Sequence[LiftedRow]) -> None:
    """Makes `rows` the edges of the topics `among`, in place of those that they had."""
    db.execute("delete from lifted where concept in (select unnest(?::integer[]))", [list(among)])
    append(
        db,
        "lifted",
        {
            "concept": [row.topic for row in rows],
            "head": [row.head for row in rows],
            "liking": [row.liking for row in rows],
            "support": [row.support for row in rows],
            "probability": [row.probability for row in rows],
            "declined": [row.declined for row in rows],
        },
    )


def edges_of(db: DuckDBPyConnection, beside: Sequence[int]) -> dict[str, int]:
    """How many edges each person has, those of the topics `beside` left out."""
    rows = db.execute(
        """select head, count(*) from lifted where declined = '' and concept not in (select unnest(?::integer[]))
           group by head""",
        [list(beside)],
    ).fetchall()
    return {str(head): int(count) for head, count in rows}


def drop_concepts(db: DuckDBPyConnection) -> None:
    """Removes every topic and what was lifted of it; the assertions stay, and the domains."""
    for table in ("belongs", "lifted"):
        db.execute(f"delete from {table}")
    db.execute("delete from concept where kind = 'topic'")
