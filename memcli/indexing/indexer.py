"""Pieces of conversation into the store, batch by batch: segment, embed what is new, write session by session."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cached_property

import numpy as np

from ..model import Session, SessionId, Turn, TurnId
from ..providers.embedding import Embedder
from ..store import transcript, units, vectors
from ..store.connection import Store
from ..store.vectors import VectorIndex
from ..text import words
from .plan import Producer
from .segments import Segmented, segment
from .writer import Embedded, SessionWriter

__all__ = ["Indexer"]

#: Sentences that are gathered before they are embedded and written: a second or two of work, which is all that a
#: kill can cost, and enough to fill the embedder's batches with sentences of one length.
BATCH = 2000


class Indexer:
    """Takes sessions' turns and stores them with their index; calls `stored` after each committed session."""

    def __init__(
        self,
        store: Store,
        embedder: Callable[[], Embedder],
        dimension: int,
        stored: Callable[[Session, int], object] = lambda _session, _added: None,
    ) -> None:
        self._store = store
        self._make_embedder = embedder
        self._stored = stored
        self._index = VectorIndex(dimension)
        self._waiting: list[Segmented] = []
        self._sentences = 0

    @cached_property
    def _embedder(self) -> Embedder:
        return self._make_embedder()

    def add(self, session: Session, turns: Sequence[Turn]) -> None:
        """Takes some turns of a session; they are written at the latest by the next `flush`."""
        segmented = segment(session, turns)
        self._waiting.append(segmented)
        self._sentences += sum(len(parts.sentences) for parts in segmented.segments)
        if self._sentences >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Embeds and writes everything taken so far, one transaction a session."""
        waiting, self._waiting, self._sentences = self._waiting, [], 0
        waiting = self._without_known(waiting)
        if not waiting:
            return
        embedded = self._embed(
            [h for s in waiting for p in s.segments for h in zip(p.hashes, p.sentences, strict=True)]
        )
        with self._store.writing() as db:
            writer = SessionWriter(db, embedded, self._index)
            for segmented in waiting:
                self._stored(segmented.session, writer.write(segmented))

    def resume(self, producers: Sequence[Producer]) -> None:
        """Indexes the stored sessions for which one of `producers` has not been run in its present version."""
        with self._store.reading() as db:
            missing = units.unbuilt(db, {p.name: p.version for p in producers})
        for seq in missing:
            with self._store.reading() as db:
                turns = transcript.turns_of(db, seq)
                session = transcript.sessions_of(db, [turns[0].session])[turns[0].session]
            self.add(session, turns)
        self.flush()

    def finish(self) -> None:
        """Writes what waits, then the snapshot of the vectors where it lags too far behind."""
        self.flush()
        if self._index.snapshot_is_due:
            with self._store.writing() as db:
                self._index.save(db)

    def known(self, ids: Sequence[TurnId]) -> Mapping[TurnId, SessionId]:
        """Which turns are stored, or wait to be, and in which session."""
        waiting = {turn.id: segmented.session.id for segmented in self._waiting for turn in segmented.turns}
        found = {i: waiting[i] for i in ids if i in waiting}
        if self._store.exists:
            with self._store.reading() as db:
                found.update(transcript.known(db, [i for i in ids if i not in found]))
        return found

    def latest(self, conversation: str) -> tuple[SessionId, datetime | None] | None:
        """The session of a conversation that was spoken in last, and when."""
        for segmented in reversed(self._waiting):
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
            if keep:
                turns, parts = [segmented.turns[i] for i in keep], [segmented.segments[i] for i in keep]
                left.append(Segmented(segmented.session, turns, parts))
        return left

    def _embed(self, sentences: Sequence[tuple[int, str]]) -> Embedded:
        texts = dict(sentences)
        rows = {}
        if self._store.exists:
            with self._store.reading() as db:
                rows = vectors.find_rows(db, list(texts))
        new = [h for h in texts if h not in rows]
        # Rounded as they are stored, so that a vector is the same whether it was just made or read back.
        made = self._embedder.embed([texts[h] for h in new]).astype(np.float16).astype(np.float32)
        rows |= dict(zip(new, made, strict=True))
        return Embedded(rows, {h: max(1, len(words(text))) for h, text in texts.items()})
