"""Rerankers: what scores texts, each beside the question, behind one seam."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from ..errors import ModelUnavailable, UsageError
from ..extensions import Extensible
from ..model import Hit, Query
from .libraries import first_line, library, loading, openai_client

__all__ = ["RERANKERS", "CrossEncoder", "Endpoint", "HitReranker", "Reranker", "choices", "known", "reranker"]

#: How each reranker is made: a factory `(model: str) -> Reranker`.
#:
#: `model` is what stands behind the colon of `name:model`, empty where nothing does. A factory raises UsageError for a
#: model that makes no sense, and ModelUnavailable.
RERANKERS = Extensible(
    "memcli.rerankers",
    {
        "reader": "memcli.reading.rereading:Rereader",
        "listwise": "memcli.strategies.listwise:Listwise",
        "endpoint": "memcli.providers.reranking:Endpoint",
        "sentence-transformers": "memcli.providers.reranking:CrossEncoder",
    },
)


#: What is whole without the name of a model.
_ALONE = frozenset({"reader"})


class Reranker(Protocol):
    """What says how well each of some texts answers a question."""

    def rerank(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """A finite score for each text, in their order; the higher, the better. Raises ModelUnavailable."""
        ...


@runtime_checkable
class HitReranker(Reranker, Protocol):
    """One that is shown hits, with who says each and when, and as many of the first as it takes."""

    considered: int

    def of_hits(self, query: Query, hits: Sequence[Hit]) -> Sequence[float]:
        """A finite score for each hit, as `rerank` gives texts. Raises ModelUnavailable."""
        ...


def reranker(name: str) -> Reranker:
    """The reranker called `reader`, `listwise:MODEL`, `endpoint:MODEL`, `sentence-transformers:NAME-or-path`, or as a
    package's is.

    Raises UsageError, ModelUnavailable.
    """
    kind, model = known(name)
    made: Reranker = RERANKERS.make(kind, model)
    return made


def known(name: str) -> tuple[str, str]:
    """The kind and the model that a name asks for, without making anything. Raises UsageError."""
    kind, _, model = name.partition(":")
    if kind not in RERANKERS or (_needs_model(kind) and not model):
        raise UsageError(f"unknown reranker {name!r}", f"choose one of: {', '.join(choices())}")
    return kind, model


def choices() -> list[str]:
    """What people may ask for, memcli's own first; NAME stands where the name of a model belongs."""
    return [f"{name}:NAME" if _needs_model(name) else name for name in RERANKERS]


def _needs_model(kind: str) -> bool:
    return kind in RERANKERS.built_in and kind not in _ALONE


class Endpoint:
    """A model at the `/rerank` of an endpoint (OPENAI_BASE_URL, which ends in /v1; OPENAI_API_KEY says who asks).

    The protocol is the one that Cohere and Jina began, and that vLLM, llama.cpp and others serve: the question and the
    texts go out, `results` with `index` and `relevance_score` come back.
    """

    def __init__(self, model: str) -> None:
        from openai import OpenAIError

        self._client = openai_client("reranking", retries=2)
        self._failure: type[Exception] = OpenAIError
        self._model = model

    def rerank(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """See `Reranker.rerank`."""
        body = {"model": self._model, "query": question, "documents": list(texts), "top_n": len(texts)}
        try:
            reply = self._client.post("/rerank", body=body, cast_to=object)
        except self._failure as error:
            raise ModelUnavailable(
                f"the reranking endpoint failed: {first_line(error)}", "check OPENAI_BASE_URL"
            ) from error
        return _scores(reply, len(texts))

    def close(self) -> None:
        """Ends the connections to the endpoint."""
        self._client.close()


def _scores(reply: Any, count: int) -> list[float]:
    """The score of each text. Raises ModelUnavailable where the reply is not of the form."""
    try:
        found = {int(each["index"]): float(each["relevance_score"]) for each in reply["results"]}
        return [found[place] for place in range(count)]
    except (KeyError, TypeError, ValueError) as error:
        raise ModelUnavailable("the reranking endpoint did not score every text", "check the model's name") from error


class CrossEncoder:
    """A cross-encoder of the sentence-transformers library (Reimers & Gurevych 2019), by hub name or path."""

    def __init__(self, model: str) -> None:
        encoders = library("sentence-transformers")
        with loading(model):
            self._model = encoders.CrossEncoder(model)

    def rerank(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """See `Reranker.rerank`."""
        scores = self._model.predict([(question, text) for text in texts], show_progress_bar=False)
        return [float(score) for score in scores]
