"""memcli's own format: one message a line, a JSON object.

    {"text": "I moved to Lisbon last week.", "speaker": "Ana", "timestamp": "2024-03-02T19:20:00+01:00",
     "conversation": "ana-ben", "session": "12", "id": "7", "caption": "a yellow tram on a hill"}

Every field but the text is optional: `text` or `content`; `speaker`, `role` or both; `timestamp` as
`memcli.formats.moments` reads it (a `date` may have its `time` beside it); `session` and `conversation` by name;
`id`, unique within the session; `caption`, which becomes the last line of the text; `title`, of the session. Numbers
serve as names. What other programs call these is understood, too (`_ALSO`). A line is kept out only where its text
cannot be had; one with a timestamp that is not understood is kept without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

import orjson

from .base import Message, Problem, text_of
from .lines import LONGEST_LINE, objects
from .moments import moment

__all__ = ["LONGEST_LINE", "JsonLines"]

# An object that is cut off, with a text among its first plain values: nothing but this format begins so.
_CUT_OFF = re.compile(
    rb'\s*\{(?:\s*"[^"\\]{1,40}"\s*:\s*(?:"(?:[^"\\]|\\.)*+"|[-+.\w]+)\s*,)*+\s*"(?:text|content)"\s*:\s*(?:"|$)'
)

#: What else these are called, where a line does not call them so: the first that is there counts.
_ALSO = {
    "timestamp": (
        *("said_at", "created_at", "createdAt", "sent_at", "sentAt", "datetime", "date", "time", "ts"),
        *("at", "created", "timestamp_ms"),
    ),
    "speaker": ("sender", "author", "from", "user"),
    "conversation": ("thread", "channel", "chat"),
}


class JsonLines:
    """One message a line."""

    name = "jsonl"
    description = "memcli's own: one message a line, a JSON object with at least `text`"
    recognised = "a line that is a JSON object with `text` or `content`"
    export = "memcli export, or any program that writes lines of JSON"

    def sniff(self, head: bytes) -> bool:
        """Whether any line is an object that has a text on its top level."""
        lines = [line for line in head.split(b"\n") if line.lstrip().startswith(b"{")]
        return any(_has_text_key(line) for line in lines) or any(_CUT_OFF.match(line) for line in lines[-1:])

    def read(self, stream: BinaryIO, source: str) -> Iterator[Message | Problem]:
        """The messages, each as soon as its line is complete."""
        for record in objects(stream, source):
            if isinstance(record, Problem):
                yield record
            else:
                yield from _message(*record)


def _has_text_key(line: bytes) -> bool:
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        return False
    return isinstance(record, dict) and any(isinstance(record.get(key), str) for key in ("text", "content"))


def _message(where: str, record: dict[str, object]) -> Iterator[Message | Problem]:
    text = text_of(_first_text(record), record.get("caption"))
    if not text:
        yield Problem(where, "no text")
        return
    timestamp = _timestamp(record)
    said_at = moment(timestamp)
    unreadable = said_at is None and timestamp not in (None, "")
    yield Message(
        text=text,
        speaker=_name(record, "speaker"),
        role=_name(record, "role"),
        said_at=said_at,
        conversation=_name(record, "conversation"),
        session=_name(record, "session") or None,
        id=_name(record, "id") or None,
        title=_name(record, "title"),
        is_unreadably_dated=unreadable,
    )
    if unreadable:
        yield Problem(where, "timestamp not understood: the message is kept without a date", kept_out=False)


def _timestamp(record: dict[str, object]) -> object:
    """When it was said; a day and a time of day that stand apart are put together."""
    value = record.get(called := _called(record, "timestamp"))
    whole = f"{value} {record.get('time')}"
    return whole if called == "date" and moment(whole) else value


def _first_text(record: dict[str, object]) -> object:
    text = record.get("text")
    return text if isinstance(text, str) and text.strip() else record.get("content")


def _called(record: dict[str, object], key: str) -> str:
    """What a line calls the field."""
    return next((each for each in (key, *_ALSO.get(key, ())) if record.get(each) not in (None, "")), key)


def _name(record: dict[str, object], key: str) -> str:
    value = record.get(_called(record, key))
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""
