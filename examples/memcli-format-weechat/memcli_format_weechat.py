"""A format for memcli: the logs that WeeChat writes of IRC, one line a message: date, nick and text between tabs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import BinaryIO

from memcli import Message, Problem

__all__ = ["WeeChat"]

_LINE = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\t([^\t]*)\t(.*)")
#: What stands where a nick would: somebody comes, somebody goes, the program speaks.
_EVENTS = {"-->", "<--", "--", "=!="}
#: A nick's mode: operator, half-operator, voice and the like.
_MODES = "@%+~&"


class WeeChat:
    """One log is one channel; `/me` is said by whom it names."""

    name = "weechat"
    description = "IRC as WeeChat logs it"
    recognised = "a first line with a date, a nick and a text, divided by tabs"
    export = "~/.local/share/weechat/logs, a file for each channel"

    def sniff(self, head: bytes) -> bool:
        """Whether the first line is one of a log."""
        return bool(_LINE.match(head.split(b"\n", 1)[0].decode("utf-8", "replace")))

    def read(self, stream: BinaryIO, source: str) -> Iterator[Message | Problem]:
        """The messages in order; what is no line of a log is a problem."""
        channel = source.removesuffix(".weechatlog")
        for number, raw in enumerate(stream, start=1):
            line = raw.decode("utf-8", "replace").rstrip("\r\n")
            found = _LINE.fullmatch(line)
            if found and found[2] not in _EVENTS:
                yield _message(found, channel)
            elif not found and line.strip():
                yield Problem(f"{source}, line {number}", "not a line of a WeeChat log")


def _message(found: re.Match[str], channel: str) -> Message | Problem:
    moment, nick, text = found.groups()
    if nick.strip() == "*":
        nick, _, text = text.partition(" ")
    nick = nick.lstrip(_MODES)
    try:
        return Message(text, speaker=nick, said_at=datetime.fromisoformat(moment), conversation=channel)
    except ValueError:  # the 31st of February
        return Message(text, speaker=nick, conversation=channel, is_unreadably_dated=True)
