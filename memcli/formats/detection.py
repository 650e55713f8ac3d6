"""The table of formats, and which of them an input is in."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from memcli.errors import InputUnreadable, UsageError

from .base import Format, Guess
from .chatgpt import ChatGpt
from .claude_ai import ClaudeAi
from .claude_code import ClaudeCode
from .codex import Codex
from .discord import Discord
from .jsonl import JsonLines
from .locomo import Locomo
from .longmemeval import LongMemEval
from .markdown import Markdown
from .plain import Plain
from .slack import Slack
from .telegram import Telegram
from .whatsapp import WhatsApp

__all__ = ["FORMATS", "detect", "named", "recognise"]

_ALL: tuple[Format, ...] = (
    ChatGpt(),
    ClaudeAi(),
    ClaudeCode(),
    Codex(),
    Slack(),
    WhatsApp(),
    Telegram(),
    Discord(),
    Locomo(),
    LongMemEval(),
    JsonLines(),
    Markdown(),
    Plain(),
)

#: Every format by name. Detection asks in this order: the more particular first.
FORMATS: Mapping[str, Format] = MappingProxyType({each.name: each for each in _ALL})


def named(name: str) -> Format:
    """The format called `name`; `UsageError` if there is none."""
    if name not in FORMATS:
        raise UsageError(f"unknown format {name!r}", f"formats: {', '.join(FORMATS)}")
    return FORMATS[name]


def recognise(head: bytes) -> Format | None:
    """The first format that recognises an input by its beginning, beyond doubt."""
    return next((each for each in FORMATS.values() if _is_sure(each, head)), None)


def _is_sure(each: Format, head: bytes) -> bool:
    return each.is_sure(head) if isinstance(each, Guess) else each.sniff(head)


def detect(head: bytes, source: str = "the input") -> Format:
    """The format of an input that begins with `head`; `InputUnreadable` if no format recognises it."""
    if found := recognise(head) or next((each for each in FORMATS.values() if each.sniff(head)), None):
        return found
    raise InputUnreadable(
        f"the format of {source} is not recognised", f"formats: {', '.join(FORMATS)}; choose one with --format"
    )
