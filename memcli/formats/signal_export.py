"""Signal: the `data.json` that signal-export writes for each chat, or the XML of signalbackup-tools.

The one has a message a line, in a folder named by the chat. The other is the schema of SMS Backup & Restore, which
Android's text messages come in, too: a conversation for each address. Left out: reactions, calls, drafts.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import BinaryIO
from xml.etree.ElementTree import Element, ParseError

from .base import NOWHERE, Format, Message, Problem, Setting, dated
from .fields import name_in, sequence, string
from .lines import objects
from .media import joined, mark
from .moments import moment
from .streams import Rewound

__all__ = ["Signal"]

_LINE = re.compile(rb'\{(?=[^\n]*"sender"\s*:)(?=[^\n]*"body"\s*:)(?=[^\n]*"date"\s*:)')
_XML = re.compile(
    rb"\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--.{0,2000}?-->\s*)*(?:<\?[^>]{0,200}\?>\s*)?<smses\b", re.DOTALL
)
_SENT = "2"
_DRAFT = "3"


class Signal:
    """data.json of signal-export, or XML."""

    name = "signal"
    description = "Signal: signal-export's data.json, or the XML of signalbackup-tools and of SMS Backup & Restore"
    recognised = "lines of JSON with `sender`, `body` and `date`; or XML that begins with `<smses`"
    export = "sigexport FOLDER (Signal Desktop); signalbackup-tools BACKUP PASSPHRASE --exportxml FILE (Android)"

    def __init__(self, place: PurePath = NOWHERE) -> None:
        self._place = place

    def sniff(self, head: bytes) -> bool:
        """Whether it begins like the one or the other."""
        return bool(_LINE.match(head.lstrip()) or _XML.match(head))

    def within(self, setting: Setting) -> Format:
        """With the chat's name from its folder."""
        return Signal(setting.place)

    def read(self, stream: BinaryIO, source: str) -> Iterator[Message | Problem]:
        """The messages in the order of the file."""
        content = io.BufferedReader(Rewound(b"", stream.read))
        if content.peek(1).startswith(b"{"):
            chat = (self._place if self._place.name else PurePath(source)).parent.name
            return _of_lines(content, source, chat or PurePath(source).stem)
        return _of_xml(content, source)


def _of_lines(stream: BinaryIO, source: str, chat: str) -> Iterator[Message | Problem]:
    for each in objects(stream, source):
        yield from [each] if isinstance(each, Problem) else _of_line(*each, chat)


def _of_line(where: str, record: Mapping[str, object], chat: str) -> Iterator[Message | Problem]:
    media = (mark(name_in(each, "name", "path")) for each in sequence(record, "attachments"))
    text = joined([string(record, "body").strip(), *media, "[sticker]" if record.get("sticker") else ""])
    yield from _said_by(where, text, name_in(record, "sender"), record.get("date"), chat)


def _of_xml(stream: BinaryIO, source: str) -> Iterator[Message | Problem]:
    """An element at a time: what was read is dropped."""
    from defusedxml.ElementTree import iterparse

    number = 0
    root: Element | None = None
    try:
        for event, element in iterparse(stream, ("start", "end")):
            root = element if root is None else root
            if event == "end" and element.tag in ("sms", "mms"):
                number += 1
                yield from _of_element(f"{source}: message {number}", element)
                root.clear()
    except (ParseError, ValueError) as error:
        yield Problem(source, f"broken XML, the rest is not read: {error}")


def _of_element(where: str, element: Element) -> Iterator[Message | Problem]:
    values = element.attrib
    direction = values.get("type") or values.get("msg_box", "")
    if direction == _DRAFT:
        return
    who = _known(values)
    speaker = "me" if direction == _SENT else who
    yield from _said_by(where, _said(element), speaker, values.get("date"), who)


def _said(element: Element) -> str:
    if element.tag == "sms":
        return element.attrib.get("body", "").strip()
    return joined(_part(part.attrib) for part in element.iter("part"))


def _part(values: Mapping[str, str]) -> str:
    kind = values.get("ct", "")
    if kind == "text/plain":
        return values.get("text", "")
    return "" if kind == "application/smil" else mark(values.get("cl", ""), kind)


def _known(values: Mapping[str, str]) -> str:
    name = values.get("contact_name", "").strip()
    return name if name and name not in ("(Unknown)", "null") else values.get("address", "").strip()


def _said_by(where: str, text: str, speaker: str, date: object, chat: str) -> Iterator[Message | Problem]:
    if not text:
        return
    said_at = moment(date)
    said = Message(text, speaker, said_at=said_at, is_unreadably_dated=said_at is None, conversation=chat)
    yield from dated(where, said)
