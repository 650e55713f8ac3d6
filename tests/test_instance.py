"""One DuckDB for one file: what it can reach, who shares it, and what it leaves behind."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from memcli.memory import Memory
from memcli.store import instance
from memcli.store.instance import Instance


@pytest.fixture
def name(tmp_path: Path) -> str:
    """A file with a table in it."""
    made = str(tmp_path / "a.db")
    with closing(duckdb.connect(made)) as db:
        db.execute("create table said as select 'tea' as text")
    return made


def test_it_reaches_its_file_and_nothing_else(name: str, tmp_path: Path) -> None:
    beside = tmp_path / "secret.csv"
    beside.write_text("a,b\n1,2\n")
    own = Instance()
    db = own.connected(name, only_reads=False)
    assert db.execute("select text from said").fetchall() == [("tea",)]
    for statement in (
        f"select * from read_csv('{beside}')",
        f"copy said to '{tmp_path / 'out.csv'}'",
        f"attach '{tmp_path / 'other.db'}' as other",
        "set allowed_directories = ['/']",
        "set enable_external_access = true",
    ):
        with pytest.raises(duckdb.Error):
            db.execute(statement)
    own.disconnected(db)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.db", "secret.csv"]


def test_the_file_is_let_go_of_with_the_last_connection(name: str) -> None:
    own, other = Instance(), Instance()
    first, second = own.connected(name, only_reads=True), own.connected(name, only_reads=True)
    own.disconnected(first)
    with pytest.raises(duckdb.ResourceInUseException):
        other.connected(name, only_reads=False)
    own.disconnected(second)
    other.disconnected(other.connected(name, only_reads=False))


def test_who_reads_beside_who_writes_sees_what_was_committed(name: str) -> None:
    own = Instance()
    writer = own.connected(name, only_reads=False)
    writer.execute("begin")
    writer.execute("insert into said values ('cake')")
    reader = own.connected(name, only_reads=True)
    assert reader.execute("select count(*) from said").fetchall() == [(1,)]
    writer.execute("commit")
    assert reader.execute("select count(*) from said").fetchall() == [(2,)]
    own.disconnected(writer)
    with pytest.raises(duckdb.ResourceInUseException):  # who still reads has it as the writer had: no more of them
        own.connected(name, only_reads=True)
    own.disconnected(own.connected(name, only_reads=False))
    own.disconnected(reader)
    again = own.connected(name, only_reads=True)
    with pytest.raises(duckdb.Error, match="read-only"):
        again.execute("insert into said values ('pie')")
    own.disconnected(again)


def test_who_writes_waits_for_who_reads(name: str) -> None:
    own = Instance()
    reader = own.connected(name, only_reads=True)
    with pytest.raises(duckdb.ResourceInUseException):
        own.connected(name, only_reads=False)
    own.disconnected(reader)
    own.disconnected(own.connected(name, only_reads=False))


def test_what_did_not_fit_into_memory_is_cleared_away(name: str) -> None:
    own = Instance()
    db = own.connected(name, only_reads=False)
    db.execute("set memory_limit = '40MB'")
    db.execute("create temp table big as select hash(i)::varchar || hash(i + 1)::varchar as s from range(1000000) t(i)")
    overflow = Path(f"{name}.tmp")
    assert any(overflow.iterdir())
    own.disconnected(db)
    assert not overflow.exists()


class Interrupted:
    """A DuckDB in whose midst somebody presses Ctrl-C: at a statement that begins so, or where a connection is made."""

    def __init__(self, db: duckdb.DuckDBPyConnection, at: str) -> None:
        self._db, self._at = db, at

    def execute(self, statement: str) -> None:
        self._db.execute(statement)
        if statement.startswith(self._at):
            raise KeyboardInterrupt

    def cursor(self) -> duckdb.DuckDBPyConnection:
        if self._at == "cursor":
            raise KeyboardInterrupt
        return self._db.cursor()

    def close(self) -> None:
        self._db.close()


@pytest.mark.parametrize("at", ["reset", "attach", "cursor", "detach"])
def test_what_is_interrupted_keeps_nobody_out(name: str, monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    own, making = Instance(), instance._made
    with monkeypatch.context() as patch:
        patch.setattr(instance, "_made", lambda name: Interrupted(making(name), at))
        with pytest.raises(KeyboardInterrupt):
            own.disconnected(own.connected(name, only_reads=False))
    for each in (Instance(), own):
        each.disconnected(each.connected(name, only_reads=False))


def test_a_bound_on_memory_ends_with_the_last_connection(name: str) -> None:
    own = Instance()
    limit = "select current_setting('memory_limit')"
    db = own.connected(name, only_reads=True)
    usual = db.execute(limit).fetchall()
    db.execute("set memory_limit = '256MB'")
    assert db.execute(limit).fetchall() != usual
    own.disconnected(db)
    again = own.connected(name, only_reads=False)
    assert again.execute(limit).fetchall() == usual
    own.disconnected(again)


def test_one_for_another_file_is_made_anew(name: str, tmp_path: Path) -> None:
    own = Instance()
    own.disconnected(own.connected(name, only_reads=True))
    other = own.connected(str(tmp_path / "it's b.db"), only_reads=False)
    assert other.execute("show tables").fetchall() == []
    own.disconnected(other)


def test_few_are_kept_that_nobody_works_with(tmp_path: Path) -> None:
    many = [Instance() for _ in range(instance._KEPT + 3)]
    held = many[0].connected(str(tmp_path / "held.db"), only_reads=False)
    for number, each in enumerate(many[1:]):
        each.disconnected(each.connected(str(tmp_path / f"{number}.db"), only_reads=False))
    assert [each._db is not None for each in many] == [True, *[False] * 2, *[True] * instance._KEPT]
    assert held.execute("select 1").fetchall() == [(1,)]
    many[0].disconnected(held)


def test_a_message_more_makes_no_duckdb_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It opens its store some twenty times."""
    made, making = list[str](), instance._made

    def noted(name: str) -> duckdb.DuckDBPyConnection:
        made.append(name)
        return making(name)

    monkeypatch.setattr(instance, "_made", noted)
    memory = Memory(tmp_path / "a.memcli", embedder="fake")
    memory.remember("tea")
    memory.remember("cake")
    assert len(made) == 1
