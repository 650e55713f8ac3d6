"""From transcripts to the store: read, split into sessions, index, and count what happened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from .errors import InputUnreadable, MemcliError
from .formats import Message, Piece, Problem, SessionSplitter, Source, read
from .formats.pacing import paced
from .indexing.indexer import Indexer
from .model import Session

__all__ = ["Ingestion", "Report", "Watcher"]


@dataclass(slots=True)
class Report:
    """What an ingest did. Counts of messages: read, and added as new turns; the rest was known already."""

    messages: int = 0
    added: int = 0
    sessions: set[str] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)
    problem_count: int = 0


@dataclass(frozen=True, slots=True)
class Watcher:
    """Whom to tell: `progress` after every message and every stored session, `problem` about each problem."""

    progress: Callable[[Source, Report], object] = lambda _source, _report: None
    problem: Callable[[Problem], object] = lambda _problem: None


#: Problems beyond these are counted and told, but not kept: a file may have a million of them.
_KEPT_PROBLEMS = 1000


class Ingestion:
    """One run over any number of sources."""

    def __init__(self, indexer: Callable[[Callable[[Session, int], object]], Indexer], watcher: Watcher) -> None:
        self.report = Report()
        self._watcher = watcher
        self._indexer = indexer(self._stored)
        self._source: Source | None = None

    def run(self, source: Source, format_name: str | None, *, strict: bool) -> None:
        """Ingests one source; what cannot be read is reported and left out.

        `strict`: a file with a problem is refused whole, a stream stops at its first. Raises InputUnreadable then.
        """
        self._source = source
        if strict and source.path is not None:
            self._check(source, format_name)
        try:
            self._read(source, format_name, strict=strict)
        except InputUnreadable as error:
            if strict:
                raise
            self._note(Problem(source.label, _reason(error, source)))

    def take(self, messages: Iterable[Message], name: str) -> None:
        """Ingests messages that are at hand already, as from a source called `name`."""
        splitter = SessionSplitter(name, self._indexer.known, self._indexer.latest)
        for message in messages:
            self.report.messages += 1
            self._add(splitter.feed(message))
        self._add(splitter.flush())
        self._indexer.flush()

    def finish(self) -> Report:
        """Writes what still waits."""
        self._indexer.finish()
        return self.report

    def _read(self, source: Source, format_name: str | None, *, strict: bool) -> None:
        splitter = SessionSplitter(source.name, self._indexer.known, self._indexer.latest)
        for record in _records(source, format_name):
            if record is None:  # a live stream is quiet: store what has come
                self._add(splitter.flush())
                self._indexer.flush()
            elif isinstance(record, Problem):
                if strict and record.kept_out:
                    raise _refusal(record)
                self._note(record)
            else:
                self.report.messages += 1
                self._add(splitter.feed(record))
                self._watcher.progress(source, self.report)
        self._add(splitter.flush())
        self._indexer.flush()

    def _add(self, pieces: Iterable[Piece]) -> None:
        for session, turns in pieces:
            self._indexer.add(session, turns)

    def _check(self, source: Source, format_name: str | None) -> None:
        for record in read(Source(source.path), format_name):
            if isinstance(record, Problem) and record.kept_out:
                raise _refusal(record)

    def _stored(self, session: Session, added: int) -> None:
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


def _records(source: Source, format_name: str | None) -> Iterator[Message | Problem | None]:
    records = read(source, format_name)
    return paced(records) if source.path is None else records


def _refusal(problem: Problem) -> InputUnreadable:
    return InputUnreadable(f"{problem.where}: {problem.reason}", "mend it, or leave out --strict to ingest the rest")


def _reason(error: MemcliError, source: Source) -> str:
    message = error.message.removeprefix(f"{source.label}: ").removeprefix(f"{source.label} ")
    return f"{message} ({error.hint})" if error.hint else message
