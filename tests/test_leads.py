"""What of a question asks, without what leads up to it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.languages.english.leads import core
from memcli.languages.english.questions import parse
from memcli.model import Seeks


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Can you remind me what glue you suggested for the kite?", "what glue you suggested for the kite?"),
        ("I'm back to our earlier chat about kites. Could you tell me what holds paper?", "what holds paper?"),
        ("I'm flying to Oslo again and I was wondering, what was the ferry called that you named?",
         "what was the ferry called that you named?"),
        ("I was wondering if you could remind me of that bakery with the rolls?", "that bakery with the rolls?"),
        ("Hi, quick question: when does the pool open?", "when does the pool open?"),
        ("Do you remember when Rafi sold the boat?", "when Rafi sold the boat?"),
        # What else was said before may belong to it.
        ("You named two ferries. Can you tell me which takes cars?", "You named two ferries. which takes cars?"),
        ("I went to a museum two months ago. Was Ana with me?", "I went to a museum two months ago. Was Ana with me?"),
    ],
)  # fmt: skip
def test_what_leads_up_to_a_question_is_not_read(text: str, asks: str) -> None:
    assert core(text) == asks
    assert parse(text, ()).asks == asks
    assert parse(text, ()).text == text


@pytest.mark.parametrize(
    "text",
    [
        "When did I need to check the boiler pressure?",
        "What do you know about Theo?",
        "Who did you tell me about at the quay?",
        "Did Ana want to know the code?",
        "Can you remind me?",
        "Do you remember?",
        "Hello",
        "",
    ],
)
def test_what_asks_by_itself_is_whole(text: str) -> None:
    assert core(text) == text


@given(st.text(max_size=200))
def test_something_is_left_of_any_text(text: str) -> None:
    assert core(text).strip() or not text.strip()


def test_the_kind_of_answer_is_that_of_what_asks() -> None:
    text = "I want to go back to when we talked about paint. Can you remind me how many coats you advised?"
    question = parse(text, ("user", "assistant"))
    assert question.seeks is Seeks.COUNT
    assert "paint" in question.stems
    assert parse("I was wondering who baked the rolls?", ()).seeks is Seeks.WHO
    assert parse("I was wondering, which towns did Ana visit?", ()).listing


def test_what_the_assistant_said_is_about_the_assistant() -> None:
    speakers = ("user", "assistant")
    assert parse("Can you remind me what glue you suggested for the kite?", speakers).about == "assistant"
    assert parse("Which ferry did you say takes cars?", speakers).about == "assistant"
    assert parse("Where did I leave the kite?", speakers).about == "user"
    assert parse("What did you do with my kite?", speakers).about == "user"
    assert parse("Which ferry did you say takes cars?", ("Ana", "Bo")).about is None
    assert parse("Which ferry did ChatGPT recommend?", speakers).about == "assistant"
    assert parse("What did I give Claude for his birthday?", speakers).about == "user"  # somebody may be called so
