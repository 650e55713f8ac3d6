"""Language models that run in this process, by llama.cpp: nothing is sent, and what is asked stays on this machine."""

from __future__ import annotations

import json
import os
import secrets
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import ModelUnavailable
from .chances import chance, weights
from .libraries import first_line, library
from .metering import Budget, Meter, Tokens
from .replies import Reply, in_form, keep, prompt_tokens, restored
from .structured import ModelMessage, Schema

if TYPE_CHECKING:
    from .language import Calls, Watch

__all__ = ["CONTEXT", "Engine", "LocalModel", "Speed", "Timed", "engine", "speed", "threads"]

#: Tokens of a prompt and its reply together.
CONTEXT = 8192

#: More threads than these wait for memory, not for arithmetic.
_MOST_THREADS = 8
#: MiB for the states of earlier prompts, which a prompt that begins as they do goes on from.
_REMEMBERED = 256
#: Of a file, so much tells it from others, together with its size: names, shapes and the first weights.
_TELLING = 1 << 20
#: JSON on one line. A small model left to itself spends half of its tokens on line breaks.
_TIGHT = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}


class Timed(Protocol):
    """What writes, and says how fast it was."""

    def write(self, body: Mapping[str, Any], watch: Watch | None) -> tuple[Reply, Mapping[str, float]]:
        """The reply to a chat-completions request, and llama.cpp's timings. Raises ModelUnavailable."""
        ...


class LocalModel:
    """A language model of the GGUF file `weights`, which is loaded at the first reply that is not kept.

    `fixed` goes into every request.
    """

    endpoint = "this machine"

    def __init__(
        self, weights: Path, fixed: Mapping[str, Any], calls: Calls | None, budget: Budget, meter: Meter
    ) -> None:
        self.id = f"gguf:{weights.stem}"
        self.meter = meter
        self._weights, self._fixed = weights, fixed
        self._calls, self._budget = calls, budget
        self._print = _fingerprint(weights)
        self._one_at_a_time = threading.Lock()

    def __enter__(self) -> LocalModel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """What is loaded stays so, for whoever asks next in this process."""

    def complete(
        self,
        messages: Sequence[ModelMessage],
        schema: Schema,
        *,
        sample: int = 0,
        watch: Watch | None = None,
        most: int | None = None,
    ) -> Mapping[str, Any]:
        """See `LanguageModel.complete`. Only what is of the form can be written, so only a reply cut off is mended."""
        longest = min(self._fixed["max_tokens"], most or self._fixed["max_tokens"])
        fixed = {**self._fixed, "seed": sample, "max_tokens": longest}
        return in_form(lambda said: self._reply(said, schema, fixed, watch), messages, schema)

    def _reply(
        self, messages: Sequence[ModelMessage], schema: Schema, fixed: Mapping[str, Any], watch: Watch | None
    ) -> Reply:
        asked = {**fixed, "messages": [message.document() for message in messages]}
        form = json.dumps(schema.document(bounded=True))
        key = sha256(json.dumps([self._print, form, asked], sort_keys=True).encode()).hexdigest()
        with self._one_at_a_time:
            kept = restored(self._calls.get(key)) if self._calls else None
            if kept is not None:
                self.meter.count_cached()
                if watch is not None:
                    watch(kept.text)
                return kept
            return self._written({**asked, "form": form, "weighed": schema.weighed}, key, watch)

    def _written(self, asked: Mapping[str, Any], key: str, watch: Watch | None) -> Reply:
        most = Tokens(prompt_tokens(asked["messages"], asked["form"]), asked["max_tokens"])
        with self._budget.reserving(most) as reservation:
            reply, _ = engine(self._weights).write(asked, watch)
            tokens = Tokens(reply.prompt, reply.completion)
            reservation.settle(tokens)
        self.meter.count(tokens)
        keep(self._calls, key, self.id, asked, reply)
        return reply


def _fingerprint(weights: Path) -> str:
    with weights.open("rb") as file:
        return sha256(file.read(_TELLING) + str(weights.stat().st_size).encode()).hexdigest()


@lru_cache(maxsize=1)
def engine(weights: Path) -> Timed:
    """What runs this file: loaded once, and again only after another one. Raises ModelUnavailable."""
    return Engine(weights)


def threads() -> int:
    """How many threads a model is given: one for each processor that this process may use, within reason."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(_MOST_THREADS, usable))


class Engine:
    """llama.cpp's server without its network: asked by calls, one request at a time."""

    def __init__(self, weights: Path) -> None:
        self._library = library("xllamacpp", "local")
        # It cannot do without an address. Nobody finds a socket in a folder that is gone, nor knows the key.
        with TemporaryDirectory(prefix="memcli-") as folder:
            params = self._library.CommonParams()
            params.model.path = str(weights)
            params.hostnames = [str(Path(folder, "model.sock"))] if os.name == "posix" else ["127.0.0.1"]
            params.api_keys = [secrets.token_urlsafe(32)]
            params.endpoint_slots = params.endpoint_props = False
            params.n_ctx, params.n_parallel, params.n_threads_http = CONTEXT, 1, 1
            params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads()
            params.cache_ram_mib = _REMEMBERED
            params.verbosity = -1
            try:
                self._server = self._library.Server(params)
            except RuntimeError as error:
                raise ModelUnavailable(f"cannot load {weights.name}", "it is damaged, or of an unknown make") from error

    def write(self, body: Mapping[str, Any], watch: Watch | None) -> tuple[Reply, Mapping[str, float]]:
        """See `Timed.write`; `form` in the body is the JSON schema of the reply, `weighed` a property of it."""
        request = dict(body)
        form, weighed = {**json.loads(request.pop("form")), "x-guidance": _TIGHT}, request.pop("weighed", "")
        grammar = self._library.json_schema_to_grammar(form)
        heard = _Heard(watch, weighed)
        options: dict[str, Any] = {"stream": True, "stream_options": {"include_usage": True}, "cache_prompt": True}
        options |= {"logprobs": True} if weighed else {}
        try:
            self._server.handle_chat_completions({**request, "grammar": grammar, **options}, heard)
        except (RuntimeError, ValueError) as error:
            raise ModelUnavailable(f"the model failed: {first_line(error)}", "try another one") from error
        return heard.reply()


class _Heard:
    """What comes of a reply, chunk by chunk. Called by native code, through which no exception passes: it is raised
    again when the code has returned.
    """

    def __init__(self, watch: Watch | None, weighed: str) -> None:
        self._watch, self._weighed = watch, weighed
        self._weights: list[tuple[int, float]] = []
        self._text, self._finish = "", ""
        self._usage: Mapping[str, int] = {}
        self._timings: Mapping[str, float] = {}
        self._refused = ""
        self._raised: BaseException | None = None

    def __call__(self, chunk: Mapping[str, Any]) -> bool:
        """Takes a chunk; whether to stop."""
        try:
            self._take(chunk)
        except BaseException as error:  # also an interrupt
            self._raised = error
        return self._raised is not None

    def _take(self, chunk: Mapping[str, Any]) -> None:
        self._refused = chunk.get("error", {}).get("message", self._refused)
        self._usage, self._timings = chunk.get("usage", self._usage), chunk.get("timings", self._timings)
        for choice in chunk.get("choices", ()):
            self._finish = choice.get("finish_reason") or self._finish
            self._weights += weights((choice.get("logprobs") or {}).get("content"))
            if piece := choice.get("delta", {}).get("content"):
                self._text += piece
                if self._watch is not None:
                    self._watch(self._text)

    def reply(self) -> tuple[Reply, Mapping[str, float]]:
        """All of it, and how fast it was. Raises ModelUnavailable for a request that was refused."""
        if self._raised is not None:
            raise self._raised
        if self._refused:
            raise ModelUnavailable(f"the model took no such request: {self._refused}", "ask less at once")
        prompt, completion = self._usage.get("prompt_tokens", 0), self._usage.get("completion_tokens", 0)
        sure = chance(self._text, self._weights, self._weighed) if self._weighed else None
        return Reply(self._text, self._finish, prompt, completion, sure), self._timings


@dataclass(frozen=True, slots=True)
class Speed:
    """What a model needs: seconds until it is loaded, tokens a second of a prompt and of a reply, bytes at the most of
    this process (None where the system does not say).
    """

    loading: float
    reading: float
    writing: float
    memory: int | None


def speed(weights: Path) -> Speed:
    """How fast a model is on this machine, by one question about a made-up chat. Raises ModelUnavailable."""
    began = perf_counter()
    loaded = engine(weights)
    loading = perf_counter() - began
    form = Schema("names", {"names": {"type": "array", "items": {"type": "string"}}})
    said = "\n".join(f"Ada: on day {day} we met Bo, Cleo and Dan at the harbour, and had soup." for day in range(1, 11))
    asked = {
        "messages": [{"role": "user", "content": f"{said}\n\nWho was at the harbour, each day anew?"}],
        "form": json.dumps(form.document()),
        "max_tokens": 40,
        "temperature": 0.0,
    }
    _, timings = loaded.write(asked, None)
    return Speed(loading, timings.get("prompt_per_second", 0.0), timings.get("predicted_per_second", 0.0), _memory())


def _memory() -> int | None:
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
