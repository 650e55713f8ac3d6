"""Lists that are written in one turn: their items by name, where a window is of one or introduces it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import Message
from memcli.languages import language
from memcli.memory import Memory
from memcli.model import Form, TurnId
from memcli.reading.enumerations import enumerated, introduced
from memcli.reading.passages import Passage
from memcli.reading.windows import Window

KITES = """Sure! Here are three kites for a beach:

1. **Delta**: flies itself.
   - in any wind
2. *Sled* - packs small.
3. Parafoil. No sticks at all.

And two for the hill:
• Box kite
• Rokkaku (needs a strong wind)

Have fun!"""


def passage(text: str, of: str = KITES) -> Passage:
    return Passage(Window("assistant", text, ""), TurnId("t1"), None, 0, 1.0, 0.5, 0.0, 0.0, 0.0, False, of)


@pytest.mark.parametrize(
    ("window", "names"),
    [
        ("Sure! Here are three kites for a beach:", ["Delta", "Sled", "Parafoil"]),
        ("*Sled* - packs small.", ["Delta", "Sled", "Parafoil"]),
        ("Parafoil. No sticks at all. And two for the hill:", ["Delta", "Sled", "Parafoil"]),
        ("And two for the hill:", ["Box kite", "Rokkaku (needs a strong wind)"]),
        ("Rokkaku (needs a strong wind)", ["Box kite", "Rokkaku (needs a strong wind)"]),
        ("Have fun!", []),
        ("in any wind", []),
    ],
)
def test_a_window_of_a_list_has_its_items(window: str, names: list[str]) -> None:
    assert enumerated(passage(window)) == names


def test_one_item_is_no_list_and_prose_has_none() -> None:
    assert enumerated(passage("Bring:", "Bring:\n- a kite")) == []
    assert enumerated(passage("Bring a kite, string and gloves.", "Bring a kite, string and gloves.")) == []


def test_what_introduces_a_list_has_it_behind_it() -> None:
    assert introduced(passage(""), "Here are three kites for a beach:") == ["Delta", "Sled", "Parafoil"]
    assert introduced(passage(""), "Parafoil.") == []
    assert introduced(passage(""), ":") == []


@given(st.text(alphabet="ab:-*1. \n•[]()#>`", max_size=80))
def test_any_text_is_parsed(text: str) -> None:
    assert all(
        isinstance(each, str) for each in [*enumerated(passage(text, text)), *introduced(passage(text, text), text)]
    )


def test_a_question_for_several_things_is_answered_by_the_list_that_names_them() -> None:
    """With the networks that ship."""
    with Memory(None) as memory:
        memory.add(
            [
                Message("What kites would you recommend for a beach?", "user", role="user", conversation="kites"),
                Message(KITES, "assistant", role="assistant", conversation="kites"),
            ]
        )
        at = datetime(2026, 5, 1, tzinfo=UTC)
        answer = memory.ask("Which kites did you recommend for a beach?", at=at).answer
        third = memory.ask("What was the third kite you recommended for a beach?", at=at).answer
    assert (answer.form, answer.text) == (Form.VALUE, "Delta, Sled, Parafoil")
    assert [each.text for each in answer.items] == ["Delta", "Sled", "Parafoil"]
    assert (third.form, third.text) == (Form.VALUE, "Parafoil")


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("What was the third kite you suggested?", 3),
        ("what was the 27th thing on that list?", 27),
        ("What's first on your list?", 1),
        ("What was the first kite you suggested?", 0),
        ("Who came second?", 0),
        ("What happened on the 3rd of May?", 0),
    ],
)
def test_an_item_is_asked_for_by_its_place(question: str, place: int) -> None:
    assert language("en").nth(question) == place
    assert language("de").nth(question) == 0
