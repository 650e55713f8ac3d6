"""Numbers that stand for something: which question asks for them, and that they are given whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.languages import language
from memcli.languages.english.answers import identifier
from memcli.model import Question, Seeks, TurnId
from memcli.reading.extractive import found_in
from memcli.reading.network import Finding, Span
from memcli.reading.passages import Passage
from memcli.reading.relevance import Found
from memcli.reading.values import values
from memcli.reading.windows import Window


def _found(text: str, start: int, end: int) -> Found:
    """A window in which the network likes these places of its text."""
    window = Window("Ada", text, "")
    passage = Passage(window, TurnId("t"), None, 0, 1.0, 0.5, 1.0, 1.0, 1.0, False, text)
    return Found(passage, Finding(1.0, 0.5, 0.5, [Span(start + 5, end + 5, 0.6)]), 0.9)


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
    assert wanted.findall(text) == [value]
    middle = text.index(value) + len(value) // 2
    assert values(Question(question), _found(text, middle, middle + 1))[0].text == value


def test_a_favourite_number_stands_for_nothing() -> None:
    assert identifier("What is Ada's favourite number?") is None


@pytest.mark.parametrize(
    ("question", "value", "is_such"),
    [
        ("What's Nadia's dog called?", "a whippet", False),
        ("What's Nadia's dog called?", "biscuit", True),
        ("Which book is called so?", "A Little Life", True),
        ("How many teeth are out?", "2 quid", False),
        ("How many teeth are out?", "2", True),
        ("How many euros did it cost?", "40 euros", True),
        ("What's Ada's number in Turin?", "a dormouse", False),
        ("What's Ada's number in Turin?", "040 221 786", True),
        ("What's Ada's phone number?", "4471", False),
        ("What's Ada's phone number?", "55 21 30", True),
        ("Who changed their phone number?", "Ada", True),
        ("What is Ada's email address?", "ada at home", False),
        ("How old is the car?", "£900", False),
        ("How much was the car?", "£900", True),
        ("How much did the plumber charge?", "07700 900733", False),
        ("How much did the plumber charge?", "70", True),
        ("How many metres of cloth did Ada buy?", "44 a metre", False),
        ("How many hours a week does Ada work?", "20 a week", True),
        ("What percentage of the seeds came up?", "two", False),
        ("What percentage of the seeds came up?", "40%", True),
    ],
)  # fmt: skip
def test_a_value_is_of_the_kind_that_is_asked_for(question: str, value: str, is_such: bool) -> None:
    assert language("en").is_such(question, value) is is_such


@given(st.text(max_size=200), st.sampled_from(["phone number", "email", "pin", "name"]), st.integers(0, 200))
def test_no_text_makes_it_fail(text: str, asked: str, start: int) -> None:
    start = min(start, len(text))
    for value in values(Question(f"What is the {asked}?"), _found(text, start, min(start + 9, len(text)))):
        assert value.text


def test_what_holds_no_number_tells_none() -> None:
    english = language("en")
    assert not english.may_tell("What's Ada's phone number?", "yes, plot 17. The gate code is 2290")
    assert english.may_tell("What's Ada's phone number?", "ring 0161 (496) 0345")
    code = _found("The gate code is 2290", 17, 21)
    asked = "What's Ada's phone number?"
    assert found_in(Question(asked, seeks=Seeks.WHAT), [code], []).found[0].trust == pytest.approx(0.09)
    assert found_in(Question("What's the gate code?", seeks=Seeks.WHAT), [code], []).found[0].trust == 0.9
    assert english.may_tell("When did Ada lose her phone number?", "on Friday")


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("I'm in the bath", False),
        ("sorry, I’m at the dentist", False),
        ("I'm still at the shops, ring you later", False),
        ("I'm in a flat on Mill Street", True),
        ("I'm at the library these days", True),
        ("I'm at the bakery, my first job!", True),
        ("in the old town", True),
    ],
)
def test_where_somebody_is_just_now_is_not_where_they_live(text: str, tells: bool) -> None:
    english = language("en")
    for question in ("Where does Ada live now?", "Where is Ada working?"):
        assert english.may_tell(question, text) == tells
    assert english.may_tell("Where is Ada?", text)
