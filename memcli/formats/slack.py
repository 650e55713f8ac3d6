"""Slack's export: a folder a channel, in it a file a day, and lists of the users and channels beside them.

A channel is a conversation, which silences part into sessions; the replies to a message are a session of their own, so
that a thread that goes on for weeks is one. Kept: what people and bots wrote, the names of files. Left out: who joined,
left, pinned or renamed. Mentions, channels and links are written as Slack shows them.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, BinaryIO

import orjson

from .base import Format, Message, Problem, Setting
from .fields import mapping, name_in, sequence, string
from .json_walk import each_item
from .media import joined, mark
from .moments import moment

__all__ = ["Slack"]

_OPENING = re.compile(rb"\s*\[\s*\{")
_TS = re.compile(rb'"ts"\s*:\s*"\d{9,10}\.\d{6}"')
_TYPE = re.compile(rb'"type"\s*:\s*"message"')
_SAID = (None, "", "bot_message", "thread_broadcast", "me_message", "file_share", "file_comment", "reply_broadcast")
_BRACKETS = re.compile(r"<([^<>\n]{1,4000})>")
_TITLE = 80


class Slack:
    """The export's zip, its folder, or one day of a channel."""

    name = "slack"
    description = "Slack's workspace export: the zip, or the folder of channels"
    recognised = "lists of messages with a `ts` like 1700000060.000200"
    export = "Slack: Tools and settings, Workspace settings, Import/export data, Export"

    def __init__(self, setting: Setting | None = None) -> None:
        self._setting = setting or Setting()

    def sniff(self, head: bytes) -> bool:
        """Whether there are messages with Slack's time stamps."""
        return _OPENING.match(head) is not None and bool(_TS.search(head) and _TYPE.search(head))

    def within(self, setting: Setting) -> Format:
        """With the channel that the folder is named after, and the lists beside it."""
        return Slack(setting)

    def read(self, stream: BinaryIO, source: str) -> Iterator[Message | Problem]:
        """The messages of one day in a channel."""
        day = _Day(self._setting)
        return each_item(stream, source, day.take)


class _Day:
    def __init__(self, setting: Setting) -> None:
        self._names = _names(setting.beside("../users.json") or b"")
        folder = setting.place.parent.name
        rooms = _rooms(setting.beside("../dms.json") or b"")
        self._channel = ", ".join(self._names.get(each, each) for each in rooms.get(folder, ())) or folder or "Slack"
        self._begun: dict[str, str] = {}

    def take(self, where: str, record: dict[str, Any]) -> Iterator[Message | Problem]:
        if record.get("type", "message") != "message" or record.get("subtype") not in _SAID:
            return
        at, thread = string(record, "ts"), string(record, "thread_ts")
        text = self._said(record)
        if thread in ("", at):
            self._begun[at] = text
        if not text:
            return
        reply = thread not in ("", at)
        yield Message(
            text=text,
            speaker=self._speaker(record),
            said_at=moment(at),
            conversation=self._channel,
            session=f"thread {thread}" if reply else None,
            id=at or name_in(record, "client_msg_id") or None,
            title=_short(self._begun.get(thread, "")) if reply else "",
        )
        if moment(at) is None:
            yield Problem(where, "ts not understood: the message is kept without a date", kept_out=False)

    def _speaker(self, record: Mapping[str, Any]) -> str:
        user = string(record, "user")
        profile = mapping(record, "user_profile")
        return (
            self._names.get(user)
            or name_in(profile, "real_name", "display_name", "name")
            or name_in(record, "username")
            or name_in(mapping(record, "bot_profile"), "name")
            or user
            or name_in(record, "bot_id")
        )

    def _said(self, record: Mapping[str, Any]) -> str:
        text = self._shown(string(record, "text"))
        if not text.strip():
            text = joined(self._attached(each) for each in sequence(record, "attachments"))
        files = (mark(name_in(each, "name", "title"), string(each, "mimetype")) for each in sequence(record, "files"))
        return joined([text, *files]).strip()

    def _attached(self, attached: object) -> str:
        parts = [string(attached, key) for key in ("pretext", "title", "text")]
        return self._shown(joined(parts) or string(attached, "fallback"))

    def _shown(self, text: str) -> str:
        return html.unescape(_BRACKETS.sub(lambda found: self._bracket(found[1]), text))

    def _bracket(self, inner: str) -> str:
        target, _, label = inner.partition("|")
        kind, rest = target[:1], target[1:]
        if kind == "@":
            return f"@{self._names.get(rest) or label or rest}"
        if kind == "#":
            return f"#{label or rest}"
        if kind == "!":
            return label if rest.startswith("date^") else label or f"@{rest.partition('^')[0]}"
        address = target.removeprefix("mailto:")
        return f"{label} ({address})" if label and label not in (address, target) else address


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TITLE else f"{line[:_TITLE].rstrip()}…"


@lru_cache(maxsize=4)
def _names(users: bytes) -> Mapping[str, str]:
    """Each user's name by id. An export has a file a day: the list is read once for all of them."""
    found = {}
    for user in _listed(users):
        profile = mapping(user, "profile")
        name = name_in(profile, "real_name") or name_in(user, "real_name")
        found[string(user, "id")] = name or name_in(profile, "display_name") or name_in(user, "name")
    return found


@lru_cache(maxsize=4)
def _rooms(rooms: bytes) -> Mapping[str, tuple[str, ...]]:
    """Who talks to whom, by the id that a direct conversation's folder is named after."""
    members = {string(room, "id"): sequence(room, "members") for room in _listed(rooms)}
    return {id_: tuple(each for each in who if isinstance(each, str)) for id_, who in members.items()}


def _listed(data: bytes) -> list[Any]:
    try:
        found = orjson.loads(data) if data else []
    except orjson.JSONDecodeError:
        return []
    return found if isinstance(found, list) else []
