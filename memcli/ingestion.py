"""From transcripts to the store: read, split into sessions, index, and count what happened."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Protocol

from .errors import InputUnreadable, MemcliError
from .formats import Message, Piece, Problem, SessionSplitter, Source, read
from .formats.pacing import paced
from .formats.redaction import Redactor
from .indexing.prepare import tag
from .indexing.transcript.indexer import Indexer
from .indexing.transcript.routing import RoutingIndexer
from .model import Session, SessionId, Turn, TurnId
from .providers.embedding import Embedder
from .store import tombstones
from .store.connection import Store
from .store.folder import Folder

__all__ = ["Indexing", "Ingestion", "Report", "Watcher", "begun"]


@dataclass(slots=True)
class Report:
    """What an ingest did. Counts of messages: read, and added as new turns; the rest was known already, or `forgotten`.

    `redacted`: how many secrets of which kind were left out of what was read. Of what was read so much is `embedded`,
    and so much is done with: `written`, and `passed`, which was not to be. `share`: how much of the input is read, None
    where nobody can tell.
    """

    messages: int = 0
    added: int = 0
    sessions: set[str] = field(default_factory=set, repr=False)
    problems: list[Problem] = field(default_factory=list)
    problem_count: int = 0
    forgotten: int = 0
    redacted: Counter[str] = field(default_factory=Counter)
    written: int = 0
    passed: int = 0
    embedded: int = 0
    share: float | None = None

    @property
    def done(self) -> float | None:
        """How much of the input is done with, None where nobody can tell."""
        return self._of_all(self.written + self.passed)

    @property
    def worked(self) -> float | None:
        """How much of the work is done, most of which is to embed; None where nobody can tell."""
        return self._of_all(self.embedded + self.passed)

    def _of_all(self, turns: float) -> float | None:
        return turns / self.messages * self.share if self.share and self.messages else None


@dataclass(frozen=True, slots=True)
class Watcher:
    """Whom to tell: `progress` after every message and every stored session, `problem` about each problem; `making`,
    what is made for the sessions once all are stored, how many are done, and of how many.
    """

    progress: Callable[[Source, Report], object] = lambda _source, _report: None
    problem: Callable[[Problem], object] = lambda _problem: None
    making: Callable[[str, int, int], object] = lambda _what, _done, _of: None


Stored = Callable[[Session, int, int], object]
Counted = Callable[[int], object]
#: Lets the turns pass that may be stored.
Gate = Callable[[Sequence[Turn]], Sequence[Turn]]

#: Problems beyond these are counted and told, but not kept: a file may have a million of them.
_KEPT_PROBLEMS = 1000
#: Bytes from which on, or from a quarter of all on, it tells how many messages there are, though some of what was read
#: ahead was not looked at yet.
_TELLING = 1 << 20
#: As many of the files that are passed over are named.
_NAMED = 3


class Indexing(Protocol):
    """What takes pieces of sessions and has them stored: an `Indexer`, or what distributes them to several."""

    def add(self, session: Session, turns: Sequence[Turn]) -> None:
        """See `Indexer.add`."""

    def flush(self) -> None:
        """See `Indexer.flush`."""

    def finish(self) -> None:
        """See `Indexer.finish`."""

    def known(self, ids: Mapping[TurnId, str]) -> Mapping[TurnId, SessionId]:
        """See `Indexer.known`; each turn with its conversation."""

    def latest(self, conversation: str) -> tuple[SessionId, datetime | None] | None:
        """See `Indexer.latest`."""


class Ingestion:
    """One run over any number of sources, of so many bytes as are `expected`: None where nobody can tell."""

    def __init__(
        self,
        indexer: Callable[[Stored, Counted, Counted], Indexing],
        watcher: Watcher,
        gate: Gate = lambda turns: turns,
        redactor: Redactor | None = None,
        expected: int | None = None,
    ) -> None:
        self.report = Report()
        self._expected = expected
        self._earlier = 0  # bytes of the sources that were read before this one
        self._watcher = watcher
        self._gate = gate
        self._redactor = redactor
        self._indexer = indexer(self._stored, self._pass, self._embedded)
        self._source: Source | None = None

    def run(self, source: Source, format_name: str | None, *, strict: bool, all_branches: bool = False) -> None:
        """Ingests one source; what cannot be read is reported and left out.

        `all_branches`: also the branches of a conversation that are not shown any more.
        `strict`: a file with a problem is refused whole, a stream stops at its first. Raises InputUnreadable then.
        """
        self._source = source
        if strict and source.path is not None:
            self._check(Source(source.path, found=source.found), format_name)
        try:
            self._read(source, _records(source, format_name, all_branches), strict=strict)
        except InputUnreadable as error:
            if strict:
                raise
            self._note(Problem(source.label, _reason(error, source)))
        self._earlier += source.bytes_total or 0

    def take(self, messages: Iterable[Message], name: str) -> None:
        """Ingests messages that are at hand already, as from a source called `name`."""
        splitter = SessionSplitter(name, self._indexer.known, self._indexer.latest)
        for message in messages:
            self.report.messages += 1
            self._add(splitter.feed(self._redacted(message)))
        self._add(splitter.flush())
        self._indexer.flush()

    def finish(self) -> Report:
        """Writes what still waits."""
        self._indexer.finish()
        return self.report

    def pass_over(self, files: Sequence[Path]) -> None:
        """Tells in one line which files of a folder are of no known format."""
        if files:
            names = ", ".join(os.fsencode(file.name).decode("utf-8", "replace") for file in files[:_NAMED])
            more = f" and {len(files) - _NAMED:,} more" if len(files) > _NAMED else ""
            what = "1 file" if len(files) == 1 else f"{len(files):,} files"
            where = os.fsencode(_folder(files)).decode("utf-8", "replace")
            self._note(Problem(where, f"{what} of no known format passed over: {names}{more}", kept_out=False))

    def _read(self, source: Source, records: Iterable[Message | Problem | None], *, strict: bool) -> None:
        splitter = SessionSplitter(source.name, self._indexer.known, self._indexer.latest)
        tells_times = False
        for record in records:
            if record is None:  # a live stream is quiet: store what has come
                self._add(splitter.flush())
                self._indexer.flush()
            elif isinstance(record, Problem):
                if strict and record.kept_out:
                    raise _refusal(record)
                self._note(record)
            else:
                self.report.messages += 1
                tells_times = tells_times or record.said_at is not None
                message = record if tells_times or source.path is not None else _arrived(record)
                self._add(splitter.feed(self._redacted(message)))
                self.report.share = self._share(self._earlier + source.bytes_done)
                self._watcher.progress(source, self.report)
        self._add(splitter.flush())
        if strict or not source.found:  # a folder may hold thousands of small files: they are written in batches
            self._indexer.flush()

    def _share(self, read: int) -> float | None:
        """How much of the input is read; None as long as the buffers hold a good part of what was."""
        if self._expected is None or read < min(_TELLING, self._expected // 4):
            return None
        return min(read / max(self._expected, 1), 1.0)

    def _add(self, pieces: Iterable[Piece]) -> None:
        for session, turns in pieces:
            wanted = self._gate(turns)
            self.report.forgotten += len(turns) - len(wanted)
            self._pass(len(turns) - len(wanted))
            if wanted:
                self._indexer.add(session, wanted)

    def _redacted(self, message: Message) -> Message:
        """The message without its secrets, where that is asked for: before it has an id, which is a hash."""
        if self._redactor is None:
            return message
        text, title = (self._redactor.redact(part, self.report.redacted) for part in (message.text, message.title))
        return replace(message, text=text, title=title)

    def _check(self, source: Source, format_name: str | None) -> None:
        for record in read(source, format_name):
            if isinstance(record, Problem) and record.kept_out:
                raise _refusal(record)

    def _pass(self, turns: int) -> None:
        self.report.passed += turns

    def _embedded(self, turns: int) -> None:
        self.report.embedded += turns
        if self._source is not None:
            self._watcher.progress(self._source, self.report)

    def _stored(self, session: Session, taken: int, added: int) -> None:
        self.report.written += taken
        self.report.added += added
        if added:
            self.report.sessions.add(session.id)
        if self._source is not None:
            self._watcher.progress(self._source, self.report)

    def _note(self, problem: Problem) -> None:
        self.report.problem_count += problem.kept_out
        if len(self.report.problems) < _KEPT_PROBLEMS:
            self.report.problems.append(problem)
        self._watcher.problem(problem)


def begun(
    store: Store,
    embedder: Embedder,
    watcher: Watcher,
    redactor: Redactor | None,
    *,
    allow_again: bool,
    expected: int | None,
) -> Ingestion:
    """A run that adds to this store what it has not, and, `allow_again`, what was forgotten; see `Ingestion`."""

    def indexer(part: Store, stored: Stored, passed: Counted, embedded: Counted) -> Indexer:
        return Indexer(part, embedder, stored, passed, embedded, partial(tag, part, embedder))

    def routing(folder: Folder, stored: Stored, passed: Counted, embedded: Counted) -> RoutingIndexer:
        return RoutingIndexer(
            folder, lambda prefix, *told: indexer(folder.shard(prefix), *told), stored, passed, embedded
        )

    return Ingestion(
        partial(routing, store) if isinstance(store, Folder) else partial(indexer, store),
        watcher,
        tombstones.Gate(store, allow_again=allow_again),
        redactor,
        expected,
    )


def _records(source: Source, format_name: str | None, all_branches: bool) -> Iterator[Message | Problem | None]:
    records = read(source, format_name, all_branches=all_branches)
    return paced(records) if source.path is None else records


def _folder(files: Sequence[Path]) -> str:
    """The folder that holds them all; of those on different drives, or told in different ways, the first's."""
    try:
        return os.path.commonpath([file.parent for file in files]) or os.curdir
    except ValueError:
        return str(files[0].parent)


def _refusal(problem: Problem) -> InputUnreadable:
    return InputUnreadable(f"{problem.where}: {problem.reason}", "mend it, or leave out --strict to ingest the rest")


def _arrived(message: Message) -> Message:
    """A message from standard input, where none before it tells a time: it is said when it arrives."""
    return message if message.is_unreadably_dated else replace(message, arrived_at=datetime.now().astimezone())


def _reason(error: MemcliError, source: Source) -> str:
    return error.told.removeprefix(f"{source.label}: ").removeprefix(f"{source.label} ")
