"""Text to vectors: memcli's own encoder, and every other embedder behind the same seam."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from ..errors import ModelUnavailable, UsageError
from ..extensions import Extensible
from .encoder import Encoder
from .libraries import first_line, openai_client
from .minilm import MiniLM
from .vectors import Vectors, unit_rows

__all__ = [
    "DEFAULT",
    "EMBEDDERS",
    "FORMER_DEFAULTS",
    "SUCCESSORS",
    "Embedder",
    "OpenAI",
    "choices",
    "embedder",
    "embedder_id",
    "fake",
    "given",
    "how_to_use",
    "is_known",
    "is_of",
    "minilm",
    "multilingual",
    "name_of",
    "own",
    "usable",
]

DEFAULT = "memcli"
#: The ids of those that are not called by them.
_IDS = {DEFAULT: Encoder.id, "minilm": MiniLM.id, "multilingual": "multilingual-e5-small-q4"}
#: The embedders that were the default in earlier versions, by their ids: what they are called.
FORMER_DEFAULTS: Mapping[str, str] = {MiniLM.id: "minilm"}
#: Encoders whose weights memcli no longer has, by their ids, and the one in their place: trained further from the same
#: original, so that its questions find their passages, and what it embeds stands beside these (docs/encoder.md).
SUCCESSORS: Mapping[str, str] = {"memcli-encoder-1": Encoder.id}
#: What an embedder is called that no name makes: a program hands it over.
_GIVEN = "given"
#: How each embedder is made: a factory `(model: str, bulk: bool) -> Embedder`.
#:
#: `model` is what stands behind the colon of `name:model`, empty where nothing does; `bulk`: prepare for thousands of
#: texts. A factory raises UsageError for a model that makes no sense, and ModelUnavailable. The `id` of what it makes
#: is the name that it was asked for by, unless that says too little.
EMBEDDERS = Extensible(
    "memcli.embedders",
    {
        DEFAULT: "memcli.providers.embedding:own",
        "minilm": "memcli.providers.embedding:minilm",
        "multilingual": "memcli.providers.embedding:multilingual",
        "sentence-transformers": "memcli.providers.by_library:SentenceTransformers",
        "fastembed": "memcli.providers.by_library:FastEmbed",
        "model2vec": "memcli.providers.by_library:Model2Vec",
        "openai": "memcli.providers.embedding:OpenAI",
        "fake": "memcli.providers.embedding:fake",
        _GIVEN: "memcli.providers.embedding:given",
    },
)
#: Those of memcli's own that are named with a model, and those that are not for people to name.
_NAMED = ("sentence-transformers", "fastembed", "model2vec", "openai", _GIVEN)
_UNSAID = ("fake", _GIVEN)


class Embedder(Protocol):
    """What turns texts into vectors. `id` and `dimension` are stored with every store that it fills."""

    @property
    def id(self) -> str:
        """Names the model so exactly that equal ids mean equal vectors, but in stores of `SUCCESSORS`."""
        ...

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        ...

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """What is asked, in any wording, and what it mentions; like `embed_passages`."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """What is stored: float32 [n, dimension], rows of unit length, in the order of `texts`.

        Raises ModelUnavailable. Cosines mean something between a question and a passage, and between two passages.
        """
        ...


def embedder(name: str = DEFAULT, *, bulk: bool = False) -> Embedder:
    """The embedder called `memcli`, `minilm`, `multilingual`, `sentence-transformers:NAME-or-path`,
    `fastembed:NAME-or-path`, `model2vec:NAME-or-path`, `openai:NAME`, `fake`, or as a package's is.

    `bulk`: prepare for thousands of texts (a slower start, a faster run). Raises UsageError, ModelUnavailable.
    """
    kind, _, model = name.partition(":")
    if not is_known(name):
        raise UsageError(f"unknown embedder {name!r}", f"choose one of: {', '.join(choices())}")
    return usable(EMBEDDERS.make(kind, model, bulk))


def usable(model: Embedder) -> Embedder:
    """The embedder, as it is. Raises UsageError for one that does not tell questions from passages."""
    if not (hasattr(model, "embed_questions") and hasattr(model, "embed_passages")):
        raise UsageError(
            f"the embedder {model.id} has no embed_questions and embed_passages",
            "update its package; a program's own needs both in place of embed, which may be one function",
        )
    return model


def choices() -> list[str]:
    """What people may ask for, memcli's own first; NAME stands where the name of a model belongs."""
    return [f"{name}:NAME" if name in _NAMED else name for name in EMBEDDERS if name not in _UNSAID]


def is_known(name: str) -> bool:
    """Whether there is an embedder that could be called so. It is not loaded."""
    kind, _, model = name.partition(":")
    if kind in EMBEDDERS.built_in:
        return bool(model) == (kind in _NAMED)
    return kind in EMBEDDERS


def name_of(model: Embedder) -> str:
    """What a store that `model` fills is to call it: the name that makes it; if there is none, `given:ID`."""
    for name, id_ in _IDS.items():
        if id_ == model.id:
            return name
    return model.id if is_known(model.id) else f"{_GIVEN}:{model.id}"


def how_to_use(name: str) -> str:
    """What to do to have the embedder called `name` used, for people."""
    kind, _, id_ = name.partition(":")
    return f"Memory(path, embedder=…) with {id_}" if kind == _GIVEN else f"use --embedder {name}"


def is_of(stored_id: str, model: Embedder) -> bool:
    """Whether `model` reads and fills a store that the embedder of this id filled: it is that one, or in its place."""
    return model.id in (stored_id, SUCCESSORS.get(stored_id))


def embedder_id(name: str) -> str:
    """The id of the embedder called `name`, without loading it."""
    return _IDS.get(name, name)


def own(_: str, bulk: bool) -> Embedder:
    """The default, at once and offline."""
    return Encoder(bulk=bulk)


def minilm(_: str, bulk: bool) -> Embedder:
    """The default up to version 0.2, for the stores that it filled."""
    return MiniLM(bulk=bulk)


def multilingual(_: str, bulk: bool) -> Embedder:
    """A hundred languages in one space, where the extra `multilingual` is installed. Raises ModelUnavailable."""
    from .multilingual import Multilingual

    return Multilingual(bulk=bulk)


def given(id_: str, _: bool) -> Embedder:
    """What no name makes. Raises UsageError."""
    raise UsageError(
        f"this store was filled by the embedder {id_} of a program, which no name makes", how_to_use(f"{_GIVEN}:{id_}")
    )


def fake(_: str, __: bool) -> Embedder:
    """The stand-in for tests."""
    from .fakes import FakeEmbedder

    return FakeEmbedder()


class OpenAI:
    """Any OpenAI-compatible embeddings endpoint; OPENAI_BASE_URL and OPENAI_API_KEY say which and who."""

    _BATCH = 256

    def __init__(self, model: str, _: bool) -> None:
        from openai import OpenAIError

        self._client = openai_client("embeddings", retries=3)
        self._failure: type[Exception] = OpenAIError
        self._model = model
        self.id = f"openai:{model}"
        self.dimension = self._ask(["dimension"]).shape[1]

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_passages`."""
        starts = range(0, len(texts), self._BATCH)
        parts = [self._ask([t or " " for t in texts[i : i + self._BATCH]]) for i in starts]
        return unit_rows(np.concatenate(parts)) if parts else np.zeros((0, self.dimension), dtype=np.float32)

    embed_questions = embed_passages  # the protocol does not tell them apart

    def close(self) -> None:
        """Ends the connections to the endpoint."""
        self._client.close()

    def _ask(self, texts: list[str]) -> Vectors:
        try:
            reply = self._client.embeddings.create(model=self._model, input=texts, encoding_format="float")
        except self._failure as error:
            raise ModelUnavailable(
                f"the embeddings endpoint failed: {first_line(error)}", "check OPENAI_BASE_URL"
            ) from error
        rows = [item.embedding for item in sorted(reply.data, key=lambda item: item.index)]
        if len(rows) != len(texts):
            raise ModelUnavailable(f"the embeddings endpoint sent {len(rows)} vectors for {len(texts)} texts")
        return np.asarray(rows, dtype=np.float32)
