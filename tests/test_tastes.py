"""Advice to who asks an assistant for himself: what he said of his tastes, where it bears on what he asks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from memcli import Message
from memcli.languages.english.questions import parse
from memcli.memory import Memory
from memcli.model import Filters, Form, SessionId, Turn, TurnId
from memcli.model.generated import Assertion
from memcli.model.relations import RelationType
from memcli.reading.advice import Known
from memcli.reading.stored import StoredTranscript
from memcli.reading.tastes import NAMES, Taste, packaged, quoted, signals, tastes
from memcli.strategies import DEFAULT, strategy

ASKED = datetime(2026, 5, 20, 18, 30, tzinfo=UTC)
SAID = [
    ("user", "Can you plan a weekend in Ghent? I never stay in chain hotels, I much prefer small family-run places."),
    ("assistant", "Of course. Ghent has several family-run guesthouses along the Leie."),
    ("user", "My bike squeaks. What should I do about it?"),
    ("assistant", "Clean the chain and oil it; I prefer dry oil in summer."),
    ("user", "I can't eat anything with peanuts, I'm badly allergic, so no satay please."),
    ("assistant", "Noted: no peanuts."),
    ("user", "I really dislike audiobooks, the voices distract me."),
    ("assistant", "Then let us look at printed editions."),
]  # fmt: skip


@pytest.fixture(scope="module")
def told() -> Memory:
    memory = Memory(None)
    memory.add(
        [Message(text, speaker, role=speaker, said_at=datetime(2026, 4, 1 + place // 2, 9, place, tzinfo=UTC),
                 conversation=f"c{place // 2}") for place, (speaker, text) in enumerate(SAID)]
    )  # fmt: skip
    return memory


@pytest.mark.parametrize(
    ("question", "taste"),
    [
        ("Can you recommend a hotel for my trip to Porto?", "chain hotels"),
        ("Can you recommend a good restaurant in Rome?", "peanuts"),
        ("Could you suggest some nice hotels in Lisbon?", "chain hotels"),
    ],
)
def test_a_taste_that_bears_on_it_is_quoted(told: Memory, question: str, taste: str) -> None:
    answer = told.ask(question, at=ASKED).answer
    assert (answer.form, answer.abstained) == (Form.QUOTE, False)
    assert answer.text.split("; user")[0].startswith("user, ")
    assert taste in answer.text
    assert "assistant, " not in answer.text  # what it prefers is no taste of who asks


def test_where_no_taste_bears_on_it_nothing_is_said(told: Memory) -> None:
    answer = told.ask("Can you suggest a good screwdriver for my workshop?", at=ASKED).answer
    assert answer.abstained


@pytest.mark.parametrize(
    "question", ["What should I bake for Fiadh?", "What word could you never say at home?"]
)  # fmt: skip
def test_who_asks_for_another_or_for_nobody_is_not_told_of_tastes(told: Memory, question: str) -> None:
    assert "audiobooks" not in told.ask(question, at=ASKED).answer.text
    assert "peanuts" not in told.ask(question, at=ASKED).answer.text


def test_what_was_recommended_is_no_request(told: Memory) -> None:
    assert "chain hotels" not in told.ask("What did you suggest for my bike?", at=ASKED).answer.text


def test_among_friends_nobody_asks_an_assistant() -> None:
    with Memory(None) as memory:
        memory.add([Message("I never stay in chain hotels, I prefer small places.", "Ana", said_at=ASKED)])
        query, view = memory.query("Can you recommend a hotel for my trip?", Filters(), ASKED, strategy(DEFAULT))
        with memory.store.reading():
            hits = strategy(DEFAULT).retrieve(query, view, 5)
            assert hits
            assert tastes(query, hits, StoredTranscript(view)) == []


@pytest.mark.parametrize(
    ("question", "wants", "may_want"),
    [
        ("Can you recommend a hotel for my trip to Porto?", True, True),
        ("Could you please suggest some films?", True, True),
        ("Would you help me choose a bike?", True, True),
        ("What books would you recommend?", True, True),
        ("Do you have any suggestions for dinner?", True, True),
        ("How can I get better at chess?", False, True),
        ("What are some good pens?", False, True),
        ("What hotels do I like?", False, True),
        ("What are my food preferences?", False, True),
        ("What did I like about it?", False, False),
        ("What hotel did you recommend?", False, False),
        ("Which of the books that you recommended was best?", False, False),
        ("Could you hear the rain?", False, True),
        ("How many tips were there?", False, False),
    ],
)  # fmt: skip
def test_who_asks_for_advice(question: str, wants: bool, may_want: bool) -> None:
    read = parse(question, ("assistant", "user"))
    assert (read.wants_advice, read.may_want_advice) == (wants, may_want)


@pytest.mark.parametrize("question", ["Can you suggest a film?", "Could you please help me find a pen?"])
def test_a_request_is_no_question_of_yes_or_no(question: str) -> None:
    assert parse(question, ()).seeks.value == "what"
    assert parse("Could you hear the rain?", ()).seeks.value == "yes-no"


def _taste(place: int, *told: tuple[RelationType, float, float]) -> Taste:
    turn = Turn(TurnId(f"t{place}"), SessionId("s"), place, "user", "user", ASKED, "said")
    known = [
        Known(turn, Assertion("user", relation, "it", ASKED, turn.id, confidence), cosine)
        for relation, confidence, cosine in told
    ]
    return Taste(turn, place, known)


def test_the_signals() -> None:
    found: Sequence[Taste] = [
        _taste(1, (RelationType.LIKES, 0.6, 0.3), (RelationType.AVOIDS, 0.9, 0.5)),
        _taste(4, (RelationType.PREFERS, 0.7, 0.8)),
    ]
    read = signals(found)
    assert set(read) == set(NAMES)
    assert quoted(found) == found[1:]
    assert quoted([found[0], _taste(2, (RelationType.LIKES, 0.6, 0.35))]) != found[:1]
    assert read == pytest.approx({"nearest": 0.8, "place": 0.5, "sure": 0.9, "sure.mean": 0.8, "limits": 0.5})


def test_a_nearer_taste_is_surer() -> None:
    far, near = (signals([_taste(0, (RelationType.AVOIDS, 0.9, cosine))]) for cosine in (0.2, 0.7))
    assert packaged()(far) < packaged()(near)
