"""Makes the store of each schema that has none yet: `python tests/stores/make.py`.

Each holds the first turns of the sample chats with what a program of its time made of them. What is there stays as it
is: it stands for the files that people have.
"""

from __future__ import annotations

import gzip
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from memcli.memory import Memory
from memcli.store import migrations

FOLDER = Path(__file__).resolve().parent
SAMPLE = FOLDER.parents[1] / "sample_data" / "chats.jsonl"
TURNS = 24
#: The strategies whose generated memory a schema was the first to hold.
GENERATED = {2: ("sgmem", "memgas"), 3: ("emem-g",), 5: ("ontology",)}


def file(schema: int) -> Path:
    """The compressed store of a schema."""
    return FOLDER / f"schema-{schema}.memcli.gz"


def filled(path: Path, schema: int) -> None:
    """A store of the present program that holds no more than one of that schema could."""
    chat = path.with_suffix(".jsonl")
    with SAMPLE.open(encoding="utf-8") as lines:
        chat.write_text("".join(islice(lines, TURNS)), encoding="utf-8")
    memory = Memory(path, embedder="fake")
    memory.ingest([chat])
    memory.prepare([name for since, names in GENERATED.items() if since <= schema for name in names])


def copied(source: Path, path: Path, schema: int) -> None:
    """A store of that schema with what `source` holds."""
    with duckdb.connect(str(path)) as db:
        for number, (name, step) in enumerate(migrations.MIGRATIONS[:schema], start=1):
            migrations._apply(db, number, name, step)
        db.execute("delete from meta")
        db.execute(f"attach '{source}' as source (read_only)")
        for table, columns in _columns(db).items():
            db.execute(f"insert into {table} ({columns}) select {columns} from source.{table}")
        db.execute("detach source")


def _columns(db: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """The columns of each table that the schema shares with the present one; its own migrations stay."""
    rows = db.execute("""select table_name, string_agg(column_name, ', ' order by column_index) from duckdb_columns() c
        where database_name = current_database() and table_name <> 'migration' and exists (
            select 1 from duckdb_columns() s where s.database_name = 'source' and s.table_name = c.table_name
            and s.column_name = c.column_name)
        group by table_name""").fetchall()
    return dict(rows)


def main() -> None:
    """Makes the files that are missing."""
    for schema in range(1, len(migrations.MIGRATIONS) + 1):
        if not file(schema).exists():
            with TemporaryDirectory() as folder:
                source, path = Path(folder) / "source.memcli", Path(folder) / "old.memcli"
                filled(source, schema)
                copied(source, path, schema)
                file(schema).write_bytes(gzip.compress(path.read_bytes(), mtime=0))


if __name__ == "__main__":
    main()
