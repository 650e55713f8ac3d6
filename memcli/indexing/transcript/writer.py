"""Sessions into the store: what was said and everything that is made from it, each in one short transaction.

What can be worked out before is: a session is joined to the rest by `neighbours`, while the store is open to others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...model import Kind, Relation, SessionId, Turn, TurnId
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
    """What is known of the store: read once, and kept up to date with every commit, as long as nobody else writes.

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
    """Writes the sessions of a batch, one transaction each. The store may be let go of in between."""

    def __init__(self, batch: Sequence[Segmented], embedded: Embedded, near: Neighbours) -> None:
        self._batch = batch
        self._embedded = embedded
        self._near = near
        self._held: _Held | None = None

    def write(self, db: DuckDBPyConnection, segmented: Segmented) -> int:
        """Adds the turns that the store has not yet, with all their units; returns how many. All of it or nothing.

        Turns that the store has without an index (an older version's, or another embedder's) are indexed in place.
        """
        held = self._known(db)
        with transaction(db):
            writing = _Writing(db, segmented, self._embedded, self._near, held)
            added = writing.run()
            bump_revision(db)
        writing.keep()
        return added

    def _known(self, db: DuckDBPyConnection) -> _Held:
        """What is known of the store; read again where somebody else has written to it since."""
        if self._held is None or self._held.revision != revision(db):
            self._held = _Held.read(db, self._batch, self._near)
        return self._held


@dataclass(frozen=True, slots=True)
class PlacedTurn:
    """A turn of the session with its unit and its speaker, in the order of conversation."""

    seq: int
    id: TurnId
    speaker: str
    unit: int


class _Writing:
    """One session's transaction: `run` inside it, `keep` once it is committed."""

    def __init__(
        self,
        db: DuckDBPyConnection,
        segmented: Segmented,
        embedded: Embedded,
        near: Neighbours,
        held: _Held,
    ) -> None:
        self.db = db
        self.segmented = segmented
        self.embedded = embedded
        self.near = near
        self.held = held
        self.session = held.sessions.get(segmented.session.id, held.numbers.session)
        self.is_new = segmented.session.id not in held.sessions
        self.turns: dict[TurnId, tuple[int, bool]] = {}
        self.hashes: dict[int, int] = {}
        self.first_units: dict[tuple[str, int], int] = {}
        self.scope = segmented.session.conversation if held.within else ""
        self.units = 0

    def run(self) -> int:
        """Writes what is new and was not forgotten; returns the number of turns added."""
        wanted = [turn for turn in self.segmented.turns if turn.id not in self.held.forgotten]
        if not wanted:
            self.is_new = False
            return 0
        stored = 0 if self.is_new else transcript.turn_count(self.db, self.session)
        if self.is_new:
            transcript.add_session(self.db, self.session, self.segmented.session)
        fresh = [turn for turn in wanted if turn.id not in self.held.turns]
        first = self.held.numbers.turn
        transcript.add_turns(self.db, first, self.session, stored, fresh)
        seqs = {t.id: self.held.turns[t.id][0] for t in wanted if not self.held.turns.get(t.id, (0, True))[1]}
        seqs |= {turn.id: first + i for i, turn in enumerate(fresh)}
        if seqs:
            self._index_turns(stored > 0, seqs)
        self.turns = {turn: (seq, True) for turn, seq in seqs.items()}
        return len(fresh)

    def keep(self) -> None:
        """Notes what was committed."""
        self.held.revision += 1
        numbers = self.held.numbers
        numbers.session += self.is_new
        numbers.turn += sum(turn not in self.held.turns for turn in self.turns)
        numbers.unit += self.units
        numbers.vector += len(self.hashes)
        if self.is_new:
            self.held.sessions[self.segmented.session.id] = self.session
        self.held.turns.update(self.turns)
        self.held.vectors.update(self.hashes)
        self.held.first_units.update(self.first_units)

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
        self._documents(seqs, pending)
        self._similar(rows, sentences, {number: hash_ for hash_, number in numbers.items()})
        if grows:
            units.drop_coarse(self.db, self.session)
        coarse_units(rows, self.segmented.session.id, turns, sentences)
        rows.write(self.db)
        self.units = len(rows.ids)
        runs = [ledger.Run(self.session, each.name, each.version, len(turns)) for each in (TRANSCRIPT, WORDS)]
        ledger.record_built(self.db, runs)

    def _vector_numbers(self, hashes: Sequence[int]) -> dict[int, int]:
        """The numbers of the sentences' vectors, by hash; new ones are added to the store."""
        new = [h for h in dict.fromkeys(hashes) if h not in self.held.vectors]
        if new:
            first = self.held.numbers.vector
            halves = np.stack([self.embedded.rows[h] for h in new]).astype(np.float16)
            vectors.add_vectors(self.db, first, new, [self.embedded.weights[h] for h in new], halves)
            self.hashes = {h: first + i for i, h in enumerate(new)}
        return {h: self.hashes[h] if h in self.hashes else self.held.vectors[h] for h in hashes}

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

    def _documents(self, seqs: Mapping[TurnId, int], pending: Mapping[TurnId, tuple[Turn, TurnSegments]]) -> None:
        parts = [parts for _, parts in pending.values()]
        lexical.add_documents(
            self.db, [seqs[t] for t in pending], [p.stems for p in parts], [p.cues for p in parts],
            [p.language for p in parts],
        )  # fmt: skip

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
            number = self.hashes.get(other, self.held.vectors.get(other))
            place = None if number is None else (self.scope, number)
            unit = None if place is None else self.first_units.get(place, self.held.first_units.get(place))
            if unit is not None:
                yield unit, cosine

    def _first_unit(self, sentence: SentenceRow) -> int:
        """The unit in which the sentence was said first; a new one's is itself."""
        place = self.scope, sentence.number
        stored = self.held.first_units.get(place)
        return self.first_units.setdefault(place, sentence.unit) if stored is None else stored


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
