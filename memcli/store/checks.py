"""What must hold of a store, as conditions on the rows that break it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from .compaction import ORPHANS
from .tombstones import KEY
from .transcript import DIGEST

__all__ = ["Check", "Mend", "checks"]


class Mend(StrEnum):
    """How something broken is made whole."""

    REMOVE = "remove"  # the rows themselves
    INDEX = "index"  # the index of their sessions is made again
    MEMORY = "memory"  # the units go, and are made again when they are next needed
    LEDGER = "ledger"  # their sessions' memory and associations are made again when they are next needed
    SNAPSHOT = "snapshot"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Check:
    """Rows that should not be there. `example` names one; `touches` is the session, or for MEMORY the unit, to mend.

    `harmless`: the program's own work leaves such rows, nothing reads them, and compaction removes them.
    """

    what: str
    table: str
    where: str
    example: str
    mend: Mend | None = None
    touches: str = "-1"
    harmless: bool = False


_SAMPLE = {
    "source": "unit", "unit": "id", "edge": "src || ' – ' || dst", "vector": "seq", "memory": "unit", "event": "unit",
    "role": "event", "posting": "turn", "document": "turn", "digest": "turn", "built": "session", "session": "id",
    "call": "key", "cited": "answer", "missed": "answer", "feedback": "answer", "strength": "turn", "lifted": "concept",
    "decision": "edge",
}  # fmt: skip
_GENERATED = "kind in ('summary', 'keyword', 'fact', 'insight', 'edu', 'chunk', 'argument', 'assertion')"
_TWICE = "{0} in (select {0} from {1} group by {0} having count(*) > 1)"
#: Wherever a session grew: its own units are made again, and what pointed to the old ones is left behind.
_LEFT_BEHIND = ("edges without an end",)


def checks() -> Iterator[Check]:
    """Every check that is one query, in an order in which what is removed leaves nothing behind."""
    yield from _truth()
    for what, (table, where) in ORPHANS.items():
        if table != "turn":
            yield Check(what, table, where, _SAMPLE.get(table, "unit"), Mend.REMOVE, harmless=what in _LEFT_BEHIND)
    yield from _other_rows()
    yield from _index()
    yield from _memory()


def _truth() -> Iterator[Check]:
    """What was said: nobody can make it again, and nothing here is ever changed."""
    yield Check("turns that differ from what was stored", "turn join digest on digest.turn = seq",
                f"value <> {DIGEST}", "id")  # fmt: skip
    yield Check("turns without a digest", "turn", "seq not in (select turn from digest)", "id")
    yield Check("turns with an id that is none", "turn", "not regexp_full_match(id, 't:[0-9a-f]{16}')", "id")
    yield Check("sessions with an id that is none", "session", "not regexp_full_match(id, 's:[0-9a-f]{16}')", "id")
    for table in ("turn", "session"):
        for column in ("id", "seq"):
            yield Check(f"doubled {table}s ({column})", table, _TWICE.format(column, table), "id")
    yield Check("turns without a session", "turn", "session not in (select seq from session)", "id")
    places = "(select id, position, row_number() over (partition by session order by position) - 1 as place from turn)"
    yield Check("turns out of place", places, "position <> place", "id")
    yield Check("turns that were forgotten", "turn", f"{KEY} in (select key from tombstone)", "id")


def _other_rows() -> Iterator[Check]:
    yield Check("units without a session", "unit", "session not in (select seq from session)", "id", Mend.REMOVE)
    yield Check(
        "doubled sources", "source", """unit not in (select seq from unit where kind = 'argument')
        and rowid not in (select min(rowid) from source group by unit, turn)""", "unit", Mend.REMOVE,
    )  # fmt: skip
    yield Check("doubled tombstones", "tombstone", "rowid not in (select min(rowid) from tombstone group by key)",
                "key", Mend.REMOVE)  # fmt: skip
    yield Check("doubled answers", "answered", "rowid not in (select min(rowid) from answered group by id)",
                "id", Mend.REMOVE)  # fmt: skip
    yield Check("doubled verdicts", "feedback", "rowid not in (select max(rowid) from feedback group by answer)",
                "answer", Mend.REMOVE)  # fmt: skip
    yield Check("verdicts that are none", "feedback", "verdict not in ('useful', 'wrong')", "answer", Mend.REMOVE)
    yield Check("strengths out of bounds", "strength", "not value between 0.5 and 2", "turn", Mend.REMOVE)
    yield Check("edges without a weight", "edge", "not isfinite(weight)", "src || ' – ' || dst", Mend.REMOVE)
    yield Check("events without an event type", "event", "type is null", "unit", Mend.REMOVE)


def _index() -> Iterator[Check]:
    def broken(what: str, table: str, where: str, example: str = "id") -> Check:
        return Check(what, table, where, example, Mend.INDEX, "session")

    yield broken("turns without a document", "turn", "seq not in (select turn from document)")
    yield broken("doubled documents", "turn", f"seq in (select turn from document where {_doubled('turn')})")
    lengths = "(select turn, sum(frequency) as length from posting group by turn)"
    yield broken(
        "turns whose postings do not add up",
        f"turn join document d on d.turn = seq left join {lengths} p on p.turn = seq",
        "d.length <> coalesce(p.length, 0)",
    )
    yield broken("turns with doubled postings", "turn",
                 "seq in (select turn from posting group by turn, term having count(*) > 1)")  # fmt: skip
    for kind in ("turn", "round", "session"):
        yield broken(f"turns without one {kind} unit", _with_units(kind), "units <> 1")
    yield broken("turns without a sentence", _with_units("sentence"), "units < 1")
    yield broken("sentences without a vector", "unit",
                 "kind = 'sentence' and (vector is null or vector not in (select seq from vector))")  # fmt: skip
    twice = f"select seq from vector where {_doubled('seq', 'vector')}"
    yield broken("doubled vectors", "unit", f"kind = 'sentence' and vector in ({twice})")
    yield broken("doubled units", "unit", _TWICE.format("seq", "unit"))
    behind = """session s where seq in (select session from turn) and not exists (select 1 from built b where
        b.session = s.seq and b.producer = 'transcript'
        and b.turns = (select count(*) from turn t where t.session = s.seq))"""
    yield broken("sessions without a whole index", f"(select id, seq as session from {behind})", "true")


def _doubled(column: str, table: str = "document") -> str:
    return _TWICE.format(column, table)


def _with_units(kind: str) -> str:
    return f"""(select t.id, t.session, count(u.seq) as units from turn t left join source o on o.turn = t.seq
        left join unit u on u.seq = o.unit and u.kind = '{kind}' group by t.id, t.session)"""


def _memory() -> Iterator[Check]:
    def broken(what: str, where: str) -> Check:
        return Check(what, "unit", where, "id", Mend.MEMORY, "seq")

    yield broken("generated units without a memory", f"{_GENERATED} and seq not in (select unit from memory)")
    doubled = _TWICE.format("unit", "memory")
    yield broken("doubled memories", f"{_GENERATED} and seq in (select unit from memory where {doubled})")
    yield broken("events without a type", "kind in ('edu', 'chunk') and seq not in (select unit from event)")
    yield broken("assertions of nothing", "kind = 'assertion' and seq not in (select unit from assertion)")
    yield broken("arguments of no event", "kind = 'argument' and seq not in (select argument from role)")
    lost = "replaced_by is not null and replaced_by not in (select seq from unit)"
    yield broken("memories replaced by nothing", f"seq in (select unit from memory where {lost})")
    ahead = "turns > (select count(*) from turn t where t.session = built.session)"
    yield Check("ledger entries ahead of their session", "built", f"producer <> 'transcript' and {ahead}",
                "session || ' ' || producer", Mend.LEDGER, "session")  # fmt: skip
