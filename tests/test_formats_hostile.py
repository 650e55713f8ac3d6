"""Every parser over anything at all: no error but our own, and no input that takes more than its share of time."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path, PurePath
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.errors import InputUnreadable
from memcli.formats import FORMATS, HEAD_BYTES, Message, Problem, SessionSplitter, Source, detect, named, read
from memcli.formats.base import Adaptable, Setting

from .formats import SAMPLE
from .proportion import LINEAR, growth

_KEYS = """mapping message author role content content_type parts text metadata create_time current_node parent children
    conversation_id title id uuid name chat_messages sender attachments extracted_content parent_message_uuid type
    sessionId cwd isSidechain payload timestamp session_meta user ts thread_ts subtype files users profile real_name
    messages chats list from date date_unixtime text_entities poll media_type guild channel embeds author fields
    recipient leafUuid summary file_name mimetype""".split()
_WORDS = """message user assistant text code user_editable_context response_item session_meta input_text summary Default
    2024-01-15T10:30:00Z 1700000060.000200 ../x <@U1|a> <!date^1^|x> personal_chat m1 m2 human""".split()
#: Formats that are no JSON.
_NO_JSON = ("whatsapp", "imessage", "mail", "notes", "markdown", "plain")
_SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
    | st.sampled_from(_WORDS) | st.just(10**400)
)  # fmt: skip
_JSON = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=6),
    max_leaves=30,
)
_LINES = st.lists(
    st.text(max_size=30)
    | st.builds(
        "{}/{}/{}, {}:{}{} - {}: {}".format,
        *[st.integers(0, 99)] * 5,
        st.sampled_from(["", " PM", "\u202fam"]),
        st.text(max_size=8),
        st.text(max_size=8),
    )
    | st.builds("**{}:** {}".format, st.text(max_size=8), st.text(max_size=8))
    | st.builds("[{}] {}: {}".format, st.text(max_size=12), st.text(max_size=8), st.text(max_size=8)),
    max_size=8,
)


def _all(name: str, data: bytes) -> list[Message | Problem]:
    """What the format reads, with and without its setting."""
    form = named(name)
    form.sniff(data[:HEAD_BYTES])
    found = list(form.read(io.BytesIO(data), "folder/input"))
    if isinstance(form, Adaptable):
        setting = Setting(PurePath("a/b.txt"), True, lambda: io.BytesIO(data), lambda _name: data)
        found += list(form.within(setting).read(io.BytesIO(data), "folder/input"))
    splitter = SessionSplitter("input", lambda _: {}, lambda _: None)
    for record in found:
        assert isinstance(record, Message | Problem)
        if isinstance(record, Message):
            list(splitter.feed(record))
        else:
            assert "\n" not in record.reason
    list(splitter.flush())
    return found


@pytest.mark.parametrize("name", list(FORMATS))
@settings(max_examples=100)
@given(data=st.binary(max_size=300))
def test_any_bytes(name: str, data: bytes) -> None:
    _all(name, data)


@pytest.mark.parametrize("name", list(FORMATS))
@settings(max_examples=150)
@given(value=_JSON, as_lines=st.booleans())
def test_any_json(name: str, value: Any, as_lines: bool) -> None:
    text = "\n".join(map(json.dumps, value)) if as_lines and isinstance(value, list) else json.dumps(value)
    _all(name, text.encode())


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in _NO_JSON])
@settings(max_examples=150)
@given(data=st.data())
def test_a_sample_with_any_value_in_any_place(name: str, data: st.DataObject) -> None:
    text = SAMPLE[name].decode()
    try:
        whole: Any = [json.loads(text)]
    except ValueError:
        whole = [json.loads(line) for line in text.splitlines() if line.strip()]
    at = whole
    while isinstance(at, dict | list) and at:
        keys = sorted(at) if isinstance(at, dict) else list(range(len(at)))
        key: Any = data.draw(st.sampled_from(keys))
        if not isinstance(at[key], dict | list) or not at[key] or data.draw(st.integers(0, 3)) == 0:
            at[key] = data.draw(_JSON)
            break
        at = at[key]
    _all(name, "\n".join(map(json.dumps, whole)).encode())


@pytest.mark.parametrize("name", list(FORMATS))
@settings(max_examples=150)
@given(data=st.data())
def test_a_sample_with_any_bytes_changed(name: str, data: st.DataObject) -> None:
    changed = bytearray(SAMPLE[name])
    for _ in range(data.draw(st.integers(1, 5))):
        at, size = data.draw(st.integers(0, len(changed))), data.draw(st.integers(0, 20))
        changed[at : at + size] = data.draw(st.binary(max_size=8))
    _all(name, bytes(changed))


@pytest.mark.parametrize("name", ["whatsapp", "markdown", "plain"])
@settings(max_examples=300)
@given(lines=_LINES)
def test_any_lines(name: str, lines: list[str]) -> None:
    _all(name, "\n".join(lines).encode("utf-8", "surrogatepass"))


@settings(max_examples=200)
@given(data=st.binary(max_size=200) | _LINES.map(lambda lines: "\n".join(lines).encode("utf-8", "ignore")))
def test_whatever_is_detected_is_read(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "input"
    path.write_bytes(data)
    with suppress(InputUnreadable):
        assert detect(data).name in FORMATS
        assert all(isinstance(record, Message | Problem) for record in read(Source(path)))


#: Much of one thing, in bytes.
_MUCH = 2**18
_SLOW: dict[str, Callable[[int], bytes]] = {
    "spaces": lambda size: b" " * size,
    "a line of spaces after a message": lambda size: b"15/01/2024, 10:30 - Ana: x" + b" " * size + b"y\n",
    "brackets": lambda size: b"<" * size,
    "open brackets": lambda size: b"[" * size,
    "objects": lambda size: b'{"a":' * (size // 5),
    "reminders": lambda size: b"<system-reminder>" * (size // 17),
    "citations": lambda size: "【".encode() * (size // 6) + "†".encode() * (size // 6),
    "private signs": lambda size: "\ue200".encode() * (size // 3),
    "stars": lambda size: b"*" * size,
    "rules": lambda size: b"**Ana:** x\n" + b"-\n" * (size // 16),
    "headings": lambda size: b"# a" * (size // 3),
    "digits": lambda size: b"1" * size,
    "colons": lambda size: b"a:" * (size // 2),
    "names": lambda size: b"Ana " * (size // 4) + b": x\n",
    "quotes": lambda size: b'"' * (size // 8),
    "edited": lambda size: b"15/01/2024, 10:30 - Ana: " + b"<This message was edited" * (size // 25) + b"\n",
    "lines": lambda size: b"Ana: x\n" * (size // 70),
    "marks": lambda size: "\u200e".encode() * (size // 3),
}


@pytest.mark.parametrize("what", list(_SLOW))
def test_much_of_anything_takes_time_in_proportion(what: str) -> None:
    def work(name: str, wraps: bool, size: int) -> None:
        data = json.dumps(_wrapped(name, _SLOW[what](size).decode())).encode() if wraps else _SLOW[what](size)
        named(name).sniff(data[:HEAD_BYTES])
        assert sum(1 for _ in named(name).read(io.BytesIO(data), "input")) <= len(data) + 1

    for name in FORMATS:
        for wraps in (False, True):
            assert growth(partial(work, name, wraps), _MUCH) < LINEAR, name


def _wrapped(name: str, text: str) -> Any:
    """The text as a message of the format, if that is JSON."""
    return {
        "chatgpt": [{"mapping": {"a": {"message": {"author": {"role": "user"}, "content": {"parts": [text]}}}}}],
        "claude-ai": [{"chat_messages": [{"sender": "human", "text": text}]}],
        "claude-code": {"type": "user", "sessionId": "s", "message": {"content": [{"type": "text", "text": text}]}},
        "slack": [{"type": "message", "ts": "1700000060.000200", "text": text}],
        "telegram": {"messages": [{"text": text}]},
        "discord": {"messages": [{"content": text}]},
    }.get(name, {})


def test_text_that_is_markup_or_commands_is_only_text(tmp_path: Path) -> None:
    text = "[red]x[/red] <script>alert(1)</script> '; drop table turns; -- \x1b[31mred\u202eevil"
    path = tmp_path / "chat.txt"
    path.write_text(f"15/01/2024, 10:30 - Ana: {text}\n", encoding="utf-8")
    [message] = read(Source(path))
    assert isinstance(message, Message)
    assert message.text == text.replace("\u202e", "")
