"""Messages to an object of a given form: the seam to language models, and the client of endpoints behind it."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import PurePath
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from ..errors import ModelUnavailable, UsageError
from .metering import Budget, Meter, Reservation, Tokens
from .replies import (
    Reply,
    asked_to_wait,
    choices,
    counted,
    in_form,
    keep,
    no_completion,
    prompt_tokens,
    restored,
    understood,
)
from .structured import Level, ModelMessage, Schema, request

if TYPE_CHECKING:
    import openai

    from .local import LocalModel

__all__ = [
    "SERVERS",
    "Calls",
    "ChatModel",
    "LanguageModel",
    "ModelMessage",
    "Schema",
    "Watch",
    "language_model",
    "short_name",
]

#: Servers of models on this machine, and where each listens unless it is told otherwise.
SERVERS: Mapping[str, str] = {"lmstudio": "http://127.0.0.1:1234/v1", "ollama": "http://127.0.0.1:11434/v1"}
_KINDS = ("gguf", "openai", *SERVERS)
#: Seconds that a server on this machine may take for what an endpoint does in one minute.
_UNHURRIED = 600.0

#: Hears a reply as it is written: all of it so far, each time. One that begins anew is another reply.
Watch = Callable[[str], object]

_MOST_PAUSE = 30.0  # seconds that a pause between two attempts grows to
_MOST_PATIENCE = 120.0  # seconds that an endpoint may ask to wait
_STRIPES = 256
_HINTS = {name: f"is {name} running, and has it the model? memcli models lists what it offers" for name in SERVERS}
#: Failures of the transport before anything was sent: these certainly cost nothing.
_NEVER_SENT = {"ConnectError", "ConnectTimeout", "PoolTimeout", "UnsupportedProtocol"}


class LanguageModel(Protocol):
    """What answers messages in a given form. Safe to share between threads."""

    @property
    def id(self) -> str:
        """Names the model, for reports."""
        ...

    @property
    def endpoint(self) -> str:
        """Where what is asked goes, for people."""
        ...

    @property
    def meter(self) -> Meter:
        """Counts what the calls cost."""
        ...

    def complete(
        self,
        messages: Sequence[ModelMessage],
        schema: Schema,
        *,
        sample: int = 0,
        watch: Watch | None = None,
        most: int | None = None,
    ) -> Mapping[str, Any]:
        """The reply, which matches `schema`. `sample` numbers independent draws of one request.

        `watch` hears the reply's text as it is written; one that was kept, once. `most`: tokens that a sensible reply
        stays under, where that is fewer than the model's own bound. Raises ModelUnavailable; BudgetSpent where the call
        could pass the budget.
        """
        ...


class Calls(Protocol):
    """Where paid replies are kept. Safe to share between threads."""

    def get(self, key: str) -> str | None:
        """The response kept under `key`."""
        ...

    def put(self, key: str, model: str, request: str, response: str) -> None:
        """Keeps a response under `key`, and what was sent for it."""
        ...


def language_model(
    name: str,
    *,
    calls: Calls | None = None,
    budget: Budget | None = None,
    meter: Meter | None = None,
    timeout: float = 60.0,
    retries: int = 4,
    concurrency: int = 4,
    max_tokens: int = 1024,
    temperature: float | None = 0.0,
    backoff: float = 0.5,
) -> ChatModel | LocalModel:
    """The model `name` (or `openai:NAME`) of the endpoint that OPENAI_BASE_URL and OPENAI_API_KEY say; `ollama:NAME`
    or `lmstudio:NAME` of the server on this machine; `gguf:NAME-or-path`, which runs in this process.

    `timeout` and `backoff`, the first pause between attempts, are in seconds; `concurrency` is the number of requests
    under way at once; `temperature` None: the endpoint's own. Raises UsageError, ModelUnavailable.
    """
    kind, model = _parts(name)
    if not model or retries < 0 or concurrency < 1 or max_tokens < 1:
        raise UsageError(f"cannot use the language model {name!r} so", "give a name, and limits of at least one")
    fixed: dict[str, Any] = {"model": model, "max_tokens": max_tokens}
    if temperature is not None:
        fixed["temperature"] = temperature
    budget = budget or Budget()
    meter = meter or Meter(budget.prices)
    if kind == "gguf":
        from .local import LocalModel
        from .weights import weights

        fixed.pop("model")
        return LocalModel(weights(model), fixed, calls, budget, meter)
    manner = _Manner(kind, max(timeout, _UNHURRIED) if kind in SERVERS else timeout, retries, concurrency, backoff)
    return ChatModel(fixed, manner, calls, budget, meter)


def short_name(name: str) -> str:
    """A model's name with its kind, `openai:NAME` where none is said; of a file its name, not where it lies."""
    kind, model = _parts(name)
    return f"{kind}:{PurePath(model).name.removesuffix('.gguf')}" if kind == "gguf" else f"{kind}:{model}"


def _parts(name: str) -> tuple[str, str]:
    kind, _, model = name.partition(":")
    return (kind, model) if kind in _KINDS else ("openai", name)


@dataclass(frozen=True, slots=True)
class _Manner:
    """How an endpoint is approached. `kind`: openai, or one of `SERVERS`."""

    kind: str
    timeout: float
    retries: int
    concurrency: int
    backoff: float


@dataclass(frozen=True, slots=True)
class _Draw:
    """What is asked for beside the messages: the form, which of several draws, and how long it may be."""

    schema: Schema
    sample: int
    most: int | None


@dataclass(frozen=True, slots=True)
class _Request:
    """One call as it is sent, the key of its reply, and what it can cost."""

    level: Level
    body: Mapping[str, Any]
    key: str
    most: Tokens
    weighed: str


class ChatModel:
    """A model behind an OpenAI-compatible chat-completions endpoint; `close` it, or use it in a `with` block."""

    def __init__(
        self, fixed: Mapping[str, Any], manner: _Manner, calls: Calls | None, budget: Budget, meter: Meter
    ) -> None:
        self._openai, self._client = _client(manner)
        self._fixed, self._manner = fixed, manner
        self._calls, self._budget = calls, budget
        self.meter = meter
        self.id = f"{manner.kind}:{fixed['model']}"
        self.endpoint = str(self._client.base_url.copy_with(userinfo=b"")).rstrip("/")
        self._level = Level.SCHEMA
        self._streams = self._weighs = True  # until the endpoint refuses to
        self._slots = threading.BoundedSemaphore(manner.concurrency)
        # Threads that ask the same at once wait for one reply; 256 locks make it rare that others wait with them.
        self._stripes = [threading.Lock() for _ in range(_STRIPES)]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connections to the endpoint."""
        self._client.close()

    def complete(
        self,
        messages: Sequence[ModelMessage],
        schema: Schema,
        *,
        sample: int = 0,
        watch: Watch | None = None,
        most: int | None = None,
    ) -> Mapping[str, Any]:
        """See `LanguageModel.complete`. A reply that is not of the form is sent back once, to be mended."""
        draw = _Draw(schema, sample, most)
        return in_form(lambda said: self._reply(said, draw, watch), messages, schema)

    def _reply(self, messages: Sequence[ModelMessage], draw: _Draw, watch: Watch | None) -> Reply:
        requests = {level: self._request(messages, draw, level) for level in Level}
        with self._stripes[int(requests[Level.SCHEMA].key[:8], 16) % _STRIPES]:
            kept = self._kept(requests)
            if kept is None:
                return self._bought(requests, watch)
        if watch is not None:
            watch(kept.text)
        return kept

    def _request(self, messages: Sequence[ModelMessage], draw: _Draw, level: Level) -> _Request:
        schema = draw.schema
        body = {**self._fixed, "seed": draw.sample, **request(messages, schema, level)}
        body["max_tokens"] = min(body["max_tokens"], draw.most or body["max_tokens"])
        # The form is part of the key at every level, also where only its description in the messages is sent.
        sent = {"endpoint": str(self._client.base_url), "schema": [schema.name, schema.document()], "level": level}
        key = sha256(json.dumps({**sent, **body}, sort_keys=True).encode()).hexdigest()
        form = json.dumps(body.get("response_format", ""))
        most = Tokens(prompt_tokens(body["messages"], form), body["max_tokens"])
        return _Request(level, body, key, most, schema.weighed)

    def _kept(self, requests: Mapping[Level, _Request]) -> Reply | None:
        """The reply that was paid for before, at whichever level; the one that works now is looked at first."""
        if self._calls is None:
            return None
        for level in sorted(requests, key=lambda level: level is not self._level):
            found = restored(self._calls.get(requests[level].key))
            if found is not None:
                self.meter.count_cached()
                return found
        return None

    def _bought(self, requests: Mapping[Level, _Request], watch: Watch | None) -> Reply:
        """The reply at the first level that the endpoint takes, from the one that worked last."""
        levels = list(Level)
        for level in levels[levels.index(self._level) :]:
            try:
                reply = self._sent(requests[level], watch)
            except self._openai.APIStatusError as error:
                if level is Level.PLAIN:
                    raise self._refused(error) from error
                continue
            self._level = level
            return reply
        raise AssertionError("the last level has returned or raised")

    def _sent(self, sent: _Request, watch: Watch | None) -> Reply:
        """The reply after as many attempts as it takes. Raises the library's error for a bad request alone."""
        attempt = 0
        while True:
            try:
                return self._attempt(sent, watch)
            except self._openai.APIError as error:
                if self._is_of_the_form(error):
                    raise
                if attempt >= self._attempts_after(error) or not self._passing(error):
                    raise self._refused(error) from error
                pause = self._pause(error, attempt)
            time.sleep(pause)
            attempt += 1

    def _attempt(self, sent: _Request, watch: Watch | None) -> Reply:
        with self._budget.reserving(sent.most) as reservation, self._slots:
            try:
                reply = self._written(sent, watch)
            except self._openai.APIConnectionError as error:
                if type(error.__cause__).__name__ not in _NEVER_SENT:
                    reservation.settle(sent.most)  # it may have been answered, and will be on the bill
                raise
            except ValueError as error:
                raise no_completion() from error
            self._received(reply, sent, reservation)
            return reply

    def _written(self, sent: _Request, watch: Watch | None) -> Reply:
        """The endpoint's reply: piece by piece where somebody watches and the endpoint can, else in one."""
        create = self._client.chat.completions.create
        if watch is not None and self._streams:
            try:
                with create(**sent.body, stream=True, stream_options={"include_usage": True}) as chunks:
                    return self._gathered(chunks, sent.most, watch)
            except (self._openai.BadRequestError, self._openai.UnprocessableEntityError):
                pass  # it knows no streams, or not this form: in one, the latter is refused again
        reply = understood(self._completed(sent), sent.most, sent.weighed)
        if watch is not None:
            self._streams = False
            watch(reply.text)
        return reply

    def _completed(self, sent: _Request) -> Any:
        """The endpoint's completion, with how probable its tokens are where that is wanted and it can tell."""
        create = self._client.chat.completions.create
        if not (sent.weighed and self._weighs):
            return create(**sent.body)
        try:
            return create(**sent.body, logprobs=True)
        except self._openai.APIStatusError as error:
            if not self._is_of_the_form(error):
                raise
            found = create(**sent.body)  # a form that it does not take is refused once more
            self._weighs = False
            return found

    def _gathered(self, chunks: Any, most: Tokens, watch: Watch) -> Reply:
        text, finish, usage = "", None, None
        for chunk in chunks:
            usage = getattr(chunk, "usage", None) or usage
            for choice in choices(chunk):
                finish = choice.finish_reason or finish
                piece = getattr(choice.delta, "content", None)
                if piece:
                    text += piece
                    watch(text)
        if finish is None:
            raise self._openai.APIConnectionError(message="the reply was cut off", request=chunks.response.request)
        return counted(text, finish, usage, most)

    def _received(self, reply: Reply, sent: _Request, reservation: Reservation) -> None:
        tokens = Tokens(reply.prompt, reply.completion)
        reservation.settle(tokens)
        self.meter.count(tokens)
        keep(self._calls, sent.key, self.id, sent.body, reply)

    def _attempts_after(self, error: openai.APIError) -> int:
        """How often to try again: what took too long once is likely to again, and every attempt may be on the bill."""
        return min(1, self._manner.retries) if isinstance(error, self._openai.APITimeoutError) else self._manner.retries

    def _is_of_the_form(self, error: openai.APIError) -> bool:
        """Whether the request is refused as it stands; some servers call an unknown form their own error."""
        if isinstance(error, (self._openai.BadRequestError, self._openai.UnprocessableEntityError)):
            return True
        said = str(error)
        return isinstance(error, self._openai.APIStatusError) and ("response_format" in said or "logprobs" in said)

    def _passing(self, error: openai.APIError) -> bool:
        """Whether trying again may help."""
        if isinstance(error, self._openai.APIStatusError):
            busy = error.status_code == 429 and error.code != "insufficient_quota"
            return (busy or error.status_code >= 500) and (asked_to_wait(error) or 0.0) <= _MOST_PATIENCE
        return isinstance(error, self._openai.APIConnectionError)

    def _pause(self, error: openai.APIError, attempt: int) -> float:
        """Seconds until the next attempt. The jitter parts threads that were refused together."""
        grown = min(_MOST_PAUSE, self._manner.backoff * 2.0**attempt) * random.uniform(0.5, 1.5)  # noqa: S311
        asked = asked_to_wait(error) if isinstance(error, self._openai.APIStatusError) else None
        return grown if asked is None else asked + grown * 0.1

    def _refused(self, error: openai.APIError) -> ModelUnavailable:
        hint = _HINTS.get(self._manner.kind, "check OPENAI_BASE_URL, OPENAI_API_KEY and the model's name")
        if self._passing(error) and self._manner.kind not in SERVERS:
            hint = "try again later; what was paid for is kept" if self._calls else "try again later"
        # An endpoint may quote the key that it was sent.
        said = str(error).replace(self._client.api_key, "***") if self._client.api_key else str(error)
        return ModelUnavailable(f"{self.id} failed: {' '.join(said.split())[:200] or type(error).__name__}", hint)


def _client(manner: _Manner) -> tuple[Any, openai.OpenAI]:
    import openai

    # A key is the endpoint's that it was made for, and no other's.
    server, key = SERVERS.get(manner.kind), manner.kind if manner.kind in SERVERS else None
    try:
        return openai, openai.OpenAI(timeout=manner.timeout, max_retries=0, base_url=server, api_key=key)
    except openai.OpenAIError as error:
        raise ModelUnavailable("no key for the language model", "set OPENAI_API_KEY") from error
