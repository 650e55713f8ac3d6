"""The embedders: the default against its original, and the others against what they promise."""

from __future__ import annotations

import json
import sys
import threading
import types
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.errors import ModelUnavailable, UsageError
from memcli.providers import minilm
from memcli.providers.embedding import embedder
from memcli.providers.minilm import by_length

REFERENCE = json.loads((Path(__file__).parent / "minilm_reference.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def model() -> minilm.MiniLM:
    return minilm.MiniLM()


def test_minilm_agrees_with_the_original_weights(model: minilm.MiniLM) -> None:
    """The reference was made once with sentence-transformers from the float32 weights (benchmarks/parity.py)."""
    cosines = (model.embed(REFERENCE["texts"]) * np.array(REFERENCE["vectors"])).sum(axis=1)
    assert cosines.min() > 0.998
    assert cosines.mean() > 0.999


def test_vectors_do_not_depend_on_their_batch(model: minilm.MiniLM) -> None:
    together = model.embed(REFERENCE["texts"])
    for text, row in zip(REFERENCE["texts"], together, strict=True):
        assert float((model.embed([text])[0] * row).sum()) > 0.99999


def test_optimising_the_graph_changes_nothing(model: minilm.MiniLM) -> None:
    bulk = minilm.MiniLM(bulk=True).embed(REFERENCE["texts"])
    assert float((bulk * model.embed(REFERENCE["texts"])).sum(axis=1).min()) > 0.9999


def test_odd_texts(model: minilm.MiniLM) -> None:
    rows = model.embed(["", " ", "\x00", "a" * 100_000, "😀" * 3000])
    assert rows.shape == (5, 384)
    assert np.linalg.norm(rows, axis=1).tolist() == pytest.approx([1.0] * 5, abs=1e-5)
    assert model.embed([]).shape == (0, 384)


def test_damaged_weights_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "_SHA256", "0" * 64)
    with pytest.raises(ModelUnavailable, match="damaged"):
        minilm.MiniLM()


@given(st.lists(st.integers(1, 300), max_size=60), st.integers(1, 2000))
def test_batches_hold_every_text_once_and_few_tokens(lengths: list[int], tokens: int) -> None:
    batches = list(by_length(np.array(lengths, dtype=np.int64), tokens))
    assert sorted(i for batch in batches for i in batch.tolist()) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * max(lengths[i] for i in batch) <= tokens


@pytest.mark.parametrize("name", ["", "magic", "openai:", "openai", "minilm:large", "sentence-transformers"])
def test_unknown_embedders_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="unknown embedder"):
        embedder(name)


def test_sentence_transformers_behind_the_seam(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library itself is an extra: a module of its shape stands for it."""

    class SentenceTransformer:
        def __init__(self, name: str) -> None:
            if name != "some/model":
                raise OSError("no such model")

        def get_sentence_embedding_dimension(self) -> int:
            return 3

        def encode(self, texts: list[str], **_: object) -> np.ndarray:
            return np.array([[len(t), 0.0, 0.0] for t in texts])

    monkeypatch.setitem(
        sys.modules, "sentence_transformers", types.SimpleNamespace(SentenceTransformer=SentenceTransformer)
    )
    model = embedder("sentence-transformers:some/model")
    assert (model.id, model.dimension) == ("sentence-transformers:some/model", 3)
    assert model.embed(["abc"]).tolist() == [[1.0, 0.0, 0.0]]
    assert model.embed([]).shape == (0, 3)
    with pytest.raises(ModelUnavailable, match="cannot load"):
        embedder("sentence-transformers:other")


class _Endpoint(BaseHTTPRequestHandler):
    """Speaks the embeddings protocol: a text's vector is its length and its number of words, out of order."""

    failing: ClassVar[bool] = False
    seen: ClassVar[list[list[str]]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if type(self).failing:
            self.send_response(400)
            reply: dict[str, object] = {"error": {"message": "no such model"}}
        else:
            type(self).seen.append(body["input"])
            rows = [
                {"index": i, "object": "embedding", "embedding": [float(len(t)), float(len(t.split()))]}
                for i, t in enumerate(body["input"])
            ]
            self.send_response(200)
            reply = {
                "object": "list",
                "model": body["model"],
                "data": rows[::-1],
                "usage": {"prompt_tokens": 1, "total_tokens": 1},
            }
        payload = json.dumps(reply).encode()
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[_Endpoint]]:
    class Handler(_Endpoint):
        seen: ClassVar[list[list[str]]] = []

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    yield Handler
    server.shutdown()
    server.server_close()
    thread.join()


def test_an_openai_compatible_endpoint(endpoint: type[_Endpoint]) -> None:
    model = embedder("openai:any")
    assert (model.id, model.dimension) == ("openai:any", 2)
    rows = model.embed([f"text {'x' * i}" for i in range(300)])
    assert rows.shape == (300, 2)
    assert rows[4].tolist() == pytest.approx([9 / np.hypot(9, 2), 2 / np.hypot(9, 2)])
    assert [len(batch) for batch in endpoint.seen] == [1, 256, 44]
    endpoint.failing = True
    with pytest.raises(ModelUnavailable, match="endpoint failed"):
        model.embed(["x"])


def test_an_endpoint_without_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelUnavailable, match="no key"):
        embedder("openai:any")
