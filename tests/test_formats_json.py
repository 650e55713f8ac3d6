"""LoCoMo and LongMemEval: what is read, what never is, and what is left of a broken file."""

from __future__ import annotations

import io
import json
import tracemalloc
from collections.abc import Iterator
from datetime import datetime
from typing import Any, BinaryIO, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.formats import Message, Problem, named

_MAY = datetime(2023, 5, 8, 13, 56)
_LOCOMO = {
    "qa": [{"question": "Who?", "answer": 5, "evidence": ["D1:1"], "category": 4}],
    "conversation": {
        "speaker_a": "Ana",
        "speaker_b": "Ben",
        "session_10": [{"speaker": "Ben", "dia_id": "D10:1", "text": "ten"}],
        "session_2_date_time": "1:56 pm on 8 May, 2023",
        "session_2": [
            {"speaker": "Ana", "dia_id": "D2:1", "text": "look", "blip_caption": "a cat", "img_url": ["x"]},
            {"speaker": "Ben", "dia_id": "D2:2", "text": "nice"},
        ],
        "session_99_date_time": "2:00 pm on 9 May, 2023",
    },
    "observation": {"session_2_observation": {"Ana": [["SECRET", "D2:1"]]}},
    "session_summary": {"session_2_summary": "SECRET"},
    "event_summary": {"events_session_2": {"Ana": ["SECRET"]}},
    "sample_id": "conv-1",
}
_LONGMEMEVAL = {
    "question_id": "q1",
    "question_type": "multi-session",
    "question": "SECRET?",
    "question_date": "2023/06/01 (Thu) 10:00",
    "answer": "SECRET",
    "answer_session_ids": ["answer_1"],
    "haystack_dates": ["2023/05/30 (Tue) 23:40", "2023/05/20 (Sat) 02:21"],
    "haystack_session_ids": ["answer_1", "answer_1"],
    "haystack_sessions": [
        [{"role": "user", "content": "hi", "has_answer": True}, {"role": "assistant", "content": "hello"}],
        [{"role": "user", "content": "again"}],
    ],
}


def _read(name: str, document: Any) -> list[Message | Problem]:
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    return list(named(name).read(io.BytesIO(data), "folder/file.json"))


def _locomo(**changes: Any) -> dict[str, Any]:
    return {"sample_id": "c", "conversation": {"session_1": [{"speaker": "A", "text": "hi"}], **changes}}


def test_locomo_in_numeric_order_with_dates_and_captions() -> None:
    in_two: dict[str, Any] = {"conversation": "conv-1", "session": "session_2"}
    dated = in_two | {"said_at": _MAY, "session_started_at": _MAY}
    expected = [
        Message("look\n[image: a cat]", speaker="Ana", id="D2:1", **dated),
        Message("nice", speaker="Ben", id="D2:2", **dated),
        Message("ten", speaker="Ben", conversation="conv-1", session="session_10", id="D10:1"),
    ]
    assert _read("locomo", [_LOCOMO]) == expected
    assert _read("locomo", _LOCOMO) == expected


def test_longmemeval_sessions_are_named_by_their_place() -> None:
    late, early = datetime(2023, 5, 30, 23, 40), datetime(2023, 5, 20, 2, 21)

    def said(text: str, role: str, when: datetime, session: str, place: str) -> Message:
        return Message(text, role, role, when, "q1", session, place, session_started_at=when)

    expected = [
        said("hi", "user", late, "0", "0"),
        said("hello", "assistant", late, "0", "1"),
        said("again", "user", early, "1", "0"),
    ]
    assert _read("longmemeval", [_LONGMEMEVAL]) == expected
    assert _read("longmemeval", dict(reversed(_LONGMEMEVAL.items()))) == expected


@pytest.mark.parametrize(("name", "document"), [("locomo", _LOCOMO), ("longmemeval", _LONGMEMEVAL)])
def test_no_question_answer_summary_or_evidence_mark_is_read(name: str, document: Any) -> None:
    shown = repr(_read(name, [document]))
    assert "SECRET" not in shown
    assert "answer" not in shown


@pytest.mark.parametrize(("name", "document"), [("locomo", _LOCOMO), ("longmemeval", _LONGMEMEVAL)])
def test_two_conversations_without_a_name_are_kept_apart(name: str, document: dict[str, Any]) -> None:
    nameless = {key: value for key, value in document.items() if key not in ("sample_id", "question_id")}
    found = {r.conversation for r in _read(name, [nameless, nameless]) if isinstance(r, Message)}
    assert found == {"file.json#1", "file.json#2"}


@pytest.mark.parametrize(("name", "document"), [("locomo", _LOCOMO), ("longmemeval", _LONGMEMEVAL)])
def test_one_document_a_line_is_read_like_an_array(name: str, document: dict[str, Any]) -> None:
    lines = b"\n".join([json.dumps(document).encode()] * 2)
    assert _read(name, lines) == _read(name, [document, document])


@pytest.mark.parametrize(
    ("document", "where", "reason"),
    [
        (_locomo(session_2="x"), "item 1, session_2", "not a list of messages"),
        (_locomo(session_2=[7]), "item 1, session_2, message 1", "not an object"),
        (_locomo(session_2=[{"text": "a"}, {"text": ""}]), "item 1, session_2, message 2", "no text"),
        (_locomo(session_2={"a": 1}), "item 1, session_2, message a", "not an object"),
        (_locomo(session_1_date_time="soon"), "item 1, session 1", "date not understood"),
        ([_locomo(), 5], "item 2", "not an object"),
        ([_locomo(), {"conversation": 5}], "item 2", "no session with messages"),
    ],
)
def test_malformed_parts_of_locomo(document: Any, where: str, reason: str) -> None:
    records = _read("locomo", document)
    [problem] = [r for r in records if isinstance(r, Problem)]
    assert problem.where == f"folder/file.json: {where}"
    assert problem.reason.startswith(reason)
    assert "hi" in [r.text for r in records if isinstance(r, Message)]


@pytest.mark.parametrize(
    ("sessions", "where", "reason"),
    [
        ([[{"role": "user", "content": "hi"}], 5], "item 1, session 2", "not a list of messages"),
        ([[{"role": "user", "content": "hi"}, []]], "item 1, session 1, message 2", "not an object"),
        ([[{"role": "user", "content": "hi"}, {"content": None}]], "item 1, session 1, message 2", "no text"),
    ],
)
def test_malformed_parts_of_longmemeval(sessions: Any, where: str, reason: str) -> None:
    message, problem = _read("longmemeval", {"question_id": "q", "haystack_sessions": sessions})
    assert isinstance(message, Message)
    assert message.text == "hi"
    assert problem == Problem(f"folder/file.json: {where}", reason)


@pytest.mark.parametrize(("name", "document"), [("locomo", _LOCOMO), ("longmemeval", _LONGMEMEVAL)])
def test_a_truncated_file_keeps_what_was_read_wherever_it_ends(name: str, document: Any) -> None:
    data = json.dumps([document, document]).encode()
    whole = len(_read(name, data))
    texts = {r.text for r in _read(name, data) if isinstance(r, Message)}
    counts = []
    for size in range(1, len(data)):
        *messages, problem = _read(name, data[:size])
        assert isinstance(problem, Problem)
        assert "broken JSON" in problem.reason
        kept = [r.text for r in messages if isinstance(r, Message)]
        assert set(kept) <= texts
        counts.append(len(kept))
    assert counts == sorted(counts)
    assert counts[-1] == whole


@pytest.mark.parametrize("name", ["locomo", "longmemeval"])
@given(st.binary() | st.recursive(st.none() | st.integers() | st.text(), lambda c: st.lists(c) | st.dictionaries(
    st.sampled_from(["conversation", "session_1", "text", "haystack_sessions", "haystack_dates", "sample_id"]), c
)).map(lambda value: json.dumps(value).encode()))  # fmt: skip
def test_no_document_raises(name: str, data: bytes) -> None:
    named(name).sniff(data)
    assert all(isinstance(record, Message | Problem) for record in _read(name, data))


class _Endless(io.RawIOBase):
    """`times` the same bytes."""

    def __init__(self, first: bytes, again: bytes, times: int) -> None:
        self._parts = self._make(first, again, times)
        self._left = b""

    @staticmethod
    def _make(first: bytes, again: bytes, times: int) -> Iterator[bytes]:
        yield first
        for _ in range(times):
            yield again

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._left = self._left or next(self._parts, b"")
        data, self._left = self._left[: len(buffer)], self._left[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)


@pytest.mark.parametrize(("name", "document"), [("locomo", _LOCOMO), ("longmemeval", _LONGMEMEVAL)])
def test_memory_is_flat_in_the_number_of_conversations(name: str, document: dict[str, Any]) -> None:
    large = document | {"observation": ["x" * 1000] * 20, "haystack_session_ids": ["x" * 1000] * 20}
    item = json.dumps(large).encode()
    stream = cast(BinaryIO, io.BufferedReader(_Endless(b"[" + item, b"," + item, 400)))
    tracemalloc.start()
    try:
        messages = sum(isinstance(record, Message) for record in named(name).read(stream, "f"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert messages == 401 * 3
    assert peak < 4 * 2**20 < 400 * len(item)


@pytest.mark.parametrize(
    ("head", "locomo", "longmemeval"),
    [
        (json.dumps([_LOCOMO])[:120].encode(), True, False),
        (json.dumps(_LOCOMO, indent=1).encode(), True, False),
        (b'[{"conversation": {"speaker_a": "A", "session_1_date', True, False),
        (json.dumps([_LONGMEMEVAL])[:80].encode(), False, True),
        (b'{"haystack_dates": [', False, True),
        (b'[{"haystack_sessions" : [[', False, True),
        (b'{"text": "\\"haystack_sessions\\": \\"session_1\\": "}', False, False),
        (b'"haystack_sessions": 1', False, False),
        (b"[]", False, False),
        (b"", False, False),
    ],
)
def test_sniff(head: bytes, locomo: bool, longmemeval: bool) -> None:
    assert named("locomo").sniff(head) is locomo
    assert named("longmemeval").sniff(head) is longmemeval
