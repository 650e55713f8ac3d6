"""What takes time says so, and how long: by what is stored, not by what is read."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli.cli.progress import Pace
from memcli.formats import Message
from memcli.ingestion import Report, Watcher
from memcli.memory import Memory

from .conftest import Ran

SAMPLE = Path(__file__).resolve().parents[1] / "sample_data" / "chats.jsonl"
Cli = Callable[..., Ran]


def test_a_pace_by_hand() -> None:
    now = [100.0]
    pace = Pace(clock=lambda: now[0])
    pace.reached(0.0)
    assert pace.left is None
    now[0] = 110.0
    pace.reached(0.25)
    assert (pace.elapsed, pace.left) == (10.0, 30.0)
    now[0] = 125.0  # nothing was stored since: it still ends when it was to
    pace.reached(0.25)
    assert pace.left == 15.0
    now[0] = 150.0
    assert pace.left == 0.0


def test_batches_do_not_mislead_it() -> None:
    """Work at an even pace that is stored in batches, each larger than the one before: what is said comes true."""
    now = [0.0]
    pace, stored, batch, whole = Pace(clock=lambda: now[0]), 0.0, 0.01, 1.0
    pace.reached(0.0)
    while stored < whole:
        for tenth in range(1, 11):  # a batch is told of when it is stored, and looked at while the next is made
            now[0] = (stored + batch * tenth / 10) * 600
            if pace.left is not None and now[0] < 540:
                assert 1 / 1.5 <= (pace.left + now[0]) / 600 <= 1.5
        stored = min(stored + batch, whole)
        pace.reached(stored)
        batch *= 1.5
    assert pace.left == 0.0


def test_a_report_counts_what_is_stored_and_not_what_is_read(tmp_path: Path) -> None:
    told: list[tuple[int, int, float | None]] = []

    def hear(_source: object, report: Report) -> None:
        told.append((report.messages, report.added, report.done))

    memory = Memory(tmp_path / "x.memcli", embedder="fake")
    memory.ingest([SAMPLE], watcher=Watcher(progress=hear))
    read = [each for each in told if each[0] == 468 and each[1] < 400]
    assert read  # everything was read
    assert all((done or 0.0) <= added / 468 + 1e-9 for _, added, done in read)  # and nobody says that it is stored
    assert told[-1] == (468, 468, 1.0)
    told.clear()
    memory.ingest([SAMPLE], watcher=Watcher(progress=hear))
    assert memory.ingest([SAMPLE]).passed == 468
    memory.add([Message("One more.")])


def test_nobody_can_tell_how_much_of_a_stream_is_done(tmp_path: Path) -> None:
    script = (
        "import sys\nfrom memcli.ingestion import Watcher\nfrom memcli.memory import Memory\ntold = []\n"
        "watcher = Watcher(progress=lambda _source, report: told.append(report.done))\n"
        "Memory(sys.argv[1], embedder='fake').ingest(['-'], watcher=watcher)\nassert set(told) == {None}, told"
    )
    with SAMPLE.open("rb") as chats:
        subprocess.run([sys.executable, "-c", script, tmp_path / "x.memcli"], stdin=chats, check=True)


@pytest.mark.parametrize("command", ["search", "ask"])
def test_the_first_use_of_a_strategy_that_generates_says_so(cli: Cli, sample: Path, command: str) -> None:
    arguments = (command, "What is Theo allergic to?", "--strategy", "sgmem", "--store", sample)
    first, again = cli(*arguments), cli(*arguments)
    assert first.err.startswith("memcli: generating memory for 42 sessions; this is done once")
    assert again.err == ""
    assert first.out.splitlines()[0] == again.out.splitlines()[0]


@pytest.fixture
def sample(tmp_path: Path, sample_store: Path) -> Path:
    path = tmp_path / "sample.memcli"
    path.write_bytes(sample_store.read_bytes())
    return path


def on_a_terminal(*arguments: str | Path) -> str:
    """What `memcli` shows on a terminal's standard error."""
    mine, theirs = pty.openpty()
    done = subprocess.Popen(
        [sys.executable, "-m", "memcli", *arguments],
        stderr=theirs,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(mine, 4096)
        except OSError:  # the other end is closed
            break
        shown += part
        if not part:
            break
    os.close(mine)
    assert done.wait(60) == 0
    return shown.decode()


def test_a_terminal_shows_a_bar(sample: Path, tmp_path: Path) -> None:
    shown = on_a_terminal("ingest", SAMPLE, "--store", tmp_path / "new.memcli", "--embedder", "fake")
    assert "468 stored" in shown
    assert "left" in shown
    assert "generating memory" in on_a_terminal("search", "Theo", "--strategy", "sgmem", "--store", sample)
