"""iMessage and SMS of a Mac or an iPhone: chat.db or sms.db, an SQLite database, which is only ever read.

A chat is a conversation, named by what it is called, else by who is in it. The user is "me", others are their number
or address. Since macOS 13 the text mostly stands in `attributedBody`, an archive of Apple's whose first string it is.
Left out: reactions, and what has neither text nor file.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import BinaryIO

from .base import Message, Problem, dated
from .media import joined, mark

__all__ = ["IMessage"]

_MAGIC = b"SQLite format 3\x00"
_TABLES = (b"message", b"handle", b"chat_message_join")
_EPOCH = datetime(2001, 1, 1, tzinfo=UTC)
#: Since macOS 10.13 times are nanoseconds, seconds before.
_NANOSECONDS = 1e11
_STRING = re.compile(rb"NS(?:Mutable)?String.{1,24}?\+", re.DOTALL)
_OBJECT = "\ufffc"  # stands where a file was
_REACTIONS = range(2000, 4000)
_SQL = """
    select m.rowid, m.guid, m.text, {body}, m.date, m.is_from_me, {kind}, h.id,
        (select c.display_name from chat_message_join j join chat c on c.rowid = j.chat_id
            where j.message_id = m.rowid limit 1),
        (select c.chat_identifier from chat_message_join j join chat c on c.rowid = j.chat_id
            where j.message_id = m.rowid limit 1),
        {files}
    from message m left join handle h on h.rowid = m.handle_id order by m.date, m.rowid
"""
_FILES = """(select group_concat(a.transfer_name, char(10)) from message_attachment_join j
    join attachment a on a.rowid = j.attachment_id where j.message_id = m.rowid)"""


class IMessage:
    """chat.db of macOS, sms.db of an iPhone's backup."""

    name = "imessage"
    description = "iMessage: chat.db of a Mac, or sms.db of an iPhone's backup"
    recognised = "an SQLite database; in a folder, only with the tables of Messages at its beginning"
    export = "not needed: memcli ingest ~/Library/Messages/chat.db (the terminal needs Full Disk Access)"

    def sniff(self, head: bytes) -> bool:
        """Whether it is an SQLite database: a schema as large as Messages' need not stand at its beginning."""
        return head.startswith(_MAGIC)

    def is_sure(self, head: bytes) -> bool:
        """Whether Messages' tables stand at its beginning: of a folder no other database is taken."""
        return self.sniff(head) and all(name in head for name in _TABLES)

    def read(self, stream: BinaryIO, source: str) -> Iterator[Message | Problem]:
        """The messages in the order of time."""
        try:
            with _copied(stream) as path, closing(_opened(path)) as db:
                for row in db.execute(_query(db)):
                    yield from _message(f"{source}: message {row[0]}", row)
        except (sqlite3.Error, UnicodeDecodeError) as error:  # its errors quote what they stumble over
            yield Problem(source, f"not a database of Messages that can be read: {' '.join(str(error).split())}")


@contextmanager
def _copied(stream: BinaryIO) -> Iterator[Path]:
    """The database as a file of its own: Messages may write to the other one, and a zip's member is none."""
    with TemporaryDirectory(prefix="memcli-") as folder:
        path = Path(folder) / "chat.db"
        with path.open("wb") as copy:
            copyfileobj(stream, copy)
        yield path


def _opened(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)
    db.execute("pragma trusted_schema = off")  # nothing that a strange database defines is run
    db.text_factory = lambda data: data.decode("utf-8", "replace")
    return db


def _query(db: sqlite3.Connection) -> str:
    """The query, with null for what an older macOS does not have."""
    has = {name for (_, name, *_) in db.execute("pragma table_info(message)")}
    tables = {name for (name,) in db.execute("select name from sqlite_master where type = 'table'")}
    return _SQL.format(
        body="m.attributedBody" if "attributedBody" in has else "null",
        kind="m.associated_message_type" if "associated_message_type" in has else "0",
        files=_FILES if {"attachment", "message_attachment_join"} <= tables else "null",
    )


def _message(where: str, row: tuple[object, ...]) -> Iterator[Message | Problem]:
    _, guid, text, body, date, is_mine, kind, handle, name, chat, files = row
    if isinstance(kind, int) and kind in _REACTIONS:
        return
    said = text if isinstance(text, str) else _archived(body)
    names = str(files).split("\n") if files else []
    whole = joined([said.replace(_OBJECT, "").strip(), *map(mark, names)])
    if not whole:
        return
    said_at = _moment(date)
    who = str(handle or "")
    yield from dated(where, Message(
        whole, "me" if is_mine else who, said_at=said_at, is_unreadably_dated=said_at is None,
        conversation=str(name or chat or who or "Messages"), id=str(guid) if guid else None,
    ))  # fmt: skip


def _archived(body: object) -> str:
    """The first string of an archive: a `+`, the length (from 128 on in two or four more bytes), the text."""
    found = _STRING.search(body) if isinstance(body, bytes) else None
    if found is None or not isinstance(body, bytes):
        return ""
    at = found.end()
    width = {0x81: 2, 0x82: 4}.get(body[at] if at < len(body) else 0, 0)
    size = int.from_bytes(body[at + 1 : at + 1 + width], "little") if width else int.from_bytes(body[at : at + 1])
    start = at + 1 + width
    return body[start : start + size].decode("utf-8", "replace")


def _moment(date: object) -> datetime | None:
    if not isinstance(date, int) or date <= 0:
        return None
    try:
        return _EPOCH + timedelta(seconds=date / 1e9 if date > _NANOSECONDS else date)
    except OverflowError:
        return None
