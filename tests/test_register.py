"""The register of the schema against what DuckDB really has, and what is derived from it against a damaged store."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from memcli.memory import Memory
from memcli.model import Kind
from memcli.store import schema
from memcli.store.connection import Store
from memcli.store.migrations import MIGRATIONS, migrate
from memcli.store.schema import EVENTS, GENERATED, SAID, TABLES, Column, Origin, Reference
from tests.stores.make import file

#: Every reference that is declared, with the table and the column that it is of.
REFERENCES = [(table.name, column, to) for table in TABLES.values() for column, to in table.references]
#: Values that no table holds.
NOWHERE = {"integer": "987654321", "varchar": "'nowhere'"}


def _tables(db: duckdb.DuckDBPyConnection) -> dict[str, list[tuple[str, str, bool]]]:
    """The columns of each table as DuckDB has them, in order: name, type, whether null is allowed."""
    rows = db.execute("""select table_name, column_name, lower(data_type), is_nullable from duckdb_columns()
        where not internal and database_name = current_database() order by table_name, column_index""").fetchall()
    found: dict[str, list[tuple[str, str, bool]]] = {}
    for table, *column in rows:
        found.setdefault(table, []).append(tuple(column))
    return found


def _declared() -> dict[str, list[tuple[str, str, bool]]]:
    return {table.name: [(each.name, each.type, each.null) for each in table.columns] for table in TABLES.values()}


def test_a_new_store_is_what_the_register_says(tmp_path: Path) -> None:
    with Store(tmp_path / "new.memcli").writing() as db:
        assert _tables(db) == _declared()
        done = db.execute("select number, name from migration order by number").fetchall()
    assert done == [(number, name) for number, (name, _) in enumerate(MIGRATIONS, start=1)]


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS) + 1))
def test_an_old_store_becomes_what_the_register_says(version: int, tmp_path: Path) -> None:
    path = tmp_path / "old.memcli"
    path.write_bytes(gzip.decompress(file(version).read_bytes()))
    with duckdb.connect(str(path)) as db:
        migrate(db)
        assert _tables(db) == _declared()


def test_references_lead_somewhere() -> None:
    for table, column, to in REFERENCES:
        (target,) = [each for each in TABLES[to.table].columns if each.name == to.column]
        assert column.type == target.type, (table, column.name)
        assert set(to.clears) <= {each.name for each in TABLES[table].columns if each.null}, (table, column.name)


def test_every_reference_is_checked_but_those_that_may_outlive_what_they_name() -> None:
    assert {(table, column.name) for table, column, to in REFERENCES if not to.broken} == {("decision", "unit")}


@pytest.fixture
def prepared(prepared_store: Path, tmp_path: Path) -> Memory:
    path = tmp_path / "prepared.memcli"
    shutil.copy(prepared_store, path)
    path.chmod(0o600)
    return Memory(path)


def _value(column: Column, broken: Column) -> str:
    """Some value of a column for a row that may be there, or of the one that is to be broken."""
    if column is broken:
        return NOWHERE[column.type]
    some = {"varchar": "'x'", "blob": "''::blob"}.get(column.type, "now()" if "timestamp" in column.type else "1")
    if column.refers is None:
        return some
    return f"(select coalesce(any_value({column.refers.column}), {some}) from {column.refers.table})"


def _named(reference: tuple[str, Column, Reference]) -> str:
    return f"{reference[0]}.{reference[1].name}"


@pytest.mark.parametrize("reference", [each for each in REFERENCES if each[2].broken], ids=_named)
def test_a_reference_that_leads_nowhere_is_found(prepared: Memory, reference: tuple[str, Column, Reference]) -> None:
    table, column, to = reference
    with prepared.store.writing() as db:
        if column.null:
            first = f"rowid = (select min(rowid) from {table})"
            db.execute(f"update {table} set {column.name} = {NOWHERE[column.type]} where {first}")
        else:
            values = ", ".join(_value(each, column) for each in TABLES[table].columns)
            db.execute(f"insert into {table} select {values}")
    assert to.broken is not None
    assert to.broken.what in {finding.what for finding in prepared.care.examine().left}


@pytest.mark.parametrize("reference", [each for each in REFERENCES if each[2].lacking], ids=_named)
def test_what_nothing_refers_to_is_found(prepared: Memory, reference: tuple[str, Column, Reference]) -> None:
    table, column, to = reference
    with prepared.store.writing() as db:
        last = f"select max({column.name}) from {table} where {column.name} is not null"
        db.execute(f"delete from {table} where {column.name} = ({last})")
    assert to.lacking is not None
    assert to.lacking.what in {finding.what for finding in prepared.care.examine().left}


def _leading(table: str, column: str) -> Iterator[tuple[str, str]]:
    return iter(sorted(set(schema.referring(table, column))))


def test_what_goes_with_a_row() -> None:
    assert list(_leading("unit", "seq")) == [
        ("assertion", "unit"), ("belongs", "unit"), ("edge", "dst"), ("edge", "src"), ("event", "unit"),
        ("memory", "unit"), ("role", "argument"), ("role", "event"), ("source", "unit"),
    ]  # fmt: skip
    assert list(_leading("turn", "seq")) == [
        ("digest", "turn"), ("document", "turn"), ("noted", "turn"), ("posting", "turn"), ("sighting", "turn"),
        ("source", "turn"), ("spoken", "turn"),
    ]  # fmt: skip
    assert list(_leading("answered", "id")) == [("cited", "answer"), ("feedback", "answer"), ("missed", "answer")]
    assert set(schema.referring("unit", "seq", EVENTS)) == {
        ("edge", "dst"), ("edge", "src"), ("event", "unit"), ("memory", "unit"), ("role", "event"), ("source", "unit"),
    }  # fmt: skip
    assert list(schema.clearing("unit", "seq", GENERATED)) == [("memory", "replaced_by", ("valid_to", "replaced_by"))]
    assert list(schema.clearing("unit", "seq", SAID)) == []


def test_units_of_every_kind_are_accounted_for() -> None:
    assert {*SAID, *schema.OF_MEMORY, *schema.SHARED} == set(Kind)


def test_what_was_said_cannot_be_rebuilt() -> None:
    truth = {table.name for table in TABLES.values() if table.origin is Origin.TRUTH}
    assert truth >= {"session", "turn", "call", "answered", "cited", "feedback", "missed", "decision", "tombstone"}
