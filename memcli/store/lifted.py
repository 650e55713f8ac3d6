"""What topics were lifted to, for people to see: edges with what they rest on, and those that people took back.

An edge goes by its person and the first assertion that it rests on, in the order in which turns came in; what was
taken back by all the assertions that it rested on then. Both are hashes, which outlive every learning of topics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..model import TurnId
from .cosine import cosines, unit_rows
from .ids import Tag, tagged
from .rows import columns, from_stored
from .topics import LiftedRow

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "TAKEN_BACK",
    "SupportingAssertion",
    "TopicEdge",
    "edges",
    "give_back",
    "members",
    "note_declined",
    "take_back",
    "taken_back",
    "turns",
]  # fmt: skip

#: Why an edge is declined that somebody has taken back.
TAKEN_BACK = "taken back"
_DIGITS = 8

_MEMBERS = """from lifted l join belongs b on b.concept = l.concept
    join memory m on m.unit = b.unit and m.label = l.head join unit u on u.seq = b.unit
    join assertion a on a.unit = b.unit join source o on o.unit = b.unit join turn t on t.seq = o.turn"""


@dataclass(frozen=True, slots=True)
class TopicEdge:
    """A topic as an edge of a person, or the candidate for one, by the id that people know it by; and the domain of
    which it is the seeded topic, or nothing.
    """

    id: str
    row: LiftedRow
    domain: str = ""


@dataclass(frozen=True, slots=True)
class SupportingAssertion:
    """An assertion that an edge rests on: the turn that it is of, when that was said, what it says, the number of the
    thing that it names, and its cosine to the topic.
    """

    turn: TurnId
    at: datetime | None
    relation: str
    tail: str
    negated: bool
    confidence: float
    thing: int
    cosine: float


def edges(db: DuckDBPyConnection) -> list[TopicEdge]:
    """Every edge and declined candidate that rests on something: lifted ones first, the most probable first."""
    rows = db.execute(
        f"""select l.concept, l.head, l.liking, l.support, l.probability, l.declined,
            coalesce(s.name, ''), first(u.id order by o.turn, u.id) {_MEMBERS}
            left join concept s on s.seq = l.concept and s.kind = 'seed' group by all"""
    ).fetchall()
    found = [
        TopicEdge(_name(str(head), str(first)), LiftedRow(topic, head, *rest), domain)
        for topic, head, *rest, domain, first in rows
    ]
    return sorted(found, key=lambda edge: (edge.row.declined != "", -edge.row.probability, edge.row.head, edge.id))


def _name(head: str, first: str) -> str:
    return tagged(Tag.CONCEPT, f"{head}\0{first}", _DIGITS)


def members(
    db: DuckDBPyConnection, among: Sequence[TopicEdge], dimension: int
) -> dict[TopicEdge, list[SupportingAssertion]]:
    """What each of these edges rests on, in the order in which it was said."""
    topics = [edge.row.topic for edge in among]
    rows = db.execute(
        f"""select l.concept, l.head, m.data, b.thing, t.id, t.said_at, t.utc_offset, a.relation, a.tail, a.negated,
            a.confidence {_MEMBERS} where l.concept in (select unnest(?::integer[]))
            order by t.said_at nulls last, t.seq, u.id""",
        [topics],
    ).fetchall()
    centres = _centres(db, topics, dimension)
    by_place = {(edge.row.topic, edge.row.head): edge for edge in among}
    found: dict[TopicEdge, list[SupportingAssertion]] = {edge: [] for edge in among}
    for topic, head, data, thing, turn, at, offset, relation, tail, negated, confidence in rows:
        if (topic, head) in by_place:
            cosine = float(cosines(centres[topic], np.frombuffer(data, dtype=np.float16)[None])[0])
            when = from_stored(at, offset)
            member = SupportingAssertion(TurnId(turn), when, relation, tail, negated, confidence, thing, cosine)
            found[by_place[topic, head]].append(member)
    return found


def turns(db: DuckDBPyConnection, edge: TopicEdge) -> list[TurnId]:
    """The turns that an edge rests on, in the order of the store."""
    rows = db.execute(
        f"select distinct t.id, t.seq {_MEMBERS} where l.concept = ? and l.head = ? order by t.seq",
        [edge.row.topic, edge.row.head],
    ).fetchall()
    return [TurnId(turn) for turn, _ in rows]


def _centres(db: DuckDBPyConnection, topics: Sequence[int], dimension: int) -> dict[int, npt.NDArray[np.float32]]:
    found = columns(db, "select seq, data from concept where seq in (select unnest(?::integer[]))", [list(topics)])
    sums = np.frombuffer(b"".join(found["data"].tolist()), dtype=np.float32).reshape(-1, dimension)
    return dict(zip(found["seq"].tolist(), unit_rows(sums), strict=True))


def take_back(db: DuckDBPyConnection, edge: TopicEdge) -> None:
    """Notes that somebody has taken this edge back, and what it rests on; in the caller's transaction."""
    give_back(db, edge)
    db.execute(
        f"insert into decision select ?, u.id, t.id, now() {_MEMBERS} where l.concept = ? and l.head = ?",
        [edge.id, edge.row.topic, edge.row.head],
    )


def give_back(db: DuckDBPyConnection, edge: TopicEdge) -> None:
    """Removes every decision by which this edge is taken back."""
    place = (edge.row.topic, edge.row.head)
    names = [name for name, where in taken_back(db).items() if where == place]
    db.execute("delete from decision where edge in (select unnest(?::varchar[]))", [names])


def taken_back(db: DuckDBPyConnection) -> dict[str, tuple[int, str]]:
    """By each decision the topic and the person that it is about now: where most of what it rested on is, for topics
    that are learned again need not be the same. Without those of which nothing is left.
    """
    rows = db.execute(
        """select d.edge, b.concept, m.label from decision d join unit u on u.id = d.unit
           join belongs b on b.unit = u.seq join memory m on m.unit = u.seq group by d.edge, b.concept, m.label
           qualify row_number() over (partition by d.edge order by count(*) desc, b.concept) = 1"""
    ).fetchall()
    return {str(name): (int(topic), str(head)) for name, topic, head in rows}


def note_declined(db: DuckDBPyConnection, edge: TopicEdge, why: str) -> None:
    """Notes why this edge is declined; empty, that it is not."""
    place = [edge.row.topic, edge.row.head]
    db.execute("update lifted set declined = ? where concept = ? and head = ?", [why, *place])
