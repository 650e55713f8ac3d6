"""What takes time is told on standard error: on a terminal by a bar, elsewhere by a line."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from ..formats import Source
    from ..ingestion import Report
    from ..memory import Memory

__all__ = ["Ingesting", "Pace", "counted", "making", "prepared", "progress", "thinking"]

#: What is made for fewer sessions than these is not worth a line where there is no terminal.
_MANY = 200


@dataclass(slots=True)
class Pace:
    """How long something takes, by what is done: it comes in batches, so that nothing is learned between two of them.

    `done` is a share of the whole. Seconds by `clock`, from when it is first told how much is done.
    """

    clock: Callable[[], float] = time.monotonic
    done: float = 0.0
    _began: float | None = None
    _lasts: float = 0.0

    def reached(self, done: float) -> None:
        """So much is done now."""
        if self._began is None:
            self._began = self.clock()
        if done > self.done:
            self.done = done
            self._lasts = self.elapsed / done

    @property
    def elapsed(self) -> float:
        """Seconds since it began."""
        return 0.0 if self._began is None else self.clock() - self._began

    @property
    def left(self) -> float | None:
        """Seconds until it is done; None while nothing is."""
        return max(self._lasts - self.elapsed, 0.0) if self.done else None


class Ingesting(Protocol):
    """Whom an ingest tells how far it is; see `ingestion.Watcher`."""

    def reached(self, source: Source, report: Report, /) -> None:
        """After each message and each stored session."""
        ...

    def making(self, what: str, done: int, of: int, /) -> None:
        """What is made for the sessions once all are stored."""
        ...


@contextmanager
def progress() -> Iterator[Ingesting]:
    """Whom an ingest tells: a bar on a terminal."""
    if not sys.stderr.isatty():
        yield _Notices(_MANY)
        return
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TextColumn("{task.fields[text]}"))
    with Progress(*columns, console=_console(), transient=True) as bar:
        yield _Bar(bar)


@dataclass(slots=True)
class _Notices:
    """Says once of each thing that is made for `least` sessions or more that it is."""

    least: int = 1
    _said: set[str] = field(default_factory=set)

    def reached(self, _source: Source, _report: Report) -> None:
        """Nothing: a program that reads standard error wants problems alone."""

    def making(self, what: str, _done: int, of: int) -> None:
        """A line, the first time."""
        from .render import say

        if of >= self.least and what not in self._said:
            self._said.add(what)
            say(f"memcli: {what} for {of:,} session{'' if of == 1 else 's'}; this is done once, and may take a while")


class _Bar:
    """One bar: how much of the input is stored, then how much of what is made of it."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._task = bar.add_task("reading", total=None, text="")
        self._pace = Pace()
        self._what = ""

    def reached(self, source: Source, report: Report) -> None:
        """What is stored, how fast, and how long the rest takes."""
        from .render import cut, one_line

        self._pace.reached(min(report.worked or 0.0, 1.0))
        rate = report.added / self._pace.elapsed if self._pace.elapsed > 0 else 0.0
        text = f"{report.added:,} stored, {rate:,.0f}/s{_left(self._pace)}"
        total = None if report.share is None else 1.0
        name = "storing" if report.share == 1.0 else cut(one_line(source.name), 30)
        self._bar.update(self._task, description=name, total=total, completed=report.done or 0.0, text=text)

    def making(self, what: str, done: int, of: int) -> None:
        """How many sessions are done."""
        if what != self._what:
            self._bar.refresh()  # the last that was reached is seen, however soon the next thing begins
            self._what, self._pace = what, Pace()
        self._pace.reached(done / max(of, 1))
        text = f"{done:,} of {of:,} sessions{_left(self._pace)}"
        self._bar.update(self._task, description=what, total=of, completed=done, text=text)


def _left(pace: Pace) -> str:
    if not pace.left:
        return ""
    minutes, seconds = divmod(round(pace.left), 60)
    return f", {minutes}:{seconds:02} left"


@contextmanager
def counted(what: str, *, in_bytes: bool = False) -> Iterator[Callable[[int, int], object]]:
    """What to call with how much is done of how much; silent unless stderr is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    amount = DownloadColumn() if in_bytes else MofNCompleteColumn()
    columns = (TextColumn("{task.description}"), BarColumn(), amount, TimeRemainingColumn())
    with Progress(*columns, console=_console(), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def prepared(memory: Memory, strategies: Iterable[str]) -> None:
    """Makes what these strategies need and the store lacks, and says so."""
    with making() as watch:
        memory.prepare(strategies, watch)


@contextmanager
def making() -> Iterator[Callable[[str, int, int], object]]:
    """Who is told what a store lacks, and is made before it answers: a bar on a terminal, else a line for each."""
    if not sys.stderr.isatty():
        yield _Notices().making
        return
    with progress() as bar:
        yield bar.making


def thinking(reranker: str | None) -> None:
    """Says to a person that a language model is asked to order what was found, which may take a while."""
    if reranker and reranker.startswith("listwise:") and sys.stderr.isatty():
        from .render import remark

        remark(f"{reranker} is asked which of what was found answers best")


def _console() -> Console:
    from .render import console

    return console(stderr=True)
