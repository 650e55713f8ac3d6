"""memcli's own JSONL: what is a message, what is a problem, and that memory stays flat."""

from __future__ import annotations

import io
import os
import tracemalloc
from datetime import UTC, datetime
from typing import Any, BinaryIO, cast

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.formats import Message, Problem, lines
from memcli.formats.jsonl import JsonLines


def _read(data: bytes) -> list[Message | Problem]:
    return list(JsonLines().read(io.BytesIO(data), "chat.jsonl"))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"text": "hi"}', Message("hi")),
        ('{"content": "hi", "role": "user"}', Message("hi", role="user")),
        ('{"text": "", "content": "hi"}', Message("hi")),
        ('{"text": "hi", "content": "ho"}', Message("hi")),
        ('{"text": "hi", "speaker": "Ana", "role": "user"}', Message("hi", speaker="Ana", role="user")),
        ('{"text": "hi", "session": 3, "id": 7}', Message("hi", session="3", id="7")),
        ('{"text": "hi", "session": "", "id": null, "speaker": null}', Message("hi")),
        ('{"text": "hi", "conversation": "a", "title": "T"}', Message("hi", conversation="a", title="T")),
        ('{"text": "look", "caption": "a cat"}', Message("look\n[image: a cat]")),
        ('{"caption": "a cat"}', Message("[image: a cat]")),
        ('{"text": "hi", "timestamp": "2023-05-08 14:00"}', Message("hi", said_at=datetime(2023, 5, 8, 14))),
        ('{"text": "hi", "timestamp": 1683554400}', Message("hi", said_at=datetime(2023, 5, 8, 14, tzinfo=UTC))),
        ('{"text": "hi", "timestamp": ""}', Message("hi")),
        ('{"text": "hi", "date": "2023-05-08", "time": "14:00"}', Message("hi", said_at=datetime(2023, 5, 8, 14))),
        ('{"text": "hi", "date": "2023-05-08", "time": "noonish"}', Message("hi", said_at=datetime(2023, 5, 8))),
        ('{"text": "hi", "created_at": "2023-05-08 14:00"}', Message("hi", said_at=datetime(2023, 5, 8, 14))),
        ('{"text": "hi", "at": "2023-05-08T14:00:00Z"}', Message("hi", said_at=datetime(2023, 5, 8, 14, tzinfo=UTC))),
        (
            '{"text": "hi", "timestamp": null, "ts": 1683554400}',
            Message("hi", said_at=datetime(2023, 5, 8, 14, tzinfo=UTC)),
        ),
        (
            '{"text": "hi", "date": "2023-05-08", "timestamp": "2024-01-01 10:00"}',
            Message("hi", said_at=datetime(2024, 1, 1, 10)),
        ),
        ('{"text": "hi", "author": {"name": "x"}, "chat": "crew"}', Message("hi", conversation="crew")),
        ('{"text": "hi", "from": "Ana", "user": "U1"}', Message("hi", speaker="Ana")),
        ('{"text": "hi", "unheard_of": [1, {"text": "no"}]}', Message("hi")),
    ],
)
def test_a_line(line: str, expected: Message) -> None:
    assert _read(line.encode()) == [expected]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"text": "hi"', "invalid JSON"),
        (b"hello", "invalid JSON"),
        (b"[1, 2]", "not a JSON object"),
        (b'"text"', "not a JSON object"),
        (b'{"speaker": "Ana"}', "no text"),
        (b'{"text": 5}', "no text"),
        (b'{"text": " \\n "}', "no text"),
        (b'{"text": "\\u0000\\u001b"}', "no text"),
        (b'{"text": "a\x00b"}', "NUL bytes"),
        (b'{"text": "\xff\xfe"}', "invalid UTF-8"),
        (b"[" * 5000, "invalid JSON"),
    ],
)
def test_a_bad_line_is_reported_with_its_number_and_the_rest_is_kept(line: bytes, reason: str) -> None:
    first, bad, last = _read(b'{"text": "one"}\n' + line + b'\n\n{"text": "two"}\n')
    assert (first, last) == (Message("one"), Message("two"))
    assert isinstance(bad, Problem)
    assert bad.where == "chat.jsonl:2"
    assert bad.reason.startswith(reason)
    assert bad.kept_out


def test_a_message_with_a_timestamp_that_is_not_understood_is_kept_without_it() -> None:
    message, problem = _read(b'{"text": "hi", "timestamp": "soon"}')
    assert message == Message("hi", is_unreadably_dated=True)
    assert isinstance(problem, Problem)
    assert not problem.kept_out


def test_byte_order_mark_crlf_blank_lines_and_no_newline_at_the_end() -> None:
    data = b'\xef\xbb\xbf{"text": "one"}\r\n\r\n   \n{"text": "two"}'
    assert _read(data) == [Message("one"), Message("two")]


class _LongLine(io.RawIOBase):
    """A line of `size` letters between two messages, made while it is read."""

    def __init__(self, size: int) -> None:
        self._parts = [(b'{"text": "one"}\n{"text": "', 1), (b"a" * 4096, size // 4096), (b'"}\n{"text": "two"}\n', 1)]

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while self._parts and not self._parts[0][1]:
            self._parts.pop(0)
        if not self._parts:
            return 0
        data, times = self._parts[0]
        self._parts[0] = (data, times - 1)
        buffer[: len(data)] = data
        return len(data)


def test_a_line_of_200_mb_is_passed_over_in_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST_LINE", 2**20)
    stream = cast(BinaryIO, io.BufferedReader(_LongLine(200 * 2**20), 65536))
    tracemalloc.start()
    try:
        records = list(JsonLines().read(stream, "chat.jsonl"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert records == [Message("one"), Problem("chat.jsonl:2", "line longer than 1 MB"), Message("two")]
    assert peak < 8 * 2**20


@pytest.mark.parametrize("end", [b"", b"\n", b'\n{"text": "after"}'])
def test_the_longest_line_is_still_read_and_one_byte_more_is_not(monkeypatch: pytest.MonkeyPatch, end: bytes) -> None:
    line = b'{"text": "just so long"}'
    monkeypatch.setattr(lines, "LONGEST_LINE", len(line))
    assert _read(line + end)[0] == Message("just so long")
    monkeypatch.setattr(lines, "LONGEST_LINE", len(line) - 1)
    records = _read(line + end)
    assert isinstance(records[0], Problem)
    assert len(records) == 1 + (b"after" in end)


def test_a_live_stream_yields_a_message_when_its_line_is_complete() -> None:
    reader, writer = os.pipe()
    with open(reader, "rb") as stream:
        records = JsonLines().read(stream, "stdin")
        for text in ("one", "two"):
            os.write(writer, b'{"text": "%s"}\n' % text.encode())
            assert next(records) == Message(text)
        os.close(writer)
        assert list(records) == []


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b'{"text": "hi"}\n', True),
        (b'\n  {"role": "user", "content": "hi"}\n', True),
        (b'not json\n{"text": "hi"}\n', True),
        (b'{"speaker": "Ana", "id": 5, "text": "cut o', True),
        (b'{"type": "user", "message": {"role": "user", "content": "hi"}}\n', False),
        (b'{"type": "user", "message": {"role": "user", "content": "hi', False),
        (b'{"speaker": "text\\": ", "id', False),
        (b'[{"text": "hi"}]', False),
        (b'{\n  "text": "hi"\n}', False),
        (b"hello", False),
        (b"", False),
    ],
)
def test_sniff(head: bytes, expected: bool) -> None:
    assert JsonLines().sniff(head) is expected


@given(st.binary())
def test_no_bytes_raise(data: bytes) -> None:
    JsonLines().sniff(data)
    assert all(isinstance(record, Message | Problem) for record in _read(data))


_NAMES = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=12)


@given(
    st.lists(
        st.builds(
            Message,
            text=st.text(st.characters(exclude_categories=["C"]), min_size=1).filter(lambda t: bool(t.strip())),
            speaker=_NAMES,
            role=st.sampled_from(["", "user", "assistant"]),
            said_at=st.none() | st.datetimes(datetime(1950, 1, 1), datetime(2100, 1, 1)),
            conversation=_NAMES,
            session=st.none() | _NAMES,
            id=st.none() | _NAMES,
        )
    )
)
def test_round_trip(messages: list[Message]) -> None:
    records: list[dict[str, object]] = [
        {"text": m.text, "speaker": m.speaker, "role": m.role, "conversation": m.conversation, "session": m.session}
        | {"id": m.id, "timestamp": m.said_at and m.said_at.isoformat()}
        for m in messages
    ]
    assert _read(b"\n".join(orjson.dumps(record) for record in records)) == messages
