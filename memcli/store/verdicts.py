"""Answers that were given, what they cited, and what people said of them; the strengths that follow from it.

Everything goes by the ids of turns, which are the same in every store and outlive every rebuilding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ..model import TurnId
from ..text import words
from . import naming
from .ids import Tag
from .rows import append, scalar
from .schema import referring

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "KEPT", "Given", "Judged", "Logged", "Verdicts", "answered", "assertions_of", "drop_answers",
    "is_any_answered", "judge", "log", "matching", "prune", "record", "turns_with", "verdicts_on", "withdraw",
    "write_strengths",
]  # fmt: skip

#: So many answers that nobody has judged are kept.
KEPT = 10_000


@dataclass(frozen=True, slots=True)
class Given:
    """An answer that was given: to what, when (aware), how long it took, the tokens that were paid for it.

    `narrowed`: whether filters left out part of the store. `citations` are in the answer's order.
    """

    id: str
    question: str
    at: datetime
    seconds: float
    tokens: int
    abstained: bool
    narrowed: bool
    citations: Sequence[TurnId]


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer with the latest verdict on it, its note, and the turns that it missed; verdict empty: none."""

    given: Given
    verdict: str
    note: str
    missed: Sequence[TurnId]


@dataclass(frozen=True, slots=True)
class Logged:
    """An answer as it counts: at the time of its verdict or else of its own, in microseconds since 1970 (UTC)."""

    id: str
    at: int
    verdict: str
    used: Sequence[str]
    missed: Sequence[str]


def record(db: DuckDBPyConnection, given: Given) -> int:
    """Adds an answer to the open store, in the caller's transaction; returns how many the store has then.

    One that is there under the same id stays as it is.
    """
    if not scalar(db, "select count(*) from answered where id = ?", [given.id]):
        at = given.at.astimezone(UTC).replace(tzinfo=None)
        values = [given.id, given.question, at, given.seconds, given.tokens, given.abstained, given.narrowed]
        db.execute("insert into answered values (?, ?, ?, ?, ?, ?, ?)", values)
        _append_turns(db, "cited", given.id, given.citations)
    return int(scalar(db, "select count(*) from answered"))


def _append_turns(db: DuckDBPyConnection, table: str, answer: str, turns: Sequence[TurnId]) -> None:
    turns = list(dict.fromkeys(turns))
    append(db, table, {"answer": [answer] * len(turns), "turn": turns, "place": list(range(len(turns)))})


def prune(db: DuckDBPyConnection, kept: int = KEPT) -> None:
    """Removes the oldest answers that nobody has judged, but for the last `kept` of them."""
    old = db.execute(
        """select id from answered where id not in (select answer from feedback)
           order by asked_at desc, id offset ?""",
        [kept],
    )
    drop_answers(db, [str(each) for (each,) in old.fetchall()])


def drop_answers(db: DuckDBPyConnection, ids: Sequence[str]) -> None:
    """Removes these answers with their citations and verdicts."""
    if ids:
        for table, column in (("answered", "id"), *referring("answered", "id")):
            db.execute(f"delete from {table} where {column} in (select unnest(?::varchar[]))", [list(ids)])


def is_any_answered(db: DuckDBPyConnection) -> bool:
    """Whether the store remembers an answer."""
    return bool(scalar(db, "select count(*) from answered"))


def matching(db: DuckDBPyConnection, prefix: str) -> list[str]:
    """The ids of answers that begin with this, the latest first; empty: of all.

    Of another id that memcli prints, here with an answer's tag before it: those that cite what it stands for.
    """
    rows = db.execute(
        "select id from answered where starts_with(id, ?) order by asked_at desc, id limit 10", [prefix]
    ).fetchall()
    return [str(each) for (each,) in rows] or _citing(db, prefix.removeprefix(Tag.ANSWER.prefix))


def _citing(db: DuckDBPyConnection, name: str) -> list[str]:
    rows = db.execute(
        """select id from answered where id in (select answer from cited where turn in (select unnest(?::varchar[])))
           order by asked_at desc, id limit 10""",
        [naming.turns(db, name)],
    ).fetchall()
    return [str(each) for (each,) in rows]


def answered(
    db: DuckDBPyConnection, last: int, where: str = "true", parameters: Mapping[str, object] = MappingProxyType({})
) -> list[Judged]:
    """The last answers that were given, the latest first. `where`: a condition, never from data, on `answered` (a) and
    the verdict in `feedback` (f), with named parameters.
    """
    rows = db.execute(
        f"""select a.id, a.question, a.asked_at, a.seconds, a.tokens, a.abstained, a.narrowed,
            coalesce(f.verdict, ''), coalesce(f.note, '') from answered a left join feedback f on f.answer = a.id
            where {where} order by a.asked_at desc, a.id limit $last""",
        {"last": last, **parameters},
    ).fetchall()
    ids = [str(row[0]) for row in rows]
    cited, missed = (_turns_of(db, table, ids) for table in ("cited", "missed"))
    return [_judged(row, cited.get(row[0], []), missed.get(row[0], [])) for row in rows]


def _judged(row: Sequence[object], cited: Sequence[TurnId], missed: Sequence[TurnId]) -> Judged:
    id_, question, at, seconds, tokens, abstained, narrowed, verdict, note = row
    assert isinstance(at, datetime) and isinstance(seconds, float) and isinstance(tokens, int)  # noqa: PT018
    given = Given(
        str(id_), str(question), at.replace(tzinfo=UTC), seconds, tokens, bool(abstained), bool(narrowed), cited
    )
    return Judged(given, str(verdict), str(note), missed)


def _turns_of(db: DuckDBPyConnection, table: str, ids: Sequence[str] | None = None) -> dict[str, list[TurnId]]:
    """The turns of these answers (None: of all), in order, by the answer."""
    which = "" if ids is None else "where answer in (select unnest(?::varchar[]))"
    rows = db.execute(
        f"select answer, list(turn order by place) from {table} {which} group by answer",
        [] if ids is None else [list(ids)],
    ).fetchall()
    return {str(answer): [TurnId(turn) for turn in turns] for answer, turns in rows}


def judge(db: DuckDBPyConnection, answer: str, verdict: str, note: str, missed: Sequence[TurnId]) -> None:
    """Makes this the verdict on an answer, in place of an earlier one, with the turns that it should have cited."""
    withdraw(db, answer)
    db.execute("insert into feedback values (?, ?, ?, now())", [answer, verdict, note])
    _append_turns(db, "missed", answer, missed)


def withdraw(db: DuckDBPyConnection, answer: str) -> bool:
    """Takes the verdict on an answer back; returns whether there was one."""
    given = bool(scalar(db, "select count(*) from feedback where answer = ?", [answer]))
    for table, column in (("feedback", "answer"), *referring("feedback", "answer")):
        db.execute(f"delete from {table} where {column} = ?", [answer])
    return given


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What people said of answers to one question: the turns that these missed, by id their numbers, and those that
    wrong ones cited.
    """

    missed: Mapping[TurnId, int]
    wrong: frozenset[TurnId]


def verdicts_on(db: DuckDBPyConnection, question: str) -> Verdicts:
    """What holds of this question, however its words are written: of each turn what was said of it last.

    An abstention that was wrong says nothing of what it cites: that was doubted.
    """
    rows = db.execute("""select a.id, a.question, a.abstained, f.verdict from feedback f
        join answered a on a.id = f.answer order by f.given_at, a.id""").fetchall()
    asked = [row for row in rows if words(row[1]) == words(question)] if rows else []
    if not asked:
        return Verdicts({}, frozenset())
    cited, missed = (_turns_of(db, table, [row[0] for row in asked]) for table in ("cited", "missed"))
    said: dict[TurnId, str] = {}
    for id_, _, abstained, verdict in asked:
        for turn in cited.get(id_, []):
            if verdict == "wrong" and not abstained:
                said[turn] = "wrong"
            elif verdict == "useful" and said.get(turn) == "wrong":
                del said[turn]
        said.update(dict.fromkeys(missed.get(id_, []), "missed"))
    numbers = db.execute("select id, seq from turn where id in (select unnest(?::varchar[]))", [list(said)]).fetchall()
    by_id = {TurnId(turn): int(seq) for turn, seq in numbers}
    found = {turn: by_id[turn] for turn, verdict in said.items() if verdict == "missed" and turn in by_id}
    return Verdicts(found, frozenset(turn for turn, verdict in said.items() if verdict == "wrong"))


def log(db: DuckDBPyConnection) -> list[Logged]:
    """Every answer with what it cited and missed, and its latest verdict; no abstention that nobody has judged."""
    rows = db.execute("""select a.id, coalesce(epoch_us(f.given_at), epoch_us(a.asked_at)), coalesce(f.verdict, '')
        from answered a left join feedback f on f.answer = a.id where f.verdict is not null or not a.abstained
        order by a.id""").fetchall()
    cited, missed = _turns_of(db, "cited"), _turns_of(db, "missed")
    return [
        Logged(str(id_), int(at), str(verdict), cited.get(id_, []), missed.get(id_, [])) for id_, at, verdict in rows
    ]


def turns_with(db: DuckDBPyConnection, text: str, most: int) -> list[TurnId]:
    """The turns that this id stands for, or those with these words in a row, whatever their case, the latest first."""
    if named := naming.turns(db, text):
        return named[:most]
    rows = db.execute(
        """select id from turn where contains(lower(text), lower($text))
           order by said_at desc nulls last, seq desc limit $most""",
        {"text": text, "most": most},
    ).fetchall()
    return [TurnId(each) for (each,) in rows]


def assertions_of(db: DuckDBPyConnection, turns: Sequence[TurnId]) -> int:
    """How many assertions these turns have."""
    sql = """select count(*) from assertion a join source o on o.unit = a.unit join turn t on t.seq = o.turn
             where t.id in (select unnest(?::varchar[]))"""
    return int(scalar(db, sql, [list(turns)]))


def write_strengths(db: DuckDBPyConnection, by_turn: Mapping[str, float], others: float) -> None:
    """Makes these the strengths of what turns assert, and `others` that of all other turns."""
    db.execute("delete from strength")
    if by_turn:
        append(db, "strength", {"turn": ["", *by_turn], "value": np.array([others, *by_turn.values()])})
