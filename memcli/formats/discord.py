"""DiscordChatExporter's JSON: one channel, thread or direct conversation.

A channel is a conversation, which silences part into sessions. Kept: texts, forwarded messages, pictures and files as
marks, what a bot's card says where there is no text. Left out: who joined, called, pinned or renamed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any, BinaryIO

from .base import Message, Problem
from .fields import mapping, name_in, sequence, string
from .json_walk import Path, Want, walked
from .media import joined, mark
from .moments import moment

__all__ = ["Discord"]

_OPENING = re.compile(rb"\s*\{")
_GUILD = re.compile(rb'"guild"\s*:\s*\{')
_CHANNEL = re.compile(rb'"channel"\s*:\s*\{')
_SAID = (None, "", "Default", "Reply", "ChatInputCommand", "ContextMenuCommand", "0", "19", "20", "23")


class Discord:
    """The JSON of one channel."""

    name = "discord"
    description = "Discord as DiscordChatExporter writes it: the JSON of a channel"
    recognised = "a `guild` and a `channel` before the messages"
    export = "DiscordChatExporter with --format Json"

    def sniff(self, head: bytes) -> bool:
        """Whether it begins with a server and a channel."""
        return _OPENING.match(head) is not None and bool(_GUILD.search(head) and _CHANNEL.search(head))

    def read(self, stream: BinaryIO, source: str) -> Iterator[Message | Problem]:
        """The messages in the order of the channel."""
        return walked(stream, source, _want, _Channel(source).take)


def _want(path: Path) -> Want:
    match path:
        case (_,) | (_, "messages"):
            return Want.ENTER
        case (_, "guild" | "channel") | (_, "messages", _):
            return Want.BUILD
    return Want.SKIP


class _Channel:
    def __init__(self, source: str) -> None:
        self._source = source
        self._guild: object = None
        self._channel: object = None

    def take(self, path: Path, value: object) -> Iterator[Message | Problem]:
        match path:
            case (_, "guild"):
                self._guild = value
            case (_, "channel"):
                self._channel = value
            case (_, "messages", int(place)):
                yield from self._message(f"{self._source}: message {place + 1}", value)

    def _message(self, where: str, value: object) -> Iterator[Message | Problem]:
        if not isinstance(value, dict):
            yield Problem(where, "not an object")
            return
        text = _said(value) if value.get("type") in _SAID else ""
        if not text:
            return
        said_at = moment(value.get("timestamp"))
        yield Message(
            text=text,
            speaker=name_in(mapping(value, "author"), "nickname", "name", "id"),
            said_at=said_at,
            is_unreadably_dated=said_at is None,
            conversation=self._name(),
            id=name_in(value, "id") or None,
        )
        if said_at is None:
            yield Problem(where, "timestamp not understood: the message is kept without a date", kept_out=False)

    def _name(self) -> str:
        """A server's channels by both names; a direct conversation by whom it is with."""
        guild, channel = name_in(self._guild, "name"), name_in(self._channel, "name", "id")
        direct = name_in(self._guild, "id") == "0" or string(self._channel, "type").startswith("Direct")
        names = [channel] if direct else [guild, channel]
        return " / ".join(name for name in names if name) or PurePath(self._source).name


def _said(message: Mapping[str, Any]) -> str:
    forwarded = mapping(message, "forwardedMessage")
    parts = [string(message, "content"), *_media(message)]
    if forwarded:
        parts += ["[forwarded]", string(forwarded, "content"), *_media(forwarded)]
    if not any(part.strip() for part in parts):
        parts = [_card(each) for each in sequence(message, "embeds")]
    return joined(parts).strip()


def _media(message: Mapping[str, Any]) -> Iterator[str]:
    for each in sequence(message, "attachments"):
        yield mark(string(each, "fileName"))
    for each in sequence(message, "stickers"):
        yield f"[sticker] {string(each, 'name')}".strip()


def _card(card: object) -> str:
    fields = (joined((string(each, "name"), string(each, "value"))) for each in sequence(card, "fields"))
    return joined((string(card, "title"), string(card, "description"), *fields))
