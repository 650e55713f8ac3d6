"""From the log of answers to strengths: replayed as a whole, so that what is taken back never was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ranking.strengths import Experience, Strengths, replay
from ..store import verdicts as stored
from ..store.transcript import turn_count

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["settle"]


def settle(db: DuckDBPyConnection) -> Strengths:
    """Makes the strengths in the open store those that follow from its log, in the caller's transaction."""
    log = [Experience(one.id, one.at, one.verdict, one.used, one.missed) for one in stored.log(db)]
    found = replay(log, turn_count(db))
    stored.write_strengths(db, found.by_edge, found.others)
    return found
