"""The sample data that a new user meets first: it must be without a flaw."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from memcli.formats import Message, SessionSplitter, read, sources
from memcli.model import Turn

_FOLDER = Path(__file__).parent.parent / "sample_data"


def _records(name: str) -> list[Any]:
    [source] = sources([_FOLDER / name])
    return list(read(source))


def _turns(name: str) -> dict[str, list[Turn]]:
    splitter = SessionSplitter(name, lambda _: {}, lambda _: None)
    pieces = [piece for message in _records(name) for piece in splitter.feed(message)]
    pieces.extend(splitter.flush())
    return {session.id: turns for session, turns in pieces}


def _conversations() -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = json.loads((_FOLDER / "questions.json").read_text(encoding="utf-8"))
    return loaded


@pytest.mark.parametrize(("name", "count"), [("chats.jsonl", 468), ("questions.json", 443)])
def test_every_line_is_a_message(name: str, count: int) -> None:
    records = _records(name)
    assert len(records) == count
    assert all(isinstance(record, Message) and record.said_at for record in records)


def test_the_folder_holds_two_transcripts() -> None:
    assert [source.name for source in sources([_FOLDER])] == ["chats.jsonl", "questions.json"]


def test_sessions_are_as_the_readme_says() -> None:
    chats = _turns("chats.jsonl")
    assert len(chats) == 42
    assert sorted(len(turns) for turns in chats.values() if turns[0].speaker in ("Nora", "Ingrid"))[0] == 7
    assert str(len(chats)) in (_FOLDER / "README.md").read_text(encoding="utf-8")


def test_both_files_hold_the_same_turns_in_the_same_sessions() -> None:
    chats, questions = _turns("chats.jsonl"), _turns("questions.json")
    assert len(questions) == 39
    for session, turns in questions.items():
        assert [(t.id, t.speaker, t.text) for t in turns] == [(t.id, t.speaker, t.text) for t in chats[session]]


def test_evidence_is_there_and_answers_are_as_their_category_asks() -> None:
    categories: Counter[int] = Counter()
    for item in _conversations():
        said = [turn for value in item["conversation"].values() if isinstance(value, list) for turn in value]
        ids = {turn["dia_id"] for turn in said}
        assert len(ids) == len(said)
        for question in item["qa"]:
            categories[question["category"]] += 1
            assert set(question["evidence"]) <= ids
            assert bool(question["evidence"]) == ("answer" in question) == (question["category"] != 5)
            assert ("adversarial_answer" in question) == (question["category"] == 5)
    assert set(categories) == {1, 2, 3, 4, 5}
    assert 40 <= categories.total() <= 60


def test_it_shows_what_a_line_can_hold() -> None:
    lines = [json.loads(line) for line in (_FOLDER / "chats.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {
        "text",
        "content",
        "speaker",
        "role",
        "timestamp",
        "session",
        "conversation",
        "id",
        "caption",
    } <= set().union(*lines)
    stamps = [str(line["timestamp"]) for line in lines]
    for pattern in (r".*\+\d\d:\d\d", r"\d{4}-\d\d-\d\d \d\d:\d\d", r"\d{10}", r".*T\d\d:\d\d:\d\d"):
        assert any(re.fullmatch(pattern, stamp) for stamp in stamps)
    assert any("session" not in line for line in lines)
