"""E-mail: an mbox, or a message by itself (.eml). What was quoted from others, and signatures, are left out.

A subject is a conversation, without "Re:" and the like; who writes is known by their name. Kept: the text, or what the
HTML shows where there is none, what is forwarded, names of files. The subject stands above the first message of it.
Gmail's spam and what lay in its bin are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parseaddr, parsedate_to_datetime
from functools import lru_cache
from typing import TYPE_CHECKING, BinaryIO

from .base import Message, Problem, dated
from .forwarded import is_forward, parted
from .html_text import html_text
from .lines import lines
from .media import joined, mark
from .signatures import unsigned

if TYPE_CHECKING:
    from datetime import datetime

    from mailparser_reply import EmailReply, EmailReplyParser

__all__ = ["Mail"]

_FROM = re.compile(rb"From \S.*\d{4}\s*$")
_HEADER = re.compile(rb"(?im)^(?:Message-ID|MIME-Version|Received|Return-Path|Delivered-To|Date): ?\S")
_SENDER = re.compile(rb"(?im)^From: ?\S")
_HEADERS_ONLY = re.compile(rb"(?:(?:[!-9;-~]+:.*|[ \t]+\S.*)\r?\n)+\r?\n")
_ESCAPED = re.compile(rb">+From ")
_REPLY = re.compile(r"^\s*(?:(?:re|fwd?|aw|wg|antw|sv|vs|tr|rv|ynt|odp|r|i)(?:\[\d+\])?\s*:\s*)+", re.IGNORECASE)
_LANGUAGES = ("en", "da", "de", "es", "fr", "it", "ja", "ko", "nl", "pl", "sv", "zh")
#: Gmail's own names for spam and the bin, which an export has in the language of the account.
_THROWN_AWAY = frozenset({
    "spam", "trash", "bin", "papierkorb", "corbeille", "papelera", "cestino", "lixeira", "lixo", "prullenbak",
    "kosz", "papperskorgen", "papirkurv", "papirkurven", "roskakori", "çöp kutusu", "корзина", "кошик",
    "спам", "ゴミ箱", "迷惑メール", "垃圾邮件", "已删除邮件", "垃圾郵件", "垃圾桶", "휴지통", "스팸함",
})  # fmt: skip
#: A message with more than this is mostly files: its first part is read.
_LARGEST = 32 * 1024 * 1024
#: A longer text is no letter; looking for quotations takes more than its share of time there, as it does in long gaps.
_LONGEST = 20_000
_GAP = re.compile(r"[^\S\n]{3,}")
#: A file that looks like a message has this many of the headers that all have.
_LEAST = 2


class Mail:
    """mbox and .eml."""

    name = "mail"
    description = "e-mail: an mbox, or one message (.eml)"
    recognised = "a line `From … 2024` before headers, or headers that every message has"
    export = "Gmail: takeout.google.com, Mail (mbox); Thunderbird: save as .eml; Apple Mail: Export Mailbox"

    def sniff(self, head: bytes) -> bool:
        """Whether it begins with a message's headers."""
        first, _, rest = head.lstrip().partition(b"\n")
        block = _HEADERS_ONLY.match(rest if _FROM.match(first) else head.lstrip())
        headers = block[0] if block else b""
        return bool(_SENDER.search(headers)) and len(_HEADER.findall(headers)) >= _LEAST

    def read(self, stream: BinaryIO, source: str) -> Iterator[Message | Problem]:
        """The messages in the order of the file."""
        for number, content in enumerate(_contents(stream), start=1):
            yield from _read(content, f"{source}: message {number}")


def _contents(stream: BinaryIO) -> Iterator[bytes]:
    """Each message, as far as it is read."""
    held: list[bytes] = []
    size, is_after_gap = 0, True
    for line in (each or b"\n" for each in lines(stream)):
        if is_after_gap and _FROM.match(line):
            if size:
                yield b"".join(held)
            held, size = [], 0
        elif size < _LARGEST:
            held.append(line[1:] if _ESCAPED.match(line) else line)
            size += len(line)
        is_after_gap = not line.strip()
    if size:
        yield b"".join(held)


def _read(content: bytes, where: str) -> Iterator[Message | Problem]:
    if not content.strip():
        return
    try:
        mail = message_from_bytes(content, policy=policy.default)
        subject = " ".join(str(mail.get("Subject", "")).split())
        if _is_thrown_away(mail):
            return
        text, speaker = _text(mail), _speaker(str(mail.get("From", "")))
        said_at, name = _date(str(mail.get("Date", ""))), str(mail.get("Message-ID", "")).strip()
    except (ValueError, LookupError, TypeError, AttributeError, IndexError, RecursionError) as error:
        # The parser raises these on headers that break its own rules.
        yield Problem(where, f"not a message that can be read: {type(error).__name__}")
        return
    topic = _REPLY.sub("", subject)
    text = joined([subject if topic == subject else "", text])
    if text:
        yield from dated(where, Message(
            text, speaker, said_at=said_at, is_unreadably_dated=said_at is None, conversation=topic or "(no subject)",
            id=name or None,
        ))  # fmt: skip


def _is_thrown_away(mail: EmailMessage) -> bool:
    labels = str(mail.get("X-Gmail-Labels", "")).split(",")
    return any(label.strip(' "').casefold() in _THROWN_AWAY for label in labels)


def _text(mail: EmailMessage) -> str:
    """What was written, what was passed on of others, and the names of the files with it."""
    body = mail.get_body(("plain", "html"))
    said = "" if body is None else str(body.get_content())
    if body is not None and body.get_content_subtype() == "html":
        said = html_text(said)
    written = _written(said, is_forwarded=is_forward(str(mail.get("Subject", ""))))
    return joined([written, *_enclosed(mail), *_files(mail.iter_attachments())])


def _written(text: str, *, is_forwarded: bool) -> str:
    """A mail's text without what it quotes, and with what it forwards, which is a mail's text, too."""
    plain = _GAP.sub("  ", text.replace("\x00", "").replace("\r\n", "\n"))
    above, passed_on = parted(plain, is_forward=is_forwarded)
    if passed_on is None or (not is_forwarded and len(_replies(above)) > 1):
        return _own(plain)
    return joined([_own(above), _passed_on(passed_on.sender, _written(passed_on.text, is_forwarded=False))])


def _passed_on(who: str, text: str) -> str:
    return f"forwarded, from {who}:\n{text}" if text and who else f"forwarded:\n{text}" if text else ""


def _enclosed(mail: EmailMessage) -> Iterator[str]:
    """Mails that were forwarded as files; one that could not be delivered comes back to who wrote it."""
    if mail.get_content_type() == "multipart/report":
        return
    for part in mail.iter_attachments():
        if part.get_content_type() == "message/rfc822" and isinstance(inner := part.get_content(), EmailMessage):
            yield _passed_on(_speaker(str(inner.get("From", ""))), _text(inner))


def _own(text: str) -> str:
    """A mail's text without what it quotes, above, below or between, and without the signature."""
    if len(text) <= _LONGEST:
        replies = _replies(text)
        text = replies[0] if replies else ""
    return "\n".join(line for line in text.split("\n") if not line.startswith(">")).strip()


def _replies(text: str) -> list[str]:
    """The mails of which the text consists, the newest first; a long one is not looked into."""
    if len(text) > _LONGEST:
        return [text]
    return [_unsigned(reply) for reply in _parser().read(text).replies]


def _unsigned(reply: EmailReply) -> str:
    text: str = reply.full_body
    for disclaimer in reply.disclaimers or ():
        text = text.replace(disclaimer, "")
    return unsigned(text, _LANGUAGES)


def _files(parts: Iterable[EmailMessage]) -> Iterator[str]:
    for part in parts:
        if name := part.get_filename():
            yield mark(str(name), part.get_content_type())


@lru_cache(maxsize=1)
def _parser() -> EmailReplyParser:
    from mailparser_reply import EmailReplyParser

    return EmailReplyParser(languages=list(_LANGUAGES))


def _speaker(header: str) -> str:
    name, address = parseaddr(header)
    return " ".join(name.split()) or address.partition("@")[0] or address


def _date(header: str) -> datetime | None:
    try:
        return parsedate_to_datetime(header)
    except (ValueError, TypeError, IndexError):
        return None
