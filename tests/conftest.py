"""What several test files share: stores that need no model, and a command line that needs no process."""

from __future__ import annotations

import io
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from memcli.cli.boundary import run
from memcli.memory import Memory
from memcli.strategies import STRATEGIES

SAMPLE = Path(__file__).resolve().parents[1] / "sample_data"


@dataclass(frozen=True)
class Ran:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> object:
        return json.loads(self.out)


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test sees the user's own store, settings or terminal."""
    settings = ("STORE", "EMBEDDER", "STRATEGY", "MODEL", "CACHE", "CONFIG")
    for name in (*(f"MEMCLI_{setting}" for setting in settings), "FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("COLUMNS", "200")


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
    path = tmp_path_factory.mktemp("sample") / "sample.memcli"
    Memory(path).ingest([SAMPLE / "chats.jsonl"])
    return path


@pytest.fixture(scope="session")
def prepared_store(sample_store: Path) -> Path:
    """The same with everything that any strategy needs; not to be written to."""
    path = sample_store.with_name("prepared.memcli")
    shutil.copy(sample_store, path)
    Memory(path).prepare(STRATEGIES)
    return path


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes messages as memcli JSONL: write("a.jsonl", {"text": …}, …)."""

    def call(name: str, *messages: dict[str, object]) -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(m) + "\n" for m in messages), encoding="utf-8")
        return path

    return call


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An empty store with the fake embedder."""
    return Memory(tmp_path / "test.memcli", embedder="fake")
