"""The embedders: the default against its original, and the others against what they promise."""

from __future__ import annotations

import json
import sys
import threading
import types
from collections.abc import Iterable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import Memory, Message
from memcli.errors import ModelUnavailable, UsageError
from memcli.providers import minilm
from memcli.providers.embedding import embedder
from memcli.providers.fakes import FakeEmbedder
from memcli.providers.minilm import by_length
from memcli.providers.vectors import Vectors

REFERENCE = json.loads((Path(__file__).parent / "minilm_reference.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def model() -> minilm.MiniLM:
    return minilm.MiniLM()


def test_minilm_agrees_with_the_original_weights(model: minilm.MiniLM) -> None:
    """The reference was made once with sentence-transformers from the float32 weights (benchmarks/parity.py)."""
    cosines = (model.embed_passages(REFERENCE["texts"]) * np.array(REFERENCE["vectors"])).sum(axis=1)
    assert cosines.min() > 0.998
    assert cosines.mean() > 0.999


def test_vectors_do_not_depend_on_their_batch(model: minilm.MiniLM) -> None:
    together = model.embed_passages(REFERENCE["texts"])
    for text, row in zip(REFERENCE["texts"], together, strict=True):
        assert float((model.embed_passages([text])[0] * row).sum()) > 0.99999


def test_optimising_the_graph_changes_nothing(model: minilm.MiniLM) -> None:
    bulk = minilm.MiniLM(bulk=True).embed_passages(REFERENCE["texts"])
    assert float((bulk * model.embed_passages(REFERENCE["texts"])).sum(axis=1).min()) > 0.9999


def test_odd_texts(model: minilm.MiniLM) -> None:
    rows = model.embed_passages(["", " ", "\x00", "a" * 100_000, "😀" * 3000])
    assert rows.shape == (5, 384)
    assert np.linalg.norm(rows, axis=1).tolist() == pytest.approx([1.0] * 5, abs=1e-5)
    assert model.embed_passages([]).shape == (0, 384)


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


@pytest.mark.parametrize(
    "name", ["", "magic", "openai:", "openai", "minilm:large", "sentence-transformers", "fastembed", "model2vec:"]
)
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

        def encode_query(self, texts: list[str], **_: object) -> np.ndarray:
            return np.array([[0.0, len(t), 0.0] for t in texts])

        def encode_document(self, texts: list[str], **_: object) -> np.ndarray:
            return np.array([[len(t), 0.0, 0.0] for t in texts])

    monkeypatch.setitem(
        sys.modules, "sentence_transformers", types.SimpleNamespace(SentenceTransformer=SentenceTransformer)
    )
    model = embedder("sentence-transformers:some/model")
    assert (model.id, model.dimension) == ("sentence-transformers:some/model", 3)
    assert model.embed_passages(["abc"]).tolist() == [[1.0, 0.0, 0.0]]
    assert model.embed_questions(["abc"]).tolist() == [[0.0, 1.0, 0.0]]
    assert model.embed_passages([]).shape == model.embed_questions([]).shape == (0, 3)
    with pytest.raises(ModelUnavailable, match="cannot load"):
        embedder("sentence-transformers:other")


class _TextEmbedding:
    """What fastembed 0.9 calls so, as far as it is used: it knows one model, and folders that it was told of."""

    known: ClassVar[list[dict[str, object]]]

    def __init__(self, model: str, specific_model_path: str = "") -> None:
        described = [each for each in self.known if each["model"] == model]
        if not described or (specific_model_path and specific_model_path != model):
            raise ValueError(f"Model {model} is not supported in TextEmbedding.")
        self.embedding_size = described[0]["dim"]

    @classmethod
    def list_supported_models(cls) -> list[dict[str, object]]:
        return cls.known

    @classmethod
    def add_custom_model(cls, model: str, **described: object) -> None:
        if model in [each["model"] for each in cls.known]:
            raise ValueError(f"Model {model} is already registered in TextEmbedding")
        cls.known.append({"model": model, **described})

    def query_embed(self, texts: Iterable[str]) -> Iterator[np.ndarray]:
        yield from (np.array([0.0, len(text)]) for text in texts)

    def passage_embed(self, texts: Iterable[str]) -> Iterator[np.ndarray]:
        yield from (np.array([len(text), 0.0]) for text in texts)


@pytest.fixture
def fastembed(monkeypatch: pytest.MonkeyPatch) -> type[_TextEmbedding]:
    """The library itself is an extra: modules of its shape stand for it."""

    class TextEmbedding(_TextEmbedding):
        known: ClassVar = [{"model": "some/model", "dim": 2}]

    described = types.SimpleNamespace(
        PoolingType=types.SimpleNamespace(CLS="cls", MEAN="mean"), ModelSource=lambda url: url
    )
    monkeypatch.setitem(sys.modules, "fastembed", types.SimpleNamespace(TextEmbedding=TextEmbedding))
    monkeypatch.setitem(sys.modules, "fastembed.common.model_description", described)
    silent = types.SimpleNamespace(logger=types.SimpleNamespace(disable=lambda _: None))
    monkeypatch.setitem(sys.modules, "loguru", silent)
    return TextEmbedding


def test_fastembed_behind_the_seam(fastembed: type[_TextEmbedding]) -> None:
    model = embedder("fastembed:some/model")
    assert (model.id, model.dimension) == ("fastembed:some/model", 2)
    assert model.embed_passages(["abc", ""]).tolist() == [[1.0, 0.0], [1.0, 0.0]]
    assert model.embed_questions(["abc"]).tolist() == [[0.0, 1.0]]
    assert model.embed_passages([]).shape == model.embed_questions([]).shape == (0, 2)
    with pytest.raises(ModelUnavailable, match="cannot load other: Model other is not supported"):
        embedder("fastembed:other")


@pytest.mark.parametrize(("pooling", "expected"), [("{}", "mean"), ('{"pooling_mode_cls_token": true}', "cls")])
def test_fastembed_from_a_folder(fastembed: type[_TextEmbedding], tmp_path: Path, pooling: str, expected: str) -> None:
    with pytest.raises(ModelUnavailable, match="cannot load"):
        embedder(f"fastembed:{tmp_path}")  # nothing in it
    (tmp_path / "config.json").write_text('{"hidden_size": 2}')
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text(pooling)
    for bulk in (True, False):  # it is told of it once
        assert embedder(f"fastembed:{tmp_path}", bulk=bulk).dimension == 2
    (described,) = [each for each in fastembed.known if each["model"] == str(tmp_path)]
    assert (described["pooling"], described["model_file"]) == (expected, "onnx/model.onnx")


def test_model2vec_from_a_folder(tmp_path: Path) -> None:
    """A real model of three tokens: the mean of (3, 4) and (1, 0) is (2, 2)."""
    from model2vec import StaticModel
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    words = Tokenizer(WordLevel({"[UNK]": 0, "boat": 1, "cat": 2}, unk_token="[UNK]"))
    words.pre_tokenizer = Whitespace()
    StaticModel(np.array([[0, 0], [3, 4], [1, 0]], dtype=np.float32), words).save_pretrained(tmp_path)
    model = embedder(f"model2vec:{tmp_path}")
    assert (model.id, model.dimension) == (f"model2vec:{tmp_path}", 2)
    rows = model.embed_passages(["boat", "boat cat", "", "zebra"])
    assert rows.tolist() == [pytest.approx(row) for row in ([0.6, 0.8], [0.5**0.5, 0.5**0.5], [1, 0], [1, 0])]
    assert model.embed_questions(["boat"]).tolist() == [pytest.approx([0.6, 0.8])]
    assert model.embed_passages([]).shape == (0, 2)
    with pytest.raises(ModelUnavailable, match="cannot load"):
        embedder(f"model2vec:{tmp_path / 'none'}")


@pytest.mark.parametrize("name", ["sentence-transformers", "fastembed", "model2vec"])
def test_a_library_that_is_missing(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setitem(sys.modules, name.replace("-", "_"), None)
    with pytest.raises(ModelUnavailable, match=f"{name} is not installed") as raised:
        embedder(f"{name}:some/model")
    assert raised.value.hint == f"pip install 'memcli[{name}]'"


class _Telling(FakeEmbedder):
    """Notes what is embedded as what."""

    def __init__(self) -> None:
        super().__init__()
        self.questions: list[str] = []
        self.passages: list[str] = []

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        self.questions.extend(texts)
        return super().embed_passages(texts)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.passages.extend(texts)
        return super().embed_passages(texts)


def test_questions_are_told_from_passages() -> None:
    every = ["fused", "dense", "sgmem", "memgas", "emem", "emem-g", "ontology"]
    model = _Telling()
    with Memory(None, embedder=model) as memory:
        memory.add([Message(f"I bought {what} in Porto last week.", "Ada", session=what) for what in ("tea", "a cat")])
        memory.prepare(every)
        assert model.questions == []
        assert "I bought a cat in Porto last week." in model.passages
        model.passages.clear()
        question = "What did Ada buy in Porto?"
        for name in every:
            memory.search(question, strategy=name)
        assert model.passages == []
        assert model.questions.count(question) == len(every)
        assert len(set(model.questions)) > 1  # its wordings and mentions


class _Old:
    id = "old"
    dimension = 2

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.ones((len(texts), 2), dtype=np.float32)


def test_an_embedder_of_an_older_memcli_is_refused() -> None:
    with pytest.raises(UsageError, match="old has no embed_questions and embed_passages"):
        Memory(None, embedder=_Old())  # type: ignore[arg-type]


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
    rows = model.embed_passages([f"text {'x' * i}" for i in range(300)])
    assert rows.shape == (300, 2)
    assert rows[4].tolist() == pytest.approx([9 / np.hypot(9, 2), 2 / np.hypot(9, 2)])
    assert [len(batch) for batch in endpoint.seen] == [1, 256, 44]
    endpoint.failing = True
    with pytest.raises(ModelUnavailable, match="endpoint failed"):
        model.embed_passages(["x"])


def test_an_endpoint_without_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelUnavailable, match="no key"):
        embedder("openai:any")
