"""Making a store: it is there whole or not at all, and whoever makes it second makes no other."""

from __future__ import annotations

import os
from pathlib import Path

import duckdb
import pytest

from memcli.errors import StoreNotWritable
from memcli.formats import Message
from memcli.memory import Memory
from memcli.store import migrations
from memcli.store.connection import Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "x.memcli"


def test_a_store_that_cannot_be_finished_is_not_there(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_db: object) -> None:
        raise duckdb.IOException("IO Error: Could not write file: No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(migrations, "migrate", full)
        with pytest.raises(StoreNotWritable, match="no space left"):
            Memory(path, embedder="fake").add([])
    assert list(path.parent.iterdir()) == []
    assert Memory(path, embedder="fake").add([Message("Tea.")]).added == 1


def test_the_faster_of_two_makes_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    migrate, others = migrations.migrate, []

    def slowly(db: duckdb.DuckDBPyConnection) -> None:
        if not others:
            others.append(Memory(path, embedder="fake"))
            others[0].add([Message("I was first.")])
        migrate(db)

    monkeypatch.setattr(migrations, "migrate", slowly)
    memory = Memory(path, embedder="fake")
    memory.add([Message("I was second.")])
    with memory.store.reading() as db:
        assert db.execute("select text from turn order by 1").fetchall() == [("I was first.",), ("I was second.",)]
    assert [left.name for left in path.parent.iterdir()] == [path.name]


def test_what_a_killed_run_left_is_cleared_away(path: Path) -> None:
    left = path.parent / f".{path.name}.new-abc"
    left.mkdir(parents=True)
    (left / path.name).write_bytes(b"half")
    memory = Memory(path, embedder="fake")
    memory.add([Message("Tea.")])
    assert not left.exists()
    left.mkdir()
    assert {finding.what for finding in memory.care.examine().left} == {"what an interrupted run left"}
    memory.compact()
    assert not left.exists()


def test_the_log_of_a_store_that_was_removed_is_not_taken_for_its_own(path: Path) -> None:
    path.parent.mkdir()
    path.with_name(path.name + ".wal").write_bytes(b"of another store")
    assert Memory(path, embedder="fake").add([Message("Tea.")]).added == 1


def test_where_there_are_no_links_it_is_made_in_its_place(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unsupported(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", unsupported)
    assert Memory(path, embedder="fake").add([Message("Tea.")]).added == 1
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_name_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    store = Store(Path(os.fsdecode(bytes(tmp_path) + b"/\xff.memcli")))
    with pytest.raises(StoreNotWritable, match="not UTF-8"), store.writing():
        pass
