"""Work that is killed (SIGKILL) at moments spread evenly over what it takes, and what of it is told before.

Each piece of work is a process, forked from a server that has imported everything: so every moment falls into the
work, and a try costs little more than that.
"""

from __future__ import annotations

import io
import json
import multiprocessing
import shutil
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from memcli.cli.boundary import run
from memcli.indexing.transcript import indexer
from memcli.ingestion import Watcher
from memcli.memory import Memory
from memcli.store.compaction import leftovers
from memcli.store.connection import Store

from .conftest import TRIES, Ran

__all__ = ["SESSIONS", "TURNS", "Ended", "Tell", "Work", "command", "compaction", "content", "doubled", "duration"]
__all__ += ["ended", "everything", "ingest", "killed", "kills", "lines", "migration", "recorded", "removed", "started"]

SESSIONS, TURNS = 12, 5
RESULTS = Path(__file__).resolve().parents[1] / "benchmarks" / "results" / "faults.json"
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    ["memcli.cli.app", "memcli.indexing.prepare", "memcli.reading.extractive", "tests.killing"]
)

#: What must be the same after a resumed run, in an order that does not depend on the run.
_CONTENT = {
    "session": "id, conversation, started_at",
    "turn": "id, position, speaker, said_at, text",
    "digest": "value",
    "unit": "id, kind, text, round(norm, 4)",
    "posting": "term, frequency",
    "document": "length, cues",
    "memory": "label, support, supported",
    "event": "type, body",
    "role": "name",
}

#: Its multiples fall evenly between whole numbers, however many are taken.
_GOLDEN = (5**0.5 - 1) / 2

Tell = Callable[[object], object]
Work = Callable[..., None]


def ingest(tell: Tell, path: Path, chat: Path) -> None:
    """Ingests `chat` in small batches, with events and associations; tells which sessions are stored."""
    indexer.BATCH = 10
    memory = Memory(path, embedder="fake")
    stored = 0

    def progress(_source: object, report: object) -> None:
        nonlocal stored
        sessions = list(report.sessions)  # type: ignore[attr-defined]
        if len(sessions) > stored:
            stored = len(sessions)
            tell(sessions)

    memory.ingest([chat], watcher=Watcher(progress=progress))
    memory.prepare(["emem-g", "memgas"])


def compaction(_tell: Tell, path: Path) -> None:
    """Compacts the store."""
    Memory(path, embedder="fake").compact()


def migration(_tell: Tell, path: Path) -> None:
    """Opens the store, which migrates it."""
    with Store(path).reading() as db:
        db.execute("select 1")


def lines(name: str, sessions: int) -> Iterator[str]:
    """A chat as lines of memcli's format."""
    for i in range(sessions * TURNS):
        who, what = ("Ada", "Bo")[i % 2], ("boat", "cat", "garden", "violin")[i % 4]
        said = f"I bought a {what} number {i} in Porto last week."
        yield (
            f'{{"text": "{said}", "speaker": "{who}", "session": "{name}{i // TURNS}", "id": "{name}-{i}", '
            f'"timestamp": "2024-0{1 + i % 9}-03T10:00:00"}}\n'
        )


@dataclass(frozen=True)
class Ended:
    """What the work told, and whether the kill met it (it may have been done before)."""

    told: list[Any]
    was_killed: bool


def killed(after: float, work: Work, *arguments: Path) -> Ended:
    """Starts the work and kills it so many seconds later."""
    process, told = started(work, arguments)
    time.sleep(after)
    process.kill()
    process.join()
    assert process.exitcode in (0, -signal.SIGKILL)
    return Ended(everything(told), process.exitcode != 0)


def ended(work: Work, *arguments: Path) -> None:
    """Lets the work come to its end."""
    process, told = started(work, arguments)
    everything(told)
    process.join()
    assert process.exitcode == 0


def command(*arguments: str | Path, here: bool = False) -> Ran:
    """Runs `memcli` in such a process, or in this one."""
    if here:
        return _ran(arguments)
    process, told = started(_command, arguments)
    (ran,) = everything(told)
    process.join()
    assert isinstance(ran, Ran)
    return ran


def _command(tell: Tell, *arguments: str | Path) -> None:
    tell(_ran(arguments))


def _ran(arguments: Sequence[str | Path]) -> Ran:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run([str(argument) for argument in arguments])
    return Ran(code, out.getvalue(), err.getvalue())


def duration(work: Work, *arguments: Path) -> float:
    """The seconds that the work takes."""
    process, _told = started(work, arguments)  # were its end of the pipe closed, the work could tell nothing
    start = time.perf_counter()
    process.join()
    assert process.exitcode == 0
    return time.perf_counter() - start


def kills(lasts: float, attempt: Callable[[float], Ended]) -> Iterator[Ended]:
    """As many kills as there are tries, spread evenly over the time that the work takes.

    `attempt` starts the work anew and kills it after so many seconds. Work that was done before was faster than it was
    when it was timed: it takes less, then.
    """
    met = 0
    for number in count(1):
        run = attempt(lasts * (number * _GOLDEN % 1))
        if not run.was_killed:
            lasts *= 0.95
            continue
        yield run
        met += 1
        if met == TRIES:
            return


def content(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """The rows of the store by table."""
    with Store(path).reading() as db:
        return {
            table: db.execute(f"select {columns} from {table} order by all").fetchall()
            for table, columns in _CONTENT.items()
        }


def removed(path: Path) -> None:
    """Removes the store and what a kill has left beside it."""
    for left in (path, path.with_name(path.name + ".wal"), *leftovers(path)):
        if left.is_dir():
            shutil.rmtree(left)
        else:
            left.unlink(missing_ok=True)


def doubled(path: Path) -> list[str]:
    """Sessions and turns that are stored twice."""
    with Store(path).reading() as db:
        return [
            row[0]
            for table in ("session", "turn")
            for row in db.execute(f"select id from {table} group by id having count(*) > 1").fetchall()
        ]


def recorded(name: str, **figures: object) -> None:
    """Keeps the figures of many tries for `docs/reliability.md`; of few, nothing."""
    if TRIES < 100:
        return
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    RESULTS.write_text(json.dumps(results | {name: figures}, indent=1, sort_keys=True) + "\n")


def started(work: Work, arguments: tuple[str | Path, ...]) -> tuple[multiprocessing.Process, Connection]:
    """Starts the work; what it tells comes out of the connection."""
    here, there = _FORKS.Pipe(duplex=False)
    process = _FORKS.Process(target=_working, args=(there, work, arguments))
    process.start()
    there.close()
    assert here.recv() == "ready"
    return process, here  # type: ignore[return-value]


def _working(there: Connection, work: Work, arguments: tuple[str | Path, ...]) -> None:
    there.send("ready")
    work(there.send, *arguments)


def everything(told: Connection) -> list[Any]:
    """What the work tells until its end."""
    heard: list[Any] = []
    with told, suppress(EOFError):
        while True:
            heard.append(told.recv())
    return heard
