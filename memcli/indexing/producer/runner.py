"""What all producers of generated memory do alike: read the sessions that lack it, make it, and write it in batches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from ...model import SessionId
from ...providers.embedding import Embedder
from ...providers.profiles import Profile
from ...store import ledger
from ...store.connection import Store
from ..calibration import profile
from ..plan import Producer
from .asking import Failed, MemoryWriter, SessionRequests
from .stored import StoredSession, read_sessions

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["BATCH", "Runner"]

#: Sessions that are read, and what is made of them embedded, together.
BATCH = 16

Draft = TypeVar("Draft")
Writes = TypeVar("Writes", bound=MemoryWriter[Any])

Watch = Callable[[int, int], object]


class Runner(ABC, Generic[Writes, Draft]):
    """Runs the producer `of`. `watch` hears how many sessions are done of how many.

    `writer` None: without a model. Where a model fails, a session's memory is made without it, and `failed` is told:
    the next run with the model asks again for that session.
    """

    of: ClassVar[Producer]

    def __init__(
        self,
        store: Store,
        embedder: Embedder,
        watch: Watch = lambda _done, _of: None,
        writer: Writes | None = None,
        failed: Failed = lambda _session, _why: None,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._watch = watch
        self._writer = writer
        self._asking: SessionRequests[Any] | None = SessionRequests(writer, failed) if writer else None
        self._pending: set[int] = set()

    @cached_property
    def _profile(self) -> Profile:
        """The thresholds of the store's embedder, as they are when they are first asked for."""
        with self._store.reading() as db:
            return profile(db)

    def run(self, among: Collection[SessionId] | None = None) -> int:
        """Makes it for every session, or those of `among`, that has none, or has grown since; returns how many.

        Raises StoreError; ModelUnavailable where the embedder fails; BudgetSpent, after what is paid for is written.
        """
        producer = self._writer.producer if self._writer else self.of
        together = self._writer.at_once if self._writer else BATCH
        with self._store.reading() as db:  # the first are read in one opening with which they are: mostly there is one
            missing = ledger.unbuilt(db, {producer.name: producer.version}, among)
            self._pending = set(missing)
            batch = self._read(db, missing[:together])
        done = 0
        if missing:
            self._watch(0, len(missing))
        for start in range(0, len(missing), together):
            if start:
                with self._store.reading() as db:
                    batch = self._read(db, missing[start : start + together])
            for drafts in self._drafts(*batch):
                self._write(drafts)
                done += len(drafts)
                self._watch(done, len(missing))
        return len(missing)

    def _read(
        self, db: DuckDBPyConnection, seqs: Sequence[int]
    ) -> tuple[list[StoredSession], Callable[[StoredSession], Draft]]:
        """These sessions, and what makes their drafts without a model."""
        reads = read_sessions(db, seqs, self.of)
        return reads, self._offline(db, reads)

    def _drafts(
        self, reads: Sequence[StoredSession], offline: Callable[[StoredSession], Draft]
    ) -> Iterator[list[Draft]]:
        """The drafts of these sessions: a model's one by one, since the next may end the run."""
        if self._asking is None or self._writer is None:
            yield [offline(read) for read in reads]
            return
        for read, made in zip(reads, self._asking.replies([read.text for read in reads]), strict=True):
            yield [offline(read) if made is None else self._by_model(read, made, self._writer)]

    @abstractmethod
    def _offline(self, db: DuckDBPyConnection, reads: Sequence[StoredSession]) -> Callable[[StoredSession], Draft]:
        """What makes a session's draft without a model."""

    @abstractmethod
    def _by_model(self, read: StoredSession, made: list[Any], writer: Writes) -> Draft:
        """The draft of a session that a model wrote of."""

    @abstractmethod
    def _write(self, drafts: Sequence[Draft]) -> None:
        """Writes drafts, each session's whole or not at all, several while the store is held: opening it costs more."""
