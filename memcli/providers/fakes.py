"""Stand-ins that ship with the package, so that tests of memcli, and of what is built on it, need no model."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelUnavailable
from ..text import content_stems
from .chances import CHANCE
from .metering import Meter, Tokens
from .structured import ModelMessage, Schema, problems
from .vectors import Vectors, unit_rows

if TYPE_CHECKING:
    from .language import Watch

__all__ = ["Completion", "FakeEmbedder", "FakeLanguageModel"]

_PIECE = 5  # characters that the language model writes at once


class FakeEmbedder:
    """Texts that share stems have similar vectors: the sum of a fixed random direction for each content stem."""

    id = "fake"
    dimension = 64

    def __init__(self) -> None:
        self.embedded: list[str] = []  # what was asked for, so that a test can see that nothing is embedded twice

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_questions`; as passages are."""
        return self.embed_passages(texts)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_passages`."""
        self.embedded.extend(texts)
        d = self.dimension
        rows = [sum((_direction(s, d) for s in content_stems(t)), _direction("", d) * 0.1) for t in texts]
        return unit_rows(np.array(rows, dtype=np.float32).reshape(len(texts), d))


@lru_cache(maxsize=4096)
def _direction(stem: str, dimension: int) -> Vectors:
    seed = int.from_bytes(blake2b(stem.encode(), digest_size=4).digest(), "little")
    return np.random.default_rng(seed).standard_normal(dimension).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Completion:
    """What a language model was asked once."""

    messages: tuple[ModelMessage, ...]
    schema: Schema
    sample: int
    most: int | None = None

    @property
    def text(self) -> str:
        """The contents of all messages."""
        return "\n".join(message.content for message in self.messages)


class FakeLanguageModel:
    """Replies by a script: a function of what is asked, or replies in the order in which they are given.

    `asked` records every request. A reply that is an error is raised.
    """

    id = "fake"
    endpoint = "this process"

    def __init__(
        self, script: Callable[[Completion], Mapping[str, Any]] | Iterable[Mapping[str, Any] | Exception]
    ) -> None:
        self.asked: list[Completion] = []
        self.meter = Meter()
        self._lock = threading.Lock()
        if callable(script):
            self._script = script
            return
        replies = iter(script)
        self._script = lambda _: _next(replies)

    def complete(
        self,
        messages: Sequence[ModelMessage],
        schema: Schema,
        *,
        sample: int = 0,
        watch: Watch | None = None,
        most: int | None = None,
    ) -> Mapping[str, Any]:
        """See `LanguageModel.complete`; it writes a few letters at a time, and as many as it likes.

        Raises ModelUnavailable at the end of the script, and for a wrong form."""
        completion = Completion(tuple(messages), schema, sample, most)
        with self._lock:
            self.asked.append(completion)
            reply = self._script(completion)
        form = {name: value for name, value in reply.items() if name != CHANCE or not schema.weighed}
        wrong = problems(form, schema.document())
        if wrong:
            raise ModelUnavailable("the model did not answer in the form asked for", "; ".join(wrong))
        self.meter.count(Tokens())
        if watch is not None:
            text = json.dumps(reply)
            for end in range(_PIECE, len(text) + _PIECE, _PIECE):
                watch(text[:end])
        return reply


def _next(replies: Iterable[Mapping[str, Any] | Exception]) -> Mapping[str, Any]:
    reply = next(iter(replies), None)
    if reply is None:
        raise ModelUnavailable("the script has no more replies")
    if isinstance(reply, Exception):
        raise reply
    return reply
