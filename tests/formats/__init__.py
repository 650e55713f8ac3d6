"""Chat exports to read in tests: the samples, the same formats as they grow, and ways to read and pack them."""

from __future__ import annotations

import io
import json
import sqlite3
import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from memcli.formats import Message, Problem, read, sources

FOLDER = Path(__file__).parent

MARKDOWN = """# Trip

**Ana:** Hello!
second line

**Bo** (2024-01-15 10:31): Hi **there**

```
**Ana:** in a fence
```

---

**Ana:** bye
"""
PLAIN = "Ana: Hello!\nsecond line\nBo (2024-01-15 10:31): Hi\n[2024-01-15 10:32] Ana: see https://ex.org\nAna: bye\n"
JSONL = '{"text": "one", "speaker": "Ana"}\n{"text": "two"}\n'
LOCOMO = '{"sample_id": "c", "conversation": {"session_1": [{"speaker": "A", "dia_id": "D1:1", "text": "hi"}]}}'
LONGMEMEVAL = '[{"question_id": "q", "haystack_sessions": [[{"role": "user", "content": "hi"}]]}]'

NOTE = "---\ncreated: 2024-05-03\n---\n# Boats\nBought the [[Curlew|red dinghy]].\n\n## Mooring\nBerth 14\n"


def imessage(rows: Sequence[tuple[Any, ...]]) -> bytes:
    """Messages' database: text, archive, date, whether it is the user's, kind, and which of two chats."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript("""
            pragma page_size = 512;
            create table message (rowid integer primary key, guid text, text text, attributedBody blob, date integer,
                is_from_me integer, handle_id integer, associated_message_type integer default 0);
            create table handle (rowid integer primary key, id text);
            create table chat (rowid integer primary key, chat_identifier text, display_name text);
            create table chat_message_join (chat_id integer, message_id integer);
            create table attachment (rowid integer primary key, transfer_name text);
            create table message_attachment_join (message_id integer, attachment_id integer);
            insert into handle values (1, '+447700900123');
            insert into chat values (1, '+447700900123', ''), (2, 'chat99', 'Boat crew');
            insert into attachment values (1, 'IMG_1.heic');
            insert into message_attachment_join values (3, 1);
        """)
        for number, (text, body, date, mine, kind, chat) in enumerate(rows, start=1):
            row = [number, f"g{number}", text, body, date, mine, kind]
            db.execute("insert into message values (?, ?, ?, ?, ?, ?, 1, ?)", row)
            db.execute("insert into chat_message_join values (?, ?)", [chat, number])
        db.commit()
        return db.serialize()


_FILES = {
    "chatgpt": ["chatgpt/conversations.json"],
    "claude-ai": ["claude_ai/conversations.json"],
    "claude-code": ["claude_code/s1.jsonl"],
    "codex": ["codex/rollout-2026-01-02T03-04-05-11111111-1111-4111-8111-111111111111.jsonl"],
    "slack": ["slack/general/2023-11-14.json"],
    "whatsapp": ["whatsapp/android_24h_dmy.txt", "whatsapp/ios_12h_mdy.txt", "chatpack/whatsapp_export.txt"],
    "telegram": ["telegram/result.json", "chatpack/telegram_export.json"],
    "discord": ["discord/discord_chat_exporter.json", "chatpack/discord_export.json"],
    "messenger": ["messenger/message_1.json", "messenger/encrypted.json"],
    "signal": ["signal/Ana_Silva/data.json", "signal/messages.xml"],
    "gemini": ["gemini/My Activity.json"],
    "mail": ["mail/thread.mbox", "mail/one.eml"],
}
_TEXTS = {"markdown": MARKDOWN, "plain": PLAIN, "jsonl": JSONL, "locomo": LOCOMO, "longmemeval": LONGMEMEVAL}

#: Pairs of a format's name and an input that is of it.
SAMPLES = [(name, (FOLDER / file).read_bytes()) for name, files in _FILES.items() for file in files] + [
    (name, text.encode()) for name, text in _TEXTS.items()
]
SAMPLES += [("imessage", imessage([("hello", None, 726_000_000, 0, 0, 1)]))]
#: The first sample of each format.
SAMPLE: Mapping[str, bytes] = dict(reversed([*SAMPLES, ("notes", NOTE.encode())]))


def sample(name: str) -> Path:
    """A file among the samples."""
    return FOLDER / name


def records(path: Path, **how: Any) -> list[Message | Problem]:
    """All that is read at a path."""
    return [record for source in sources([path]) for record in read(source, **how)]


def messages(path: Path, **how: Any) -> list[Message]:
    """The messages at a path, which must be without a problem."""
    found = records(path, **how)
    assert not [record for record in found if isinstance(record, Problem)]
    return [record for record in found if isinstance(record, Message)]


def zipped(members: Mapping[str, bytes | str], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of these members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as file:
        for name, data in members.items():
            file.writestr(name, data)
    return buffer.getvalue()


def put(folder: Path, name: str, data: bytes | str | Any) -> Path:
    """A file with this content; what is neither bytes nor text becomes JSON."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    data = data if isinstance(data, bytes | str) else json.dumps(data)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


# -- exports that grow: n messages, then more of them -----------------------------------------------------------------


def node(id_: str, parent: str | None, text: str, role: str = "user", **changes: Any) -> dict[str, Any]:
    """A node of ChatGPT's tree."""
    content = {"content_type": "text", "parts": [text]}
    message = {"id": id_, "author": {"role": role}, "create_time": 1.7e9 + len(id_), "content": content, **changes}
    return {"id": id_, "parent": parent, "children": [], "message": message}


def chatgpt(*nodes: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A conversation of ChatGPT's with these nodes, the last of them shown."""
    chat = {"title": "T", "create_time": 1.7e9, "conversation_id": "c", "current_node": nodes[-1]["id"]}
    return chat | {"mapping": {each["id"]: each for each in nodes}} | changes


def _chatgpt(count: int) -> list[Any]:
    nodes = [node(f"m{i}", f"m{i - 1}" if i else None, f"text {i}") for i in range(count)]
    return [chatgpt(*nodes)]


def _claude_ai(count: int) -> list[Any]:
    said = [{"uuid": f"m{i}", "sender": "human", "text": f"text {i}", "created_at": _at(i)} for i in range(count)]
    return [{"uuid": "c", "name": "T", "created_at": _at(0), "chat_messages": said}]


def _claude_code(count: int) -> str:
    return "\n".join(
        json.dumps({"type": "user", "uuid": f"u{i}", "sessionId": "s", "cwd": "/home/ana/proj", "timestamp": _at(i),
                    "message": {"role": "user", "content": f"text {i}"}})
        for i in range(count)
    )  # fmt: skip


def _codex(count: int) -> str:
    meta = {"type": "session_meta", "timestamp": _at(0), "payload": {"id": "s", "cwd": "/home/ana/proj"}}
    items = [
        {"type": "response_item", "timestamp": _at(i), "payload": {
            "type": "message", "role": "user", "content": [{"type": "input_text", "text": f"text {i}"}]}}
        for i in range(count)
    ]  # fmt: skip
    return "\n".join(map(json.dumps, [meta, *items]))


def _slack(count: int) -> bytes:
    users = [{"id": "U1", "name": "ana", "profile": {"real_name": "Ana Silva"}}]
    days = {
        f"general/2023-11-{14 + i}.json": [
            {"type": "message", "user": "U1", "text": f"text {i}", "ts": f"{1700000000 + 86400 * i}.000100"}
        ]
        for i in range(count)
    }
    return zipped({name: json.dumps(data) for name, data in ({"users.json": users} | days).items()})


def _whatsapp(count: int) -> str:
    return "".join(f"{i + 1:02}/02/2024, 10:30 - Ana: text {i}\n" for i in range(count))


def _telegram(count: int) -> dict[str, Any]:
    said = [
        {"id": i, "type": "message", "date": _at(i)[:19], "from": "Ana", "from_id": "user1", "text": f"text {i}"}
        for i in range(count)
    ]
    return {"name": "Bo", "type": "personal_chat", "id": 1, "messages": said}


def _discord(count: int) -> dict[str, Any]:
    said = [
        {"id": str(i), "type": "Default", "timestamp": _at(i), "content": f"text {i}", "author": {"name": "ana"}}
        for i in range(count)
    ]
    return {"guild": {"id": "7", "name": "G"}, "channel": {"name": "general"}, "messages": said}


def _markdown(count: int) -> str:
    return "# T\n\n" + "".join(f"**Ana:** text {i}\n\n" for i in range(count))


def _plain(count: int) -> str:
    return "".join(f"Ana: text {i}\n" for i in range(count))


def _at(i: int) -> str:
    return f"2024-01-15T10:30:{i:02}Z"


#: For each format the name of a file, and what is in it when so many messages were said.
GROWING: Mapping[str, tuple[str, Callable[[int], Any]]] = {
    "chatgpt": ("conversations.json", _chatgpt),
    "claude-ai": ("conversations.json", _claude_ai),
    "claude-code": ("s.jsonl", _claude_code),
    "codex": ("rollout-s.jsonl", _codex),
    "slack": ("export.zip", _slack),
    "whatsapp": ("WhatsApp Chat with Ana.txt", _whatsapp),
    "telegram": ("result.json", _telegram),
    "discord": ("G - general.json", _discord),
    "markdown": ("chat.md", _markdown),
    "plain": ("chat.txt", _plain),
}
