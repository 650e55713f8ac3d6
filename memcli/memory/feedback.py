"""Feedback: the answers that were given are remembered, and what people say of them makes edges stronger or weaker."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from ..config import state_folder
from ..errors import NothingFound, StoreError, UsageError
from ..indexing.calibration import profile
from ..model import Answer, TurnId
from ..ranking.strengths import BATCH
from ..store import verdicts as stored
from ..store.connection import Store
from ..store.ids import Tag, with_tag
from ..store.revision import bump_revision
from ..store.rows import transaction
from ..store.verdicts import Given, Judged

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from . import Memory

__all__ = ["LAST", "Feedback", "Noted", "given", "note_last", "remember"]

#: What names the latest answer.
LAST = "last"
_DIGITS = 8
_ASK_AGAIN = "ask again: answers are noted unless the store is in use or read-only, or with --no-record"
#: At most so many turns are what a text speaks of, and without its very words only near ones (`Profile.spoken_of`).
_MISSED = 3


@dataclass(frozen=True, slots=True)
class Noted:
    """An answer with the verdict that it has now, and how many assertions the turns it cited and missed have."""

    answer: Judged
    cited: int
    missed: int


def given(question: str, answer: Answer, at: datetime, seconds: float, *, narrowed: bool) -> Given:
    """The answer to a question as it is remembered. `at`: when it was asked (aware); `seconds`: how long it took.

    Its id hashes question, time and citations.
    """
    text = "\x1f".join([question, at.isoformat(), *answer.citations])
    id_ = Tag.ANSWER.prefix + sha256(text.encode("utf-8", "replace")).hexdigest()[:_DIGITS]
    tokens = int(sum(answer.usage.get(name, 0) for name in ("prompt_tokens", "completion_tokens")))
    return Given(id_, question, at, seconds, tokens, answer.abstained, narrowed, answer.citations)


def remember(store: Store, answer: Given) -> bool:
    """Keeps an answer, if that is possible at once; returns whether it was.

    A store in memory, one that takes no writes or that somebody else has open is left as it is. After every `BATCH`
    answers the oldest ones go, and citations that nobody has contradicted begin to count.
    """
    if store.path is None or not store.exists:
        return False
    with suppress(StoreError):
        with store.writing(wait=0.0) as db, transaction(db):
            if stored.record(db, answer) % BATCH == 0:
                _tidy(db)
        return True
    return False


def note_last(store: Store, answer_id: str) -> None:
    """Notes on this machine which answer over a store was given last, whether or not the store has it; empty: none.

    That is an id, which is a hash: nothing of what was asked. Where it cannot be noted, the store's latest is the last.
    """
    if store.path is not None:
        with suppress(OSError):
            path = _last_path(store.path)
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.write_text(answer_id, encoding="ascii")


def _last_given(store: Store) -> str | None:
    """What `note_last` noted; None: nothing ever was."""
    with suppress(OSError, UnicodeDecodeError):
        return _last_path(store.path).read_text(encoding="ascii") if store.path is not None else None
    return None


def _last_path(store: Path) -> Path:
    return state_folder() / "last" / sha256(os.fsencode(store.resolve())).hexdigest()[:32]


def _tidy(db: DuckDBPyConnection) -> None:
    from ..indexing.strengths import settle

    stored.prune(db, stored.KEPT - BATCH)
    settle(db)


class Feedback:
    """Verdicts on the answers of a memory's store."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._store = memory.store

    def find(self, name: str) -> Judged:
        """The answer with this id, or the one whose id begins so, with or without its tag; `last`: the one that was
        given last on this machine, or else the latest that the store has.

        Raises NothingFound where there is none, UsageError where there are several, StoreError.
        """
        with self._store.reading() as db:
            if name == LAST and (last := _last_given(self._store)) is not None:
                return self._given_last(db, last)
            prefix = "" if name == LAST else with_tag(name, Tag.ANSWER)
            ids = stored.matching(db, prefix)
            if not ids:
                raise NothingFound(f"no answer {name} is remembered", "memcli ask shows the id of each answer")
            if len(ids) > 1 and name != LAST and prefix not in ids:
                raise UsageError(f"{name} is the beginning of several answers: {', '.join(ids)}", "give more of it")
            return self._answer(db, prefix if prefix in ids else ids[0])

    def _given_last(self, db: DuckDBPyConnection, id_: str) -> Judged:
        found = stored.answered(db, 1, "a.id = $id", {"id": id_}) or stored.answered(db, 1)
        if not found:
            raise NothingFound("the answer that was given last was not noted, nor was any other", _ASK_AGAIN)
        if found[0].given.id != id_:
            noted = f"the last one that was is {found[0].given.id}, to: {found[0].given.question}"
            raise NothingFound(
                f"the answer that was given last was not noted; {noted}", f"name it to judge it, or {_ASK_AGAIN}"
            )
        return found[0]

    def judge(self, name: str, verdict: str, missing: str = "") -> Noted:
        """Notes a verdict on an answer, `useful` or `wrong`, in place of an earlier one, and applies it.

        `missing`: what it should have said; the turns that speak of it are strengthened. Raises what `find` and
        `Memory.search` raise.
        """
        id_ = self.find(name).given.id
        missed = self._speaking_of(missing) if missing.strip() else []
        with self._store.writing() as db, transaction(db):
            stored.judge(db, id_, verdict, missing, missed)
            return self._applied(db, id_)

    def undo(self, name: str) -> Noted:
        """Takes the verdict on an answer back: it never was. Raises NothingFound where there is none."""
        id_ = self.find(name).given.id
        with self._store.writing() as db, transaction(db):
            if not stored.withdraw(db, id_):
                raise NothingFound(f"there is no verdict on {id_}", "nothing was taken back")
            return self._applied(db, id_)

    def _applied(self, db: DuckDBPyConnection, id_: str) -> Noted:
        from ..indexing.strengths import settle

        settle(db)
        bump_revision(db)
        answer = self._answer(db, id_)
        cited, missed = (stored.assertions_of(db, turns) for turns in (answer.given.citations, answer.missed))
        return Noted(answer, cited, missed)

    def _answer(self, db: DuckDBPyConnection, id_: str) -> Judged:
        return stored.answered(db, 1, "a.id = $id", {"id": id_})[0]

    def _speaking_of(self, text: str) -> list[TurnId]:
        """The turn with this id, else those that have these very words, the latest first, else the nearest ones."""
        with self._store.reading() as db:
            found, near = stored.turns_with(db, text.strip(), _MISSED), profile(db)
        if found:
            return found
        hits = self._memory.search(text, k=_MISSED, strategy="dense")
        return [hit.unit.sources[0] for hit in hits if hit.trace["cosine"] >= near.spoken_of]
