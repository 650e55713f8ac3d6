"""Facebook Messenger's and Instagram's JSON: a file holds up to 10,000 messages of a chat, the last one first.

The download of all data writes each byte of a text's UTF-8 as a character of its own; that of end-to-end encrypted
chats does not, and has other keys. Kept: texts, what was shared, pictures, recordings and files as marks. Left out:
reactions, and what was unsent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import Any, BinaryIO

from .base import Message, Problem, dated
from .fields import mapping, name_in, sequence, string
from .json_walk import Path, Want, walked
from .media import joined, mark
from .moments import moment
from .newest_first import in_order

__all__ = ["Messenger"]

_OPENING = re.compile(rb"\s*\{")
_OF_ALL = re.compile(rb'"sender_name"\s*:.{0,400}?"timestamp_ms"\s*:\s*\d', re.DOTALL)
_ENCRYPTED = re.compile(rb'"(?:isUnsent|senderName)"\s*:')
_MARKS = {"photos": "[image]", "gifs": "[image]", "videos": "[video]", "audio_files": "[audio]"}


class Messenger:
    """message_1.json and its like, or the zip of the download."""

    name = "messenger"
    description = "Facebook Messenger's and Instagram's JSON: message_1.json, or the download's zip"
    recognised = "`participants`, and messages with `sender_name` and `timestamp_ms` (or `senderName`)"
    export = (
        "Accounts Center, Your information, Download: Messages as JSON; Messenger: Privacy, Secure storage, Download"
    )

    def sniff(self, head: bytes) -> bool:
        """Whether it has participants, and a message of the one kind or the other."""
        opens = _OPENING.match(head) is not None and b'"participants"' in head
        return opens and bool(_OF_ALL.search(head) or _ENCRYPTED.search(head))

    def read(self, stream: BinaryIO, source: str) -> Iterator[Message | Problem]:
        """The messages in the order of time."""
        chat = _Chat(source)
        records = list(in_order(walked(stream, source, _want, chat.take)))
        return (replace(each, conversation=chat.name) if isinstance(each, Message) else each for each in records)


def _want(path: Path) -> Want:
    match path:
        case (_,) | (_, "messages"):
            return Want.ENTER
        case (_, "messages", _) | (_, "title" | "threadName" | "thread_path"):
            return Want.BUILD
    return Want.SKIP


class _Chat:
    """What is known of the chat: its name stands behind its messages."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._names: dict[str, str] = {}

    @property
    def name(self) -> str:
        """The title, else what the chat's folder is called."""
        path = PurePath(self._names.get("thread_path", "")).name
        return self._names.get("title") or self._names.get("threadName") or path or PurePath(self._source).stem

    def take(self, path: Path, value: object) -> Iterator[Message | Problem]:
        match path:
            case (_, "title" | "thread_path" as key):
                self._names[str(key)] = _mended(name_in({"": value}, ""))
            case (_, "threadName"):
                self._names["threadName"] = re.sub(r"_\d+$", "", name_in({"": value}, ""))
            case (_, "messages", int(place)):
                where = f"{self._source}: message {place + 1}"
                yield from _message(where, value) if isinstance(value, dict) else [Problem(where, "not an object")]


def _message(where: str, record: dict[str, Any]) -> Iterator[Message | Problem]:
    read = _encrypted if "senderName" in record or "isUnsent" in record else _of_all
    speaker, text, at = read(record)
    if not text or record.get("is_unsent") or record.get("isUnsent"):
        return
    said_at = moment(at)
    yield from dated(where, Message(text, speaker, said_at=said_at, is_unreadably_dated=said_at is None))


def _of_all(record: Mapping[str, Any]) -> tuple[str, str, object]:
    """Of the download of all data."""
    parts = [_mended(string(record, "content")), *_shared(record), *_media(record)]
    return _mended(name_in(record, "sender_name")), joined(parts), record.get("timestamp_ms")


def _encrypted(record: Mapping[str, Any]) -> tuple[str, str, object]:
    """Of the download of encrypted chats."""
    media = (_mark(each, "uri") for each in sequence(record, "media"))
    return name_in(record, "senderName"), joined([string(record, "text"), *media]), record.get("timestamp")


def _shared(record: Mapping[str, Any]) -> Iterator[str]:
    share = mapping(record, "share")
    yield _mended(string(share, "share_text"))
    if (link := string(share, "link")) and link not in string(record, "content"):
        yield link


def _media(record: Mapping[str, Any]) -> Iterator[str]:
    for key, shown in _MARKS.items():
        yield from (shown for _ in sequence(record, key))
    yield from (_mark(each, "uri") for each in sequence(record, "files"))
    if "sticker" in record:
        yield "[sticker]"


def _mark(record: object, key: str) -> str:
    return mark(PurePath(string(record, key)).name)


def _mended(text: str) -> str:
    """A text of which each byte was written as a character; any other as it is."""
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text
