"""Gemini as Google Takeout has it: the activity of "Gemini Apps" in JSON, what was asked last first.

An entry is a prompt with its answer in HTML. Google does not say which prompts belong together, so silences part them.
Left out: entries without an answer (feedback, settings).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from .base import Message, Problem
from .fields import sequence, string
from .html_text import html_text
from .json_walk import each_item
from .moments import moment
from .newest_first import in_order

__all__ = ["Gemini"]

_HEADER = re.compile(rb'"header"\s*:\s*"[^"]{0,40}(?:Gemini|Bard)')
_OPENING = re.compile(rb"\s*\[")
_PROMPTED = re.compile(r"(?:Prompted|Asked)\s+")


class Gemini:
    """My Activity of Gemini Apps."""

    name = "gemini"
    description = "Gemini's prompts and answers in Google Takeout: My Activity.json"
    recognised = "entries whose `header` is Gemini Apps"
    export = "takeout.google.com: My Activity, only Gemini Apps, format JSON"

    def sniff(self, head: bytes) -> bool:
        """Whether it is a list of Gemini's entries."""
        return _OPENING.match(head) is not None and _HEADER.search(head) is not None

    def read(self, stream: BinaryIO, source: str) -> Iterator[Message | Problem]:
        """Prompts, each followed by its answer, in the order of time."""
        return in_order(each_item(stream, source, _entry))


def _entry(where: str, entry: dict[str, Any]) -> Iterator[Message | Problem]:
    answer = "\n\n".join(filter(None, (html_text(string(part, "html")) for part in sequence(entry, "safeHtmlItem"))))
    prompt = _PROMPTED.sub("", string(entry, "title"), count=1).strip()
    if not answer or not prompt:
        return
    at = string(entry, "time")
    said_at = moment(at)
    if said_at is None:
        yield Problem(where, "date not understood: the messages are kept without it", kept_out=False)
    for role, text in (("assistant", answer), ("user", prompt)):  # the file is turned round
        yield Message(
            text, role=role, said_at=said_at, is_unreadably_dated=said_at is None, conversation="Gemini",
            id=f"{at} {role}" if at else None,
        )  # fmt: skip
