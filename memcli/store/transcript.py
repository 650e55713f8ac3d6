"""What was said: sessions and turns, in and out. The truth of a store; everything else can be made from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import StoreMissing
from ..model import Session, SessionId, Turn, TurnId
from .rows import append, from_stored, scalar, to_stored

if TYPE_CHECKING:
    from datetime import datetime

    from duckdb import DuckDBPyConnection

__all__ = [
    "DIGEST",
    "add_sessions",
    "add_turns",
    "check_filled",
    "ids",
    "indexed",
    "known",
    "latest",
    "session_ids",
    "session_numbers",
    "sessions_of",
    "sessions_with",
    "speakers",
    "turn_count",
    "turns_by_id",
    "turns_by_number",
    "turns_of",
    "turns_with_sessions",
]

#: A hash of what was said and by whom and when, as SQL over a row of `turn`: taken when it is stored, to verify later.
DIGEST = """md5_number_lower(concat_ws(chr(31), id, speaker, role, coalesce(epoch_us(said_at)::varchar, ''),
    coalesce(utc_offset::varchar, ''), text))"""

_TURN = "t.id, s.id, t.position, t.speaker, t.role, t.said_at, t.utc_offset, t.text"
_SESSION = "s.id, s.conversation, s.source, s.started_at, s.utc_offset, s.title"


def known(db: DuckDBPyConnection, ids: Sequence[TurnId]) -> Mapping[TurnId, SessionId]:
    """Which of `ids` the store has, and the session that each is in."""
    rows = db.execute(
        "select t.id, s.id from turn t join session s on s.seq = t.session where t.id in (select unnest(?::varchar[]))",
        [list(ids)],
    ).fetchall()
    return {TurnId(turn): SessionId(session) for turn, session in rows}


def ids(db: DuckDBPyConnection, seqs: Sequence[int]) -> dict[int, TurnId]:
    """The ids of the turns with these numbers, by number."""
    rows = db.execute("select seq, id from turn where seq in (select unnest(?::integer[]))", [list(seqs)]).fetchall()
    return {int(seq): TurnId(turn) for seq, turn in rows}


def indexed(db: DuckDBPyConnection, ids: Sequence[TurnId]) -> dict[TurnId, tuple[int, bool]]:
    """Which of `ids` the store has: their numbers, and whether they are indexed."""
    rows = db.execute(
        """select t.id, t.seq, d.turn is not null from turn t left join document d on d.turn = t.seq
           where t.id in (select unnest(?::varchar[]))""",
        [list(ids)],
    ).fetchall()
    return {TurnId(turn): (int(seq), bool(done)) for turn, seq, done in rows}


def latest(db: DuckDBPyConnection, conversation: str) -> tuple[SessionId, datetime | None] | None:
    """The session of `conversation` that was spoken in last, and when; None where there is none."""
    rows = db.execute(
        """select s.id, t.said_at, t.utc_offset from session s join turn t on t.session = s.seq
           where s.conversation = ? order by t.said_at desc nulls last, t.seq desc limit 1""",
        [conversation],
    ).fetchall()
    return (SessionId(rows[0][0]), from_stored(rows[0][1], rows[0][2])) if rows else None


def session_numbers(db: DuckDBPyConnection, ids: Sequence[SessionId]) -> dict[SessionId, int]:
    """The numbers of those of the sessions that the store has."""
    rows = db.execute("select id, seq from session where id in (select unnest(?::varchar[]))", [list(ids)]).fetchall()
    return {SessionId(session): int(seq) for session, seq in rows}


def session_ids(db: DuckDBPyConnection, numbers: Sequence[int]) -> dict[int, SessionId]:
    """The id of each of these sessions that there is, by its number."""
    rows = db.execute(
        "select seq, id from session where seq in (select unnest(?::bigint[]))", [list(numbers)]
    ).fetchall()
    return {int(seq): SessionId(id_) for seq, id_ in rows}


def add_sessions(db: DuckDBPyConnection, sessions: Mapping[int, Session]) -> None:
    """Appends new sessions, by their numbers."""
    times = [to_stored(session.started_at) for session in sessions.values()]
    append(
        db,
        "session",
        {
            "seq": list(sessions),
            "id": [s.id for s in sessions.values()],
            "conversation": [s.conversation for s in sessions.values()],
            "source": [s.source for s in sessions.values()],
            "started_at": np.array([at for at, _ in times], dtype="datetime64[us]"),
            "utc_offset": [offset for _, offset in times],
            "title": [s.title for s in sessions.values()],
        },
    )


def turn_count(db: DuckDBPyConnection, session: int | None = None) -> int:
    """How many turns a stored session has; without one, the whole store."""
    which, parameters = ("", []) if session is None else ("where session = ?", [session])
    return int(scalar(db, f"select count(*) from turn {which}", parameters))


def add_turns(db: DuckDBPyConnection, first: int, turns: Sequence[tuple[int, int, Turn]]) -> None:
    """Appends new turns under the numbers from `first` on; each with its session's number and its place in that."""
    if not turns:
        return
    sessions, positions, said = zip(*turns, strict=True)
    times = [to_stored(t.said_at) for t in said]
    append(
        db,
        "turn",
        {
            "seq": np.arange(first, first + len(said)),
            "id": [t.id for t in said],
            "session": np.array(sessions),
            "position": np.array(positions),
            "speaker": [t.speaker for t in said],
            "role": [t.role for t in said],
            "said_at": np.array([at for at, _ in times], dtype="datetime64[us]"),
            "utc_offset": [offset for _, offset in times],
            "text": [t.text for t in said],
        },
    )
    db.execute(f"insert into digest select seq, {DIGEST} from turn where seq >= ?", [first])


def turns_by_id(db: DuckDBPyConnection, ids: Iterable[TurnId]) -> dict[TurnId, Turn]:
    """The turns with these ids, by id."""
    sql = f"select {_TURN} from turn t join session s on s.seq = t.session where t.id in (select unnest(?::varchar[]))"
    return {turn.id: turn for turn in _turns(db, sql, [list(ids)])}


def turns_by_number(db: DuckDBPyConnection, seqs: Sequence[int]) -> list[Turn]:
    """The turns with these numbers, in this order."""
    sql = f"""select {_TURN} from turn t join session s on s.seq = t.session
        join (select unnest(?::integer[]) as seq, unnest(?::integer[]) as place) w on w.seq = t.seq order by w.place"""
    return _turns(db, sql, [list(seqs), list(range(len(seqs)))])


def turns_of(db: DuckDBPyConnection, sessions: Sequence[int]) -> dict[int, list[Turn]]:
    """Every turn of these stored sessions, in order, by the session's number."""
    sql = f"""select {_TURN}, s.seq from turn t join session s on s.seq = t.session
        where t.session in (select unnest(?::integer[])) order by t.position"""
    turns: dict[int, list[Turn]] = {session: [] for session in sessions}
    for *row, session in db.execute(sql, [list(sessions)]).fetchall():
        turns[session].append(_turn(row))
    return turns


def sessions_of(db: DuckDBPyConnection, ids: Iterable[SessionId]) -> dict[SessionId, Session]:
    """The sessions with these ids, by id."""
    sql = f"select {_SESSION} from session s where s.id in (select unnest(?::varchar[]))"
    return {SessionId(row[0]): _session(row) for row in db.execute(sql, [list(ids)]).fetchall()}


def turns_with_sessions(db: DuckDBPyConnection, ids: Iterable[TurnId]) -> dict[TurnId, tuple[Turn, Session]]:
    """The turns with these ids and the sessions that they were said in, by id."""
    sql = f"""select {_TURN}, {_SESSION} from turn t join session s on s.seq = t.session
        where t.id in (select unnest(?::varchar[]))"""
    rows = db.execute(sql, [list(ids)]).fetchall()
    return {TurnId(row[0]): (_turn(row), _session(row[_TURN.count(",") + 1 :])) for row in rows}


def sessions_with(db: DuckDBPyConnection, speaker: str, ids: Iterable[SessionId]) -> set[SessionId]:
    """Those of these sessions in whose conversation a speaker says something, in that session or in another."""
    rows = db.execute(
        "select id from session where id in (select unnest(?::varchar[])) and conversation in "
        "(select s.conversation from session s join turn t on t.session = s.seq where t.speaker = ?)",
        [list(ids), speaker],
    ).fetchall()
    return {SessionId(each) for (each,) in rows}


def check_filled(db: DuckDBPyConnection) -> None:
    """Raises StoreMissing where nothing was ever said in the store; not where all of it is forgotten."""
    if scalar(db, "select 1 from turn union all select 1 from tombstone limit 1") is None:
        raise StoreMissing("nothing was ever ingested into this store", "fill it with: memcli ingest FILE")


def speakers(db: DuckDBPyConnection) -> frozenset[str]:
    """Everyone who says something in the store."""
    return frozenset(name for (name,) in db.execute("select distinct speaker from turn").fetchall())


def _turns(db: DuckDBPyConnection, sql: str, parameters: list[object]) -> list[Turn]:
    return [_turn(row) for row in db.execute(sql, parameters).fetchall()]


def _turn(row: Sequence[Any]) -> Turn:
    """Of the columns of _TURN."""
    return Turn(TurnId(row[0]), SessionId(row[1]), row[2], row[3], row[4], from_stored(row[5], row[6]), row[7])


def _session(row: Sequence[Any]) -> Session:
    """Of the columns of _SESSION."""
    return Session(SessionId(row[0]), row[1], row[2], from_stored(row[3], row[4]), row[5])
