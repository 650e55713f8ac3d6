"""Assertions for the sessions that lack them: tagged, embedded and written, a transaction a session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from ..model import Kind
from ..store import assertions as stored
from ..store.assertions import AssertionRow
from ..store.memories import MemoryRow
from ..store.rows import transaction
from .asking import SessionWriter
from .memories.base import Vectors
from .ontology import Assertion
from .ontology.tagging import assertions
from .plan import ASSERTIONS
from .running import Runner
from .stored import StoredSession, record

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Assertions", "worded"]


@dataclass(frozen=True, slots=True)
class _Draft:
    """What a session asserts."""

    read: StoredSession
    assertions: list[Assertion]


class Assertions(Runner[SessionWriter[Assertion], _Draft]):
    """Runs the producer of assertions, for which no language model is asked."""

    of = ASSERTIONS

    def _offline(self, db: DuckDBPyConnection, reads: Sequence[StoredSession]) -> Callable[[StoredSession], _Draft]:  # noqa: ARG002
        return _tagged

    def _by_model(
        self,
        read: StoredSession,
        made: list[Assertion],
        writer: SessionWriter[Assertion],  # noqa: ARG002
    ) -> _Draft:
        return _Draft(read, made)

    def _write(self, drafts: Sequence[_Draft]) -> None:
        texts = list(dict.fromkeys(worded(assertion) for draft in drafts for assertion in draft.assertions))
        vectors = dict(zip(texts, self._embedder.embed(texts), strict=True)) if texts else {}
        with self._store.writing() as db:
            for draft in drafts:
                read = draft.read
                with transaction(db):
                    stored.drop_assertions(db, read.seq)
                    rows = [_row(read, assertion, vectors[worded(assertion)]) for assertion in draft.assertions]
                    stored.write_assertions(db, read.seq, rows)
                    record(db, read, ASSERTIONS, ASSERTIONS, ASSERTIONS.version)


def worded(assertion: Assertion) -> str:
    """What is embedded of an assertion: its head is left out, since a question hardly ever says whose tastes count."""
    return f"{'not ' if assertion.negated else ''}{assertion.relation.replace('_', ' ')} {assertion.tail}"


def _tagged(read: StoredSession) -> _Draft:
    text, people = read.text, read.text.people()
    found = [
        assertion
        for place, turn in enumerate(text.turns)
        for assertion in assertions(turn, text.sentences[place], text.turns[:place], people)
    ]
    return _Draft(read, found)


def _row(read: StoredSession, assertion: Assertion, vector: Vectors) -> AssertionRow:
    content = "\0".join((assertion.head, worded(assertion), assertion.turn))
    memory = MemoryRow(
        f"q:{blake2b(content.encode(), digest_size=8).hexdigest()}",
        Kind.ASSERTION,
        f"{assertion.head} {worded(assertion)}",
        [read.numbers[assertion.turn]],
        assertion.at,
        assertion.head,
        vector,
    )
    return AssertionRow(
        memory, assertion.relation.value, assertion.tail, assertion.negated, assertion.strength, assertion.confidence
    )
