"""Turns in their surroundings: stretches of a session around those that are meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from ..model import Session, Turn, TurnId
from . import transcript

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Excerpt", "excerpts"]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Turns of one session that follow one another; `marked` are those that were meant."""

    session: Session
    turns: Sequence[Turn]
    marked: frozenset[TurnId]


def excerpts(db: DuckDBPyConnection, ids: Iterable[TurnId], around: int | None) -> list[Excerpt]:
    """The turns with these ids, each with so many before and behind it, None: with its whole session; in the order in
    which they are stored. Stretches that meet are one.
    """
    wanted = frozenset(ids)
    placed = _near(db, wanted, around)
    turns = transcript.turns_by_number(db, [seq for seq, _, _ in placed])
    sessions = transcript.sessions_of(db, {turn.session for turn in turns})
    return [
        Excerpt(sessions[run[0].session], run, wanted & {turn.id for turn in run})
        for run in _runs([(session, place) for _, session, place in placed], turns)
    ]


def _near(db: DuckDBPyConnection, ids: frozenset[TurnId], around: int | None) -> list[tuple[int, int, int]]:
    """The numbers of the turns with their session's, and their place in it."""
    within = "true" if around is None else f"abs(p.place - m.place) <= {int(around)}"
    return db.execute(
        f"""with meant as (select session, id from turn where id in (select unnest(?::varchar[]))),
            p as (select seq, id, session, row_number() over (partition by session order by position) as place
                  from turn where session in (select session from meant)),
            m as (select p.session, p.place from p join meant using (id))
            select distinct p.seq, p.session, p.place from p join m on m.session = p.session and {within}
            order by p.session, p.place""",
        [list(ids)],
    ).fetchall()


def _runs(places: Sequence[tuple[int, int]], turns: Sequence[Turn]) -> Iterator[list[Turn]]:
    """The turns in stretches without a gap."""
    numbered = enumerate(zip(places, turns, strict=True))
    for _, run in groupby(numbered, key=lambda each: (each[1][0][0], each[1][0][1] - each[0])):
        yield [turn for _, (_, turn) in run]
