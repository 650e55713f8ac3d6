"""What comes back from a model: a completion, whole, kept or mended, its tokens, and how long it asks to wait."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from ..errors import ModelUnavailable
from .chances import CHANCE, chance, weights
from .metering import Tokens
from .structured import MalformedReply, ModelMessage, Schema, read, repair
from .tokens import token_count

if TYPE_CHECKING:
    import openai

    from .language import Calls

__all__ = [
    "Reply",
    "asked_to_wait",
    "choices",
    "counted",
    "in_form",
    "keep",
    "no_completion",
    "prompt_tokens",
    "restored",
    "understood",
]

_PER_MESSAGE = 8  # tokens that a model may add around a message
_END, _OVER_AND_OVER = 40, 3  # characters at the end of a reply, and how often it has them if it goes round


@dataclass(frozen=True, slots=True)
class Reply:
    """What of a reply is kept; `chance`: how probably the model writes the value that its form weighs, if it tells."""

    text: str
    finish: str
    prompt: int
    completion: int
    chance: float | None = None

    @property
    def goes_round(self) -> bool:
        """Whether it was cut off while it said the same over and over: who is sent that back goes on with it."""
        return self.finish == "length" and self.text.count(self.text[-_END:]) >= _OVER_AND_OVER


def understood(found: Any, most: Tokens, weighed: str = "") -> Reply:
    """Of a completion what is kept; `weighed` is that property of its form."""
    first: Any = next(iter(choices(found)), None)
    if getattr(first, "message", None) is None:
        raise no_completion()
    reply = counted(first.message.content or "", first.finish_reason, getattr(found, "usage", None), most)
    told = getattr(getattr(first, "logprobs", None), "content", None)
    return replace(reply, chance=chance(reply.text, weights(told), weighed)) if weighed else reply


def choices(found: Any) -> Sequence[Any]:
    """The one choice that was asked for, or none: an endpoint may send anything."""
    return (getattr(found, "choices", None) or [])[:1]


def counted(text: object, finish: object, usage: object, most: Tokens) -> Reply:
    """A reply with its tokens; those that the endpoint does not report are counted here."""
    prompt = getattr(usage, "prompt_tokens", None)
    completion = getattr(usage, "completion_tokens", None)
    return Reply(
        str(text),
        str(finish),
        most.prompt if prompt is None else int(prompt),
        token_count(str(text)) if completion is None else int(completion),
    )


def no_completion() -> ModelUnavailable:
    """The error for a reply that is none."""
    return ModelUnavailable(
        "the endpoint's reply is no chat completion", "check OPENAI_BASE_URL; it mostly ends in /v1"
    )


def restored(response: str | None) -> Reply | None:
    """A kept reply; None for what is none, since a store can come from anywhere."""
    try:
        found = json.loads(response or "")
        reply = Reply(str(found["text"]), str(found["finish"]), int(found["prompt"]), int(found["completion"]))
        told = found.get("chance")
        reply = reply if told is None else replace(reply, chance=float(told))
        return reply if reply.chance is None or 0 <= reply.chance <= 1 else None
    except (ValueError, TypeError, KeyError):
        return None


def keep(calls: Calls | None, key: str, model: str, asked: Mapping[str, Any], reply: Reply) -> None:
    """Keeps what was asked of `model`, and its reply, where there is a place for it."""
    if calls is not None:
        calls.put(key, model, json.dumps(asked, ensure_ascii=False), json.dumps(asdict(reply)))


def in_form(
    ask: Callable[[Sequence[ModelMessage]], Reply], messages: Sequence[ModelMessage], schema: Schema
) -> Mapping[str, Any]:
    """The reply that `ask` gets, in its form; one that is not of it is sent back once, to be mended, unless it goes
    round.

    Raises ModelUnavailable, and what `ask` raises.
    """
    reply = ask(messages)
    try:
        return _read(reply, schema)
    except MalformedReply as problem:
        if reply.goes_round:
            raise _formless(reply, problem) from problem
        mended = ask([*messages, *repair(reply.text, problem, schema)])
    try:
        return _read(mended, schema)
    except MalformedReply as problem:
        raise _formless(mended, problem) from problem


def _formless(reply: Reply, problem: MalformedReply) -> ModelUnavailable:
    if reply.goes_round:
        hint = "it said the same over and over; try another model"
    else:
        hint = "raise max_tokens" if reply.finish == "length" else f"{problem}; try another model"
    return ModelUnavailable("the model did not answer in the form asked for", hint)


def _read(reply: Reply, schema: Schema) -> Mapping[str, Any]:
    found = read(reply.text, schema)
    return found if reply.chance is None or not schema.weighed else {**found, CHANCE: reply.chance}


def prompt_tokens(messages: Sequence[Mapping[str, str]], form: str) -> int:
    """The tokens of a prompt, rather too many: by count, or by bytes where the model's encoding may cut more finely."""
    texts = [form, *(message["content"] for message in messages)]
    tokens = sum(max(token_count(text), len(text.encode()) // 4 + 1) for text in texts)
    return tokens + _PER_MESSAGE * len(messages)


def asked_to_wait(error: openai.APIStatusError) -> float | None:
    """The seconds of Retry-After, which is a number or a date."""
    value = error.response.headers.get("retry-after", "")
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(
        0.0, (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - datetime.now(UTC).timestamp()
    )
