"""What several test files share: stores that need no model, and a command line that needs no process."""

from __future__ import annotations

import fcntl
import io
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import settings

from memcli.cli.boundary import run
from memcli.evaluation import datasets, indexes
from memcli.evaluation.indexes import index_path
from memcli.formats import Message
from memcli.memory import Memory
from memcli.providers.fakes import FakeEmbedder
from memcli.providers.language import ChatModel, language_model
from memcli.store import codes, migrations
from memcli.store.calls import StoredCalls
from memcli.store.migrations import MIGRATIONS
from memcli.strategies import STRATEGIES

from .language_server import Behaviour, Endpoint, serving

#: How often faults are tried that take seconds each; `docs/reliability.md` records the runs of more.
TRIES = int(os.environ.get("MEMCLI_FAULTS", "1"))
# Machines are busy: how long an example takes is nothing that a test may fail by.
settings.register_profile("memcli", deadline=None)
settings.load_profile("memcli")
SAMPLE = Path(__file__).resolve().parents[1] / "sample_data"


#: The files with the longest tests.
LONGEST = (
    "test_eval.py", "test_shards.py", "test_doctor.py", "test_sharing.py", "test_ids.py", "test_store.py",
    "test_progress.py", "test_extensions.py", "test_people.py", "test_learned.py",
)  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Each process begins with some of the longest files, so that at the end none is left alone with one.

    Of what it is given a process takes a stretch of the list first, and of others' what is left.
    """
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    files = [[item for item in items if item.path.name == name] for name in LONGEST]
    rest = [item for item in items if item.path.name not in LONGEST]
    share = -(-len(rest) // processes)
    items[:] = [
        item
        for number in range(processes)
        for item in (*chain(*files[number::processes]), *rest[number * share : (number + 1) * share])
    ]


@dataclass(frozen=True)
class Ran:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test sees the user's own store, settings or terminal."""
    settings = ("STORE", "EMBEDDER", "STRATEGY", "MODEL", "CACHE", "CONFIG")
    for name in (*(f"MEMCLI_{setting}" for setting in settings), "FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MEMCLI_RECORD", "no")  # a question is not to change a store that tests share
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "encodings"))


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Runs `memcli` in this process: cli("search", "tea", stdin="…")."""

    def call(*arguments: str | Path, stdin: str | bytes = "") -> Ran:
        raw = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8"))
        capsys.readouterr()
        code = run([str(a) for a in arguments])
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return call


@pytest.fixture(scope="session")
def sample_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample chats in a store with the default embedder; not to be written to."""
    return made_once(tmp_path_factory, "sample", lambda path: Memory(path).ingest([SAMPLE / "chats.jsonl"]))


@pytest.fixture(scope="session")
def prepared_store(sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with everything that any strategy needs; not to be written to."""

    def make(path: Path) -> None:
        shutil.copy(sample_store, path)
        Memory(path).prepare(STRATEGIES)

    return made_once(tmp_path_factory, "prepared", make)


@pytest.fixture(scope="session")
def sample_indexes(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The stores over which `eval sample` asks, with the fake embedder."""
    haystacks = datasets.haystacks(SAMPLE / "questions.json")
    return [_indexed(tmp_path_factory, haystack.messages) for haystack in haystacks]


def _indexed(folders: pytest.TempPathFactory, messages: Sequence[Message]) -> Path:
    name = index_path(Path(), messages, FakeEmbedder.id).stem
    return made_once(folders, name, lambda path: indexes.filled(path, messages, (), FakeEmbedder))


@pytest.fixture
def sample_is_filled(sample_indexes: list[Path], tmp_path: Path) -> None:
    """What `eval sample` asks is in the cache; the answers are not."""
    folder = tmp_path / "cache/memcli/evaluation/indexes"
    folder.mkdir(parents=True)
    for path in sample_indexes:
        shutil.copy(path, folder)


def made_once(folders: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A copy of its own, for each process that tests, of a store that the first of them has made."""
    own = folders.getbasetemp()
    shared = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / f"{name}.memcli"
    with shared.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not shared.exists():
            make(unfinished := shared.with_suffix(".unfinished"))
            unfinished.rename(shared)
    return Path(shutil.copy(shared, folders.mktemp(name) / shared.name))


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes messages as memcli JSONL: write("a.jsonl", {"text": …}, …)."""

    def call(name: str, *messages: dict[str, object]) -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(m) + "\n" for m in messages), encoding="utf-8")
        return path

    return call


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """An empty store with the fake embedder."""
    return Memory(tmp_path / "test.memcli", embedder="fake")


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Endpoint]]:
    """Starts an endpoint with a script, and points the environment to it."""
    import openai

    openai.OpenAI  # noqa: B018  # it takes long to import: not within a timeout
    with ExitStack() as stack:

        def start(*script: Behaviour) -> Endpoint:
            found = stack.enter_context(serving(*script))
            monkeypatch.setenv("OPENAI_BASE_URL", found.url)
            monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
            return found

        yield start


@pytest.fixture
def chat(memory: Memory) -> Iterator[Callable[..., ChatModel]]:
    """Makes clients that keep their replies in the store."""
    with ExitStack() as stack:

        def make(**options: Any) -> ChatModel:
            given = {"timeout": 10.0, "retries": 0, "backoff": 0.005, "calls": StoredCalls(memory.store), **options}
            made = language_model("tiny", **given)
            assert isinstance(made, ChatModel)
            return stack.enter_context(made)

        yield make


@contextmanager
def coded(path: Path, messages: Iterable[Message]) -> Iterator[Memory]:
    """These messages in a store whose vectors have codes, for codes are for stores of any size while it lasts."""
    with pytest.MonkeyPatch.context() as patched, Memory(path, embedder="fake") as memory:
        patched.setattr(codes, "CODED_FROM", 1)
        memory.add(messages)
        yield memory


def aged(path: Path, version: int) -> None:
    """Makes the store at `path` one of an older schema, with what that had of it."""
    with duckdb.connect() as db:
        for number, (name, step) in enumerate(MIGRATIONS[:version], start=1):
            migrations._apply(db, number, name, step)
        kept = {table for (table,) in db.execute("select table_name from duckdb_tables()").fetchall()}
    with duckdb.connect(str(path)) as db:
        for (table,) in db.execute("select table_name from duckdb_tables()").fetchall():
            if table not in kept:
                db.execute(f"drop table {table}")
        db.execute("delete from migration where number > ?", [version])


def tried(cases: Iterable[str]) -> list[str]:
    """All of many slow cases where faults are tried often; else every twelfth, spread over them."""
    return list(cases)[:: 1 if TRIES > 10 else 12]
