"""The store: what is written once, what grows, what is refused, and what survives."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.errors import StoreBusy, StoreDamaged, StoreError, StoreMissing, StoreNotWritable, StoreTooNew
from memcli.formats import Message
from memcli.indexing.transcript.coarse import pooled_norms, rounds
from memcli.memory import Memory
from memcli.model import Filters
from memcli.store import compaction, migrations, transcript
from memcli.store.connection import Store
from memcli.store.migrations import MIGRATIONS
from memcli.store.revision import revision
from memcli.store.rows import from_stored, to_stored, transaction
from memcli.store.selection import Selection
from memcli.store.views.view import View

from .conftest import Ran, aged


def _counts(store: Store) -> dict[str, int]:
    tables = ("session", "turn", "unit", "source", "edge", "vector", "posting", "document", "built")
    with store.reading() as db:
        return {t: db.execute(f"select count(*) from {t}").fetchone()[0] for t in tables}  # type: ignore[index]


def _chat(*texts: str, start: int = 0, speaker: str = "Ada") -> list[dict[str, object]]:
    return [
        {"text": t, "speaker": speaker if i % 2 == 0 else "Bo", "timestamp": f"2024-03-01T10:{start + i:02}:00+01:00"}
        for i, t in enumerate(texts)
    ]


def test_ingesting_twice_changes_nothing(memory: Memory, write: Callable[..., Path]) -> None:
    path = write("a.jsonl", *_chat("I like tea. A lot.", "Me too.", "I like tea. A lot."))
    memory.ingest([path])
    once = _counts(memory.store)
    report = memory.ingest([path])
    assert report.added == 0
    assert _counts(memory.store) == once
    assert once["turn"] == 3
    assert once["vector"] == 3  # "I like tea.", "A lot.", "Me too.": each distinct sentence once


def test_a_longer_version_of_a_file_adds_what_is_new(
    memory: Memory, write: Callable[..., Path], tmp_path: Path
) -> None:
    whole = _chat("One thing.", "Two things.", "Three things.", "Four things.", "Five things.")
    memory.ingest([write("a.jsonl", *whole[:3])])
    report = memory.ingest([write("a.jsonl", *whole)])
    assert report.added == 2
    other = Memory(tmp_path / "other.memcli", embedder="fake")
    other.ingest([write("b.jsonl", *whole)])
    kinds = "select kind, count(*), round(sum(norm), 3) from unit group by kind order by kind"
    with memory.store.reading() as grown, other.store.reading() as fresh:
        assert grown.execute(kinds).fetchall() == fresh.execute(kinds).fetchall()
    assert _counts(memory.store)["session"] == 1


def test_small_sessions_are_written_together_and_a_long_one_in_parts(memory: Memory) -> None:
    memory.add(Message(f"Tea {n} is green.", "Ada", session=f"s{n}", conversation="c") for n in range(30))
    with memory.store.reading() as db:
        assert (several := revision(db)) < 10
    memory.add(Message(f"Cup {n} is blue.", "Ada", session="long", conversation="c", id=f"{n}") for n in range(900))
    with memory.store.reading() as db:
        assert revision(db) >= several + 3
        places = db.execute("select max(position), count(distinct position) from turn").fetchall()
    assert places == [(899, 900)]


def test_nothing_is_embedded_twice(tmp_path: Path, write: Callable[..., Path]) -> None:
    from memcli.providers.fakes import FakeEmbedder

    model = FakeEmbedder()
    memory = Memory(tmp_path / "m.memcli", embedder=model)
    memory.ingest([write("a.jsonl", *_chat("Hello there. Hello there.", "Hello there."))])
    memory.ingest([write("b.jsonl", *_chat("Hello there. And more.", start=30))])
    assert model.embedded == ["Hello there.", "And more."]


def test_rounds_begin_when_the_opener_speaks_again() -> None:
    assert rounds(["u", "a", "u", "a"]).tolist() == [0, 0, 1, 1]
    assert rounds(["u", "u", "a", "a", "u"]).tolist() == [0, 0, 0, 0, 1]
    assert rounds(["x", "y", "z", "x"]).tolist() == [0, 0, 0, 1]


def test_pooled_norms_by_hand() -> None:
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]], dtype=np.float32)
    found = pooled_norms(rows, np.array([3, 4, 0]), np.array([0, 0, 1]), 2)
    assert found.tolist() == pytest.approx([5.0, 1.0])  # |(3, 4)|, and a weight of nothing counts as one


def test_the_view_agrees_with_a_matrix_of_pooled_vectors(memory: Memory, write: Callable[..., Path]) -> None:
    memory.ingest([write("a.jsonl", *_chat("Tea is good. So is cake.", "Coffee wins!", "No, tea. Tea!", "Never."))])
    view = View(memory.store.reading, 64)
    query = np.eye(64, dtype=np.float32)[0]
    cosines = view.cosines(query[None, :])[0]
    rows = view.vectors(np.arange(len(view.owner)))
    assert cosines.tolist() == pytest.approx((rows @ query).tolist(), abs=1e-6)
    for kind, groups in (("turn", np.arange(view.n)), ("round", view.round), ("session", view.session)):
        sums = np.zeros((groups.max() + 1, 64))
        np.add.at(sums, groups[view.owner], rows * view.weight[:, None])
        assert view.norms(kind).tolist() == pytest.approx(np.linalg.norm(sums, axis=1).tolist(), rel=1e-5)


def test_a_view_reads_what_it_is_asked_for_once(memory: Memory, write: Callable[..., Path]) -> None:
    later = {"text": "Later.", "speaker": "Ada", "timestamp": "2024-03-08T10:00:00+01:00"}
    memory.ingest([write("a.jsonl", *_chat("Tea. And cake.", "Coffee!", "No."), later)])
    openings = 0

    @contextmanager
    def reading() -> Iterator[duckdb.DuckDBPyConnection]:
        nonlocal openings
        openings += 1
        with memory.store.reading() as db:
            yield db

    def everything() -> list[object]:
        turns = view.fetch([2, 0, 2])
        assert [turn.text for turn in turns] == ["No.", "Tea. And cake.", "No."]
        around = [[t.text for t in view.around(turn.id, 1, 1)] for turn in view.fetch([0, 1, 2, 3])]
        return [turns, around, view.rows_of([t.id for t in turns]).tolist(), view.sentence_texts([3, 0])]

    view = View(reading, 64)
    first = everything()
    assert first[1:] == [
        [["Tea. And cake.", "Coffee!"], ["Tea. And cake.", "Coffee!", "No."], ["Coffee!", "No."], ["Later."]],
        [2, 0, 2],
        {3: [(4, "Later.")], 0: [(0, "Tea."), (1, "And cake.")]},
    ]
    before = openings
    assert everything() == first
    assert openings == before
    assert view.once(_numbered) is view.once(_numbered)


def _numbered(view: View) -> list[int]:
    return list(range(view.n))


def test_rows_are_found_by_id_and_by_fetching(memory: Memory, write: Callable[..., Path]) -> None:
    elsewhere = {"text": "Elsewhere.", "speaker": "ada", "conversation": "other"}
    memory.ingest([write("a.jsonl", *_chat("One.", "Two."), elsewhere)])
    ids = [t.id for t in View(memory.store.reading, 64).fetch([0, 1, 2])]
    view = View(memory.store.reading, 64, "other")
    rows = view.rows_of(ids)
    assert sorted(rows.tolist()) == [-1, -1, 0]
    assert [view.around(i, 1, 1) == [] for i in ids] == (rows < 0).tolist()


def test_filters(memory: Memory, write: Callable[..., Path]) -> None:
    messages = [*_chat("First.", "Second."), {"text": "Undated.", "speaker": "ada", "conversation": "other"}]
    memory.ingest([write("a.jsonl", *messages)])
    view = View(memory.store.reading, 64)

    def kept(filters: Filters) -> list[str]:
        return [t.text for t in view.fetch(np.flatnonzero(view.allowed(filters)).tolist())]

    assert kept(Filters(speaker="ADA")) == ["First.", "Undated."]
    assert kept(Filters(since=datetime(2024, 3, 1, 9, 1, tzinfo=UTC))) == ["Second."]
    assert kept(Filters(until=datetime(2024, 3, 1, 9, 1, tzinfo=UTC))) == ["First."]
    assert View(memory.store.reading, 64, "OTHER").n == 1


@given(st.datetimes(datetime(1900, 1, 2), datetime(2199, 1, 1)), st.none() | st.integers(-14 * 60, 14 * 60))
def test_times_keep_the_offset_that_was_said(at: datetime, minutes: int | None) -> None:
    zone = None if minutes is None else timezone(timedelta(minutes=minutes))
    said = at.replace(tzinfo=zone)
    back = from_stored(*to_stored(said))
    assert back == said
    assert back is not None
    assert back.utcoffset() == said.utcoffset()


def test_times_round_trip_through_the_file(memory: Memory, write: Callable[..., Path]) -> None:
    stamps = ["2024-01-31T23:30:00-08:00", "2024-01-31 23:30", None]
    path = write("a.jsonl", *({"text": f"m{i}", "timestamp": s, "session": "x"} for i, s in enumerate(stamps)))
    memory.ingest([path])
    with memory.store.reading() as db:
        times = [t.said_at for t in transcript.turns_of(db, [0])[0]]
    assert [t.isoformat() if t else None for t in times] == [stamps[0], "2024-01-31T23:30:00", None]


def test_files_are_private(memory: Memory, write: Callable[..., Path]) -> None:
    memory.ingest([write("a.jsonl", *_chat("Secret."))])
    assert memory.store.path is not None
    assert memory.store.path.stat().st_mode & 0o777 == 0o600


def test_a_missing_store(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing, match="no store at"):
        Memory(tmp_path / "none.memcli").search("x")


def test_what_is_no_store(tmp_path: Path) -> None:
    path = tmp_path / "x.memcli"
    path.write_bytes(b"not a database at all" * 500)
    with pytest.raises(StoreDamaged, match="cannot be read as a memcli store"):
        Memory(path).search("x")
    with pytest.raises(StoreDamaged):
        Memory(path, embedder="fake").add([])
    assert path.read_bytes().startswith(b"not a database")


def test_another_duckdb_database(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with duckdb.connect(str(path)) as db:
        db.execute("create table sales (a integer)")
    with pytest.raises(StoreDamaged, match="not a memcli store"):
        Memory(path).search("x")


def test_a_newer_store_is_refused(memory: Memory, write: Callable[..., Path]) -> None:
    memory.ingest([write("a.jsonl", *_chat("Hi."))])
    with memory.store.writing() as db:
        db.execute("insert into migration values (99, 'future', now())")
    with pytest.raises(StoreTooNew, match="newer memcli"):
        memory.search("x")
    with pytest.raises(StoreTooNew):
        memory.ingest([write("b.jsonl", *_chat("Ho."))])


#: The tables that each step after the first made.
_TABLES = {
    "memory": ["memory"],
    "event": ["event", "role"],
    "tombstone": ["tombstone", "digest"],
    "assertion": ["assertion"],
}


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS)))
def test_a_store_of_an_older_schema_is_upgraded_by_whatever_opens_it(
    version: int, tmp_path: Path, write: Callable[..., Path]
) -> None:
    path = tmp_path / "old.memcli"
    Memory(path, embedder="fake").ingest([write("a.jsonl", *_chat("I like green tea."))])
    aged(path, version)
    assert [hit.unit.text for hit in Memory(path, embedder="fake").search("tea")] == ["I like green tea."]
    with Store(path).reading() as db:
        assert migrations.version(db) == len(MIGRATIONS)
    Memory(path, embedder="fake").ingest([write("b.jsonl", *_chat("I sold the boat."))])


def test_a_folder_that_takes_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As root every folder is writable: a file where the folder should be stands for the refusal."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreNotWritable, match="cannot write"):
        Memory(tmp_path / "file" / "x.memcli", embedder="fake").add([])


def test_a_busy_store(memory: Memory, write: Callable[..., Path]) -> None:
    memory.ingest([write("a.jsonl", *_chat("Hi."))])
    connect = f"import duckdb, sys\nc = duckdb.connect({str(memory.store.path)!r})\n"
    program = connect + "print('held', flush=True)\nsys.stdin.read()"
    holder = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(StoreBusy, match="in use"), memory.store.reading(wait=0.2):
            pass
        threading.Timer(0.4, holder.kill).start()
        with memory.store.reading(wait=20) as db:  # a reader waits until the writer is gone
            assert db.execute("select count(*) from turn").fetchone() == (1,)
    finally:
        holder.kill()
        holder.communicate()


def test_a_killed_ingest_keeps_what_it_reported_and_resumes(tmp_path: Path) -> None:
    source, store = tmp_path / "a.jsonl", tmp_path / "s.memcli"
    lines = [f'{{"text": "Fact {i} about item {i}.", "session": "s{i // 5}", "id": "{i}"}}\n' for i in range(600)]
    source.write_text("".join(lines))
    program = (
        "import os, sys\nfrom memcli.memory import Memory\nfrom memcli.ingestion import Watcher\n"
        "import memcli.indexing.transcript.indexer as indexer\nindexer.BATCH = 50\n"
        "def told(source, report):\n    print(report.added, flush=True)\n"
        "    if report.added >= 200: os.kill(os.getpid(), 9)\n"
        f"Memory({str(store)!r}, embedder='fake').ingest([{str(source)!r}], watcher=Watcher(progress=told))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == -9, done.stderr
    reported = int(done.stdout.split()[-1])
    with Store(store).reading() as db:
        assert db.execute("select count(*) from turn").fetchone()[0] >= reported >= 200  # type: ignore[index]
    report = Memory(store, embedder="fake").ingest([source])
    whole = Memory(tmp_path / "whole.memcli", embedder="fake")
    whole.ingest([source])
    assert report.added < 600
    with Store(store).reading() as one, whole.store.reading() as other:
        for table, columns in (
            ("turn", "id, position, text"),
            ("unit", "id, kind, text, norm"),
            ("posting", "term, frequency"),
        ):
            sql = f"select {columns} from {table} order by all"
            assert one.execute(sql).fetchall() == other.execute(sql).fetchall()


def test_another_embedder_is_refused_until_asked_for(
    memory: Memory, write: Callable[..., Path], tmp_path: Path
) -> None:
    from memcli.errors import ModelUnavailable, UsageError
    from memcli.providers.fakes import FakeEmbedder

    class Other(FakeEmbedder):
        id = "other"
        dimension = 32

    memory.ingest([write("a.jsonl", *_chat("Tea.", "Cake."))])
    assert memory.store.path is not None
    changed = Memory(memory.store.path, embedder=Other())
    with pytest.raises(UsageError, match="filled with fake, not other"):
        changed.ingest([write("b.jsonl", *_chat("More."))])
    with pytest.raises(ModelUnavailable, match="filled with fake"):
        changed.search("tea")
    changed.ingest([write("b.jsonl", *_chat("More.", start=5))], re_embed=True)
    assert _counts(changed.store)["turn"] == _counts(changed.store)["document"] == 3
    assert changed.search("cake", k=1)[0].unit.text == "Cake."


# -- vectors and snapshots ------------------------------------------------------------------------------------------


def test_no_store_is_ever_unpickled() -> None:
    root = Path(__file__).resolve().parents[1] / "memcli"
    for path in root.rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        assert "import pickle" not in source, path
        assert "allow_pickle=True" not in source, path


def test_a_store_reaches_nothing_outside_itself(memory: Memory, write: Callable[..., Path], tmp_path: Path) -> None:
    memory.ingest([write("a.jsonl", *_chat("Hi."))])
    (tmp_path / "outside.csv").write_text("a\n1\n")
    with memory.store.writing() as db, pytest.raises(duckdb.Error, match="disabled"):
        db.execute(f"select * from read_csv('{tmp_path / 'outside.csv'}')")


@pytest.mark.parametrize("statement", ["select txt from turn", "select * from turns", "selec", "select 'x'::integer"])
@pytest.mark.parametrize("mode", ["reading", "writing"])
def test_a_mistake_in_a_statement_is_no_damage(memory: Memory, statement: str, mode: str) -> None:
    memory.add([Message("Tea.")])
    with pytest.raises(duckdb.Error), getattr(memory.store, mode)() as db:
        db.execute(statement)
    with pytest.raises(duckdb.Error), memory.store.writing() as db, transaction(db):
        db.execute(statement)
    with pytest.raises(duckdb.Error), memory.store.writing() as db:
        db.execute(f"begin; {statement}")


def test_a_mistake_while_compacting_is_no_damage(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.add([Message("Tea.")])
    monkeypatch.setattr(compaction, "drop_unsound", lambda db: db.execute("select txt from turn"))
    with pytest.raises(duckdb.BinderException):
        memory.compact()
    assert memory.store.path is not None
    assert [left.name for left in memory.store.path.parent.iterdir()] == [memory.store.path.name]


@pytest.mark.parametrize(
    "damage",
    [
        "drop table posting",
        "alter table turn drop column text",
        "alter table unit alter column seq type varchar",
        "alter table turn rename to said; create view turn as select *, 'x'::integer as more from said",
        "create macro epoch_us(x) as error('ha')",
    ],
)
def test_a_store_without_its_tables_is_damaged(memory: Memory, cli: Callable[..., Ran], damage: str) -> None:
    memory.add([Message("Tea.", "Ada", said_at=datetime(2024, 1, 1, tzinfo=UTC))])
    with duckdb.connect(str(memory.store.path)) as db:
        db.execute(damage)
    chat = '{"text": "Milk.", "speaker": "Bo"}\n'
    ends = [cli("search", "tea", "--store", memory.store.path), cli("compact", "--store", memory.store.path)]
    ends.append(cli("ingest", "-", "--store", memory.store.path, stdin=chat))
    assert 3 in {ran.code for ran in ends}
    for ran in ends:
        assert (ran.code, ran.err.count("\n")) in ((0, 0), (0, 1), (3, 1)), ran


def test_a_revision_that_is_no_number_is_damage(memory: Memory) -> None:
    memory.add([Message("Tea.")])
    with memory.store.writing() as db:
        db.execute("update meta set value = 'many' where key = 'generation'")
    with pytest.raises(StoreDamaged):
        memory.care.forget(memory.care.select(Selection(filters=Filters(speaker="unknown"))))


def test_what_fails_on_the_file_in_a_block_is_said_of_the_file(memory: Memory) -> None:
    memory.add([Message("Tea.")])
    for error, kind in (
        (duckdb.IOException("Corrupt database file: computed checksum"), StoreDamaged),
        (duckdb.FatalException("database has been invalidated"), StoreDamaged),
        (duckdb.SerializationException("expected end of object"), StoreDamaged),
        (duckdb.TransactionException("TransactionContext Error: Failed to commit: No space left"), StoreNotWritable),
        (duckdb.OutOfMemoryException("Out of Memory Error: could not allocate"), StoreError),
    ):
        with pytest.raises(kind), memory.store.reading():
            raise error


@pytest.mark.parametrize("mode", ["reading", "writing"])
def test_ctrl_c_within_a_statement_is_no_error(memory: Memory, mode: str) -> None:
    memory.add([Message("Tea.")])
    interrupt = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    interrupt.start()
    with pytest.raises(KeyboardInterrupt), getattr(memory.store, mode)() as db:
        db.execute("select count(*) from range(100000000) a, range(1000) b where (a.range + b.range) % 7 = 3")
    interrupt.join()


def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    """/dev/full stands for the disk: whoever writes to it is told that there is no space left."""
    from memcli.store.failures import explained

    with pytest.raises(OSError, match="No space") as caught, open("/dev/full", "wb", buffering=0) as full:
        full.write(b"x")
    problem = explained(caught.value, tmp_path / "s.memcli")
    assert isinstance(problem, StoreNotWritable)
    assert "no space left" in problem.message
    assert os.linesep not in problem.message
