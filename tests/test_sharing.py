"""A long ingest leaves the store to others, and what it left undone is done by whoever comes next, once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memcli.formats import Message
from memcli.indexing import indexer
from memcli.memory import Memory
from memcli.store import sharing
from memcli.store.connection import Store
from memcli.store.cosine import unit_rows
from memcli.store.vectors import HNSW_FROM, add_vectors

from .killing import Tell, command, doubled, everything, lines, started

SMALL = 5


def large(path: Path) -> Memory:
    """A store with more vectors than exact search is meant for."""
    memory = Memory(path, embedder="fake")
    memory.add([Message("The boat is new.", speaker="Ann")])
    rows = unit_rows(np.random.default_rng(0).standard_normal((HNSW_FROM + 1000, 64)).astype(np.float32))
    with memory.store.writing() as db:
        hashes = list(range(1, len(rows) + 1))
        add_vectors(db, 1000, hashes, [1] * len(rows), rows.astype(np.float16))
    return memory


def ingest(tell: Tell, store: Path, chat: Path) -> None:
    tell(Memory(store, embedder="fake").ingest([chat]).added)


def note(tell: Tell, store: Path) -> None:
    """Adds messages, one at a time, as a chat program would."""
    for number in range(SMALL):
        memory = Memory(store, embedder="fake")
        tell(memory.add([Message(f"Note {number} of the boat.", speaker="Bo", conversation="notes")]).added)


def look(tell: Tell, store: Path) -> None:
    for _ in range(SMALL):
        tell(command("search", "boat", "--store", store, here=True).code)


def test_others_get_through_during_a_long_ingest(tmp_path: Path) -> None:
    store, chat = tmp_path / "large.memcli", tmp_path / "chat.jsonl"
    memory = large(store)
    chat.write_text("".join(lines("chat", 240)))
    ingesting, told = started(ingest, (store, chat))
    others = [started(work, (store,)) for work in (note, look)]
    heard = [everything(connection) for _, connection in others]
    added = everything(told)
    for process, _ in (*others, (ingesting, told)):
        process.join()
        assert process.exitcode == 0
    assert heard == [[1] * SMALL, [0] * SMALL]
    assert added == [len(chat.read_text().splitlines())]
    with memory.store.reading() as db:
        speakers = [who for (who,) in db.execute("select speaker from turn order by seq").fetchall()]
    assert "Bo" in speakers[: len(speakers) // 2]  # the notes were stored in the midst of it
    assert doubled(store) == []


def test_what_is_written_in_turns_is_all_written_and_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, held = Store(tmp_path / "x.memcli"), []
    with store.writing() as db:
        db.execute("create table written (number integer)")
    for hold, holdings in ((0.0, 7), (60.0, 1)):
        monkeypatch.setattr(sharing, "HOLD", hold)
        held.clear()
        sharing.in_turns(store, range(7), lambda db, n: db.execute("insert into written values (?)", [n]), held.append)
        assert len(held) == holdings - 1
    with store.reading() as db:
        assert [n for (n,) in db.execute("select number from written").fetchall()] == [*range(7), *range(7)]


def test_an_error_lets_the_store_go(tmp_path: Path) -> None:
    store = Store(tmp_path / "x.memcli")

    def fail(_db: object, _item: int) -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no") as caught:
        sharing.in_turns(store, [1, 2], fail)
    with store.writing(wait=0.0):
        assert caught.tb is not None  # whoever keeps the traceback does not keep the store


def test_an_interrupted_ingest_leaves_little_to_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions are tagged as they come: what a kill leaves untagged is the last batch."""
    monkeypatch.setattr(indexer, "BATCH", 30)
    chat = tmp_path / "chat.jsonl"
    chat.write_text("".join(lines("chat", 60)))
    store = tmp_path / "x.memcli"

    class Killed(Exception):
        pass

    def stop(_source: object, report: object) -> None:
        if len(report.sessions) > 40:  # type: ignore[attr-defined]
            raise Killed

    from memcli.ingestion import Watcher

    with pytest.raises(Killed):
        Memory(store, embedder="fake").ingest([chat], watcher=Watcher(progress=stop))
    with Store(store).reading() as db:
        done = dict(db.execute("select producer, count(*) from built group by producer").fetchall())
    assert done["transcript"] > 40
    assert done["assertions"] > done["transcript"] - 12
    made: list[tuple[str, int, int]] = []
    watcher = Watcher(making=lambda what, done, of: made.append((what, done, of)))
    Memory(store, embedder="fake").ingest([chat], watcher=watcher)
    assert {what for what, _, _ in made} <= {"tagging"}
    assert max(of for _, _, of in made) < 30
    assert Memory(store, embedder="fake").care.examine().is_sound
