"""Compaction: space comes back, nothing that was said is lost, and the original stays until the copy is verified."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from memcli.errors import StoreDamaged, StoreMissing
from memcli.formats import Message
from memcli.memory import Memory
from memcli.store import compaction
from memcli.store.connection import Store


@pytest.fixture
def filled(memory: Memory, write: Callable[..., Path]) -> Memory:
    turns = [
        {"text": f"Item {i} is number {i * 7}. It is fine.", "session": f"s{i // 10}", "id": str(i)} for i in range(200)
    ]
    memory.ingest([write("a.jsonl", *turns)])
    return memory


def _said(store: Store) -> list[tuple[object, ...]]:
    with store.reading() as db:
        return db.execute("select id, text, position from turn order by id").fetchall()


def test_space_comes_back(filled: Memory) -> None:
    path = filled.store.path
    assert path is not None
    with filled.store.writing() as db:
        db.execute(
            "create table heap as select md5(range::varchar) || md5((range + 1)::varchar) as t from range(40000)"
        )
    filled.add([Message(f"Later {i} was {i * 3}.", session="later", id=str(i)) for i in range(300)])
    with filled.store.writing() as db:  # what came later lies behind the table: dropping it leaves a hole
        db.execute("drop table heap")
    said, before = _said(filled.store), path.stat().st_size
    found = filled.search("Item 17", k=1)[0].unit.text
    done = filled.compact()
    assert done.before == before
    assert done.after == path.stat().st_size < before
    assert _said(filled.store) == said
    assert filled.search("Item 17", k=1)[0].unit.text == found
    assert path.stat().st_mode & 0o777 == 0o600
    assert [p.name for p in path.parent.iterdir() if "compacting" in p.name] == []


def test_a_small_memory_is_a_small_file_and_an_older_one_becomes_one(filled: Memory, tmp_path: Path) -> None:
    path = filled.store.path
    assert path is not None
    assert path.stat().st_size < 2_000_000
    older = tmp_path / "older.memcli"
    with duckdb.connect() as db:  # as it was made before, in DuckDB's own blocks
        db.execute(f"attach '{path}' as one (read_only); attach '{older}' as two (block_size 262144)")
        db.execute("copy from database one to two")
    assert older.stat().st_size > 3_000_000
    Memory(older).compact()
    assert older.stat().st_size < 2_000_000
    assert _said(Store(older)) == _said(filled.store)


def test_the_postings_of_a_word_lie_together_and_other_tables_stay_whatever_their_name(filled: Memory) -> None:
    with filled.store.writing() as db:
        db.execute("""create table "somebody's ""own" (n integer, twice integer generated always as (n * 2))""")
        db.execute("""insert into "somebody's ""own" values (1)""")
    filled.compact()
    with filled.store.reading() as db:
        lying = db.execute("select term, turn from posting").fetchall()
        assert db.execute("""select n, twice from "somebody's ""own" """).fetchall() == [(1, 2)]
    assert lying == sorted(lying)
    assert len({term for term, _ in lying}) < len(lying)


def test_orphans_and_doubles_go(filled: Memory) -> None:
    with filled.store.writing() as db:
        db.execute("insert into vector values (99999, 7, 1, 'x'::blob)")
        db.execute("insert into edge select * from edge limit 5")
        db.execute("insert into edge values (1, 777777, 'similar', 1)")
        db.execute("insert into posting values ('ghost', 888888, 1)")
        db.execute("insert into session select max(seq) + 1, 's:ghost', 'c', 'f', null, null, '' from session")
        db.execute("insert into call select 'k', 'm', 'q', 'a', now() from range(2)")
    expected = {
        "vectors without a sentence": 1, "doubled edges": 5, "edges without an end": 1,
        "postings without a turn": 1, "sessions without a turn": 1, "doubled calls": 1,
    }  # fmt: skip
    assert filled.store.path is not None
    before = filled.store.path.read_bytes()
    dry = filled.compact(dry_run=True)
    assert dict(dry.removed) == expected
    assert dry.before == dry.after
    assert filled.store.path.read_bytes() == before
    assert dict(filled.compact().removed) == expected
    assert dict(filled.compact().removed) == {}


def test_a_session_that_is_stored_twice_goes_once(memory: Memory, write: Callable[..., Path]) -> None:
    turns = [
        {"text": t, "speaker": "Ada", "timestamp": f"2024-01-01T10:0{i}:00"} for i, t in enumerate(("Hi.", "Bye."))
    ]
    memory.ingest([write("a.jsonl", *turns)])
    memory.ingest([write("b.jsonl", *({**t, "session": "named"} for t in turns))])
    assert len(_said(memory.store)) == 4
    done = memory.compact()
    assert done.removed["turns of sessions that are stored twice"] == 2
    assert len(_said(memory.store)) == 2
    assert memory.search("Bye", k=5)


def test_turns_without_a_time_are_never_taken_for_doubles(memory: Memory, write: Callable[..., Path]) -> None:
    memory.ingest([write("a.jsonl", *({"text": "Yes.", "session": f"s{i}"} for i in range(3)))])
    assert dict(memory.compact().removed) == {}
    assert len(_said(memory.store)) == 3


def test_a_copy_that_differs_is_not_swapped_in(filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    assert filled.store.path is not None
    said = _said(filled.store)
    real = compaction._contents
    monkeypatch.setattr(compaction, "_contents", lambda db, name: real(db, name) | {"turn": (0, name)})
    with pytest.raises(StoreDamaged, match="does not match"):
        filled.compact()
    assert _said(filled.store) == said
    assert [p.name for p in filled.store.path.parent.iterdir() if "compacting" in p.name] == []


def test_a_copy_that_does_not_read_back_is_not_swapped_in(filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    said = _said(filled.store)
    real = compaction._read_back

    def damaged(copy: Path, expected: tuple[int, str]) -> None:
        real(copy, (expected[0] + 1, expected[1]))

    monkeypatch.setattr(compaction, "_read_back", damaged)
    with pytest.raises(StoreDamaged, match="does not read back"):
        filled.compact()
    assert _said(filled.store) == said


def test_there_must_be_a_store(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing):
        Memory(tmp_path / "none.memcli").compact()
