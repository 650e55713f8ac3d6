"""Keeping a store open for moments: for whom, how long, and that nobody is kept out."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from memcli.formats import Message
from memcli.memory import Memory
from memcli.store import keeping, ledger
from memcli.store.keeping import Keeper
from memcli.store.revision import bump_revision


class Connection:
    """One that notes whether it was closed."""

    def __init__(self) -> None:
        self.closed = threading.Event()

    def close(self) -> None:
        self.closed.set()


def kept(made: list[Connection], lock: threading.Lock) -> Keeper:
    def connect() -> Any:
        made.append(Connection())
        return made[-1]

    return Keeper(connect, lambda connection: connection.close(), lock)


def test_it_is_held_for_a_moment_and_then_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "HOLD", 0.01)
    made, lock = list[Connection](), threading.Lock()
    keeper = kept(made, lock)
    with lock:
        keeper.used()
        keeper.used()
    assert len(made) == 1
    assert made[0].closed.wait(60)
    with lock:
        keeper.used()  # it rests
    assert len(made) == 1


def test_it_is_held_again_after_a_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "REST", 0.0)
    made, lock = list[Connection](), threading.Lock()
    keeper = kept(made, lock)
    for _ in range(2):
        keeper.used()
        keeper.let_go()
    assert [each.closed.is_set() for each in made] == [True, True]


def test_who_never_closes_a_memory_hears_nothing_of_it(tmp_path: Path) -> None:
    """A connection that is open at the end of Python makes DuckDB's binding complain at length."""
    program = f"""
from memcli import Memory
from memcli.formats import Message
memory = Memory({str(tmp_path / "left.memcli")!r}, embedder="fake")
memory.add([Message("The key is under the pot.", "Ana")])
for _ in range(3):
    print(len(memory.search("key")))
assert memory.store._access.keeper._kept is not None
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, ["1", "1", "1"], "")


def test_this_process_writes_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "HOLD", 3600.0)
    with Memory(tmp_path / "a.memcli", embedder="fake") as memory:
        memory.remember("tea")
        memory.store.keep_open()
        assert len(memory.search("tea")) == 1
        with memory.store.writing(wait=0.0):
            pass
        memory.remember("cake")
        assert len(memory.search("tea")) == 2
    with Memory(tmp_path / "a.memcli") as other, other.store.writing(wait=0.0):
        pass


def test_who_asks_again_keeps_the_file_and_leaves_it_to_compaction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "HOLD", 3600.0)
    with Memory(tmp_path / "a.memcli", embedder="fake") as memory:
        memory.add([Message("We had tea.", "Ada", id="1")])
        assert len(memory.search("tea")) == 1  # whoever asks once keeps nothing
        assert memory.store._access.keeper is None
        memory.search("tea")
        memory.search("tea")
        assert memory.store._access.keeper is not None
        assert memory.store._access.keeper._kept is not None
        memory.compact()
        assert memory.store._access.keeper._kept is None
        assert len(memory.search("tea")) == 1


def test_what_is_needed_is_looked_for_again_once_somebody_wrote(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked, undone = list[object](), ledger.undone

    def noted(*given: Any) -> frozenset[str]:
        looked.append(given)
        return undone(*given)

    monkeypatch.setattr(ledger, "undone", noted)
    memory.add([Message("We had tea.", "Ada", id="1")])
    memory.search("tea")
    looked.clear()
    memory.search("tea")
    assert looked == []
    with memory.store.writing() as db:
        db.execute("update built set version = 0 where producer = 'transcript'")
        bump_revision(db)
    memory.search("tea")
    assert looked != []
