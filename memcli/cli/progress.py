"""A progress bar with rate and time left, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..formats import Source
    from ..ingestion import Report
    from ..memory import Memory

__all__ = ["counted", "prepared", "progress"]

Advance = Callable[["Source", "Report"], object]


@contextmanager
def progress() -> Iterator[Advance]:
    """What to call after each message; silent unless stderr is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _source, _report: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from .render import console, one_line

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[stored]:,} stored, {task.fields[rate]:,.0f}/s", markup=False),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=None, stored=0, rate=0.0)

        def advance(source: Source, report: Report) -> None:
            elapsed = bar.tasks[0].elapsed or 0.0
            rate = report.added / elapsed if elapsed > 0 else 0.0
            name = one_line(source.name)[:30]
            total = source.bytes_total
            bar.update(task, description=name, total=total, completed=source.bytes_done, stored=report.added, rate=rate)

        yield advance


@contextmanager
def counted(what: str) -> Iterator[Callable[[int, int], object]]:
    """What to call with how much is done of how much; silent unless stderr is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from .render import console

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def prepared(memory: Memory, strategies: Iterable[str]) -> None:
    """Makes what these strategies need and the store lacks, with a bar on a terminal."""
    with counted("generating memory") as advance:
        memory.prepare(strategies, lambda _what, done, of: advance(done, of))
