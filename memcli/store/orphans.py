"""Rows that belong to nothing any more, or are there twice: what compaction removes and the doctor finds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .schema import TABLES, Column, Fault, Mend, Reference, Table, of_kinds

__all__ = ["ORPHANS", "Faulty", "broken_references"]


@dataclass(frozen=True, slots=True)
class Faulty:
    """Rows of a table that should not be there: a condition on them, and the tables that it looks into."""

    fault: Fault
    table: str
    where: str
    reads: frozenset[str] = frozenset()


#: Sessions of which every turn was said, by the same speaker at the same time, in an older session of the conversation.
_TWICE = """
    select session from (
        select t.session, t.seq, max(o.seq) as twin from turn t join session s on s.seq = t.session
        left join session p on p.conversation = s.conversation and p.seq < s.seq
        left join turn o on o.session = p.seq and o.speaker = t.speaker and o.said_at = t.said_at and o.text = t.text
        group by t.session, t.seq)
    group by session having count(*) = count(twin)"""


def broken_references() -> list[Faulty]:
    """What breaks a reference that the schema declares: rows that refer to nothing, and rows that nothing refers to.

    In an order in which what is removed leaves nothing behind.
    """
    found: dict[tuple[Fault, str], Faulty] = {}
    for table in TABLES.values():
        for each in _of_table(table):
            before = found.get((each.fault, each.table))
            where = f"{before.where} or {each.where}" if before else each.where
            found[each.fault, each.table] = Faulty(each.fault, each.table, where, each.reads)
    return list(_in_order(found.values()))


def _of_table(table: Table) -> Iterator[Faulty]:
    for column, to in table.references:
        if to.broken:
            yield Faulty(to.broken, table.name, _broken(column, to), frozenset([to.table]))
        if to.lacking:
            yield Faulty(to.lacking, to.table, _lacking(table, column, to), frozenset([table.name]))


def _broken(column: Column, to: Reference) -> str:
    own = column.name
    where = f"{own} not in (select {to.column} from {to.table})"
    if to.nothing:
        where = f"{own} <> {to.nothing} and {where}"
    return f"({to.required} and {own} is null) or {where}" if to.required else where


def _lacking(table: Table, column: Column, to: Reference) -> str:
    among = f" where {column.name} is not null" if column.null else ""
    where = f"{to.column} not in (select {column.name} from {table.name}{among})"
    return f"{of_kinds(to.kinds)} and {where}" if to.kinds else where


def _in_order(faulty: Iterable[Faulty]) -> Iterator[Faulty]:
    """Each after those by whose removal it may grow."""
    left = list(faulty)
    while left:
        first = next(each for each in left if not any(_precedes(other, each) for other in left))
        left.remove(first)
        yield first


def _precedes(one: Faulty, other: Faulty) -> bool:
    """Whether removing `one` may make more of `other`."""
    # Of two tables that need each other, what goes because the other has nothing of it leaves nothing there.
    mutual = other.table in one.reads and one.table in other.reads
    return one.table in other.reads and one.fault.mend is Mend.REMOVE and not mutual


#: What compaction removes, in this order.
ORPHANS = (
    Faulty(Fault("turns of sessions that are stored twice"), "turn", f"session in ({_TWICE})"),
    *(each for each in broken_references() if each.fault.mend is Mend.REMOVE),
    Faulty(Fault("doubled edges"), "edge", "rowid not in (select min(rowid) from edge group by src, dst, relation)"),
    Faulty(Fault("doubled calls"), "call", "rowid not in (select min(rowid) from call group by key)"),
)
