"""Making a store: it is there whole or not at all, and whoever makes it second makes no other."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from memcli.errors import StoreNotWritable, UsageError
from memcli.formats import Message
from memcli.memory import Memory
from memcli.model import Filters
from memcli.providers.fakes import FakeEmbedder
from memcli.store import migrations
from memcli.store.connection import Store
from memcli.store.identity import Identity, settle_identity
from memcli.store.selection import Selection
from tests.conftest import Ran

Cli = Callable[..., Ran]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "x.memcli"


def test_a_store_that_cannot_be_finished_is_not_there(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_db: object) -> None:
        raise duckdb.IOException("IO Error: Could not write file: No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(migrations, "migrate", full)
        with pytest.raises(StoreNotWritable, match="no space left"):
            Memory(path, embedder="fake").add([Message("Tea.")])
    assert list(path.parent.iterdir()) == []
    assert Memory(path, embedder="fake").add([Message("Tea.")]).added == 1


def test_the_faster_of_two_makes_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    migrate = migrations.migrate
    others: list[Memory] = []

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


def test_a_log_of_no_store_is_neither_replayed_nor_removed(cli: Cli, write: Callable[..., Path], path: Path) -> None:
    path.parent.mkdir()
    log = path.with_name(path.name + ".wal")
    log.write_bytes(b"precious")
    ran = cli("ingest", write("b.jsonl", {"text": "Tea."}), "--store", path, "--embedder", "fake")
    assert (ran.code, ran.err.count("\n")) == (3, 1)
    assert str(log) in ran.err
    assert [left.name for left in path.parent.iterdir()] == [log.name]
    assert log.read_bytes() == b"precious"
    log.rename(log.with_suffix(".txt"))
    assert Memory(path, embedder="fake").add([Message("Tea.")]).added == 1


@pytest.mark.parametrize("line", ["", "no JSON\n", '{"text": ""}\n'])
def test_a_first_ingest_that_stores_nothing_makes_nothing(cli: Cli, path: Path, tmp_path: Path, line: str) -> None:
    (tmp_path / "b.jsonl").write_text(line)
    ran = cli("ingest", tmp_path / "b.jsonl", "--format", "jsonl", "--store", path, "--embedder", "fake")
    assert ran.code in (0, 6)
    assert not path.parent.exists()
    ran = cli("ask", "Who?", "--store", path)
    assert (ran.code, "no store at" in ran.err) == (3, True)


def test_an_empty_store_says_that_nothing_was_ever_ingested(cli: Cli, path: Path) -> None:
    memory = Memory(path, embedder="fake")
    memory.store.begin_with(lambda db: settle_identity(db, Identity("fake", "fake", 64)))
    with memory.store.writing():
        pass
    for command in ("ask", "search"):
        ran = cli(command, "Who?", "--store", path)
        assert (ran.code, ran.out) == (3, "")
        assert ran.err == "memcli: nothing was ever ingested into this store (fill it with: memcli ingest FILE)\n"


def test_a_store_of_which_all_is_forgotten_was_filled_once(path: Path) -> None:
    memory = Memory(path, embedder="fake")
    memory.add([Message("Tea.")])
    memory.care.forget(memory.care.select(Selection(filters=Filters(speaker="unknown"))))
    assert memory.search("tea") == []


def test_the_embedder_is_noted_with_the_first_session(path: Path) -> None:
    other = FakeEmbedder()
    other.id = "other"
    first, second = Memory(path, embedder="fake"), Memory(path, embedder=other)
    first._encoders.to_write()
    second.add([Message("Tea.")])
    with pytest.raises(UsageError, match="was filled with"):
        first.add([Message("Coffee.")])


def test_a_folder_that_takes_no_files_is_told_before_anything_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreNotWritable, match="takes no files"):
        Memory(tmp_path / "file" / "x.memcli", embedder="fake").add([])


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
