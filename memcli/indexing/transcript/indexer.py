"""Pieces of conversation into the store, batch by batch: segment, embed what is new, write a few sessions at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime
from typing import TYPE_CHECKING

from ...model import Session, SessionId, Turn, TurnId
from ...providers.embedding import Embedder
from ...providers.profiles import ENCODER
from ...store import codes, ledger, snapshots, transcript, vectors
from ...store.coded import CodedIndex
from ...store.connection import Store
from ...store.packing import as_stored
from ...store.revision import revision
from ...store.shard import is_shard, said_in
from ...store.sharing import give_way, in_turns
from ...store.vectors import VectorIndex
from ...text import words
from ..calibration import profile
from ..plan import Producer
from .neighbours import Index, Neighbours, neighbours
from .segments import Segmented, segment
from .writer import Embedded, SessionWriter

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Indexer"]

#: Sentences that are gathered before they are embedded and written: a few seconds of work, which is all that a kill
#: can cost, and enough to fill the embedder's batches with sentences of one length.
BATCH = 3000
#: The first batch is smaller, and each after it larger by so much, so that something is stored soon.
FIRST_BATCH, GROWTH = 400, 1.5
#: Sentences that are written in one transaction: the store is held until it is done.
_MOST = 400
#: After the store was held, others may have it for so many times as long, while nobody waits for what is to be written.
_LEISURE = 4.0


class Indexer:
    """Takes sessions' turns and stores them with their index; calls `stored` with each session that is committed, how
    many turns were taken of it, and how many of these were new, `passed` with how many were known already, and
    `embedded` with how many are about to be written.

    One batch is written, by a thread of its own, which calls `stored`, while the next is read and embedded. `between`
    is called, in the caller's thread, with the sessions of each whole batch once it is written.
    """

    def __init__(
        self,
        store: Store,
        embedder: Embedder,
        stored: Callable[[Session, int, int], object] = lambda _session, _taken, _added: None,
        passed: Callable[[int], object] = lambda _known: None,
        embedded: Callable[[int], object] = lambda _taken: None,
        between: Callable[[Sequence[SessionId]], object] = lambda _sessions: None,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._stored = stored
        self._passed = passed
        self._has_embedded = embedded
        self._between = between
        self._batch = min(FIRST_BATCH, BATCH)
        self._index = VectorIndex(embedder.dimension)
        self._new = 0  # sentences whose nearest were asked for
        self._waiting: list[Segmented] = []
        self._sentences = 0
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="memcli-writer")
        self._written: Future[None] | None = None
        self._awaited = threading.Event()  # somebody waits for what is being written
        self._writing: Sequence[Segmented] = ()
        self._embedded = Embedded({}, {})

    def add(self, session: Session, turns: Sequence[Turn]) -> None:
        """Takes some turns of a session; they are written at the latest by the next `flush`."""
        self.take(segment(session, turns))

    def take(self, segmented: Segmented) -> None:
        """The same with turns that were segmented already."""
        for part in _parts(segmented):
            self._waiting.append(part)
            self._sentences += _size(part)
        if self._sentences >= self._batch:
            self._batch = min(int(self._batch * GROWTH), BATCH)
            self._between(self._hand_over())

    def flush(self) -> None:
        """Embeds and writes everything taken so far."""
        self._hand_over()
        self._wait()

    def _hand_over(self) -> list[SessionId]:
        """Has what waits written; returns the sessions of what was handed over before, which is written now."""
        waiting, self._waiting, self._sentences = self._waiting, [], 0
        waiting = self._without_known(waiting) if waiting else []
        done = list(dict.fromkeys(segmented.session.id for segmented in self._writing))
        if not waiting:
            return []
        embedded = self._embed(
            [h for s in waiting for p in s.segments for h in zip(p.hashes, p.sentences, strict=True)]
        )
        self._has_embedded(sum(len(segmented.turns) for segmented in waiting))
        self._wait()
        self._writing, self._embedded = waiting, embedded
        self._written = self._thread.submit(self._write, waiting, embedded)
        return done

    def _wait(self) -> None:
        written, self._written = self._written, None
        if written is not None:
            self._awaited.set()
            try:
                written.result()
            finally:
                self._awaited.clear()
        self._writing = ()

    def _write(self, batch: Sequence[Segmented], embedded: Embedded) -> None:
        writer = SessionWriter(batch, embedded, self._neighbours(batch, embedded))
        in_turns(self._store, _together(batch), lambda db, some: self._write_some(db, writer, some), self._pause)
        if self._index.snapshot_is_due():
            self._save()

    def _neighbours(self, batch: Sequence[Segmented], embedded: Embedded) -> Neighbours:
        """Worked out while the store is open to others: what they add meanwhile is joined to nothing of this batch."""
        hashes = [h for segmented in batch for parts in segmented.segments for h in parts.hashes]
        stored: Mapping[int, int] = {}
        thresholds = ENCODER
        index: Index = self._index
        if self._store.exists:
            with self._store.reading() as db:
                thresholds = profile(db)
                if is_shard(db):
                    return self._within(db, batch, embedded, thresholds.neighbour)
                stored, is_large = vectors.find_vectors(db, hashes), codes.are_many(db)
            index = self._asked(len(set(hashes)) - len(stored), is_large=is_large)
        return neighbours(batch, embedded.rows, stored, index, thresholds.neighbour)

    def _asked(self, new: int, *, is_large: bool) -> Index:
        """What finds the nearest of so many more sentences: for few in a large store it is not all read."""
        self._new += new
        if is_large and self._new <= vectors.FEW:
            return CodedIndex(self._store.reading)
        self._index.refresh(self._store.reading, new)
        return self._index

    def _within(
        self, db: DuckDBPyConnection, batch: Sequence[Segmented], embedded: Embedded, least: float
    ) -> Neighbours:
        """The neighbours within each conversation: what else the store holds is not looked at."""
        found = Neighbours({})
        for conversation in dict.fromkeys(segmented.session.conversation for segmented in batch):
            own = [segmented for segmented in batch if segmented.session.conversation == conversation]
            hashes, data = said_in(db, conversation)
            near = VectorIndex(self._embedder.dimension)
            near.take(hashes, data)
            found |= neighbours(own, embedded.rows, hashes.tolist(), near, least, conversation)
        return found

    def _write_some(self, db: DuckDBPyConnection, writer: SessionWriter, together: Sequence[Segmented]) -> None:
        for segmented, added in zip(together, writer.write(db, together), strict=True):
            self._stored(segmented.session, len(segmented.turns), added)

    def _pause(self, held: float) -> None:
        """Leaves the store to others: for longer, as long as the caller has something else to do."""
        self._awaited.wait(_LEISURE * held)
        give_way(held)

    def _save(self) -> None:
        with self._store.reading() as db:
            made_at = revision(db)
        data, rows = self._index.snapshot()
        snapshots.save(self._store, snapshots.LINKS, data, rows, made_at)

    def resume(
        self, producers: Sequence[Producer], watch: Callable[[int, int], object] = lambda _done, _of: None
    ) -> None:
        """Indexes the stored sessions for which one of `producers` has not been run in its present version.

        `watch` hears how many are done of how many.
        """
        with self._store.reading() as db:
            missing = ledger.unbuilt(db, {p.name: p.version for p in producers})
        for number, seq in enumerate(missing):
            watch(number, len(missing))
            with self._store.reading() as db:
                turns = transcript.turns_of(db, [seq])[seq]
                session = transcript.sessions_of(db, [turns[0].session])[turns[0].session]
            self.add(session, turns)
        self.flush()

    def finish(self) -> None:
        """Writes what waits, then the snapshot of the vectors where it lags too far behind."""
        self.flush()
        self._thread.shutdown()
        if self._index.snapshot_is_due(at_last=True):
            self._save()

    def known(self, ids: Iterable[TurnId]) -> Mapping[TurnId, SessionId]:
        """Which turns are stored, or wait to be, and in which session."""
        pending = [*self._writing, *self._waiting]
        waiting = {turn.id: segmented.session.id for segmented in pending for turn in segmented.turns}
        asked = list(ids)
        found = {i: waiting[i] for i in asked if i in waiting}
        if self._store.exists:
            with self._store.reading() as db:
                found.update(transcript.known(db, [i for i in asked if i not in found]))
        return found

    def latest(self, conversation: str) -> tuple[SessionId, datetime | None] | None:
        """The session of a conversation that was spoken in last, and when."""
        for segmented in reversed([*self._writing, *self._waiting]):
            if segmented.session.conversation == conversation:
                return segmented.session.id, segmented.turns[-1].said_at
        if not self._store.exists:
            return None
        with self._store.reading() as db:
            return transcript.latest(db, conversation)

    def _without_known(self, waiting: Sequence[Segmented]) -> list[Segmented]:
        """What is to be embedded: the turns that are not stored and indexed already."""
        if not self._store.exists:
            return list(waiting)
        with self._store.reading() as db:
            found = transcript.indexed(db, [turn.id for s in waiting for turn in s.turns])
        done = {turn for turn, (_, is_indexed) in found.items() if is_indexed}
        left = []
        for segmented in waiting:
            keep = [i for i, turn in enumerate(segmented.turns) if turn.id not in done]
            self._passed(len(segmented.turns) - len(keep))
            if keep:
                turns, parts = [segmented.turns[i] for i in keep], [segmented.segments[i] for i in keep]
                left.append(Segmented(segmented.session, turns, parts))
        return left

    def _embed(self, sentences: Sequence[tuple[int, str]]) -> Embedded:
        texts = dict(sentences)
        rows = {h: self._embedded.rows[h] for h in texts if h in self._embedded.rows}  # perhaps not yet written
        if self._store.exists:
            with self._store.reading() as db:
                rows |= vectors.find_rows(db, [h for h in texts if h not in rows], self._embedder.dimension)
        new = [h for h in texts if h not in rows]
        made = as_stored(self._embedder.embed_passages([texts[h] for h in new]))
        rows |= dict(zip(new, made, strict=True))
        return Embedded(rows, {h: max(1, len(words(text))) for h, text in texts.items()})


def _size(segmented: Segmented) -> int:
    return sum(len(parts.sentences) for parts in segmented.segments)


def _parts(segmented: Segmented) -> Iterator[Segmented]:
    """The same in parts of at most `_MOST` sentences, or of one turn."""
    start, size = 0, 0
    for place, parts in enumerate(segmented.segments):
        if place > start and size + len(parts.sentences) > _MOST:
            yield Segmented(segmented.session, segmented.turns[start:place], segmented.segments[start:place])
            start, size = place, 0
        size += len(parts.sentences)
    yield Segmented(segmented.session, segmented.turns[start:], segmented.segments[start:])


def _together(batch: Sequence[Segmented]) -> Iterator[list[Segmented]]:
    """What one transaction writes: parts of different sessions, of at most `_MOST` sentences, or one."""
    together: list[Segmented] = []
    for segmented in batch:
        sessions = {each.session.id for each in together}
        if together and (segmented.session.id in sessions or sum(map(_size, [*together, segmented])) > _MOST):
            yield together
            together = []
        together.append(segmented)
    if together:
        yield together
