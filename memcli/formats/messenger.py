"""Facebook Messenger's and Instagram's JSON: a file holds up to 10,000 messages of a chat, the last one first.

The download of all data writes each byte of a text's UTF-8 as a character of its own; that of end-to-end encrypted
chats does not, and has other keys. Kept: texts, what was shared, pictures, recordings and files as marks. Left out:
reactions, calls, who came and went, what was unsent, and whatever else the app itself writes as if a person had.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import Any, BinaryIO, NamedTuple

from .base import Message, Problem, dated
from .fields import mapping, name_in, sequence, string
from .json_walk import Path, Want, walked
from .media import joined, mark
from .messenger_words import is_of_app
from .moments import moment
from .newest_first import in_order

__all__ = ["Messenger"]

_OPENING = re.compile(rb"\s*\{")
_OF_ALL = re.compile(rb'"sender_name"\s*:.{0,400}?"timestamp_ms"\s*:\s*\d', re.DOTALL)
_ENCRYPTED = re.compile(rb'"(?:isUnsent|senderName)"\s*:')
_MARKS = {"photos": "[image]", "gifs": "[image]", "videos": "[video]", "audio_files": "[audio]"}
#: What is no message, in older exports; newer ones have no types, but still what only these have.
_EVENTS = frozenset({"Call", "Subscribe", "Unsubscribe"})


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
        case (_, "messages", _) | (_, "participants" | "title" | "threadName" | "thread_path"):
            return Want.BUILD
    return Want.SKIP


class _Chat:
    """What is known of the chat: who is in it stands before its messages, its name behind them."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._names: dict[str, str] = {}
        self._people: tuple[str, ...] = ()

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
            case (_, "participants"):
                self._people = tuple(map(_person, value)) if isinstance(value, list) else ()
            case (_, "messages", int(place)):
                where = f"{self._source}: message {place + 1}"
                yield from self._message(where, value) if isinstance(value, dict) else [Problem(where, "not an object")]

    def _message(self, where: str, record: dict[str, Any]) -> Iterator[Message | Problem]:
        read = _encrypted if "senderName" in record or "isUnsent" in record else _of_all
        said = read(record)
        written = "" if is_of_app(said.text, said.speaker, self._people) else said.text
        text = joined([written, *said.beside])
        if not text or _is_none(record):
            return
        at = moment(said.at)
        yield from dated(where, Message(text, said.speaker, said_at=at, is_unreadably_dated=at is None))


class _Said(NamedTuple):
    """A message as it is written, and what was sent beside its text."""

    speaker: str
    text: str
    beside: list[str]
    at: object


def _of_all(record: Mapping[str, Any]) -> _Said:
    """Of the download of all data."""
    speaker, text = _mended(name_in(record, "sender_name")), _mended(string(record, "content"))
    return _Said(speaker, text, [*_shared(record), *_media(record)], record.get("timestamp_ms"))


def _encrypted(record: Mapping[str, Any]) -> _Said:
    """Of the download of encrypted chats."""
    media = [_mark(each, "uri") for each in sequence(record, "media")]
    return _Said(name_in(record, "senderName"), string(record, "text"), media, record.get("timestamp"))


def _person(participant: object) -> str:
    """Whose name it is: an object of the one download, a text of the other."""
    return participant if isinstance(participant, str) else _mended(name_in(participant, "name"))


def _is_none(record: Mapping[str, Any]) -> bool:
    """Whether it was unsent, or tells of a call or of who came and went."""
    is_unsent = bool(record.get("is_unsent") or record.get("isUnsent"))
    is_event = string(record, "type") in _EVENTS or "call_duration" in record or bool(sequence(record, "users"))
    return is_unsent or is_event


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
