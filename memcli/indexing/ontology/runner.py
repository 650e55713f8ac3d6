"""Assertions for the sessions that lack them: tagged, embedded and written.

A language model may validate them; where it fails, what the tagger found stands as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...model import Kind
from ...model.generated import Assertion, Vectors
from ...model.relations import RelationType
from ...store import assertions as stored
from ...store.assertions import AssertionRow
from ...store.ids import Tag, tagged
from ...store.memories import MemoryRow
from ...store.rows import transaction
from ..plan import ASSERTIONS, Producer
from ..producer.asking import MemoryWriter
from ..producer.runner import Runner
from ..producer.stored import StoredSession, record
from .asserted import asserted
from .relating import Classifier, of_embedder
from .topics import domain_vectors, grow, plant, sensitive

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Assertions", "worded"]


@dataclass(frozen=True, slots=True)
class _Draft:
    """What a session asserts, and who had the last word on it."""

    read: StoredSession
    assertions: list[Assertion]
    by: Producer = ASSERTIONS


class Assertions(Runner[MemoryWriter[Assertion], _Draft]):
    """Runs the producer of assertions."""

    of = ASSERTIONS

    def _offline(self, db: DuckDBPyConnection, reads: Sequence[StoredSession]) -> Callable[[StoredSession], _Draft]:
        validated = {read.seq: _validated(db, read) for read in reads if read.kept}
        classifier = of_embedder(self._embedder.id)
        return lambda read: _tagged(read, validated, classifier)

    def _by_model(self, read: StoredSession, made: list[Assertion], writer: MemoryWriter[Assertion]) -> _Draft:
        return _Draft(read, made, writer.producer)

    def _write(self, drafts: Sequence[_Draft]) -> None:
        texts = list(dict.fromkeys(worded(assertion) for draft in drafts for assertion in draft.assertions))
        vectors = dict(zip(texts, self._embedder.embed_passages(texts), strict=True)) if texts else {}
        rows = {
            draft.read.seq: [_row(draft.read, each, vectors[worded(each)]) for each in draft.assertions]
            for draft in drafts
        }
        with self._store.writing() as db, transaction(db):  # one for all of them: it costs more than what is written
            stored.write_assertions(db, rows)
            domain_vectors(db, self._embedder, (each.relation for draft in drafts for each in draft.assertions))
            if vectors:
                plant(db, self._embedder)
            grow(db, self._embedder.dimension, sensitive())
            record(db, ASSERTIONS, [(draft.read, draft.by, draft.by.version) for draft in drafts])


def worded(assertion: Assertion) -> str:
    """What is embedded of an assertion: its head is left out, since a question hardly ever says whose tastes count."""
    return f"{'not ' if assertion.negated else ''}{assertion.relation.replace('_', ' ')} {assertion.tail}"


def _tagged(read: StoredSession, validated: Mapping[int, list[Assertion]], classifier: Classifier | None) -> _Draft:
    """What the tagger finds; what a model has validated stands, by the number of the session."""
    return _Draft(read, [*validated.get(read.seq, []), *asserted(read.text, read.kept, classifier)])


def _validated(db: DuckDBPyConnection, read: StoredSession) -> list[Assertion]:
    """What is stored of the turns that a model has seen; the clauses are not stored."""
    turns = {read.numbers[turn.id]: turn for turn in read.text.turns[: read.kept]}
    return [
        Assertion(
            head, RelationType(relation), tail, turns[turn].said_at, turns[turn].id, confidence, negated, strength
        )
        for turn, head, relation, tail, confidence, negated, strength in stored.assertions_in(db, read.seq)
        if turn in turns
    ]


def _row(read: StoredSession, assertion: Assertion, vector: Vectors) -> AssertionRow:
    content = "\0".join((assertion.head, worded(assertion), assertion.turn))
    memory = MemoryRow(
        tagged(Tag.ASSERTION, content),
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
