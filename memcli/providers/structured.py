"""Replies in a form: how a form is asked for, how a reply is read that may be untidy, and how it is mended."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NoReturn

__all__ = [
    "Level",
    "MalformedReply",
    "ModelMessage",
    "Schema",
    "begun",
    "objects",
    "problems",
    "read",
    "repair",
    "request",
    "strings",
]

_LONGEST_QUOTE = 4000  # characters of a bad reply that are sent back with what is wrong with it
_MOST_STARTS = 64  # places where an object is looked for: a reply of brackets alone must not take forever

#: Models that think aloud do so before they answer, often in drafts of the answer.
_THINKING = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
#: What matters between the brackets of JSON: strings, one that never ends, brackets, commas before a closing bracket.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|"|[{}\[\]]|,(?=\s*(?:[}\]]|\Z))', re.DOTALL)
_THOUGHT = re.compile(r"\A\s*<think")
_BOUNDS = {"minItems", "maxItems"}
_CUTS = 6  # ways to cut what is being written: as it is, or before an escape of which up to five characters are there
_WHOLE = re.compile(r'(?:["}\],]|true|false|null)\s*\Z')  # a number might have had more digits

_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "array": list,
    "boolean": bool,
    "integer": int,
    "null": type(None),
    "number": (int, float),
    "object": dict,
    "string": str,
}


class MalformedReply(ValueError):
    """A reply that is not of the form asked for; its text says why, to a model and to people."""


class Level(StrEnum):
    """How much of the form an endpoint is made responsible for, the most first."""

    SCHEMA = "json_schema"
    OBJECT = "json_object"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True)
class ModelMessage:
    """One message to a model. `role` is system, user or assistant."""

    role: str
    content: str

    def document(self) -> dict[str, str]:
        """As the chat-completions protocol writes it; what is no Unicode text (half a surrogate pair) becomes "?"."""
        return {"role": self.role, "content": self.content.encode("utf-8", "replace").decode("utf-8")}


@dataclass(frozen=True, slots=True)
class Schema:
    """The form of a reply: one object with these properties (JSON schemas), all of them and no others.

    Of JSON schema `type`, `enum`, `properties`, `items`, `minItems`, `maxItems` and `description` are known; nested
    objects are closed too. `weighed`: the property of which a model that can say so tells how probably it writes that;
    the reply has it beside the others (`chances.CHANCE`).
    """

    name: str
    properties: Mapping[str, Any]
    weighed: str = ""

    def document(self, *, bounded: bool = False) -> dict[str, Any]:
        """The whole JSON schema.

        `bounded`: with how many items its lists have, of choices none twice over: a small model may not find the end of
        a list, or leave it empty. Not every endpoint takes that.
        """
        return _closed({"type": "object", "properties": self.properties}, bounded=bounded)


def strings(most: int) -> dict[str, Any]:
    """A property that is a list of at most so many texts."""
    return {"type": "array", "items": {"type": "string"}, "maxItems": most}


def objects(most: int, least: int = 0, **properties: Any) -> dict[str, Any]:
    """A property that is a list of so many objects with these properties."""
    items = {"type": "object", "properties": properties}
    return {"type": "array", "items": items, "minItems": least, "maxItems": most}


def _closed(schema: Mapping[str, Any], *, bounded: bool) -> dict[str, Any]:
    closed = {name: value for name, value in schema.items() if bounded or name not in _BOUNDS}
    if "properties" in schema:
        closed["properties"] = {name: _closed(part, bounded=bounded) for name, part in schema["properties"].items()}
        closed |= {"required": list(closed["properties"]), "additionalProperties": False}
    if "items" in schema:
        closed["items"] = _closed(schema["items"], bounded=bounded)
        if bounded and "enum" in schema["items"]:
            closed["maxItems"] = len(schema["items"]["enum"])
    return closed


def request(messages: Sequence[ModelMessage], schema: Schema, level: Level) -> dict[str, Any]:
    """The part of a chat-completions request that asks for the form: `messages` and, but for plain, `response_format`.

    Below json_schema the form is described at the end of the last message. `messages` is not empty.
    """
    if level is Level.SCHEMA:
        form = {"name": schema.name, "schema": schema.document(), "strict": True}
        return {
            "messages": [message.document() for message in messages],
            "response_format": {"type": "json_schema", "json_schema": form},
        }
    last = ModelMessage(messages[-1].role, f"{messages[-1].content}\n\n{_described(schema)}")
    described = {"messages": [message.document() for message in (*messages[:-1], last)]}
    return described if level is Level.PLAIN else {**described, "response_format": {"type": "json_object"}}


def _described(schema: Schema) -> str:
    form = json.dumps(schema.document(), ensure_ascii=False)
    return f"Answer with one JSON object and nothing else. It must match this JSON schema:\n{form}"


def repair(reply: str, problem: MalformedReply, schema: Schema) -> list[ModelMessage]:
    """The turn that follows a bad reply: the reply, what is wrong with it, and the form once more."""
    return [
        ModelMessage("assistant", reply[:_LONGEST_QUOTE] or "(nothing)"),
        ModelMessage("user", f"This reply cannot be used: {problem}.\n\n{_described(schema)}"),
    ]


def read(text: str, schema: Schema) -> dict[str, Any]:
    """The one object of the form `schema` in a reply. Raises Malformed.

    Forgiven are fences and prose around it, thinking before it, commas too many, and closing braces that are cut off
    where nothing else can have been lost. Two different answers are none: the second might be quoted from the prompt.
    """
    form = schema.document()
    found = list(_objects(_THINKING.sub("", text)))
    fitting = {json.dumps(value, sort_keys=True): value for value in found if not problems(value, form)}
    if len(fitting) == 1:
        return next(iter(fitting.values()))
    if fitting:
        raise MalformedReply("it holds more than one answer")
    if not found:
        raise MalformedReply("it holds no complete JSON object")
    raise MalformedReply("; ".join(problems(found[-1], form)[:5]))


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The outermost JSON objects of `text`, in order."""
    start = text.find("{")
    for _ in range(_MOST_STARTS):
        if start < 0:
            return
        piece, end = _piece(text, start)
        value = _loaded(piece)
        if value is not None:
            yield value
        start = text.find("{", end if value is not None else start + 1)


def _piece(text: str, start: int) -> tuple[str, int]:
    """What the brace at `start` opens, its stray commas dropped and its end completed, and where it ends."""
    parts: list[str] = []
    opened: list[str] = []
    copied = start
    for token in _TOKEN.finditer(text, start):
        mark = token.group()
        if mark in {"{", "["}:
            opened.append("}" if mark == "{" else "]")
        elif mark in {"}", "]"}:
            if opened.pop() != mark:
                return "", token.end()
            if not opened:
                return "".join(parts) + text[copied : token.end()], token.end()
        elif mark == ",":
            parts.append(text[copied : token.start()])
            copied = token.end()
        elif mark == '"':  # it never ends
            return "", len(text)
    # A list that is cut off may have lost members, and nobody could tell; an object lacks what it lost.
    if "]" in opened or not _WHOLE.search(text):
        return "", len(text)
    return "".join(parts) + text[copied:] + "".join(reversed(opened)), len(text)


def _loaded(piece: str) -> dict[str, Any] | None:
    try:
        value = json.loads(piece, strict=False, parse_constant=_refused)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _refused(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def begun(text: str) -> dict[str, Any] | None:
    """What can be told of a reply that is still being written: its object, with the last string as far as it is there.

    None where nothing can be told at this point.
    """
    text = _THINKING.sub("", text)
    start = text.find("{")
    if start < 0 or _THOUGHT.match(text):
        return None
    end, missing = _missing(text, start)
    for lost in range(_CUTS if missing.startswith('"') else 1):
        value = _loaded(text[start : end - lost] + missing)
        if value is not None:
            return value
    return None


def _missing(text: str, start: int) -> tuple[int, str]:
    """Where the object that begins at `start` ends so far, and what it lacks to be closed."""
    opened: list[str] = []
    for token in _TOKEN.finditer(text, start):
        mark = token.group()
        if mark in {"{", "["}:
            opened.append("}" if mark == "{" else "]")
        elif mark in {"}", "]"}:
            opened.pop()
            if not opened:
                return token.end(), ""
        elif mark == '"':  # it has not ended yet
            return len(text), '"' + "".join(reversed(opened))
    return len(text), "".join(reversed(opened))


def problems(value: Any, schema: Mapping[str, Any], place: str = "the reply") -> list[str]:
    """What keeps `value` from matching a JSON schema (of the keywords that `Schema` knows), one phrase each."""
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(_is(value, kind) for kind in kinds):
        return [f"{place} must be {' or '.join(kinds)}"]
    if "enum" in schema and not any(type(value) is type(one) and value == one for one in schema["enum"]):
        return [f"{place} must be one of {json.dumps(schema['enum'], ensure_ascii=False)}"]
    if isinstance(value, dict) and "properties" in schema:
        return _object_problems(value, schema, place)
    if isinstance(value, list) and "items" in schema:
        return [p for i, item in enumerate(value) for p in problems(item, schema["items"], f"{place}[{i}]")]
    return []


def _object_problems(value: Mapping[str, Any], schema: Mapping[str, Any], place: str) -> list[str]:
    known = schema["properties"]
    found = [f"{place} lacks {name!r}" for name in schema.get("required", []) if name not in value]
    if not schema.get("additionalProperties", True):
        found += [f"{place} has {name!r}, which was not asked for" for name in value if name not in known]
    for name in known.keys() & value.keys():
        found += problems(value[name], known[name], f"{name!r} of {place}")
    return sorted(found)


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):  # which Python takes for an integer, and JSON does not
        return kind == "boolean"
    return isinstance(value, _TYPES[kind])
