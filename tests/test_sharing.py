"""A long ingest leaves the store to others, and what it left undone is done by whoever comes next, once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from memcli.errors import StoreChanged
from memcli.formats import Message
from memcli.indexing.transcript import indexer
from memcli.memory import Memory
from memcli.providers.fakes import FakeEmbedder
from memcli.providers.vectors import Vectors
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
    store = Store(tmp_path / "x.memcli")
    held: list[float] = []
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
    assert {what for what, _, _ in made} <= {"tagging", "learning names"}
    assert max(of for _, _, of in made) < 30
    assert Memory(store, embedder="fake").care.examine().is_sound


def test_a_long_session_is_written_in_parts_and_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = [Message(f"Note {i} of the boat. It floats on day {i}.", speaker="Ann", session="long") for i in range(60)]
    whole, parted = (Memory(tmp_path / name, embedder="fake") for name in ("whole.memcli", "parted.memcli"))
    whole.add(said)
    monkeypatch.setattr(indexer, "_MOST", 25)
    assert parted.add(said).added == 60
    held = "select kind, count(*), round(sum(norm), 3) from unit group by kind order by kind"
    with whole.store.reading() as one, parted.store.reading() as other:
        assert one.execute(held).fetchall() == other.execute(held).fetchall()
        assert [p for (p,) in other.execute("select position from turn order by seq").fetchall()] == list(range(60))
    assert parted.care.examine().is_sound


class Interrupted(FakeEmbedder):
    """Has somebody write to the store while a question is embedded: between what was read and what will be."""

    def __init__(self, write: Callable[[], object], times: int) -> None:
        super().__init__()
        self._write = write
        self._times = times

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_questions`."""
        if self._times:
            self._times -= 1
            self._write()
        return super().embed_questions(texts)


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("name", ["fused", "bm25", "dense", "ontology"])
def test_a_question_sees_a_store_that_grows_meanwhile_as_one(tmp_path: Path, name: str, times: int) -> None:
    path = tmp_path / "x.memcli"
    added: list[Message] = []
    Memory(path, embedder="fake").add([Message(f"The boat has a leak, number {i}.", session=str(i)) for i in range(5)])

    def write() -> None:
        added.append(Message(f"The boat is mended, number {len(added)}.", session="later", id=str(len(added))))
        Memory(path, embedder="fake").add(added[-1:])

    memory = Memory(path, embedder=Interrupted(write, times))
    found = memory.search("Is the boat mended?", k=20, strategy=name)
    seen = sum("mended" in hit.unit.text for hit in found)
    assert seen == times  # it looked again each time, and at last with the store held
    assert len(found) == 5 + seen
    assert all(hit.unit.text for hit in found)
    assert memory.ask("Is the boat mended?", strategy=name).hits


def test_a_view_is_of_one_revision(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "x.memcli", embedder="fake")
    memory.add([Message("The boat is new.")])
    view = memory.view()
    assert view.n == 1
    memory.add([Message("The boat is old.")])
    with pytest.raises(StoreChanged):
        _ = view.owner
    assert memory.view().n == 2


@pytest.mark.parametrize("path", ["x.memcli", None])
def test_a_reader_sees_the_store_as_it_was_when_it_began(tmp_path: Path, path: str | None) -> None:
    memory = Memory(tmp_path / path if path else None, embedder="fake")
    memory.add([Message("The boat is new.")])

    def looked(wrote: threading.Event, began: threading.Event) -> list[object]:
        with memory.store.reading() as db:
            seen = [db.execute("select count(*) from turn").fetchall()]
            began.set()
            assert wrote.wait(30)
            return [*seen, db.execute("select count(*) from turn").fetchall()]

    wrote, began = threading.Event(), threading.Event()
    with ThreadPoolExecutor() as threads, memory.store.writing() as db:  # no lock keeps a thread of this process out
        looking = threads.submit(looked, wrote, began)
        assert began.wait(30)
        db.execute(
            "insert into turn select seq + 1, id || '1', session, 1, speaker, role, said_at, utc_offset, text from turn"
        )
        wrote.set()
        assert looking.result(30) == [[(1,)], [(1,)]]
    with memory.store.reading() as db:
        assert db.execute("select count(*) from turn").fetchall() == [(2,)]
