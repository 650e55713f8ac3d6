"""The table of formats, and which of them an input is in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from memcli.errors import InputUnreadable, UsageError
from memcli.extensions import Extensible

from .base import Format, Guess

__all__ = ["FORMATS", "detect", "named", "recognise"]

#: How each format is made: a factory without parameters, which makes a `Format` whose `name` is the one here.
#:
#: Detection asks in this order: the more particular first, then those of installed packages, by name, and last the
#: guesses, which much that is no transcript looks like.
FORMATS = Extensible(
    "memcli.formats",
    {
        "chatgpt": "memcli.formats.chatgpt:ChatGpt",
        "claude-ai": "memcli.formats.claude_ai:ClaudeAi",
        "claude-code": "memcli.formats.claude_code:ClaudeCode",
        "codex": "memcli.formats.codex:Codex",
        "slack": "memcli.formats.slack:Slack",
        "whatsapp": "memcli.formats.whatsapp:WhatsApp",
        "telegram": "memcli.formats.telegram:Telegram",
        "discord": "memcli.formats.discord:Discord",
        "messenger": "memcli.formats.messenger:Messenger",
        "signal": "memcli.formats.signal_export:Signal",
        "gemini": "memcli.formats.gemini:Gemini",
        "locomo": "memcli.formats.locomo:Locomo",
        "longmemeval": "memcli.formats.longmemeval:LongMemEval",
        "jsonl": "memcli.formats.jsonl:JsonLines",
        "imessage": "memcli.formats.imessage:IMessage",
        "mail": "memcli.formats.mail:Mail",
        "notes": "memcli.formats.notes:Notes",
        "markdown": "memcli.formats.markdown:Markdown",
        "plain": "memcli.formats.plain:Plain",
    },
)
_GUESSES = ("markdown", "plain")
#: What many programs export unless they are told otherwise, to be looked at.
_PAGE = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_OF_PAGES = "it is a web page: export again, and choose JSON where there is a choice; memcli formats says how"


@lru_cache
def named(name: str) -> Format:
    """The format called `name`; `UsageError` if there is none, or a package's cannot be used."""
    if name not in FORMATS:
        raise UsageError(f"unknown format {name!r}", f"formats: {', '.join(FORMATS)}")
    made: Format = FORMATS.make(name)
    return made


def recognise(head: bytes) -> Format | None:
    """The first format that recognises an input by its beginning, beyond doubt."""
    return next((each for each in _in_order() if _is_sure(each, head)), None)


def _in_order() -> Iterator[Format]:
    """Every format, as detection asks them. Installed packages are looked for only where no format of memcli's fits."""
    yield from (named(name) for name in FORMATS.built_in if name not in _GUESSES)
    yield from (named(name) for name in FORMATS if name not in FORMATS.built_in)
    yield from (named(name) for name in _GUESSES)


def _is_sure(each: Format, head: bytes) -> bool:
    return each.is_sure(head) if isinstance(each, Guess) else each.sniff(head)


def detect(head: bytes, source: str = "the input") -> Format:
    """The format of an input that begins with `head`; `InputUnreadable` if no format recognises it."""
    if found := recognise(head) or next((each for each in _in_order() if each.sniff(head)), None):
        return found
    hint = _OF_PAGES if _PAGE.match(head) else f"formats: {', '.join(FORMATS)}; choose one with --format"
    raise InputUnreadable(f"{source} is not recognised as a transcript", hint)
