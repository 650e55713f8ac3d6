"""A store of every schema that ever was: it opens, is brought to the newest, and is whole.

`tests/stores/make.py` makes the file of a new schema.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import duckdb
import pytest

from memcli.memory import Memory
from memcli.store.migrations import MIGRATIONS, version
from tests.conftest import SAMPLE, Ran
from tests.stores.make import TURNS, file

Cli = Callable[..., Ran]
SCHEMAS = range(1, len(MIGRATIONS) + 1)
ADDED = 4


@pytest.fixture(params=SCHEMAS)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of the store of a schema."""
    if not file(request.param).exists():
        pytest.fail(f"there is no store of schema {request.param}: python tests/stores/make.py")
    path = tmp_path / "old.memcli"
    path.write_bytes(gzip.decompress(file(request.param).read_bytes()))
    path.chmod(0o600)
    assert _schema(path) == request.param
    return path


def _schema(path: Path) -> int:
    with duckdb.connect(str(path), read_only=True) as db:
        return version(db)


def _said(path: Path) -> set[tuple[str, str]]:
    with duckdb.connect(str(path), read_only=True) as db:
        return set(db.execute("select speaker, text from turn").fetchall())


def _units(memory: Memory) -> list[tuple[object, ...]]:
    with memory.store.reading() as db:
        return db.execute("""select kind, text, round(norm, 3) from unit
            where kind in ('turn', 'round', 'session', 'sentence') order by all""").fetchall()


@pytest.fixture(scope="module")
def longer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The chat of the stores with what was said next."""
    path = tmp_path_factory.mktemp("schemas") / "longer.jsonl"
    with (SAMPLE / "chats.jsonl").open(encoding="utf-8") as lines:
        path.write_text("".join(islice(lines, TURNS + ADDED)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def new(longer: Path) -> list[tuple[object, ...]]:
    """The units of that chat in a store of today."""
    memory = Memory(longer.with_name("new.memcli"), embedder="fake")
    memory.ingest([longer])
    return _units(memory)


def test_an_old_store_answers_grows_and_is_sound(
    old: Path, longer: Path, new: list[tuple[object, ...]], cli: Cli
) -> None:
    said = _said(old)
    assert cli("ask", "What did Theo cook?", "--store", old).code in (0, 1)
    assert _schema(old) == len(MIGRATIONS)
    assert cli("search", "night shifts", "--store", old).code == 0
    assert cli("doctor", "--store", old).code == 0
    grown = cli("ingest", longer, "--store", old, "--json")
    assert isinstance(grown.json, dict)
    assert (grown.code, grown.json["known"], grown.json["added"]) == (0, TURNS, ADDED)
    assert said < _said(old)
    assert cli("doctor", "--store", old).code == 0
    assert _units(Memory(old)) == new


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_store_in_the_repository_is_small(schema: int) -> None:
    assert file(schema).stat().st_size < 60_000
