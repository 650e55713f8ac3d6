"""Who asks of a person as a whole is told what stands on the card."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from memcli.formats import Message
from memcli.languages.english.portraits import asks_of
from memcli.memory import Memory
from memcli.model import Filters, Form

from .conftest import Ran

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "who"),
    [
        ("What do you know about Theo?", "Theo"), ("what do we know of theo", "theo"), ("Who is Theo?", "Theo"),
        ("who’s Elena Rossi?!", "Elena Rossi"), ("Tell me everything you know about Theo.", "Theo"),
        ("could you tell me more about Theo", "Theo"), ("Everything about Theo", "Theo"), ("describe Theo", "Theo"),
        ("What can you tell me about emily_r?", "emily_r"),
        ("who is he?", ""), ("tell me about it", ""), ("What do you know?", ""), ("Who is it that broke it?", ""),
        ("what does Theo know about cars?", ""), ("Who did Theo call?", ""), ("", ""),
    ],
)  # fmt: skip
def test_of_whom_everything_is_asked(question: str, who: str) -> None:
    assert asks_of(question) == (who, False)


@pytest.mark.parametrize(
    ("question", "who"),
    [
        ("What's new with Theo?", "Theo"), ("what is going on with Elena Rossi lately?", "Elena Rossi"),
        ("What has Theo been up to recently?", "Theo"), ("How’s Theo doing?", "Theo"), ("How is Theo?", "Theo"),
        ("any news from Theo", "Theo"), ("How are things with Theo these days?", "Theo"),
        ("how is it?", ""), ("what is he doing", ""), ("How is the weather in the hills today?", ""),
    ],
)  # fmt: skip
def test_of_whom_the_latest_is_asked(question: str, who: str) -> None:
    assert asks_of(question) == (who, bool(who))


@pytest.fixture
def told(memory: Memory) -> Memory:
    memory.add([
        Message("I live in Leeds now, and I gave up on Ulysses", "Ana Lima", said_at=datetime(2025, 1, 1, tzinfo=UTC)),
        Message("I know right", "Ana Lima", said_at=datetime(2025, 1, 2, tzinfo=UTC)),
        Message("I moved to Porto", "Ana Lima", said_at=datetime(2025, 2, 1, tzinfo=UTC)),
        Message("The crane fell into the harbour", "Ana Lima", said_at=datetime(2025, 2, 3, tzinfo=UTC)),
        Message("The lighthouse keeper lent us his old brass lantern", "Bo", said_at=datetime(2025, 2, 2, tzinfo=UTC)),
    ])  # fmt: skip
    return memory


def test_what_is_known_is_told_with_its_turns(told: Memory) -> None:
    reading = told.ask("What do you know about ana?", at=NOON)
    answer = reading.answer
    assert (answer.form, answer.abstained, answer.confidence) == (Form.VALUE, False, 0.8)
    assert answer.text.splitlines()[0] == "lives in: Porto"
    assert "Leeds" not in answer.text
    assert answer.items[0].text == "lives in: Porto"
    assert "dislikes: Ulysses" in {item.text for item in answer.items}
    assert {hit.unit.text for hit in reading.hits} >= {"I moved to Porto"}
    assert set(answer.citations) == {hit.unit.sources[0] for hit in reading.hits}


def test_as_it_was_then(told: Memory) -> None:
    then = told.ask("Who is Ana?", at=datetime(2025, 1, 15, tzinfo=UTC))
    assert then.answer.text.splitlines()[0] == "lives in: Leeds"


def test_of_whom_nothing_is_known_the_most_telling_is_quoted(told: Memory) -> None:
    answer = told.ask("Tell me about Bo", at=NOON).answer
    assert answer.form is Form.QUOTE
    assert "brass lantern" in answer.text


@pytest.mark.parametrize("question", ["Who is Zoe?", "Tell me about the lantern", "who is an"])
def test_anything_else_is_asked_as_ever(told: Memory, question: str) -> None:
    assert not told.ask(question, at=NOON).answer.text.startswith("lives in: ")


def test_of_late_is_the_last_month_of_what_they_said(told: Memory) -> None:
    answer = told.ask("What's new with Ana?", at=NOON).answer
    assert answer.form is Form.QUOTE
    assert answer.text.endswith("2025-02-03 Ana Lima: The crane fell into the harbour")
    assert "Ulysses" not in answer.text  # that is longer ago


def test_a_stretch_of_time_is_not_the_card(told: Memory) -> None:
    since = Filters(since=datetime(2025, 1, 2, tzinfo=UTC))
    assert not told.ask("Who is Ana?", filters=since, at=NOON).answer.text.startswith("lives in: ")


def test_the_command_says_of_each_what_it_is(told: Memory, cli: Callable[..., Ran]) -> None:
    told.close()
    out = cli("ask", "who is Ana Lima?", "--at", "2025-06-01", "--store", told.store.path).out
    assert out.splitlines()[0].startswith("lives in: Porto (1 February 2025), dislikes: Ulysses")


def test_of_somebody_who_says_nothing_it_is_quoted_what_is_said(told: Memory) -> None:
    told.add([
        Message("our neighbour Mr Quill carves oak pipes", "Bo", said_at=datetime(2025, 2, 4, tzinfo=UTC)),
        Message("Quill broke his ladder on Tuesday", "Bo", said_at=datetime(2025, 2, 5, tzinfo=UTC)),
    ])  # fmt: skip
    answer = told.ask("who is mr quill?", at=NOON).answer
    assert (answer.form, answer.text) == (Form.QUOTE, "2025-02-04 Bo: our neighbour Mr Quill carves oak pipes")
    assert told.ask("What do you know about Quill?", at=NOON).answer.text.count("Quill") == 2
    assert "Quill" not in told.ask("Who is Quilliam?", at=NOON).answer.text
