"""Numbers that stand for something: which question asks for them, and which of two is given."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.languages.english.answers import identifier
from memcli.model import TurnId
from memcli.reading import identifiers
from memcli.reading.passages import Passage


def _passage(
    text: str, at: datetime | None, speaker: str = "Ada", covered: float = 1.0, by_asked: float = 1.0
) -> Passage:
    return Passage(text, TurnId(f"t:{text}"), speaker, at, 0, 0.5, 0.5, covered, covered, 0.0, by_asked, text)


@pytest.mark.parametrize(
    ("question", "text", "value"),
    [
        ("What is Ada's phone number?", "It's +44 7700 900-871 now.", "+44 7700 900-871"),
        ("What's Bo's e-mail?", "Write to bo.lee+x@example.org, please.", "bo.lee+x@example.org"),
        ("What's the door code?", "The code is 4711B.", "4711B"),
    ],
)
def test_what_is_asked_for_is_given_whole(question: str, text: str, value: str) -> None:
    wanted = identifier(question)
    assert wanted is not None
    found = identifiers.find(wanted, [_passage(text, None)])
    assert found is not None
    assert found.text == value


def test_the_newest_comes_first_and_says_what_it_was_before() -> None:
    wanted = identifier("What is Ada's phone number?")
    assert wanted is not None
    old = _passage("My number is 07700 900142.", datetime(2024, 1, 5))
    new = _passage("It's 07700 900871 now.", datetime(2024, 6, 9))
    for passages in ([old, new], [new, old]):
        found = identifiers.find(wanted, passages)
        assert found is not None
        assert found.text == "07700 900871 (before: 07700 900142, until June 2024)"
        assert [p.turn for p in found.turns] == [new.turn, old.turn]


def test_whom_the_question_is_about_goes_before_a_newer_value_of_somebody_else() -> None:
    wanted = identifier("What is Ada's phone number?")
    assert wanted is not None
    hers = _passage("My number is 07700 900142.", datetime(2024, 1, 5))
    his = _passage("Mine is 07700 900999.", datetime(2024, 6, 9), speaker="Bo", by_asked=-1.0)
    found = identifiers.find(wanted, [his, hers])
    assert found is not None
    assert found.text == "07700 900142"


def test_numbers_beside_the_matter_are_no_answer() -> None:
    wanted = identifier("What is Ada's phone number?")
    assert wanted is not None
    assert identifiers.find(wanted, [_passage("The order was 1234567890.", None, covered=0.1)]) is None
    assert identifier("What is Ada's favourite number?") is None


@given(st.text(max_size=200), st.sampled_from(["phone number", "email", "pin"]))
def test_no_text_makes_it_fail(text: str, asked: str) -> None:
    wanted = identifier(f"What is the {asked}?")
    assert wanted is not None
    identifiers.find(wanted, [_passage(text, None)])
