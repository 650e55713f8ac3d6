"""Transcripts into a memory of shards, by a cluster: sources read, sentences embedded, shards written in parallel.

A reader is an ordinary `Ingestion` whose indexer hands pieces to tasks that embed, and these to writers, of which each
shard has one. A task or a writer whose machine is lost is started again elsewhere: ids are hashes of what was said, so
that what is written once more is known already. Only what a writer has committed is reported.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import UsageError
from ..formats import Source, sources
from ..formats.redaction import Redactor
from ..indexing.prepare import tag
from ..indexing.transcript.indexer import Indexer
from ..indexing.transcript.segments import Segmented, segment, sentence_hash
from ..ingestion import Ingestion, Report, Watcher
from ..memory import Memory
from ..model import Session, SessionId, Turn, TurnId
from ..providers.embedding import Embedder, embedder
from ..store import tombstones, transcript
from ..store.connection import Store
from ..store.folder import Folder
from ..store.packing import as_stored
from .starting import HERE, TRIES, gotten, library, processors, remote, started

if TYPE_CHECKING:
    from ..providers.vectors import Vectors

__all__ = ["Reading", "ingest"]

#: Blocks that a reader has on the way for each processor: enough that none waits for it, and little is in memory.
_AHEAD = 2
#: Bytes of small files that one task reads.
_TOGETHER = 4 << 20

Piece = tuple[Session, Sequence[Turn]]
#: A block's turns, ready to be written, and the vectors of their sentences by their hashes.
Block = tuple[list[Segmented], dict[int, Any]]


@dataclass(frozen=True, slots=True)
class Reading:
    """How transcripts are read: see `Memory.ingest`. `block`: so many characters of a shard are embedded, and written,
    at a time, a few seconds of work.
    """

    format_name: str | None = None
    strict: bool = False
    all_branches: bool = False
    allow_again: bool = False
    redactor: Redactor | None = None
    block: int = 60_000


def ingest(
    memory: Memory,
    paths: Iterable[str | Path],
    reading: Reading | None = None,
    watcher: Watcher | None = None,
    address: str = HERE,
) -> Report:
    """What `Memory.ingest` does, on a cluster that sees the memory's folder and the transcripts at the same paths.

    Of a block that was written twice, since its writer was lost before it could say so, turns count as known.
    Raises what `Memory.ingest` and `started` raise, and UsageError for a memory that is no folder of shards.
    """
    folder = memory.store
    if not isinstance(folder, Folder):
        raise UsageError("a cluster writes to a memory of shards", "--store NAME.memcli.d, with --shards N to begin it")
    passed_over: list[Path] = []
    found = list(sources(paths, passed_over.append, (reading or Reading()).format_name))
    with started(address), memory.writing():
        run = _Run(folder, reading or Reading(), watcher or Watcher())
        run.read(found)
        run.finish()
        return run.report


class _Run:
    """One ingest by a cluster: its writers, and what is known of it so far."""

    def __init__(self, folder: Folder, reading: Reading, watcher: Watcher) -> None:
        self._watcher, self._wide = watcher, processors()
        self.report = Report()
        self._writers = _writers(folder, self._wide)
        self._read_here = partial(_read, str(folder.folder), reading, self._writers, _AHEAD * self._wide)

    def read(self, found: Sequence[Source]) -> None:
        """Has the sources read: files by tasks, streams by this process."""
        ray = library()
        task, waiting = remote(_read_files, num_cpus=0), dict[Any, Source]()
        for group in _together([source for source in found if source.path is not None]):
            files = [(str(source.path), source.found) for source in group]
            waiting[task.remote(files, self._read_here)] = group[-1]
            if len(waiting) >= 2 * self._wide:
                self._take(waiting, *ray.wait(list(waiting))[0])
        for source in found:
            if source.path is None:
                self._add(self._read_here([source]), source)
        while waiting:
            self._take(waiting, *ray.wait(list(waiting))[0])

    def finish(self) -> None:
        """Has made, in each shard, what every ingest makes and a lost task has left."""
        gotten([writer.finish.remote(prefix) for prefix, writer in self._writers.items()])

    def _take(self, waiting: dict[Any, Source], done: Any) -> None:
        source = waiting.pop(done)
        self._add(gotten([done])[0], source)

    def _add(self, read: Report, source: Source) -> None:
        _added(self.report, read)
        for problem in read.problems:
            self._watcher.problem(problem)
        self._watcher.progress(source, self.report)


def _added(whole: Report, read: Report) -> None:
    for name in ("messages", "added", "problem_count", "forgotten", "written", "passed", "embedded"):
        setattr(whole, name, getattr(whole, name) + getattr(read, name))
    whole.sessions |= read.sessions
    whole.problems += read.problems
    whole.redacted.update(read.redacted)


def _together(found: Sequence[Source]) -> Iterator[list[Source]]:
    """Files that one task reads, one after another: those of an export that was cut up lie beside each other."""
    group, size = list[Source](), 0
    for source in found:
        if group and size + (source.bytes_total or 0) > _TOGETHER:
            yield group
            group, size = [], 0
        group.append(source)
        size += source.bytes_total or 0
    if group:
        yield group


def _writers(folder: Folder, wide: int) -> dict[str, Any]:
    """For each shard its writer; where there are more shards than processors, one writes to several."""
    of_shard = (
        library()
        .remote(_Writer)
        .options(num_cpus=0, max_restarts=TRIES, max_task_retries=-1, scheduling_strategy="SPREAD")
    )
    shards = folder.manifest.shards
    made = [of_shard.remote(str(folder.folder), folder.embedder) for _ in range(min(wide, len(shards)))]
    return {prefix: made[number % len(made)] for number, prefix in enumerate(shards)}


def _read_files(files: Sequence[tuple[str, bool]], read: Callable[[Sequence[Source]], Report]) -> Report:
    return read([Source(Path(path), found=found) for path, found in files])


def _read(path: str, reading: Reading, writers: Mapping[str, Any], ahead: int, found: Sequence[Source]) -> Report:
    """Reads sources, and has what is new embedded and written; returns when all of it is."""
    folder = Folder(Path(path))
    run = Ingestion(
        lambda *told: _Distributor(folder, writers, (ahead, reading.block), *told),
        Watcher(),
        tombstones.Gate(folder, allow_again=reading.allow_again),
        reading.redactor,
    )
    for source in found:
        run.run(source, reading.format_name, strict=reading.strict, all_branches=reading.all_branches)
    return run.finish()


@dataclass(slots=True)
class _Waiting:
    """Pieces of one shard that wait to be sent."""

    pieces: list[Piece] = field(default_factory=list)
    characters: int = 0


class _Distributor:
    """What `Indexer` is to a store, to the writers of shards, by their prefixes."""

    def __init__(
        self,
        folder: Folder,
        writers: Mapping[str, Any],
        limits: tuple[int, int],
        stored: Callable[[Session, int, int], object],
        passed: Callable[[int], object],
        embedded: Callable[[int], object],
    ) -> None:
        self._folder, self._writers = folder, writers
        self._ahead, self._block = limits
        self._manifest, self._name = folder.manifest, folder.embedder
        self._stored, self._passed, self._has_embedded = stored, passed, embedded
        self._waiting: dict[str, _Waiting] = defaultdict(_Waiting)
        self._sent: dict[Any, tuple[str, list[Piece]]] = {}
        self._embed = remote(_embedded)

    def add(self, session: Session, turns: Sequence[Turn]) -> None:
        """See `Indexer.add`."""
        prefix = self._manifest.shard_of(session.conversation)
        waiting = self._waiting[prefix]
        waiting.pieces.append((session, turns))
        waiting.characters += sum(len(turn.text) for turn in turns)
        if waiting.characters >= self._block:
            self._send(prefix)

    def flush(self) -> None:
        """See `Indexer.flush`."""
        for prefix in list(self._waiting):
            self._send(prefix)
        while self._sent:
            self._receive()

    finish = flush

    def known(self, ids: Mapping[TurnId, str]) -> Mapping[TurnId, SessionId]:
        """See `RoutingIndexer.known`."""
        asked: dict[str, list[TurnId]] = defaultdict(list)
        for turn, conversation in ids.items():
            asked[self._manifest.shard_of(conversation)].append(turn)
        found: dict[TurnId, SessionId] = {}
        for prefix, turns in asked.items():
            on_the_way = {turn.id: turn.session for _, said in self._pending(prefix) for turn in said}
            with self._folder.shard(prefix).reading() as db:
                found |= transcript.known(db, turns)
            found |= {turn: on_the_way[turn] for turn in turns if turn in on_the_way}
        return found

    def latest(self, conversation: str) -> tuple[SessionId, datetime | None] | None:
        """See `Indexer.latest`."""
        prefix = self._manifest.shard_of(conversation)
        for session, turns in reversed(self._pending(prefix)):
            if session.conversation == conversation:
                return session.id, turns[-1].said_at
        with self._folder.shard(prefix).reading() as db:
            return transcript.latest(db, conversation)

    def _pending(self, prefix: str) -> list[Piece]:
        sent = [piece for of, pieces in self._sent.values() if of == prefix for piece in pieces]
        return [*sent, *self._waiting[prefix].pieces]

    def _send(self, prefix: str) -> None:
        pieces = self._new(prefix, self._waiting.pop(prefix).pieces)
        if not pieces:
            return
        while len(self._sent) >= self._ahead:
            self._receive()
        written = self._writers[prefix].write.remote(prefix, self._embed.remote(self._name, pieces))
        self._sent[written] = prefix, pieces

    def _new(self, prefix: str, pieces: Sequence[Piece]) -> list[Piece]:
        """The pieces without what is stored already: that is not embedded again."""
        with self._folder.shard(prefix).reading() as db:
            found = transcript.indexed(db, [turn.id for _, turns in pieces for turn in turns])
        left = [
            (session, [turn for turn in turns if not found.get(turn.id, (0, False))[1]]) for session, turns in pieces
        ]
        self._passed(sum(len(turns) for _, turns in pieces) - sum(len(turns) for _, turns in left))
        return [piece for piece in left if piece[1]]

    def _receive(self) -> None:
        """Waits for a block to be written, and tells what was new in it."""
        (done, *_), _ = library().wait(list(self._sent))
        _, pieces = self._sent.pop(done)
        self._has_embedded(sum(len(turns) for _, turns in pieces))
        for session, taken, added in gotten([done])[0]:
            self._stored(session, taken, added)


def _embedded(name: str, pieces: Sequence[Piece]) -> Block:
    """Segments turns and embeds their sentences."""
    segmented = [segment(session, turns) for session, turns in pieces]
    texts = {h: text for one in segmented for p in one.segments for h, text in zip(p.hashes, p.sentences, strict=True)}
    rows = as_stored(_model(name).embed_passages(list(texts.values())))
    return segmented, dict(zip(texts, rows, strict=True))


@lru_cache(maxsize=1)
def _model(name: str) -> Embedder:
    """The embedder of a process of the cluster, on a single thread: there is a process for each processor."""
    import os

    from threadpoolctl import threadpool_limits

    threadpool_limits(1)
    here = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {here[os.getpid() % len(here)]})  # what counts processors, such as onnxruntime, finds one
    try:
        return embedder(name, bulk=True)
    finally:
        os.sched_setaffinity(0, here)


class _Embedded:
    """An embedder that has embedded some sentences elsewhere; what else is wanted, it embeds here."""

    def __init__(self, name: str, rows: Mapping[int, Any]) -> None:
        self._name, self._rows = name, rows

    @property
    def id(self) -> str:
        return _model(self._name).id

    @property
    def dimension(self) -> int:
        return _model(self._name).dimension

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        hashes = [sentence_hash(text) for text in texts]
        if not hashes or not self._rows.keys() >= set(hashes):
            return _model(self._name).embed_passages(texts)
        return np.stack([self._rows[hash_] for hash_ in hashes]).astype(np.float32)

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        return _model(self._name).embed_questions(texts)


class _Writer:
    """Writes to some of the shards of a folder; nobody else of this ingest does."""

    def __init__(self, path: str, name: str) -> None:
        self._folder, self._name = Folder(Path(path)), name

    def write(self, prefix: str, block: Block) -> list[tuple[Session, int, int]]:
        """Stores a block; returns, when it is committed, the sessions, how many turns were taken, how many new."""
        segmented, rows = block
        store, done = self._folder.shard(prefix), list[tuple[Session, int, int]]()
        model = _Embedded(self._name, rows)
        indexer = Indexer(store, model, lambda *told: done.append(told))
        for one in segmented:
            indexer.take(one)
        indexer.finish()
        tag(store, model, list(dict.fromkeys(one.session.id for one in segmented)))
        return done

    def finish(self, prefix: str) -> None:
        """Makes what every ingest makes and this shard lacks."""
        store: Store = self._folder.shard(prefix)
        with Memory(store.path, embedder=_model(self._name)) as memory:
            memory.add([])
