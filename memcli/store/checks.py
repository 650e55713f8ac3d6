"""What must hold of a store, as conditions on the rows that break it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .ids import Tag, pattern
from .orphans import ORPHANS, Faulty, broken_references
from .schema import TABLES, Mend
from .tombstones import KEY
from .transcript import DIGEST

__all__ = ["Check", "checks"]


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


_TWICE = "{0} in (select {0} from {1} group by {0} having count(*) > 1)"


def checks() -> Iterator[Check]:
    """Every check that is one query, in an order in which what is removed leaves nothing behind."""
    yield from _truth()
    yield from (_of(each) for each in ORPHANS if each.table != "turn")
    yield from _other_rows()
    yield from _index()
    yield from _memory()


def _of(faulty: Faulty) -> Check:
    fault, table = faulty.fault, faulty.table
    own = "seq" if table == "unit" else "unit"
    touches = {Mend.INDEX: "session", Mend.MEMORY: own}.get(fault.mend or Mend.REMOVE, "-1")
    return Check(fault.what, table, faulty.where, TABLES[table].shown, fault.mend, touches, fault.harmless)


def _references(mend: Mend | None) -> Iterator[Check]:
    return (_of(each) for each in broken_references() if each.fault.mend is mend)


def _truth() -> Iterator[Check]:
    """What was said: nobody can make it again, and nothing here is ever changed."""
    yield Check("turns that differ from what was stored", "turn join digest on digest.turn = seq",
                f"value <> {DIGEST}", "id")  # fmt: skip
    yield from _references(None)
    for table, tag in (("turn", Tag.TURN), ("session", Tag.SESSION)):
        is_id = f"regexp_full_match(id, '{pattern(tag)}')"
        yield Check(f"{table}s with an id that is none", table, f"not {is_id}", "id")
    for table in ("turn", "session"):
        for column in ("id", "seq"):
            yield Check(f"doubled {table}s ({column})", table, _TWICE.format(column, table), "id")
    places = "(select id, position, row_number() over (partition by session order by position) - 1 as place from turn)"
    yield Check("turns out of place", places, "position <> place", "id")
    yield Check("turns that were forgotten", "turn", f"{KEY} in (select key from tombstone)", "id")


def _other_rows() -> Iterator[Check]:
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

    yield from _references(Mend.INDEX)
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
    yield from _references(Mend.MEMORY)
    doubled = f"seq in (select unit from memory where {_TWICE.format('unit', 'memory')})"
    yield Check("doubled memories", "unit", doubled, "id", Mend.MEMORY, "seq")
    ahead = "turns > (select count(*) from turn t where t.session = built.session)"
    yield Check("ledger entries ahead of their session", "built", f"producer <> 'transcript' and {ahead}",
                "session || ' ' || producer", Mend.LEDGER, "session")  # fmt: skip
