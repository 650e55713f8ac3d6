"""Forgetting: turns go, and with them every row that was made of them, whatever table it is in.

Everything here is called within one transaction of the caller's. What a session that loses turns had of generated
memory and events goes as a whole, and is made again from the rest when it is next needed; so are its associations. A
language model's work is made again only where it is asked for again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..model import Kind, SessionId, TurnId
from . import tombstones
from .quoting import Gone, kept, quoting
from .revision import bump_revision
from .rows import append, scalar
from .schema import SHARED, TABLES, of_kinds, referring
from .units import drop_units
from .vectors import drop_vectors
from .verdicts import drop_answers

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Marked", "mark", "part_with", "remove", "together"]

_SHARED = of_kinds(SHARED)
_OF_TURNS = of_kinds([Kind.SENTENCE, Kind.TURN])
_READ = 500  # texts at a time


@dataclass(frozen=True, slots=True)
class Marked:
    """What goes: turns, sessions as a whole, units; `rest`, the sessions that lose only some turns.

    `asserts`: whether somebody asserts something in it. `answers`: those that cite a turn which goes, or that quote
    one, or on which a remark does. `quoting`: by each table that may quote what goes (`schema.Column.quotes`) what its
    rows are known by that do.
    """

    turns: Sequence[TurnId]
    sessions: int
    units: int
    asserts: bool
    quoting: Mapping[str, Sequence[str]]
    answers: Sequence[str]
    rest: Sequence[tuple[int, SessionId]]

    @property
    def calls(self) -> Sequence[str]:
        """The kept calls of language models that quote it."""
        return self.quoting.get("call", ())

    @property
    def feedback(self) -> Sequence[str]:
        """The answers on which there is a remark that quotes it."""
        return self.quoting.get("feedback", ())


def mark(db: DuckDBPyConnection, turns: Sequence[TurnId]) -> Marked:
    """Marks what goes with these turns, in temporary tables of the open store; changes nothing that is stored."""
    _mark(db, turns)
    found = [TurnId(i) for (i,) in db.execute("select id from marked_turn order by seq").fetchall()]
    rest = db.execute("""select s.seq, s.id from session s where s.seq in (select session from touched)
        and s.seq in (select session from turn where seq not in (select seq from marked_turn)) order by s.seq""")
    left = [(int(seq), SessionId(session)) for seq, session in rest.fetchall()]
    quotes = _quoting(db)
    answers = sorted({*quotes.get("answered", ()), *quotes.get("feedback", ()), *_citing(db)})
    sessions = int(scalar(db, "select count(*) from touched")) - len(left)
    count, asserted = "select count(*) from marked_unit", "where seq in (select unit from assertion)"
    asserts = bool(scalar(db, f"{count} {asserted}"))
    return Marked(found, sessions, int(scalar(db, count)), asserts, quotes, answers, left)


def together(marked: Sequence[Marked]) -> Marked:
    """What goes in several stores, as one; sessions that lose turns are numbered by each store, and left out."""
    if len(marked) == 1:
        return marked[0]
    quotes: dict[str, list[str]] = {}
    for each in marked:
        for table, keys in each.quoting.items():
            quotes.setdefault(table, []).extend(keys)
    return Marked(
        [turn for each in marked for turn in each.turns],
        sum(each.sessions for each in marked),
        sum(each.units for each in marked),
        any(each.asserts for each in marked),
        quotes,
        [answer for each in marked for answer in each.answers],
        [],
    )


def part_with(db: DuckDBPyConnection, turns: Sequence[TurnId]) -> None:
    """Removes all turns of some sessions with all that was made of them, where another store has them.

    They are not forgotten: what quotes them stays, and nothing keeps them from coming back.
    """
    _mark(db, turns)
    _remove(db)


def _mark(db: DuckDBPyConnection, turns: Sequence[TurnId]) -> None:
    db.execute(
        """create or replace temp table marked_turn as
           select seq, id, session from turn where id in (select unnest(?::varchar[]))""",
        [list(turns)],
    )
    db.execute("create or replace temp table touched as select distinct session from marked_turn")
    db.execute(f"""create or replace temp table marked_unit as select seq from unit
        where (not {_SHARED} and seq in (select unit from source where turn in (select seq from marked_turn)))
        or (not {_SHARED} and not {_OF_TURNS} and session in (select session from touched))""")
    _mark_idle(db)


def _mark_idle(db: DuckDBPyConnection) -> None:
    """Marks the shared units that take part in nothing any more, or that only the sessions that lose turns mention."""
    db.execute(f"""insert into marked_unit select seq from unit where {_SHARED} and (
        (kind = 'argument' and seq not in (
            select argument from role where event not in (select seq from marked_unit)))
        or seq not in (select o.unit from source o join turn t on t.seq = o.turn
            where t.session not in (select session from touched)))""")


def _citing(db: DuckDBPyConnection) -> list[str]:
    """The answers that cite a turn which goes, or are said to have missed it."""
    among = "where turn in (select id from marked_turn)"
    return _texts(db, f"select answer from cited {among} union select answer from missed {among}")


def _quoting(db: DuckDBPyConnection) -> dict[str, list[str]]:
    """By each table what its rows are known by that quote what goes."""
    quoting_tables = [table for table in TABLES.values() if table.quoting]
    held = " + ".join(f"(select count(*) from {table.name})" for table in quoting_tables)
    if not scalar(db, f"select {held}"):
        return {}
    gone = Gone(_going(db), _staying(db), kept(db, quoting_tables))
    return {table.name: quoting(db, table, gone) for table in quoting_tables}


def _going(db: DuckDBPyConnection) -> Iterator[str]:
    """What was said and is to go, who said it, and what was generated from it."""
    yield from _texts(db, "select text from turn where seq in (select seq from marked_turn)")
    yield from _texts(db, "select distinct speaker from turn where seq in (select seq from marked_turn)")
    generated = f"not {_OF_TURNS} and text is not null and seq in (select seq from marked_unit)"
    yield from _texts(db, f"select text from unit where {generated}")


def _staying(db: DuckDBPyConnection) -> Iterator[str]:
    yield from _texts(db, "select distinct speaker from turn where seq not in (select seq from marked_turn)")
    reading = db.execute("select text from turn where seq not in (select seq from marked_turn)")
    while rows := reading.fetchmany(_READ):
        yield from (text for (text,) in rows)


def _texts(db: DuckDBPyConnection, sql: str) -> list[str]:
    return [str(text) for (text,) in db.execute(sql).fetchall()]


def remove(db: DuckDBPyConnection, marked: Marked) -> None:
    """Removes what `mark` has marked, with a tombstone for each turn; the coarse units of `rest` are missing then."""
    drop_answers(db, marked.answers)
    _remove_quoting(db, marked.quoting)
    tombstones.bury(db, marked.turns)
    _remove(db)


def _remove(db: DuckDBPyConnection) -> None:
    _pass_on_edges(db)
    _reopen_ledger(db)
    _remove_units(db)
    _remove_turns(db)
    _number_again(db)
    db.execute("delete from snapshot")  # each holds something of every turn
    bump_revision(db)
    for name in ("marked_turn", "marked_unit", "touched"):
        db.execute(f"drop table temp.{name}")


def _remove_quoting(db: DuckDBPyConnection, quotes: Mapping[str, Sequence[str]]) -> None:
    for name, keys in quotes.items():
        shown = TABLES[name].shown
        for table, column in ((name, shown), *referring(name, shown)) if keys else ():
            db.execute(f"delete from {table} where {column} in (select unnest(?::varchar[]))", [list(keys)])


def _pass_on_edges(db: DuckDBPyConnection) -> None:
    """Gives the neighbours of a sentence that was said again to its next occurrence, and joins the others to that."""
    db.execute("""create or replace temp table successor as
        select min(u.seq) as old, min(u.seq) filter (u.seq not in (select seq from marked_unit)) as new
        from unit u where u.kind = 'sentence'
        and u.vector in (select vector from unit where seq in (select seq from marked_unit))
        group by u.vector having old in (select seq from marked_unit)
        and new is not null""")
    for end in ("src", "dst"):
        db.execute(f"""update edge set {end} = successor.new from successor
            where edge.relation = 'similar' and edge.{end} = successor.old""")
    db.execute("delete from edge where relation = 'similar' and src = dst")
    passed_on = "relation = 'similar' and src in (select new from successor)"
    db.execute(f"""delete from edge where {passed_on}
        and rowid not in (select min(rowid) from edge where {passed_on} group by src, dst)""")
    db.execute("drop table temp.successor")


def _reopen_ledger(db: DuckDBPyConnection) -> None:
    """Notes what is to be made again: of the sessions that lose turns everything, of others what rested on these."""
    touched = "session in (select session from touched)"
    db.execute(f"delete from built where {touched} and contains(producer, ':')")
    db.execute(f"update built set version = 0, turns = 0 where {touched} and producer not in ('transcript', 'words')")
    db.execute(f"""update built set turns = (select count(*) from turn t where t.session = built.session
        and t.seq not in (select seq from marked_turn)) where {touched} and producer in ('transcript', 'words')""")
    lost = "select session from unit where kind = 'insight' and seq in (select seq from marked_unit)"
    by_model = "select session from built where starts_with(producer, 'memories:')"
    db.execute(f"""update built set version = 0 where producer = 'memories' and session in ({lost})
        and session not in ({by_model})""")
    near = "e.relation = 'associated' and {} in (select seq from marked_unit)"
    joined = " union ".join(
        f"select u.session from edge e join unit u on u.seq = {own} where {near.format(other)}"
        for own, other in (("e.src", "e.dst"), ("e.dst", "e.src"))
    )
    db.execute(f"update built set version = 0 where producer = 'associations' and session in ({joined})")


def _remove_units(db: DuckDBPyConnection) -> None:
    db.execute("""create or replace temp table idle_vector as
        select vector from unit where vector in (select vector from unit where seq in (select seq from marked_unit))
        group by vector having bool_and(seq in (select seq from marked_unit))""")
    drop_units(db, "seq in (select seq from marked_unit)")
    drop_vectors(db, "select vector from idle_vector")
    db.execute("drop table temp.idle_vector")
    db.execute(f"""delete from source where unit in (select seq from unit where {_SHARED})
        and turn in (select t.seq from turn t where t.session in (select session from touched))""")
    _rewrite_arguments(db)


def _rewrite_arguments(db: DuckDBPyConnection) -> None:
    """Writes shared units as they are written in what stays, and gives those of a session that goes to another."""
    left = f"""from unit u join source o on o.unit = u.seq join turn t on t.seq = o.turn where u.{_SHARED}
        and u.session in (select session from touched)"""
    rows = db.execute(
        f"select u.seq, u.text, min(t.session), list(t.text order by t.seq) {left} group by all"
    ).fetchall()
    if not rows:
        return
    db.execute("create or replace temp table rewritten (seq integer, text varchar, session integer)")
    seqs, texts, sessions, said = map(list, zip(*rows, strict=True))
    append(db, "rewritten", {"seq": seqs, "text": list(map(_spelled, texts, said)), "session": sessions})
    db.execute("""update unit set text = rewritten.text, session = rewritten.session from rewritten
        where unit.seq = rewritten.seq""")
    db.execute("drop table temp.rewritten")


def _spelled(text: str, said: Sequence[str]) -> str:
    """A text as the first of those writes it in which it is said; in lower case where none does."""
    found = (each[at : at + len(text)] for each in said if (at := each.lower().find(text.lower())) >= 0)
    return next((each for each in found if each.casefold() == text.casefold()), text.lower())


def _remove_turns(db: DuckDBPyConnection) -> None:
    db.execute("""delete from sighting where turn in (
        select seq from turn where session in (select session from touched))""")  # the others may name who goes
    for key in ("seq", "id"):
        for table, column in referring("turn", key):
            db.execute(f"delete from {table} where {column} in (select {key} from marked_turn)")
    db.execute("delete from turn where seq in (select seq from marked_turn)")
    empty = "in (select session from touched) and {} not in (select session from turn)"
    db.execute(f"delete from built where session {empty.format('session')}")
    db.execute(f"delete from session where seq {empty.format('seq')}")


def _number_again(db: DuckDBPyConnection) -> None:
    """Closes the gaps among the places of the turns that stay: a session is continued at its number of turns."""
    db.execute("""update turn set position = placed.position from (
        select seq, row_number() over (partition by session order by position) - 1 as position from turn
        where session in (select session from touched)) placed
        where turn.seq = placed.seq and turn.position <> placed.position""")
