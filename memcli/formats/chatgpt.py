"""ChatGPT's data export: conversations, each a tree of messages of which one branch is shown.

A conversation is a session, named by its id; all of them are the conversation `ChatGPT`. Kept: what the person and
the assistant said to each other. Left out: hidden and system messages, what goes to tools and what comes back, the
assistant's thoughts, and the branches that an edit or a second try has left behind, unless all are asked for.
The person's custom instructions, repeated at the head of every conversation, are one message of a session of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Any, BinaryIO

from .base import Format, Message, Problem, Setting
from .branches import branch, everything
from .fields import mapping, name_in, sequence, string
from .json_walk import each_item
from .media import joined, mark
from .moments import moment

__all__ = ["ChatGpt"]

_MARK = re.compile(rb'"mapping"\s*:\s*\{')
_OPENING = re.compile(rb"\s*[\[{]")
#: Where an answer quotes its sources, the export has signs for private use, or brackets with a dagger.
_CITATION = re.compile("\ue200[^\ue201]{0,2000}\ue201|[\ue200-\ue2ff]|【[^】†]{0,200}†[^】†]{0,200}】")
_SPEAKERS = ("user", "assistant")
_NAME = "ChatGPT"


class ChatGpt:
    """conversations.json or its shards, alone or in the export's zip."""

    name = "chatgpt"
    description = "ChatGPT's data export: the zip, conversations.json or its shards"
    recognised = "conversations with a `mapping` of messages"
    export = "ChatGPT: Settings, Data controls, Export data; the zip comes by e-mail"

    def __init__(self, *, all_branches: bool = False) -> None:
        self._all_branches = all_branches

    def sniff(self, head: bytes) -> bool:
        """Whether there is a tree of messages."""
        return _OPENING.match(head) is not None and _MARK.search(head) is not None

    def within(self, setting: Setting) -> Format:
        """With the branches that are asked for."""
        return ChatGpt(all_branches=setting.all_branches)

    def read(self, stream: BinaryIO, source: str) -> Iterator[Message | Problem]:
        """The messages, a conversation at a time, from its root to the message that was shown last."""
        instructions: set[str] = set()
        for record in each_item(stream, source, self._conversation):
            if isinstance(record, Message) and record.session == _INSTRUCTIONS:
                if record.id is None or record.id in instructions:
                    continue
                instructions.add(record.id)
            yield record

    def _conversation(self, where: str, item: dict[str, Any]) -> Iterator[Message | Problem]:
        tree = item.get("mapping")
        if not isinstance(tree, dict):
            yield Problem(where, "no messages in it: it has no mapping")
            return
        chat = _Chat.of(item, where)
        parents = {key: _parent(node) for key, node in tree.items()}
        shown = everything(parents) if self._all_branches else branch(_leaf(item, tree), parents)
        for key in shown:
            yield from _message(key, mapping(tree[key], "message"), chat)


@dataclass(frozen=True, slots=True)
class _Chat:
    id: str
    title: str
    started_at: datetime | None

    @classmethod
    def of(cls, item: Mapping[str, Any], where: str) -> _Chat:
        title, begun = name_in(item, "title"), item.get("create_time")
        id_ = name_in(item, "conversation_id", "id") or (f"{begun} {title}" if begun or title else where)
        return cls(id_, title, moment(begun))


def _parent(node: object) -> str | None:
    return string(node, "parent") or None


def _leaf(item: Mapping[str, Any], tree: Mapping[str, Any]) -> str:
    """The message that was shown last; where the export does not say, the newest without an answer."""
    current = string(item, "current_node")
    if current in tree:
        return current
    leaves = [key for key, node in tree.items() if not sequence(node, "children")]
    return max(leaves, key=lambda key: _written(tree[key]), default="")


def _written(node: object) -> float:
    at = mapping(node, "message").get("create_time")
    return float(at) if isinstance(at, int | float) and abs(at) < 1e18 else 0.0


def _message(key: str, message: dict[str, Any], chat: _Chat) -> Iterator[Message]:
    content = mapping(message, "content")
    if content.get("content_type") == "user_editable_context":
        yield from _instructions(message, content, chat)
    elif text := _said(message, content) if _is_shown(message) else "":
        role = string(mapping(message, "author"), "role")
        yield Message(
            text=text,
            speaker=role,
            role=role,
            said_at=moment(message.get("create_time")),
            conversation=_NAME,
            session=chat.id,
            id=string(message, "id") or key,
            title=chat.title,
            session_started_at=chat.started_at,
        )


def _is_shown(message: Mapping[str, Any]) -> bool:
    return (
        string(mapping(message, "author"), "role") in _SPEAKERS
        and message.get("recipient") in (None, "", "all")
        and message.get("channel") != "analysis"
        and mapping(message, "metadata").get("is_visually_hidden_from_conversation") is not True
    )


def _said(message: Mapping[str, Any], content: Mapping[str, Any]) -> str:
    parts = [_part(part) for part in sequence(content, "parts")]
    if content.get("content_type") == "code":
        parts.append(string(content, "text"))
    return _CITATION.sub("", joined([*parts, *_files(message)])).strip()


def _part(part: object) -> str:
    if isinstance(part, str):
        return part
    kind = string(part, "content_type")
    if kind == "image_asset_pointer":
        return "[image]"
    if kind in ("audio_transcription", "text"):
        return string(part, "text")
    return ""  # a recording: its transcription is a part of its own


def _files(message: Mapping[str, Any]) -> Iterator[str]:
    for each in sequence(mapping(message, "metadata"), "attachments"):
        shown = mark(string(each, "name"), name_in(each, "mime_type", "mimeType"))
        if shown != "[image]":  # a picture is a part of the text
            yield shown


_INSTRUCTIONS = "custom instructions"


def _instructions(message: Mapping[str, Any], content: Mapping[str, Any], chat: _Chat) -> Iterator[Message]:
    given = mapping(mapping(message, "metadata"), "user_context_message_data")
    text = joined(
        (
            string(given, "about_user_message") or string(content, "user_profile"),
            string(given, "about_model_message") or string(content, "user_instructions"),
        )
    )
    if text:
        yield Message(
            text=text,
            speaker="user",
            role="user",
            said_at=chat.started_at,
            conversation=_NAME,
            session=_INSTRUCTIONS,
            # One and the same in whatever conversation it is met first: exports begin with the newest.
            id=blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest(),
            title="Custom instructions",
        )
