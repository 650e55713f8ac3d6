"""WhatsApp's chat as text, from Android or iOS.

The chat is a conversation, named by the file, which silences part into sessions. Kept: messages of any number of lines,
pictures, recordings and files as marks. Left out: what WhatsApp itself says, deleted messages.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import PurePath
from typing import BinaryIO, cast

from .base import Format, Message, Problem, Setting
from .lines import lines
from .media import mark
from .spoken import MARKS, Begin, head_lines, spoken
from .whatsapp_dates import DateOrder, Order, stamped
from .whatsapp_words import GONE, placeholder

__all__ = ["WhatsApp"]

_LTR = "\u200e"
_NAME = re.compile(r"whatsapp.*?(?: (?:with|mit|com|con|avec|met|med|с|z|ile)|-| -) +(.+)$", re.IGNORECASE)
_AGAIN = re.compile(r"\s*\(\d{1,3}\)$")  # what a browser appends to a second download's name
#: How programs begin the lines of their logs.
_LOG = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
#: "Edited", in the languages that were known first; a message is known by what it was then, so that it comes but once.
_EDITED_AT_FIRST = re.compile(r"<[^<>\n]{0,40}\b(?:edited|bearbeitet|editado|editada|modifié|modificato)[^<>\n]{0,20}>")
_EDITED = re.compile(
    r"<[^<>\n]{0,40}(?:\bedited|bearbeitet|edit(?:ado|ada|ó|at)\b|modifié|modificato|bewerkt|diedit|düzenlendi|edytowan"
    r"|rediger|muokattu|upraven|szerkeszt|redaktə|chỉnh sửa|изменен|отредактирован|відредагован|редактирано|επεξεργα"
    r"|נערכ|تعديل|ویرایش|संपादित|แก้ไข|編集|编辑|編輯|수정)[^<>\n]{0,20}>",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"^\d{8}-")  # what an iPhone puts before a file's name
_ATTACHED = re.compile(r"<[^<>:\n]{1,40}: ([^<>\n]{1,255})>")
_FILE = re.compile(r"([^\n/\\]{1,255}\.\w{1,8}) \([^()\n]{1,60}\)")
_GONE = re.compile(r"this message was deleted by admin [^\n]{0,80}|waiting for this message[^\n]{0,80}", re.IGNORECASE)
#: What an iPhone marks like its own lines, though a person sent it.
_SENT = re.compile(r"[^\n:]{1,24}:(?: ?\S|$)|<|[^\n]{1,255} • ")
#: A group's name with a colon in it, quoted in a line of WhatsApp's own.
_QUOTES = (("“", "”"), ("„", "“"), ("«", "»"))


class WhatsApp:
    """The exported text, alone or in the zip."""

    name = "whatsapp"
    description = "WhatsApp's exported chat: the zip or the text, of Android or iOS"
    recognised = "lines like `15/01/2024, 10:30 - Ana: …` or `[1/15/24, 10:30:05 AM] Ana: …`"
    export = "WhatsApp: a chat's menu, More, Export chat"

    def __init__(self, setting: Setting | None = None) -> None:
        self._setting = setting or Setting()

    def sniff(self, head: bytes) -> bool:
        """Whether the first line with something in it, or two of the others, begin like a message."""
        lines = (line.translate(MARKS) for line in head_lines(head))
        found = [stamped(line) is not None and not _LOG.match(line) for line in lines]
        return found[:1] == [True] or sum(found) >= 2

    def within(self, setting: Setting) -> Format:
        """With the chat's name from the file's, and a way to read it twice."""
        return WhatsApp(setting)

    def read(self, stream: BinaryIO, source: str) -> Iterator[Message | Problem]:
        """The messages. The order of day and month is inferred from the whole of the input before any is given."""
        again = self._setting.again
        if again is not None:
            with again() as first:
                order = _order(first)
            return self._messages(stream, source, order)
        return self._from_copy(stream, source)

    def _from_copy(self, stream: BinaryIO, source: str) -> Iterator[Message | Problem]:
        """What can be read only once, such as a pipe, is kept in a file without a name in the meantime."""
        with tempfile.SpooledTemporaryFile(max_size=8 * 1024 * 1024) as file:
            copy = cast(BinaryIO, file)
            shutil.copyfileobj(stream, copy)
            copy.seek(0)
            order = _order(copy)
            copy.seek(0)
            yield from self._messages(copy, source, order)

    def _messages(self, stream: BinaryIO, source: str, order: Order) -> Iterator[Message | Problem]:
        place = self._setting.place if self._setting.place.name else PurePath(source)
        undated = _Undated(source)
        for record in spoken(
            stream, source, _conversation(place), lambda line: _begin(line, order, undated), _tidy, _known
        ):
            yield record
            yield from undated.problems()


class _Undated:
    """Counts the messages whose date is none in the order that most of the others have; told once."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._found = False
        self._told = False

    def note(self) -> None:
        self._found = True

    def problems(self) -> Iterator[Problem]:
        if self._found and not self._told:
            self._told = True
            yield Problem(self._source, "some dates are none: those messages are kept without a date", kept_out=False)


def _order(stream: BinaryIO) -> Order:
    inferred = DateOrder()
    for line in lines(stream):
        if line and (found := stamped(line[:200].decode("utf-8", "ignore").translate(MARKS))):
            inferred.take(found)
    return inferred.order()


def _begin(line: str, order: Order, undated: _Undated) -> Begin | None:
    bare = line.translate(MARKS)
    stamp = stamped(bare)
    if stamp is None:
        return None
    speaker, text = _spoken(bare[stamp.end :], line)
    said_at = stamp.moment(order) if speaker else None
    if speaker and said_at is None:
        undated.note()
    return Begin(speaker, text, said_at, stamp.written)


def _spoken(rest: str, line: str) -> tuple[str, str]:
    """Who says what; nobody where the line is WhatsApp's own."""
    name, colon, text = rest.partition(": ")
    if not colon:
        name, colon, text = (rest[:-1], ":", "") if rest.endswith(":") else ("", "", "")
    name = name.removeprefix("~").strip()
    if not name or len(name) > 100 or _is_cut(name):
        return "", ""
    is_marked = line.lstrip(_LTR).startswith("[") and line.partition("]")[2].partition(": ")[2].startswith(_LTR)
    if (is_marked and not _is_sent(text)) or _is_gone(_unedited(text).strip()):
        return "", ""
    return name, text


def _is_gone(text: str) -> bool:
    """Whether nothing is left of what was there: a deleted message, a missed call."""
    return placeholder(text) in GONE or bool(_GONE.fullmatch(text))


def _is_cut(name: str) -> bool:
    """Whether a quotation begins in it that does not end in it."""
    return name.count('"') % 2 == 1 or any(name.count(one) > name.count(other) for one, other in _QUOTES)


def _unedited(text: str, edited: re.Pattern[str] = _EDITED) -> str:
    at = text.rfind("<", max(0, len(text) - 80))
    return text[:at].rstrip() if at >= 0 and edited.fullmatch(text[at:].rstrip()) else text


def _is_sent(text: str) -> bool:
    """Whether a person sent what an iPhone marks like its own lines: pictures, files, places, polls."""
    return bool(_SENT.match(text) or placeholder(text.strip()) or _left_out(text.strip()))


def _tidy(text: str) -> str:
    """The text without what WhatsApp adds to it, and with its media as marks."""
    first, _, rest = _unedited(text.translate(MARKS).strip()).partition("\n")
    return f"{_media(first.strip())}\n{rest}".strip()


def _known(text: str) -> str:
    """What a message is known by: its text as the first versions had it."""
    first, _, rest = _unedited(text.translate(MARKS).strip(), _EDITED_AT_FIRST).partition("\n")
    first = first.strip() if placeholder(first.strip()) == "location" else _media(first.strip())
    return f"{first}\n{rest}".strip()


def _media(line: str) -> str:
    if found := _ATTACHED.fullmatch(line) or _FILE.fullmatch(line):
        return mark(_NUMBER.sub("", found[1]))
    if kind := placeholder(line):
        return f"[{kind}]"
    name = _left_out(line)
    return mark(name) if name else line


def _left_out(line: str) -> str:
    """The name of a file that the export leaves out: "menu.pdf • 2 pages document omitted"."""
    name, dot, rest = line.partition(" • ")
    words = rest.split()
    ends = (" ".join(words[start:]) for start in range(len(words)))
    return name if dot and len(words) < 12 and any(placeholder(end) == "file" for end in ends) else ""


def _conversation(place: PurePath) -> str:
    """Whom the chat is with, as the file's name says it; an iPhone says it in the zip's or the folder's."""
    stem = _AGAIN.sub("", place.stem if place.suffix.lower() in (".txt", ".zip", ".gz") else place.name)
    if stem.lower() == "_chat" and place.parent.name:
        return _conversation(PurePath(place.parent.name))
    found = _NAME.search(stem)
    return found[1].strip() if found else "WhatsApp" if stem.lower() in ("_chat", "stdin", "") else stem
