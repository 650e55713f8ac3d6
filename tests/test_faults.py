"""Programs that are killed, full disks, flipped bytes, many at once: nothing that was reported is lost.

MEMCLI_FAULTS says how often each is tried (default 1); `docs/reliability.md` records what came of it.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from memcli.memory import Memory
from memcli.store import migrations
from memcli.store.connection import Store

from .conftest import TRIES, aged

SESSIONS, TURNS = 30, 5
DOCUMENTED = set(range(7))
#: What must be the same after a resumed run, in an order that does not depend on the run.
CONTENT = (
    ("session", "id, conversation, started_at"),
    ("turn", "id, position, speaker, said_at, text"),
    ("unit", "id, kind, text, round(norm, 4)"),
    ("posting", "term, frequency"),
    ("document", "length, cues"),
    ("memory", "label, support, supported"),
)
INGEST = """
import sys
from memcli.ingestion import Watcher
from memcli.memory import Memory
import memcli.indexing.indexer as indexer
indexer.BATCH = 25
memory = Memory(sys.argv[1], embedder="fake")
print("ready", flush=True)
memory.ingest([sys.argv[2]], watcher=Watcher(progress=lambda _source, report: print(report.added, flush=True)))
memory.prepare(["emem-g", "memgas"])
print("done", flush=True)
"""
COMPACT = """
import sys
from memcli.memory import Memory
memory = Memory(sys.argv[1], embedder="fake")
print("ready", flush=True)
memory.compact()
print("done", flush=True)
"""
OPEN = """
import sys
from pathlib import Path
from memcli.store.connection import Store
print("ready", flush=True)
with Store(Path(sys.argv[1])).reading() as db:
    db.execute("select 1")
print("done", flush=True)
"""


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("faults") / "chat.jsonl"
    path.write_text("".join(lines("s", SESSIONS)))
    return path


def lines(name: str, sessions: int) -> Iterator[str]:
    for i in range(sessions * TURNS):
        who, what = ("Ada", "Bo")[i % 2], ("boat", "cat", "garden", "violin")[i % 4]
        said = f"I bought a {what} number {i} in Porto last week."
        yield (
            f'{{"text": "{said}", "speaker": "{who}", "session": "{name}{i // TURNS}", "id": "{name}-{i}", '
            f'"timestamp": "2024-0{1 + i % 9}-03T10:00:00"}}\n'
        )


@pytest.fixture(scope="module")
def whole(chat: Path) -> Path:
    """The store of a run that nobody disturbed."""
    path = chat.with_name("whole.memcli")
    _ended(_started(INGEST, path, chat))
    return path


def _started(program: str, *arguments: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n", process.communicate()[1]
    return process


def _ended(process: subprocess.Popen[str]) -> list[str]:
    out, err = process.communicate(timeout=120)
    assert process.returncode in (0, -signal.SIGKILL), err
    return out.split()


def _killed_after(process: subprocess.Popen[str], seconds: float) -> list[str]:
    time.sleep(seconds)
    process.kill()
    return _ended(process)


def _duration(program: str, *arguments: Path) -> float:
    process = _started(program, *arguments)
    start = time.perf_counter()
    _ended(process)
    return time.perf_counter() - start


def _ran(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _content(path: Path, tables: Sequence[tuple[str, str]] = CONTENT) -> dict[str, list[tuple[object, ...]]]:
    with Store(path).reading() as db:
        return {
            table: db.execute(f"select {columns} from {table} order by all").fetchall() for table, columns in tables
        }


def _no_doubles(path: Path) -> None:
    with Store(path).reading() as db:
        for table in ("session", "turn"):
            assert db.execute(f"select id from {table} group by id having count(*) > 1").fetchall() == []


def test_an_ingest_killed_anywhere_keeps_what_it_reported_and_resumes_to_the_same_store(
    chat: Path, whole: Path, tmp_path: Path
) -> None:
    lasts = _duration(INGEST, tmp_path / "timed.memcli", chat)
    expected = _content(whole)
    drawn = random.Random(1)
    for number in range(TRIES):
        path = tmp_path / f"{number}.memcli"
        reported = [int(word) for word in _killed_after(_started(INGEST, path, chat), drawn.uniform(0, lasts))
                    if word.isdigit()]  # fmt: skip
        if reported:
            _no_doubles(path)
            with Store(path).reading() as db:
                assert db.execute("select count(*) from turn").fetchall()[0][0] >= reported[-1]
        _ended(_started(INGEST, path, chat))
        assert _content(path) == expected


def test_a_compaction_killed_anywhere_leaves_the_store_as_it_was(whole: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.memcli"
    copy.write_bytes(whole.read_bytes())
    lasts = _duration(COMPACT, copy)
    expected = _content(whole)
    drawn = random.Random(2)
    for _ in range(TRIES):
        _killed_after(_started(COMPACT, copy), drawn.uniform(0, lasts))
        assert _content(copy) == expected
    _ended(_started(COMPACT, copy))
    assert _content(copy) == expected
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_a_migration_killed_anywhere_goes_on(chat: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "old.memcli"
    Memory(old, embedder="fake").ingest([chat])
    aged(old, 1)
    timed = tmp_path / "timed.memcli"
    timed.write_bytes(old.read_bytes())
    lasts = _duration(OPEN, timed)
    said = (("session", "id"), ("turn", "id, text"))
    expected = _content(timed, said)
    drawn = random.Random(3)
    for number in range(TRIES):
        path = tmp_path / f"{number}.memcli"
        path.write_bytes(old.read_bytes())
        _killed_after(_started(OPEN, path), drawn.uniform(0, lasts))
        assert _content(path, said) == expected
        with Store(path).reading() as db:
            assert migrations.version(db) == len(migrations.MIGRATIONS)


def test_a_full_disk_is_one_line_and_what_was_stored_stays(chat: Path, tmp_path: Path) -> None:
    """A bound on the size of files stands for the full disk: it fails the same calls, without a mount of its own."""
    path = tmp_path / "full.memcli"
    limited = (
        "import resource, signal, sys\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))\n"
        "from memcli.cli.boundary import run\nsys.exit(run(sys.argv[2:]))"
    )
    drawn = random.Random(4)
    for number in range(TRIES):
        store = path.with_name(f"{number}.memcli")
        command = ["ingest", str(chat), "--store", str(store), "--embedder", "fake"]
        size = str(drawn.randrange(20_000, 1_500_000))
        full = subprocess.run(
            [sys.executable, "-c", limited, size, *command], capture_output=True, text=True, check=False
        )
        assert full.returncode in (0, 3), full.stderr
        assert "Traceback" not in full.stderr
        again = _ran([sys.executable, "-m", "memcli", *command])
        assert again.returncode == 0, again.stderr
        _no_doubles(store)
        with Store(store).reading() as db:
            assert db.execute("select count(*) from turn").fetchall() == [(SESSIONS * TURNS,)]


def test_flipped_bytes_are_refused_in_one_line_or_do_no_harm(whole: Path, tmp_path: Path) -> None:
    sound = whole.read_bytes()
    drawn = random.Random(5)
    damaged = tmp_path / "damaged.memcli"
    for _ in range(TRIES):
        broken = bytearray(sound)
        for place in drawn.sample(range(len(broken)), 8):
            broken[place] ^= 1 << drawn.randrange(8)
        damaged.write_bytes(broken)
        for command in (["search", "boat"], ["compact"]):
            ran = _ran([sys.executable, "-m", "memcli", *command, "--store", str(damaged)])
            assert ran.returncode in DOCUMENTED, (ran.returncode, ran.stderr)
            assert "Traceback" not in ran.stderr


def test_two_writers_and_many_readers_at_once(tmp_path: Path) -> None:
    """Writers wait for each other and lose nothing; a reader answers, or says in time that the store is in use."""
    store = tmp_path / "shared.memcli"
    chats = []
    for name in ("a", "b"):
        chats.append(tmp_path / f"{name}.jsonl")
        chats[-1].write_text("".join(lines(name, 20)))
    Memory(store, embedder="fake").add([])
    run = [sys.executable, "-m", "memcli"]
    writers = [
        subprocess.Popen([*run, "ingest", str(c), "--store", str(store)], stderr=subprocess.PIPE, text=True)
        for c in chats
    ]
    readers = [
        subprocess.Popen(
            [*run, "search", "boat", "--store", str(store)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(20 if TRIES > 10 else 6)
    ]
    for process in (*writers, *readers):
        _, err = process.communicate(timeout=200)
        assert process.returncode in ((0,) if process in writers else (0, 1, 4)), err
    _no_doubles(store)
    with Store(store).reading() as db:
        assert db.execute("select count(*) from turn").fetchall() == [(2 * 20 * TURNS,)]
