"""Rerankers: the endpoint against a server, the library behind its seam, and what is done with scores."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from memcli import Hit, Kind, Memory, Unit
from memcli.errors import ModelUnavailable, UsageError
from memcli.model import TurnId, UnitId
from memcli.providers.reranking import reranker
from memcli.strategies.reranking import CONSIDERED, reranked

from .conftest import Ran
from .language_server import Behaviour, Endpoint, fails, sends

QUESTION = "What is Theo allergic to?"


def _by_length(handler: Any, body: Mapping[str, Any]) -> None:
    """Scores each text by its length, and replies in another order."""
    results = [{"index": i, "relevance_score": len(text)} for i, text in enumerate(body["documents"])]
    handler.reply(200, {"model": body["model"], "results": results[::-1]})


class _Given:
    """Scores as they were given."""

    def __init__(self, scores: Sequence[float]) -> None:
        self._scores = scores
        self.texts: Sequence[str] = ()

    def rerank(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        self.texts = texts
        return self._scores


def _hits(count: int) -> list[Hit]:
    return [
        Hit(Unit(UnitId(f"t:{i}"), Kind.TURN, f"text {i}", (TurnId(f"t:{i}"),)), 1 / (i + 1), {"cosine": float(i)})
        for i in range(count)
    ]


def test_hits_are_put_in_the_order_of_the_scores() -> None:
    hits = reranked(_Given([1, 3, 2, 3]), "?", _hits(4))
    assert [hit.unit.text for hit in hits] == ["text 1", "text 3", "text 2", "text 0"]
    assert [hit.score for hit in hits] == [1, 1 / 2, 1 / 3, 1 / 4]
    assert hits[0].trace == {"cosine": 1.0, "rerank": 3.0}
    assert reranked(_Given([]), "?", []) == []


def test_what_is_not_considered_stays_where_it_is() -> None:
    given = _Given(range(CONSIDERED))
    hits = reranked(given, "?", _hits(CONSIDERED + 2))
    assert len(given.texts) == CONSIDERED
    assert [hit.unit.text for hit in hits[-3:]] == ["text 0", f"text {CONSIDERED}", f"text {CONSIDERED + 1}"]
    assert "rerank" not in hits[-1].trace


@pytest.mark.parametrize("scores", [[1.0], [1.0, float("nan")], [1.0, 2.0, 3.0], [float("inf"), 0.0]])
def test_wrong_scores_are_refused(scores: list[float]) -> None:
    with pytest.raises(ModelUnavailable, match="one finite score"):
        reranked(_Given(scores), "?", _hits(2))


@pytest.mark.parametrize("name", ["magic", "endpoint", "endpoint:", "sentence-transformers"])
def test_unknown_rerankers_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="unknown reranker"):
        reranker(name)


def test_an_endpoint_reranks_a_search(
    cli: Callable[..., Ran], sample_store: Path, endpoint: Callable[..., Endpoint]
) -> None:
    server = endpoint(_by_length)
    found = cli(
        "search", QUESTION, "--store", sample_store, "--rerank", "endpoint:tiny", "-k", "6", "--json", "--explain"
    )
    hits = found.json["hits"]
    assert (found.code, found.err) == (0, "")
    assert [hit["trace"]["rerank"] for hit in hits] == [len(hit["text"]) for hit in hits]
    (asked,) = server.seen
    assert (asked["model"], asked["query"]) == ("tiny", QUESTION)
    assert len(asked["documents"]) == asked["top_n"] == CONSIDERED
    longest = sorted(map(len, asked["documents"]), reverse=True)
    assert [hit["trace"]["rerank"] for hit in hits] == longest[:6]


def test_an_answer_is_read_from_reranked_hits(sample_store: Path, endpoint: Callable[..., Endpoint]) -> None:
    server = endpoint(_by_length)
    with Memory(sample_store) as memory:
        reading = memory.ask(QUESTION, k=5, rerank="endpoint:tiny")
        memory.ask(QUESTION, k=5, rerank="endpoint:tiny")
    assert len(server.seen) == 2
    given = [hit.trace["rerank"] for hit in reading.hits]
    assert given == sorted(given, reverse=True)


@pytest.mark.parametrize(
    "behaviour",
    [
        fails(400, "no such model"),
        sends(b"{}"),
        sends(b"[]"),
        sends(b'{"results": [{"index": 0, "relevance_score": 1}]}'),
        sends(b'{"results": [{"index": "x", "relevance_score": 1}]}'),
        sends(b"not json", "text/plain"),
    ],
)
def test_an_endpoint_that_fails_is_told_in_one_line(
    cli: Callable[..., Ran], sample_store: Path, endpoint: Callable[..., Endpoint], behaviour: Behaviour
) -> None:
    endpoint(behaviour)
    ran = cli("search", QUESTION, "--store", sample_store, "--rerank", "endpoint:tiny")
    assert (ran.code, ran.out) == (5, "")
    assert ran.err.startswith("memcli: the reranking endpoint ")
    assert len(ran.err.splitlines()) == 1


def test_a_key_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelUnavailable, match="no key"):
        reranker("endpoint:tiny")


def test_a_cross_encoder_behind_the_seam(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library itself is an extra: a module of its shape stands for it."""

    class CrossEncoder:
        def __init__(self, name: str) -> None:
            if name != "some/model":
                raise OSError("no such model")

        def predict(self, pairs: list[tuple[str, str]], **_: object) -> list[float]:
            return [len(question) + len(text) for question, text in pairs]

    monkeypatch.setitem(sys.modules, "sentence_transformers", types.SimpleNamespace(CrossEncoder=CrossEncoder))
    assert reranker("sentence-transformers:some/model").rerank("a", ["b", "cd"]) == [2.0, 3.0]
    with pytest.raises(ModelUnavailable, match="cannot load"):
        reranker("sentence-transformers:other")
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ModelUnavailable, match="not installed"):
        reranker("sentence-transformers:some/model")
