"""Sessions into the store: what was said and everything that is made from it, a few at a time in one short transaction.

What can be worked out before is: a session is joined to the rest by `neighbours`, while the store is open to others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...model import Kind, Relation, Session, SessionId, Turn, TurnId
from ...store import ledger, lexical, tombstones, transcript, units, vectors
from ...store.ids import Tag, round_id, tagged
from ...store.revision import bump_revision, revision
from ...store.rows import transaction
from ...store.shard import is_shard
from ...store.units import Numbers, SentenceRow, UnitRows
from ..plan import TRANSCRIPT, WORDS
from .coarse import pooled_norms, rounds
from .neighbours import Neighbours
from .segments import Segmented, TurnSegments

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Embedded", "PlacedTurn", "SessionWriter", "coarse_units"]

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors float32 [d] and weights (words, at least 1) of some sentences, by the hash of the sentence."""

    rows: Mapping[int, Floats]
    weights: Mapping[int, int]


@dataclass(slots=True)
class _Held:
    """What is known of the store: read once, and kept up to date as long as nobody else writes.

    `revision`: of the store when it was so.
    """

    revision: int
    numbers: Numbers
    sessions: dict[SessionId, int]
    turns: dict[TurnId, tuple[int, bool]]
    forgotten: frozenset[TurnId]
    vectors: dict[int, int]
    first_units: dict[tuple[str, int], int]
    within: bool  # conversations are joined each by itself

    @classmethod
    def read(cls, db: DuckDBPyConnection, batch: Sequence[Segmented], near: Neighbours) -> _Held:
        """For the sessions, turns and sentences of a batch, and the neighbours of these."""
        said = [h for s in batch for parts in s.segments for h in parts.hashes]
        known = vectors.find_vectors(db, [*said, *near.hashes()])
        within = is_shard(db)
        conversations = [s.session.conversation for s in batch] if within else None
        return cls(
            revision(db),
            Numbers.read(db),
            transcript.session_numbers(db, [s.session.id for s in batch]),
            transcript.indexed(db, [turn.id for s in batch for turn in s.turns]),
            tombstones.forgotten(db, [turn.id for s in batch for turn in s.turns]),
            known,
            units.first_units(db, known.values(), conversations),
            within,
        )


class SessionWriter:
    """Writes the sessions of a batch, some of them at a time. The store may be let go of in between."""

    def __init__(self, batch: Sequence[Segmented], embedded: Embedded, near: Neighbours) -> None:
        self._batch = batch
        self._embedded = embedded
        self._near = near
        self._held: _Held | None = None

    def write(self, db: DuckDBPyConnection, together: Sequence[Segmented]) -> list[int]:
        """Adds the turns of these sessions, no two of them the same, that the store has not yet, with all their units;
        returns how many of each. All of it or nothing: one transaction, and one append a table.

        Turns that the store has without an index (an older version's, or another embedder's) are indexed in place.
        """
        held, self._held = self._known(db), None  # of what fails nothing is known
        with transaction(db):
            rows = _Rows(held.numbers.turn, held.numbers.vector)
            added = [_Writing(db, rows, each, self._embedded, self._near, held).run() for each in together]
            rows.write(db, self._embedded)
            bump_revision(db)
        held.revision += 1
        self._held = held
        return added

    def _known(self, db: DuckDBPyConnection) -> _Held:
        """What is known of the store; read again where somebody else has written to it since."""
        if self._held is None or self._held.revision != revision(db):
            return _Held.read(db, self._batch, self._near)
        return self._held


@dataclass(frozen=True, slots=True)
class PlacedTurn:
    """A turn of the session with its unit and its speaker, in the order of conversation."""

    seq: int
    id: TurnId
    speaker: str
    unit: int


@dataclass(slots=True)
class _Rows:
    """What one transaction appends; turns and vectors are numbered from `first_turn` and `first_vector` on."""

    first_turn: int
    first_vector: int
    sessions: dict[int, Session] = field(default_factory=dict)
    turns: list[tuple[int, int, Turn]] = field(default_factory=list)
    hashes: list[int] = field(default_factory=list)
    documents: dict[int, TurnSegments] = field(default_factory=dict)
    units: list[UnitRows] = field(default_factory=list)
    runs: list[ledger.Run] = field(default_factory=list)

    def write(self, db: DuckDBPyConnection, embedded: Embedded) -> None:
        """Appends it: a statement costs more than a row."""
        transcript.add_sessions(db, self.sessions)
        transcript.add_turns(db, self.first_turn, self.turns)
        if self.hashes:
            halves = np.stack([embedded.rows[h] for h in self.hashes]).astype(np.float16)
            vectors.add_vectors(db, self.first_vector, self.hashes, [embedded.weights[h] for h in self.hashes], halves)
        parts = self.documents.values()
        lexical.add_documents(
            db, list(self.documents), [p.stems for p in parts], [p.cues for p in parts], [p.language for p in parts]
        )
        if self.units:
            units.write_units(db, self.units)
        ledger.record_built(db, self.runs)


class _Writing:
    """One session's part in a transaction: what of it is new, to `rows`, and at once to what is known."""

    def __init__(
        self,
        db: DuckDBPyConnection,
        rows: _Rows,
        segmented: Segmented,
        embedded: Embedded,
        near: Neighbours,
        held: _Held,
    ) -> None:
        self.db = db
        self.rows = rows
        self.segmented = segmented
        self.embedded = embedded
        self.near = near
        self.held = held
        self.session = held.sessions.get(segmented.session.id, held.numbers.session)
        self.is_new = segmented.session.id not in held.sessions
        self.scope = segmented.session.conversation if held.within else ""

    def run(self) -> int:
        """Takes what is new and was not forgotten; returns the number of turns added."""
        wanted = [turn for turn in self.segmented.turns if turn.id not in self.held.forgotten]
        if not wanted:
            return 0
        stored = 0 if self.is_new else transcript.turn_count(self.db, self.session)
        if self.is_new:
            self.rows.sessions[self.session] = self.segmented.session
            self.held.sessions[self.segmented.session.id] = self.session
            self.held.numbers.session += 1
        fresh = [turn for turn in wanted if turn.id not in self.held.turns]
        first = self.held.numbers.turn
        self.rows.turns += [(self.session, place, turn) for place, turn in enumerate(fresh, start=stored)]
        self.held.numbers.turn += len(fresh)
        seqs = {t.id: self.held.turns[t.id][0] for t in wanted if not self.held.turns.get(t.id, (0, True))[1]}
        seqs |= {turn.id: first + i for i, turn in enumerate(fresh)}
        if seqs:
            self._index_turns(stored > 0, seqs)
        self.held.turns.update({turn: (seq, True) for turn, seq in seqs.items()})
        return len(fresh)

    def _index_turns(self, grows: bool, seqs: Mapping[TurnId, int]) -> None:
        rows = UnitRows(self.session, self.held.numbers.unit)
        turns = [PlacedTurn(*row) for row in units.turn_units(self.db, self.session)] if grows else []
        sentences = units.sentence_rows(self.db, self.session) if grows else []
        pairs = zip(self.segmented.turns, self.segmented.segments, strict=True)
        pending = {turn.id: (turn, parts) for turn, parts in pairs if turn.id in seqs}
        numbers = self._vector_numbers([h for _, parts in pending.values() for h in parts.hashes])
        for turn, parts in pending.values():
            placed, added = self._fine(rows, turn, seqs[turn.id], parts, numbers)
            turns.append(placed)
            sentences.extend(added)
        self.rows.documents |= {seqs[turn.id]: parts for turn, parts in pending.values()}
        self._similar(rows, sentences, {number: hash_ for hash_, number in numbers.items()})
        if grows:
            units.drop_coarse(self.db, self.session)
        coarse_units(rows, self.segmented.session.id, turns, sentences)
        self.rows.units.append(rows)
        self.held.numbers.unit += len(rows.ids)
        runs = [ledger.Run(self.session, each.name, each.version, len(turns)) for each in (TRANSCRIPT, WORDS)]
        self.rows.runs += runs

    def _vector_numbers(self, hashes: Sequence[int]) -> dict[int, int]:
        """The numbers of the sentences' vectors, by hash; new ones are added."""
        new = [h for h in dict.fromkeys(hashes) if h not in self.held.vectors]
        first = self.held.numbers.vector
        self.held.vectors.update({h: first + i for i, h in enumerate(new)})
        self.held.numbers.vector += len(new)
        self.rows.hashes += new
        return {h: self.held.vectors[h] for h in hashes}

    def _fine(
        self, rows: UnitRows, turn: Turn, seq: int, parts: TurnSegments, numbers: Mapping[int, int]
    ) -> tuple[PlacedTurn, list[SentenceRow]]:
        """The units of a turn and its sentences, and the membership of these in that."""
        weights = np.array([self.embedded.weights[h] for h in parts.hashes])
        vectors_ = np.stack([self.embedded.rows[h] for h in parts.hashes])
        norm = float(pooled_norms(vectors_, weights, np.zeros(len(weights), dtype=np.int64), 1)[0])
        unit = rows.add(Kind.TURN, turn.id, [seq], norm=norm)
        added = []
        for i, (text, hash_) in enumerate(zip(parts.sentences, parts.hashes, strict=True)):
            number = numbers[hash_]
            sentence = rows.add(Kind.SENTENCE, tagged(Tag.SENTENCE, f"{turn.id}\0{i}"), [seq], text=text, vector=number)
            rows.join(sentence, unit, Relation.MEMBERSHIP)
            added.append(SentenceRow(sentence, seq, number, int(weights[i]), vectors_[i]))
        return PlacedTurn(seq, turn.id, turn.speaker, unit), added

    def _similar(self, rows: UnitRows, sentences: Sequence[SentenceRow], hashes: Mapping[int, int]) -> None:
        """Joins each new sentence to its nearest neighbours among all stored before it and in its session (SGMem §3.2).

        A sentence that was said before, word for word, is joined to its first occurrence alone. `hashes`: of the
        sentences, by the numbers of their vectors.
        """
        new = [(sentence, self._first_unit(sentence)) for sentence in sentences if sentence.unit >= rows.first]
        for sentence, first in new:
            if first != sentence.unit:
                rows.join(sentence.unit, first, Relation.SIMILAR, 1.0)
            elif sentence.number in hashes:
                for unit, cosine in self._near_units(hashes[sentence.number]):
                    rows.join(sentence.unit, unit, Relation.SIMILAR, min(cosine, 1.0))

    def _near_units(self, hash_: int) -> Iterator[tuple[int, float]]:
        """The units in which a new sentence's neighbours were said first; of one that was forgotten since, none."""
        for other, cosine in self.near.of(self.scope, hash_):
            number = self.held.vectors.get(other)
            unit = None if number is None else self.held.first_units.get((self.scope, number))
            if unit is not None:
                yield unit, cosine

    def _first_unit(self, sentence: SentenceRow) -> int:
        """The unit in which the sentence was said first; a new one's is itself."""
        return self.held.first_units.setdefault((self.scope, sentence.number), sentence.unit)


def coarse_units(
    rows: UnitRows, session: SessionId, turns: Sequence[PlacedTurn], sentences: Sequence[SentenceRow]
) -> None:
    """Adds the rounds and the session over all of a session's turns, and membership in them."""
    place = {turn.seq: i for i, turn in enumerate(turns)}
    group = rounds([turn.speaker for turn in turns])
    owner = np.array([place[s.turn] for s in sentences])
    weights = np.array([s.weight for s in sentences])
    matrix = np.stack([s.vector for s in sentences])
    round_norms = pooled_norms(matrix, weights, group[owner], int(group[-1]) + 1)
    session_norm = float(pooled_norms(matrix, weights, np.zeros(len(owner), dtype=np.int64), 1)[0])
    whole = rows.add(Kind.SESSION, session, [t.seq for t in turns], norm=session_norm)
    for index, norm in enumerate(round_norms):
        members = [turn for turn, g in zip(turns, group, strict=True) if g == index]
        unit = rows.add(Kind.ROUND, round_id(members[0].id), [t.seq for t in members], norm=float(norm))
        rows.join(unit, whole, Relation.MEMBERSHIP)
        for turn in members:
            rows.join(turn.unit, unit, Relation.MEMBERSHIP)
