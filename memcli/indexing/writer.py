"""One session into the store: what was said and everything that is made from it, in one short transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..model import Kind, Relation, Turn, TurnId
from ..store import lexical, transcript, units, vectors
from ..store.units import Numbers, SentenceRow, UnitRows
from .coarse import pooled_norms, rounds
from .plan import TRANSCRIPT
from .segments import Segmented, TurnSegments

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from ..store.vectors import VectorIndex

__all__ = ["LEAST_COSINE", "NEIGHBOURS", "Embedded", "SessionWriter"]

#: Edges that a new sentence gets to its nearest neighbours in the store (SGMem: k = 3 on LongMemEval, 1 on LoCoMo).
NEIGHBOURS = 3
#: A cosine under this joins nothing: MiniLM gives most unrelated sentences less.
LEAST_COSINE = 0.3

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors float32 [d], and weights (words, at least 1), of the sentences of some sessions, by the hash of the sentence."""

    rows: Mapping[int, Floats]
    weights: Mapping[int, int]


class SessionWriter:
    """Writes sessions, one transaction each, while the store is held open for writing."""

    def __init__(self, db: DuckDBPyConnection, embedded: Embedded, index: VectorIndex) -> None:
        self._db = db
        self._embedded = embedded
        self._index = index
        index.refresh(db)
        self._representative = vectors.representatives(db)

    def write(self, segmented: Segmented) -> int:
        """Adds the turns that the store has not yet, with all their units; returns how many. All of it or nothing.

        Turns that the store has without an index (an older version's, or another embedder's) are indexed in place.
        """
        self._db.execute("begin")
        try:
            writing = _Writing(self._db, segmented, self._embedded, self._index, self._representative)
            added = writing.run()
            self._db.execute("update meta set value = (value::bigint + 1)::varchar where key = 'generation'")
            self._db.execute("commit")
        except BaseException:
            self._db.execute("rollback")
            raise
        writing.keep()
        return added


@dataclass(frozen=True, slots=True)
class _PlacedTurn:
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
        index: VectorIndex,
        representative: dict[int, int],
    ) -> None:
        self.db = db
        self.segmented = segmented
        self.embedded = embedded
        self.index = index
        self.representative = representative
        self.numbers = Numbers.read(db)
        self.vectors: dict[int, npt.NDArray[np.float16]] = {}
        self.first_units: dict[int, int] = {}

    def run(self) -> int:
        """Writes what is new; returns the number of turns added."""
        session = transcript.session_number(self.db, self.segmented.session.id)
        stored = 0 if session is None else transcript.turn_count(self.db, session)
        if session is None:
            session = self.numbers.session
            transcript.add_session(self.db, session, self.segmented.session)
        known = transcript.indexed(self.db, [turn.id for turn in self.segmented.turns])
        fresh = [turn for turn in self.segmented.turns if turn.id not in known]
        transcript.add_turns(self.db, self.numbers.turn, session, stored, fresh)
        seqs = {turn: seq for turn, (seq, is_indexed) in known.items() if not is_indexed}
        seqs |= {turn.id: self.numbers.turn + i for i, turn in enumerate(fresh)}
        if seqs:
            self._index(session, stored > 0, seqs)
        return len(fresh)

    def keep(self) -> None:
        """Takes the committed vectors into the index in memory."""
        if self.vectors:
            self.index.extend(np.array(list(self.vectors)), np.stack(list(self.vectors.values())))
        self.representative.update(self.first_units)

    def _index(self, session: int, grows: bool, seqs: Mapping[TurnId, int]) -> None:
        rows = UnitRows(session, self.numbers.unit)
        turns = [_PlacedTurn(*row) for row in units.turn_units(self.db, session)] if grows else []
        sentences = units.sentence_rows(self.db, session) if grows else []
        pairs = zip(self.segmented.turns, self.segmented.segments, strict=True)
        pending = {turn.id: (turn, parts) for turn, parts in pairs if turn.id in seqs}
        numbers = self._vector_numbers([h for _, parts in pending.values() for h in parts.hashes])
        for turn, parts in pending.values():
            placed, added = self._fine(rows, turn, seqs[turn.id], parts, numbers)
            turns.append(placed)
            sentences.extend(added)
        self._documents(seqs, pending)
        self._similar(rows, sentences)
        if grows:
            units.drop_coarse(self.db, session)
        self._coarse(rows, turns, sentences)
        rows.write(self.db)
        units.record_built(self.db, session, TRANSCRIPT.name, TRANSCRIPT.version, len(turns))

    def _vector_numbers(self, hashes: Sequence[int]) -> dict[int, int]:
        """The numbers of the sentences' vectors, by hash; new ones are added to the store."""
        numbers = vectors.find_vectors(self.db, hashes)
        new = [h for h in dict.fromkeys(hashes) if h not in numbers]
        if new:
            halves = np.stack([self.embedded.rows[h] for h in new]).astype(np.float16)
            first = self.numbers.vector
            vectors.add_vectors(self.db, first, new, [self.embedded.weights[h] for h in new], halves)
            numbers |= {h: first + i for i, h in enumerate(new)}
            self.vectors = {first + i: row for i, row in enumerate(halves)}
        return numbers

    def _fine(
        self, rows: UnitRows, turn: Turn, seq: int, parts: TurnSegments, numbers: Mapping[int, int]
    ) -> tuple[_PlacedTurn, list[SentenceRow]]:
        """The units of a turn and its sentences, and the membership of these in that."""
        weights = np.array([self.embedded.weights[h] for h in parts.hashes])
        vectors_ = np.stack([self.embedded.rows[h] for h in parts.hashes])
        norm = float(pooled_norms(vectors_, weights, np.zeros(len(weights), dtype=np.int64), 1)[0])
        unit = rows.add(Kind.TURN, turn.id, [seq], norm=norm)
        added = []
        for i, (text, hash_) in enumerate(zip(parts.sentences, parts.hashes, strict=True)):
            number = numbers[hash_]
            sentence = rows.add(Kind.SENTENCE, _tagged("n:", turn.id, str(i)), [seq], text=text, vector=number)
            rows.join(sentence, unit, Relation.MEMBERSHIP)
            added.append(SentenceRow(sentence, seq, number, int(weights[i]), vectors_[i]))
        return _PlacedTurn(seq, turn.id, turn.speaker, unit), added

    def _documents(self, seqs: Mapping[TurnId, int], pending: Mapping[TurnId, tuple[Turn, TurnSegments]]) -> None:
        parts = [parts for _, parts in pending.values()]
        lexical.add_documents(self.db, [seqs[t] for t in pending], [p.stems for p in parts], [p.cues for p in parts])

    def _similar(self, rows: UnitRows, sentences: Sequence[SentenceRow]) -> None:
        """Joins each new sentence to its nearest neighbours among all stored before it and in its session (SGMem §3.2).

        A sentence that was said before, word for word, is joined to its first occurrence alone.
        """
        fresh = []
        for sentence in (s for s in sentences if s.unit >= rows.first):
            first = self._first_unit(sentence)
            if first == sentence.unit:
                fresh.append(sentence)
            else:
                rows.join(sentence.unit, first, Relation.SIMILAR, 1.0)
        if not fresh:
            return
        queries = np.stack([s.vector for s in fresh])
        numbers = np.array([s.number for s in fresh])
        for sentence, near, cosines in zip(fresh, *self._nearest(queries, numbers), strict=True):
            for number, cosine in zip(near.tolist(), cosines.tolist(), strict=True):
                if cosine >= LEAST_COSINE:
                    rows.join(sentence.unit, self._unit_of(number), Relation.SIMILAR, min(cosine, 1.0))

    def _nearest(
        self, queries: Floats, numbers: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """The nearest stored vectors, and those of this session, of each query; never itself."""
        own = queries @ queries.T
        np.fill_diagonal(own, -np.inf)
        near, cosines = self.index.nearest(queries, NEIGHBOURS)
        near = np.concatenate([near, np.broadcast_to(numbers, own.shape)], axis=1)
        cosines = np.concatenate([cosines, own], axis=1)
        order = np.lexsort((near, -cosines), axis=1)[:, :NEIGHBOURS]
        return np.take_along_axis(near, order, axis=1), np.take_along_axis(cosines, order, axis=1)

    def _first_unit(self, sentence: SentenceRow) -> int:
        """The unit in which the sentence was said first; a new one's is itself."""
        stored = self.representative.get(sentence.number)
        return self.first_units.setdefault(sentence.number, sentence.unit) if stored is None else stored

    def _unit_of(self, number: int) -> int:
        stored = self.representative.get(number)
        return self.first_units[number] if stored is None else stored

    def _coarse(self, rows: UnitRows, turns: Sequence[_PlacedTurn], sentences: Sequence[SentenceRow]) -> None:
        """The rounds and the session over all its turns, and membership in them."""
        place = {turn.seq: i for i, turn in enumerate(turns)}
        group = rounds([turn.speaker for turn in turns])
        owner = np.array([place[s.turn] for s in sentences])
        weights = np.array([s.weight for s in sentences])
        matrix = np.stack([s.vector for s in sentences])
        round_norms = pooled_norms(matrix, weights, group[owner], int(group[-1]) + 1)
        session_norm = float(pooled_norms(matrix, weights, np.zeros(len(owner), dtype=np.int64), 1)[0])
        whole = rows.add(Kind.SESSION, self.segmented.session.id, [t.seq for t in turns], norm=session_norm)
        for index, norm in enumerate(round_norms):
            members = [turn for turn, g in zip(turns, group, strict=True) if g == index]
            unit = rows.add(Kind.ROUND, _tagged("r:", members[0].id), [t.seq for t in members], norm=float(norm))
            rows.join(unit, whole, Relation.MEMBERSHIP)
            for turn in members:
                rows.join(turn.unit, unit, Relation.MEMBERSHIP)


def _tagged(tag: str, *parts: str) -> str:
    return tag + blake2b("\0".join(parts).encode(), digest_size=8).hexdigest()
