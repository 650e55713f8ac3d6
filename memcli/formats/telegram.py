"""Telegram Desktop's JSON: one chat, or all of them.

A chat is a conversation, which silences part into sessions. Kept: texts with what links stand for, where a message was
forwarded from, pictures, recordings and files as marks, polls. Left out: service messages (calls, joins, pins).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta, timezone
from pathlib import PurePath
from typing import Any, BinaryIO

from .base import Message, Problem, dated
from .fields import mapping, name_in, sequence, string
from .json_walk import Path, Want, walked
from .media import joined, mark
from .moments import moment

__all__ = ["Telegram"]

_OPENING = re.compile(rb"\s*\{")
_CHAT = re.compile(
    rb'"type"\s*:\s*"(?:personal_chat|bot_chat|saved_messages|replies|verification_codes|'
    rb'(?:private|public)_(?:supergroup|group|channel))"'
)
_MESSAGE = re.compile(rb'"(?:from_id|actor_id|date_unixtime)"\s*:\s*"')
_ACCOUNT = re.compile(
    rb'"(?:personal_information|chats|left_chats)"\s*:\s*\{\s*"(?:about|list|user_id|first_name)"\s*:'
)
_MARKS = {"sticker": "[sticker]", "animation": "[animation]", "voice_message": "[voice message]",
          "video_message": "[video message]", "video_file": "[video]"}  # fmt: skip


class Telegram:
    """result.json of one chat or of the whole account."""

    name = "telegram"
    description = "Telegram Desktop's JSON: result.json of a chat or of the account"
    recognised = "`type` of a chat with messages that have `from_id`, or the account's `chats`"
    export = "Telegram Desktop: a chat's menu, Export chat history, format JSON; or Settings, Advanced, Export"

    def sniff(self, head: bytes) -> bool:
        """Whether it is a chat, or an account with its chats."""
        if not _OPENING.match(head):
            return False
        chat = _CHAT.search(head) and (b'"messages"' in head or _MESSAGE.search(head))
        return bool(chat or _ACCOUNT.search(head))

    def read(self, stream: BinaryIO, source: str) -> Iterator[Message | Problem]:
        """The messages, chat by chat."""
        return walked(stream, source, _want, _Chats(source).take)


def _want(path: Path) -> Want:
    match path:
        case (_,) | (_, "chats" | "left_chats") | (_, "chats" | "left_chats", "list"):
            return Want.ENTER
        case (_, "chats" | "left_chats", "list", _) | (_, "messages"):
            return Want.ENTER
        case (_, "chats" | "left_chats", "list", _, "messages"):
            return Want.ENTER
        case (*_, "name" | "id" | "type") if len(path) in (2, 5):
            return Want.BUILD
        case (*_, "messages", _) if len(path) in (3, 6):
            return Want.BUILD
    return Want.SKIP


class _Chats:
    """Where the walk is: the chat's name, id and type stand before its messages."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._at: Path = ()
        self._chat: dict[str, str] = {}

    def take(self, path: Path, value: object) -> Iterator[Message | Problem]:
        match path:
            case (*chat, "name" | "id" | "type" as key) if len(path) in (2, 5):
                self._enter(tuple(chat))
                self._chat[str(key)] = name_in({"": value}, "")
            case (*chat, "messages", int(place)) if len(path) in (3, 6):
                self._enter(tuple(chat))
                yield from self._message(place, value)

    def _enter(self, chat: Path) -> None:
        if chat != self._at:
            self._at, self._chat = chat, {}

    def _message(self, place: int, value: object) -> Iterator[Message | Problem]:
        where = f"{self._source}: {self._name()}, message {place + 1}"
        if not isinstance(value, dict):
            yield Problem(where, "not an object")
            return
        text = _said(value)
        if value.get("type", "message") != "message" or not text:
            return
        said_at = _said_at(value)
        yield from dated(where, Message(
            text=text,
            speaker=name_in(value, "from", "from_id", "actor"),
            said_at=said_at,
            is_unreadably_dated=said_at is None,
            conversation=self._name(),
            # Two chats may bear one name; their messages are numbered from 1.
            id=f"{self._chat.get('id', '')}:{name_in(value, 'id')}" if name_in(value, "id") else None,
        ))  # fmt: skip

    def _name(self) -> str:
        if name := self._chat.get("name"):
            return name
        if self._chat.get("type") == "saved_messages":
            return "Saved Messages"
        id_ = self._chat.get("id")
        return f"chat {id_}" if id_ else PurePath(self._source).name


def _said_at(message: Mapping[str, Any]) -> datetime | None:
    """The time with the offset of the computer that exported: the export has the clock's time, and the instant."""
    local, instant = moment(message.get("date")), moment(message.get("date_unixtime"))
    if local is None or local.tzinfo is not None or instant is None:
        return local or instant
    offset = local.replace(tzinfo=UTC) - instant
    if abs(offset) > timedelta(hours=15) or offset % timedelta(minutes=15):
        return instant
    return instant.astimezone(timezone(offset) if offset else UTC)


def _said(message: Mapping[str, Any]) -> str:
    text = message.get("text") or message.get("text_entities")
    parts = text if isinstance(text, list) else [text]
    origin = name_in(message, "forwarded_from")
    said = "".join(_part(part) for part in parts)
    whole = joined([said, *_media(message)]).strip()
    return f"[forwarded from {origin}]\n{whole}" if origin and whole else whole


def _part(part: object) -> str:
    if isinstance(part, str):
        return part
    text, address = string(part, "text"), string(part, "href")
    return f"{text} ({address})" if address and address != text else text


def _media(message: Mapping[str, Any]) -> Iterator[str]:
    type_ = string(message, "media_type")
    if "photo" in message:
        yield "[image]"
    elif type_ in _MARKS:
        yield _MARKS[type_] + (f" {message['sticker_emoji']}" if string(message, "sticker_emoji") else "")
    elif "file" in message:
        name = string(message, "file_name") or PurePath(string(message, "file")).name
        yield mark("" if name.startswith("(") else name, string(message, "mime_type"))
    if poll := mapping(message, "poll"):
        answers = (string(answer, "text") for answer in sequence(poll, "answers"))
        yield joined([f"[poll] {string(poll, 'question')}", *(f"- {answer}" for answer in answers)])
    if "location_information" in message:
        yield f"[location] {string(message, 'place_name')}".strip()
    if contact := mapping(message, "contact_information"):
        yield f"[contact] {string(contact, 'first_name')} {string(contact, 'last_name')}".strip()
