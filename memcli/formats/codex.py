"""Codex's rollouts: one record a line, everything that happened in a session.

A rollout is a session, named by its id, of a conversation named by the folder that was worked in. Kept: what the person
typed and what Codex answered. Left out: reasoning, calls and their output, what the program put in (instructions, the
environment), the events that repeat the messages for the display, and the rollouts of subagents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PureWindowsPath
from typing import Any, BinaryIO

from .base import Message, Problem
from .fields import mapping, name_in, sequence, string
from .lines import objects
from .media import joined
from .moments import moment

__all__ = ["Codex"]

_MARKS = re.compile(rb'"type"\s*:\s*"(?:session_meta|response_item|input_text|output_text)"')
_OPENING = re.compile(rb"\s*\{")
_TEXTS = ("input_text", "output_text", "text")
_PUT_IN = (
    "<environment_context>", "<user_instructions>", "<INSTRUCTIONS>", "<permissions", "<collaboration_mode>",
    "<turn_aborted>", "<skill>", "<user_shell_command>", "<subagent_notification>", "# AGENTS.md instructions",
)  # fmt: skip


class Codex:
    """One rollout, as Codex keeps them under ~/.codex/sessions."""

    name = "codex"
    description = "Codex's rollouts: a .jsonl, or the folder of sessions"
    recognised = "lines of JSON with `session_meta` or `response_item` for their type"
    export = "not needed: memcli ingest ~/.codex/sessions"

    def sniff(self, head: bytes) -> bool:
        """Whether it begins with a session's record or an item of one."""
        lines = head.split(b"\n", 9)[:9]
        return _OPENING.match(head) is not None and any(_MARKS.search(line) for line in lines)

    def read(self, stream: BinaryIO, source: str) -> Iterator[Message | Problem]:
        """The messages in the order of the rollout."""
        rollout = _Rollout()
        for record in objects(stream, source):
            if isinstance(record, Problem):
                yield record
            else:
                yield from rollout.take(*record)


@dataclass(slots=True)
class _Rollout:
    session: str = ""
    conversation: str = "Codex"
    is_side_chain: bool = False

    def take(self, where: str, record: dict[str, Any]) -> Iterator[Message]:
        kind = string(record, "type")
        if kind == "session_meta" or (not kind and "id" in record):  # the oldest rollouts begin without a type
            self._begin(mapping(record, "payload") or record)
        elif kind in ("response_item", "message"):
            item = mapping(record, "payload") if kind == "response_item" else record
            yield from self._message(where, item, record.get("timestamp"))

    def _begin(self, meta: Mapping[str, Any]) -> None:
        if not self.session:  # a rollout that goes on from another repeats that one's record after its own
            self.session = name_in(meta, "id", "session_id")
            self.conversation = PureWindowsPath(string(meta, "cwd")).name or self.conversation
            self.is_side_chain = "subagent" in mapping(meta, "source")

    def _message(self, where: str, item: Mapping[str, Any], at: object) -> Iterator[Message]:
        role, said_at = string(item, "role"), moment(at)
        if self.is_side_chain or item.get("type") != "message" or role not in ("user", "assistant"):
            return
        if text := joined(_part(part) for part in sequence(item, "content")).strip():
            yield Message(
                text=text,
                speaker=role,
                role=role,
                said_at=said_at,
                conversation=self.conversation,
                session=self.session or None,
                # Without a time of its own, the same words twice would be one message.
                id=None if said_at else f"line {where.rpartition(':')[2]}",
            )


def _part(part: object) -> str:
    if string(part, "type") == "input_image":
        return "[image]"
    text = string(part, "text") if string(part, "type") in _TEXTS else ""
    return "" if text.lstrip().startswith(_PUT_IN) else text
