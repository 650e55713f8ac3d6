"""Claude.ai's data export: conversations with their messages in order.

A conversation is a session, named by its id; all of them are the conversation `Claude`. Kept: what the person and
Claude said, the names of files and the beginning of pasted texts. Left out: thoughts, tool calls and their results,
and, where the export has them, the branches that an edit has left behind, unless all are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from .base import Format, Message, Problem, Setting
from .branches import branch
from .fields import name_in, sequence, string
from .json_walk import each_item
from .media import joined, mark
from .moments import moment

__all__ = ["LONGEST_PASTED", "ClaudeAi"]

#: Characters of a pasted text or a file's content that are kept: a message, not a book.
LONGEST_PASTED = 4000

_MARK = re.compile(rb'"chat_messages"\s*:')
_OPENING = re.compile(rb"\s*[\[{]")
_ROLES = {"human": "user", "user": "user", "assistant": "assistant"}
#: The parent of a first message.
_NOBODY = "00000000-0000-4000-8000-000000000000"


class ClaudeAi:
    """conversations.json, alone or in the export's zip."""

    name = "claude-ai"
    description = "Claude.ai's data export: the zip or conversations.json"
    recognised = "conversations with `chat_messages`"
    export = "Claude.ai: Settings, Privacy, Export data; the zip comes by e-mail"

    def __init__(self, *, all_branches: bool = False) -> None:
        self._all_branches = all_branches

    def sniff(self, head: bytes) -> bool:
        """Whether there are messages under their key."""
        return _OPENING.match(head) is not None and _MARK.search(head) is not None

    def within(self, setting: Setting) -> Format:
        """With the branches that are asked for."""
        return ClaudeAi(all_branches=setting.all_branches)

    def read(self, stream: BinaryIO, source: str) -> Iterator[Message | Problem]:
        """The messages, a conversation at a time."""
        return each_item(stream, source, self._conversation)

    def _conversation(self, where: str, item: dict[str, Any]) -> Iterator[Message | Problem]:
        messages = item.get("chat_messages")
        if not isinstance(messages, list):
            yield Problem(where, "no messages in it: it has no chat_messages")
            return
        whole = [each for each in messages if isinstance(each, dict)]
        if len(whole) < len(messages):
            yield Problem(where, f"{len(messages) - len(whole)} of its messages are no objects")
        for message in whole if self._all_branches else _shown(item, whole):
            yield from _message(message, item, where)


def _shown(item: Mapping[str, Any], messages: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    """The branch that is shown; every message where the export does not tell branches apart, or tells them badly."""
    by_id = {string(each, "uuid"): each for each in messages}
    parents = {id_: string(each, "parent_message_uuid") for id_, each in by_id.items()}
    if len(by_id) < len(messages) or not all(parent in by_id or parent == _NOBODY for parent in parents.values()):
        return messages
    leaf = string(item, "current_leaf_message_uuid")
    if leaf not in by_id:
        leaf = string(messages[-1], "uuid") if messages else ""
    return [by_id[id_] for id_ in branch(leaf, parents)]


def _message(message: Mapping[str, Any], item: Mapping[str, Any], where: str) -> Iterator[Message]:
    role = _ROLES.get(string(message, "sender"), "")
    text = _said(message)
    if role and text:
        yield Message(
            text=text,
            speaker=role,
            role=role,
            said_at=moment(message.get("created_at")),
            conversation="Claude",
            session=name_in(item, "uuid") or where,
            id=name_in(message, "uuid") or None,
            title=name_in(item, "name"),
            session_started_at=moment(item.get("created_at")),
        )


def _said(message: Mapping[str, Any]) -> str:
    blocks = [each for each in sequence(message, "content") if string(each, "type") == "text"]
    texts = [string(each, "text") for each in blocks]
    said = texts if any(text.strip() for text in texts) else [string(message, "text")]
    return joined([*said, *_files(message)]).strip()


def _files(message: Mapping[str, Any]) -> Iterator[str]:
    for each in sequence(message, "attachments"):
        yield joined((mark(string(each, "file_name")), _beginning(string(each, "extracted_content"))))
    for each in sequence(message, "files") or sequence(message, "files_v2"):
        yield mark(name_in(each, "file_name"))


def _beginning(text: str) -> str:
    return text if len(text) <= LONGEST_PASTED else f"{text[:LONGEST_PASTED].rstrip()} …"
