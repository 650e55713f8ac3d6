"""Concepts in the store: topics with their assertions, domains, and the topics lifted to a person's edges (Tag2Graph).

A topic is the mean of its assertions' vectors, and has no words of its own: nothing in it outlives what was forgotten.
A seeded topic is the vector of a domain's seed, whatever joins it. Topics count upwards from 0; what nothing can belong
to, domains and what is met beside a seed, downwards from -1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..model.relations import PREFERENCES, SHAPING
from .cosine import unit_rows
from .rows import UNKNOWN, append, columns, scalar
from .schema import referring

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "LiftedRow",
    "Tastes",
    "Topics",
    "add_domains",
    "add_seeds",
    "drop_concepts",
    "edges_of",
    "missing",
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
    """Topics by number, with the sum of their assertions' vectors float32 [t, d] and how many those are.

    The first are seeded: their vectors are their domains', with what is met `beside` each float32 [s, d].
    """

    seqs: list[int]
    sums: Floats
    members: list[int]
    beside: Floats

    @property
    def seeded(self) -> frozenset[int]:
        """The numbers of the seeded ones."""
        return frozenset(self.seqs[: len(self.beside)])

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
    found = columns(
        db,
        """select t.seq, t.members, t.data, b.data as beside from concept t
           left join concept b on b.name = t.name and b.kind = 'beside' and t.kind = 'seed'
           where t.kind = 'topic' or b.seq is not null order by t.kind, t.seq""",
    )
    beside = [each for each in found["beside"].tolist() if each is not None]
    sums = _vectors(found["data"].tolist(), dimension)
    return Topics(found["seq"].tolist(), sums, found["members"].tolist(), _vectors(beside, dimension))


def _vectors(data: Sequence[bytes], dimension: int) -> Floats:
    return np.frombuffer(b"".join(data), dtype=np.float32).reshape(-1, dimension).copy()


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
    """Writes the topics at these places in `found` anew, those that are not seeded."""
    moved = [place for place in changed if place >= len(found.beside)]
    seqs = [found.seqs[place] for place in moved]
    db.execute("delete from concept where seq in (select unnest(?::integer[]))", [seqs])
    named = [("", found.sums[place]) for place in moved]
    _append(db, "topic", seqs, named, [found.members[place] for place in moved])


def missing(db: DuckDBPyConnection, kind: str, names: Sequence[str]) -> list[str]:
    """Which of these, of the kind `domain` or `seed`, the store has not."""
    if not names:
        return []
    held = {name for (name,) in db.execute("select name from concept where kind = ?", [kind]).fetchall()}
    return [name for name in names if name not in held]


def add_domains(db: DuckDBPyConnection, vectors: Mapping[str, Floats]) -> None:
    """Adds domains with their vectors float32 [d]."""
    _append_apart(db, "domain", vectors)


def add_seeds(db: DuckDBPyConnection, vectors: Mapping[str, Floats], beside: Mapping[str, Floats]) -> None:
    """Adds the seeded topics of these domains: the vectors float32 [d] of their seeds and of what is beside them."""
    first = int(scalar(db, "select greatest(0, coalesce(max(seq), -1) + 1) from concept"))
    _append(db, "seed", range(first, first + len(vectors)), list(vectors.items()))
    _append_apart(db, "beside", beside)


def _append_apart(db: DuckDBPyConnection, kind: str, vectors: Mapping[str, Floats]) -> None:
    first = int(scalar(db, "select least(0, coalesce(min(seq), 0)) - 1 from concept"))
    _append(db, kind, range(first, first - len(vectors), -1), list(vectors.items()))


def _append(
    db: DuckDBPyConnection,
    kind: str,
    seqs: Sequence[int],
    named: Sequence[tuple[str, Floats]],
    members: Sequence[int] | None = None,
) -> None:
    append(
        db,
        "concept",
        {
            "seq": list(seqs),
            "kind": [kind] * len(seqs),
            "name": [name for name, _ in named],
            "members": members or [0] * len(seqs),
            "data": [vector.astype(np.float32).tobytes() for _, vector in named],
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
    """Removes every topic and what was lifted of it; the assertions stay, and what domains need to be known by."""
    for table, _ in referring("concept", "seq"):
        db.execute(f"delete from {table}")
    db.execute("delete from concept where kind = 'topic'")
