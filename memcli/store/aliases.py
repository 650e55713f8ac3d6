"""Whose a name is: where turns show it, what follows from that, and what people said of it.

Nothing follows from one sighting. In a conversation of two, whoever is called is the other one; among more, the one who
answers need not be, and a sighting counts half. Within a conversation a name is one person's, so that sightings of it
as another's count against it there. The probability is Laplace's rule of succession, (w + 1) / (w + r + 2), with the
weight w of the sightings in favour and r of those against: 0.70 takes two sightings of two people, three among more.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..model import TurnId
from ..model.names import Sign
from ..text import clean
from .revision import bump_revision
from .rows import append, scalar

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "Alias", "Sighting", "aliases", "by_name", "concluded", "decide", "denied", "folded", "probability", "sightings",
    "write_sightings",
]  # fmt: skip

#: From this probability on a name is taken for somebody's.
_PROBABLE = 0.7
#: It takes so many turns, and no other person of whom half as many show it.
_LEAST = 2
_RIVAL = 0.5
#: A sighting among more than two people, by these signs, counts so much: who is called need not be who answers.
_AMONG_MANY = 0.5
_CALLS = (Sign.VOCATIVE, Sign.KINSHIP)


@dataclass(frozen=True, slots=True)
class Sighting:
    """A turn that shows that `name` is `speaker`'s; for `whom` alone, unless that is empty."""

    name: str
    speaker: str
    whom: str
    sign: Sign
    turn: TurnId
    conversation: str
    people: int

    @property
    def weight(self) -> float:
        """How much it counts."""
        return _AMONG_MANY if self.sign in _CALLS and self.people > 2 else 1.0


@dataclass(frozen=True, slots=True)
class Alias:
    """Another name of `speaker`; for `whom` alone, unless that is empty. `sightings`: in how many turns, `turn` the
    first of them, empty where it was `given` by people.
    """

    name: str
    speaker: str
    whom: str
    sightings: int
    probability: float
    turn: TurnId | None
    given: bool = False


def write_sightings(
    db: DuckDBPyConnection, sessions: Sequence[int], rows: Sequence[tuple[int, str, str, str, Sign]]
) -> None:
    """Makes these the sightings of these sessions: the number of the turn, name, speaker, for whom alone, by what."""
    db.execute(
        "delete from sighting where turn in (select seq from turn where session in (select unnest(?::integer[])))",
        [list(sessions)],
    )
    if rows:
        turns, names, speakers, whom, signs = map(list, zip(*rows, strict=True))
        append(db, "sighting", {"turn": turns, "name": names, "speaker": speakers, "whom": whom, "sign": signs})


def sightings(db: DuckDBPyConnection) -> list[Sighting]:
    """Every sighting in the open store, in the order in which it came to hear of them."""
    if not scalar(db, "select count(*) from sighting"):
        return []
    rows = db.execute(
        """with crowd as (select s.conversation, count(distinct t.speaker) as people
                from turn t join session s on s.seq = t.session group by 1)
           select i.name, i.speaker, i.whom, i.sign, t.id, s.conversation, c.people
           from sighting i join turn t on t.seq = i.turn join session s on s.seq = t.session
           join crowd c on c.conversation = s.conversation order by t.seq, i.name, i.speaker, i.sign"""
    ).fetchall()
    return [
        Sighting(name, speaker, whom, Sign(sign), TurnId(turn), where, people)
        for name, speaker, whom, sign, turn, where, people in rows
    ]


def aliases(db: DuckDBPyConnection) -> list[Alias]:
    """The other names of people, the most probable first: those that people gave, and those that follow from what was
    said, without those that people took away.
    """
    decided = {
        (folded(name), speaker): (str(name), bool(holds))
        for name, speaker, holds in db.execute("select name, speaker, holds from alias order by made_at").fetchall()
    }
    given = [Alias(name, who, "", 0, 1.0, None, given=True) for (_, who), (name, holds) in decided.items() if holds]
    taken = {folded(each.name) for each in given}
    learned = [
        each
        for each in concluded(sightings(db))
        if (folded(each.name), each.speaker) not in decided and (each.whom or folded(each.name) not in taken)
    ]
    return [*sorted(given, key=lambda each: (each.speaker, each.name)), *learned]


def by_name(db: DuckDBPyConnection) -> dict[str, list[str]]:
    """By each alias, folded, whose it may be: for everybody, or, where the store knows who its user is, for them."""
    users = db.execute("select distinct speaker from turn where role = 'user' limit 2").fetchall()
    me = str(users[0][0]) if len(users) == 1 else ""
    found: dict[str, list[str]] = defaultdict(list)
    for each in aliases(db):
        if each.whom in ("", me):
            found[folded(each.name)].append(each.speaker)
    return {name: list(dict.fromkeys(who)) for name, who in found.items()}


def denied(db: DuckDBPyConnection) -> list[tuple[str, str]]:
    """The names that people said are not a speaker's, each with that speaker."""
    rows = db.execute("select name, speaker from alias where not holds order by speaker, name").fetchall()
    return [(str(name), str(speaker)) for name, speaker in rows]


def concluded(seen: Iterable[Sighting]) -> list[Alias]:
    """The names that follow from these sightings, the most probable first."""
    by_whom: dict[tuple[str, str], list[Sighting]] = defaultdict(list)
    for each in {(s.turn, folded(s.name), s.speaker, s.whom): s for s in seen}.values():
        by_whom[folded(each.name), each.whom].append(each)
    found = [alias for group in by_whom.values() for alias in _of_one_name(group)]
    return sorted(found, key=lambda each: (-each.probability, -each.sightings, each.speaker, each.name))


def _of_one_name(seen: Sequence[Sighting]) -> Iterator[Alias]:
    for speaker in dict.fromkeys(each.speaker for each in seen):
        own = [each for each in seen if each.speaker == speaker]
        where = {each.conversation for each in own}
        against = [each for each in seen if each.speaker != speaker and each.conversation in where]
        rivals = Counter(each.speaker for each in against)
        likely = probability(sum(each.weight for each in own), sum(each.weight for each in against))
        if len(own) >= _LEAST and likely >= _PROBABLE and max(rivals.values(), default=0) < _RIVAL * len(own):
            spelled = Counter(each.name for each in own).most_common(1)[0][0]
            yield Alias(spelled, speaker, own[0].whom, len(own), likely, own[0].turn)


def probability(weight: float, against: float) -> float:
    """That a name is somebody's, by Laplace's rule of succession."""
    return (weight + 1) / (weight + against + 2)


def decide(db: DuckDBPyConnection, name: str, speaker: str, *, holds: bool) -> None:
    """Notes that `name` is the speaker's, or is not, in place of what was said of it before; in the caller's
    transaction.
    """
    rows = db.execute("select distinct name from alias where speaker = ?", [speaker]).fetchall()
    same = [str(other) for (other,) in rows if folded(other) == folded(name)]
    db.execute("delete from alias where speaker = ? and name in (select unnest(?::varchar[]))", [speaker, same])
    db.execute("insert into alias values (?, ?, ?, now())", [name, speaker, holds])
    bump_revision(db)


def folded(name: str) -> str:
    """A name as it is compared."""
    return " ".join(clean(name).split()).casefold()
