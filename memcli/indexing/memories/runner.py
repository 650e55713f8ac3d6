"""Generated memory for the sessions that lack it: made, checked, embedded and written, a transaction a session.

What a session costs is what it adds: its own sentences, and one product of its facts with those of memory. A language
model may be the writer; where it fails, a session's memory is made without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from ...errors import ModelUnavailable
from ...languages import spoken
from ...model import Kind, Session, Turn, TurnId
from ...model.generated import Generated, SessionText, Told, Vectors, speaker_name
from ...ranking.bm25 import idf
from ...store import ledger, lexical, memories, transcript
from ...store.cosine import cosines
from ...store.ids import TAGS, tagged
from ...store.memories import Fact, MemoryRow
from ...store.rows import transaction
from ...store.sharing import in_turns
from ...text import content_stems
from ..plan import ASSOCIATIONS, MEMORIES
from ..producer.runner import Runner
from ..producer.stored import StoredSession, record
from .insights import insights
from .verification import verify
from .writers import Offline, Rarity, Writer

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Generator"]

#: Noted for a session whose insights the model failed to word: it is not done, but what it wrote stays.
_HALF_DONE = 0

_Finished = tuple["_Draft", list[Generated], int]


@dataclass(frozen=True, slots=True)
class _Draft:
    """What was made of a session, each unit with the verdict on it, and by whom."""

    read: StoredSession
    units: list[Generated]
    writer: Writer

    @property
    def by_model(self) -> bool:
        return self.writer.producer.name != MEMORIES.name


@dataclass(slots=True)
class _HoldingFacts:
    """The facts that hold, as one session after the other is written. `one_thing`: their least cosine, of one thing."""

    facts: Sequence[Fact]
    one_thing: float


class Generator(Runner[Writer, _Draft]):
    """Runs the producer of summaries, keywords, facts and insights."""

    of = MEMORIES

    def _offline(self, db: DuckDBPyConnection, reads: Sequence[StoredSession]) -> Callable[[StoredSession], _Draft]:
        offline = Offline(_rarity(db, reads), self._profile)
        return lambda read: _drafted(read, read.rest(), offline)

    def _by_model(self, read: StoredSession, made: list[Generated], writer: Writer) -> _Draft:
        return _Draft(read, _verified(made, read.text, writer), writer)

    # -- written ---------------------------------------------------------------------------------------------------

    def _write(self, drafts: Sequence[_Draft]) -> None:
        vectors = self._embed([unit.text for draft in drafts for unit in draft.units])
        with self._store.reading() as db:
            earlier = self._earlier(db, [vectors[text] for text in _fact_texts(drafts)])
        known = [_known(fact) for fact in earlier]
        finished = []
        for draft in drafts:
            new = _news(draft, vectors)
            found, version = self._insights(draft, new, known)
            known += new
            finished.append((draft, found, version))
        finished = self._checked(finished)
        vectors |= self._embed([unit.text for _, found, _ in finished for unit in found])
        held = _HoldingFacts(earlier, self._profile.one_thing)
        in_turns(self._store, finished, lambda db, each: self._write_one(db, each, vectors, held))

    def _write_one(
        self, db: DuckDBPyConnection, finished: _Finished, vectors: Mapping[str, Vectors], held: _HoldingFacts
    ) -> None:
        draft, found, version = finished
        with transaction(db):
            held.facts = _write(db, draft, [*draft.units, *found], version, vectors, held)
        self._pending.discard(draft.read.seq)

    def _checked(self, finished: Sequence[_Finished]) -> list[_Finished]:
        """The same with the verdicts on the insights, which rest on other sessions, too."""
        if not any(found for _, found, _ in finished):
            return list(finished)
        with self._store.reading() as db:
            return [(draft, _checked(db, found, draft.writer), version) for draft, found, version in finished]

    def _embed(self, texts: Sequence[str]) -> dict[str, Vectors]:
        distinct = list(dict.fromkeys(texts))
        return dict(zip(distinct, self._embedder.embed_passages(distinct), strict=True)) if distinct else {}

    def _earlier(self, db: DuckDBPyConnection, new: Sequence[Vectors]) -> list[Fact]:
        """The facts that new ones could change or recur to.

        Of all sessions but those whose facts are about to be made again, the present one among them.
        """
        found = memories.facts(db, Kind.FACT, np.array(new), self._profile.one_thing)
        number = transcript.session_numbers(db, list({fact.session for fact in found}))
        return [fact for fact in found if number[fact.session] not in self._pending]

    def _insights(self, draft: _Draft, new: Sequence[Told], earlier: Sequence[Told]) -> tuple[list[Generated], int]:
        """The insights, and the version to note. The store is closed meanwhile: a model keeps its replies in it."""
        try:
            return draft.writer.insights(new, earlier), draft.writer.producer.version
        except ModelUnavailable as why:
            if self._asking is not None:
                self._asking.gave_way(draft.read.text.session.id, why)
            return insights(new, earlier, similar=self._profile.same_fact), _HALF_DONE


def _write(
    db: DuckDBPyConnection,
    draft: _Draft,
    made: Sequence[Generated],
    version: int,
    vectors: Mapping[str, Vectors],
    held: _HoldingFacts,
) -> list[Fact]:
    """Writes one session's memory; returns the facts that hold then."""
    read = draft.read
    if draft.by_model or not read.kept:
        memories.drop_memories(db, read.seq)
    numbers = _numbers(db, read, made)
    seqs = memories.write_memories(db, read.seq, [_row(unit, vectors[unit.text], numbers) for unit in made])
    written = {seq: (unit, vectors[unit.text]) for seq, unit in zip(seqs, made, strict=True)}
    replaced = _supersede(db, read, written, held)
    _record(db, draft, version)
    session = read.text.session.id
    new = [
        Fact(seq, unit.kind, unit.text, vector, unit.label, session, unit.at, unit.sources)
        for seq, (unit, vector) in written.items()
        if unit.kind is Kind.FACT and unit.supported
    ]
    return [fact for fact in held.facts if fact.unit not in replaced] + new


def _fact_texts(drafts: Sequence[_Draft]) -> list[str]:
    return [unit.text for draft in drafts for unit in draft.units if unit.kind is Kind.FACT]


def _news(draft: _Draft, vectors: Mapping[str, Vectors]) -> list[Told]:
    """A draft's facts, as they are compared with those of other sessions."""
    return [
        _told(draft.read.text.session, unit, vectors[unit.text])
        for unit in draft.units
        if unit.kind is Kind.FACT and unit.supported
    ]


def _record(db: DuckDBPyConnection, draft: _Draft, version: int) -> None:
    """Notes that the session has memory. What it had been associated by is gone: that is to be found again."""
    ledger.make_outdated(db, draft.read.seq, ASSOCIATIONS.name)
    record(db, MEMORIES, [(draft.read, draft.writer.producer, version)])


def _rarity(db: DuckDBPyConnection, reads: Sequence[StoredSession]) -> Rarity:
    stems = {stem for read in reads for turn in read.text.turns for stem in content_stems(turn.text)}
    turns, total = lexical.frequencies(db, list(stems)), lexical.documents(db)
    return lambda stem: float(idf(turns.get(stem, 1), total))


def _drafted(read: StoredSession, text: SessionText, writer: Writer) -> _Draft:
    return _Draft(read, _verified(writer.session(text), read.text, writer), writer)


def _verified(made: Sequence[Generated], text: SessionText, writer: Writer) -> list[Generated]:
    """The units of a session alone, each with the verdict on it."""
    turns = {turn.id: turn for turn in text.turns}
    return [_judged(unit, [turns[turn] for turn in unit.sources], text.people(), writer.coverage) for unit in made]


def _checked(db: DuckDBPyConnection, found: Sequence[Generated], writer: Writer) -> list[Generated]:
    turns = transcript.turns_by_id(db, [turn for unit in found for turn in unit.sources])
    people = sorted({speaker_name(turn) for turn in turns.values()})
    return [_judged(unit, [turns[turn] for turn in unit.sources], people, writer.coverage) for unit in found]


def _judged(unit: Generated, sources: Sequence[Turn], people: Sequence[str], coverage: float) -> Generated:
    supported, because = verify(unit, sources, people, coverage=coverage)
    return unit if supported else replace(unit, supported=False, unsupported_because=because)


def _told(session: Session, unit: Generated, vector: Vectors) -> Told:
    return Told(unit.text, vector, unit.label, session.id, unit.at, unit.sources)


def _known(fact: Fact) -> Told:
    return Told(fact.text, fact.vector, fact.label, fact.session, fact.at, fact.turns)


def _numbers(db: DuckDBPyConnection, read: StoredSession, made: Sequence[Generated]) -> dict[TurnId, int]:
    """The numbers of all source turns: an insight rests on other sessions, too."""
    other = [turn for unit in made for turn in unit.sources if turn not in read.numbers]
    return read.numbers | {turn: seq for turn, (seq, _) in transcript.indexed(db, other).items()}


def _row(unit: Generated, vector: Vectors, numbers: dict[TurnId, int]) -> MemoryRow:
    content = "\0".join((unit.kind, unit.text, *unit.sources))
    return MemoryRow(
        tagged(TAGS[unit.kind], content),
        unit.kind,
        unit.text,
        [numbers[turn] for turn in unit.sources],
        unit.at,
        unit.label,
        vector,
        unit.support,
        unit.supported,
        unit.unsupported_because,
    )


def _supersede(
    db: DuckDBPyConnection, read: StoredSession, made: dict[int, tuple[Generated, Vectors]], held: _HoldingFacts
) -> set[int]:
    """Notes which stored facts the new ones make untrue, which it returns, and which insights they take up."""
    replaced = set()
    for old, new, at in _changes(read.text.session, made, held):
        memories.replace(db, old, new, at)
        replaced.add(old)
    found = [(seq, unit, set(unit.sources)) for seq, (unit, _) in made.items() if unit.kind is Kind.INSIGHT]
    stored = [i for i in memories.facts(db, Kind.INSIGHT) if i.unit not in made] if found else []
    for seq, unit, sources in found:
        for insight in stored:
            if insight.label == unit.label and sources.issuperset(insight.turns):
                memories.replace(db, insight.unit, seq, unit.at)
    return replaced


def _changes(
    session: Session, made: dict[int, tuple[Generated, Vectors]], held: _HoldingFacts
) -> Iterator[tuple[int, int, datetime | None]]:
    new = [(seq, unit, vector) for seq, (unit, vector) in made.items() if unit.kind is Kind.FACT and unit.supported]
    earlier = held.facts
    if not new or not earlier:
        return
    alike = cosines(np.stack([vector for _, _, vector in new]), np.stack([fact.vector for fact in earlier]))
    for a, b in np.argwhere(alike >= held.one_thing).tolist():
        seq, unit, vector = new[a]
        told, known = _told(session, unit, vector), _known(earlier[b])
        if unit.label == earlier[b].label and _supersedes(told, known, held.one_thing):
            yield earlier[b].unit, seq, unit.at


def _supersedes(new: Told, old: Told, one_thing: float) -> bool:
    return spoken([new.text, old.text]).supersedes(new, old, one_thing)
