"""Events without a model: each rule by a dialogue of its own, and what holds for any text."""

from __future__ import annotations

import math
import re
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.indexing.transcript.segments import segment
from memcli.languages.english.arguments import arguments
from memcli.languages.english.events import events
from memcli.languages.english.phrases import head_verb, mentions
from memcli.languages.english.tenses import base_form, forms, past_form
from memcli.model import Kind, Session, SessionId, Turn, TurnId
from memcli.model.generated import Event, SessionText

from .proportion import LINEAR, growth

AT = datetime(2023, 5, 8, 13, 56)
ANA, BEN = "Ana", "Ben"


def session(*said: tuple[str, str], at: datetime | None = AT) -> SessionText:
    """A session of (speaker, text) pairs; a speaker "user" or "assistant" is a role."""
    about = Session(SessionId("s"), "c", "test", at)
    turns = [
        Turn(TurnId(f"s{i}"), about.id, i, who, who if who in ("user", "assistant") else "", at, text)
        for i, (who, text) in enumerate(said)
    ]
    return SessionText(about, turns, [s.sentences for s in segment(about, turns).segments])


def told(*said: tuple[str, str]) -> list[str]:
    """The texts of the EDUs of what is said, without what they answer or reply to."""
    return [re.sub(r" \((?:asked by|in reply to|said after).*\)$", ".", event.text) for event in events(session(*said))]


def of_ana(text: str) -> list[str]:
    """The EDUs of what Ana says to Ben."""
    return told((ANA, text), (BEN, "Okay."))


@pytest.mark.parametrize(
    ("said", "edu"),
    [
        ("I adopted a greyhound.", "Ana adopted a greyhound."),
        ("My sister plays the cello.", "Ana's sister plays the cello."),
        ("Went kayaking with Lena on the lake.", "Ana went kayaking with Lena on the lake."),
        ("Never been to an opera house.", "Ana has never been to an opera house."),
        ("Dyed my hair green.", "Ana dyed their hair green."),
        (
            "I hiked to the crater. A gruelling climb with icy wind.",
            "Ana hiked to the crater. A gruelling climb with icy wind.",
        ),
        ("The ridge trail is five miles long.", "Ana said that the ridge trail is five miles long."),
        ("Glad your pottery class went well!", "Ana is glad Ben's pottery class went well."),
        ("Keep practising your violin pieces!", "Ana told Ben to keep practising Ben's violin pieces."),
        ("Believe in yourself, the marathon is long.", "Ana told Ben to believe in themselves, the marathon is long."),
        ("Don't forget the tent pegs.", "Ana told Ben not to forget the tent pegs."),
        ("Let's visit the aquarium together!", "Ana suggested to Ben that they visit the aquarium together."),
        ("Congrats on your chess trophy!", "Ana congratulated Ben on Ben's chess trophy."),
        ("You're a talented carpenter.", "Ana told Ben that Ben is a talented carpenter."),
        ("When you sail, the wind decides.", 'Ana told Ben: "When you sail, the wind decides"'),
    ],
)
def test_a_sentence_is_told_of_its_speaker_by_name(said: str, edu: str) -> None:
    assert of_ana(said) == [edu]


def test_times_become_dates() -> None:
    assert of_ana("I painted the barn yesterday.") == ["Ana painted the barn on 7 May 2023."]
    assert [e.text for e in events(session((ANA, "I painted the barn yesterday."), at=None))] == [
        "Ana painted the barn yesterday."
    ]


@pytest.mark.parametrize(
    ("said", "edus"),
    [
        ("My brother moved to Oslo. He works at a bakery.",
         ["Ana's brother moved to Oslo. Ana's brother works at a bakery."]),
        ("I met my neighbors in the orchard. They grow pears.",
         ["Ana met their neighbors in the orchard. Ana's neighbors grow pears."]),
        ("My brother and my father sail. He owns a yacht.",
         ["Ana's brother and Ana's father sail. Ana said that he owns a yacht."]),
        ("I climbed the old lighthouse. It was built of granite.",
         ["Ana climbed the old lighthouse. Ana said that it was built of granite."]),
    ],
)  # fmt: skip
def test_what_points_back_is_resolved_or_told_with_what_it_points_to(said: str, edus: list[str]) -> None:
    assert of_ana(said) == edus


@pytest.mark.parametrize(
    ("question", "answer", "edu"),
    [
        ("Did you adopt a puppy?", "Yes, in March!", "Ana adopted a puppy in March 2023."),
        ("Do you play the flute?", "Yes, I do.", "Ana plays the flute."),
        ("Have you visited Lisbon?", "No, not yet.", "Ana has not visited Lisbon."),
        ("Where did you go?", "To Rome with Tom.", "Ana went to Rome with Tom."),
        ("What's your favourite book?", "Moby Dick!", "Ana's favourite book is Moby Dick."),
        ("When did you bake the bread?", "Last Friday.", "Ana baked the bread on the Friday before 8 May 2023."),
        ("Hey Ana, what kind of music do you like?", "Baroque.", "Ana likes Baroque (music)"),
    ],
)
def test_an_elliptic_answer_is_completed_from_its_question(question: str, answer: str, edu: str) -> None:
    found = events(session((BEN, question), (ANA, answer)))[-1]
    assert found.text == edu
    assert found.sources == ("s1", "s0")


def test_what_an_answer_and_a_reply_refer_to_is_told_with_them() -> None:
    found = events(session((BEN, "What do you grow in your garden?"), (ANA, "I grow tomatoes and purple beans.")))
    assert found[-1].text == "Ana grows tomatoes and purple beans (asked by Ben: What does Ana grow in Ana's garden?)"
    assert found[-1].sources == ("s1", "s0")
    found = events(session((BEN, "I repaired my old canoe."), (ANA, "That must have taken weeks of sanding.")))
    assert found[-1].text.endswith("(in reply to: Ben repaired their old canoe)")
    assert found[-1].sources == ("s1", "s0")


@pytest.mark.parametrize(
    "said",
    ["Hey Ben!", "Thanks so much, that means a lot!", "Wow, amazing!", "Talk to you soon!", "No worries, take care!",
     "How are you?", "Nice pic!", "Have a safe trip!"],
)  # fmt: skip
def test_small_talk_is_left_out(said: str) -> None:
    assert of_ana(said) == []


def test_an_image_is_an_event_of_who_shared_it() -> None:
    assert of_ana("[image: a photo of a red kite]") == ["Ana shared a photo of a red kite."]
    assert of_ana("[image: two goats]") == ["Ana shared an image: two goats."]


def test_a_turn_that_only_asks_is_told_as_a_question() -> None:
    assert of_ana("Have you seen my brother's new sailing boat?") == [
        "Ana asked Ben: Has Ben seen Ana's brother's new sailing boat?"
    ]


LIST = (
    "Here are some ideas for your trip:\n\n1. **Old harbour**: a quay with fishing boats and a fish market.\n"
    "2. **Glass museum**: a collection of Venetian vases and lamps.\n3. **Botanic garden**: palms, ferns, orchids.\n\n"
    "Packing:\n- Rain coat\n- Map\n- Sturdy boots\n\nThe ferry from Bergen leaves at noon on weekdays."
)


def test_an_assistants_list_is_edus_and_a_chunk() -> None:
    found = events(session(("user", "I'm going to Norway. What should I see there?"), ("assistant", LIST)))
    chunks = [event for event in found if event.kind is Kind.CHUNK]
    assert len(chunks) == 1
    assert chunks[0].body in LIST
    assert chunks[0].text.startswith(
        'In answer to the user\'s request "What should I see there?", the assistant gave a list. It covers '
    )
    assert "Old harbour; Glass museum; Botanic garden" in chunks[0].text
    assert "Bergen" in chunks[0].text
    assert chunks[0].sources == ("s1", "s0")
    texts = [event.text for event in found]
    assert "The user is going to Norway." in texts
    assert (
        "The assistant listed under Here are some ideas for your trip: Glass museum: a collection of Venetian vases "
        "and lamps." in texts
    )
    assert not any("Sturdy boots" in event.text for event in found if event.kind is Kind.EDU)
    assert "The assistant said: The ferry from Bergen leaves at noon on weekdays." in texts


def test_short_items_without_a_chunk_are_told_together() -> None:
    found = told(("assistant", "You need:\n- Flour\n- Yeast"))
    assert found == ["The assistant listed under You need: Flour; Yeast."]


def test_what_a_user_goes_on_with_is_told_with_what_they_asked_for() -> None:
    found = events(
        session(
            ("user", "Can you recommend a quiet guesthouse in Bergen?"),
            ("assistant", "Option 1 is a hostel, option 2 a cabin."),
            ("user", "The cabin suits my tiny budget."),
        )
    )[-1]
    assert found.text == (
        "The cabin suits the user's tiny budget (said after: The user asked the assistant: Can the "
        "assistant recommend a quiet guesthouse in Bergen?)"
    )
    assert found.sources == ("s2", "s0")


def test_a_long_answer_is_cut_into_chunks_that_leave_nothing_out() -> None:
    text = "\n".join(f"- Item {i}: " + "some words about the garden and its trees " * 3 for i in range(80))
    found = events(session(("user", "Tell me about gardens."), ("assistant", text)))
    chunks = [event.body for event in found if event.body]
    assert len(chunks) > 1
    assert "".join("".join(chunks).split()) == "".join(text.split())


def test_what_a_user_asks_an_assistant_is_an_event() -> None:
    asked = "I just bought a Dyson vacuum for my loft, can you suggest a bag for it?"
    assert of_role(asked) == ["The user asked the assistant: The user just bought a Dyson vacuum for the user's loft, "
                              "can the assistant suggest a bag for it?"]  # fmt: skip


def of_role(text: str) -> list[str]:
    """The EDUs of what a user says to an assistant."""
    return told(("user", text), ("assistant", "Sure."))


def test_arguments_are_stripped_phrases_with_roles() -> None:
    found = arguments("Ana had their adoption agency interview in Berlin with Lena on 5 May 2023.", ANA, [ANA, BEN])
    pairs = {(a.role, a.text) for a in found}
    assert pairs >= {("agent", "Ana"), ("time", "5 May 2023"), ("place", "Berlin"), ("participant", "Lena"),
                     ("thing", "adoption agency interview")}  # fmt: skip
    assert ("quantity", "12 miles") in {(a.role, a.text) for a in arguments("Ana ran 12 miles.", ANA)}
    assert len(arguments("Ana saw " + ", ".join(f"the red house{c}" for c in "abcdefghij"), ANA)) == 6


def test_an_event_has_the_lemma_of_its_verb_as_type() -> None:
    assert head_verb("Ana adopted a greyhound.", ANA) == "adopt"
    assert head_verb("Ana has been painting and went home.", ANA) == "go"
    assert head_verb("Ana is a doctor.", ANA) == "be"


@pytest.mark.parametrize(
    ("base", "past"), [("adopt", "adopted"), ("go", "went"), ("plan", "planned"), ("try", "tried"), ("bake", "baked")]
)
def test_verbs_have_a_past_and_a_base_form(base: str, past: str) -> None:
    assert past_form(base) == past
    assert base_form(past) == base


def test_the_forms_of_an_irregular_word_are_one_word() -> None:
    assert forms("find") == ("found",)
    assert forms("found") == ("find",)
    assert forms("broke") == ("break", "broken")
    assert forms("children") == ("child",)
    assert forms("walk") == forms("cut") == ()


def test_mentions_are_names_phrases_and_concepts() -> None:
    found = mentions("When did Ana take the pottery class in Lisbon?", [ANA, BEN])
    assert found[0] == "Ana"
    assert {"pottery class", "Lisbon"} <= set(found)
    assert "Ben" not in found
    assert mentions("", []) == []


SAID = st.lists(
    st.tuples(
        st.sampled_from([ANA, BEN, "user", "assistant", "Zoë O'Neil"]),
        st.one_of(
            st.text(max_size=200),
            st.lists(
                st.sampled_from(
                    ["yes", "my", "it", "[image: a cat]", "they", "1.", "- a", "\n", "?", ".", "Rome",
                     "I", "you", "did", "yesterday", "what", "is", "**bold**", "|a|b|", "```", "no", "\n\n", "\x00"]
                ),
                max_size=40,
            ).map(" ".join),
        ),
    ),
    max_size=8,
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(SAID, st.sampled_from([None, AT]))
def test_any_dialogue_has_events_with_sources_in_it(said: list[tuple[str, str]], at: datetime | None) -> None:
    text = session(*said, at=at)
    found = events(text)
    assert found == events(text)
    turns = {turn.id: turn for turn in text.turns}
    for event in found:
        _check(event, turns)


def _check(event: Event, turns: dict[TurnId, Turn]) -> None:
    assert event.sources
    assert set(event.sources) <= turns.keys()
    assert len(set(event.sources)) == len(event.sources)
    assert event.text.strip()
    assert all(c.isprintable() for c in event.text)
    assert event.at is None or math.isfinite(event.at.timestamp())
    assert "".join(event.body.split()) in "".join(turns[event.sources[0]].text.split())
    assert len({a.text.lower() for a in event.arguments}) == len(event.arguments) <= 6
    assert all(a.text.strip() and a.role in ROLES for a in event.arguments)


ROLES = {"agent", "participant", "thing", "place", "time", "quantity"}


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200), st.lists(st.text(max_size=10), max_size=3))
def test_any_question_has_distinct_mentions(question: str, names: list[str]) -> None:
    found = mentions(question, names)
    assert all(text.strip() for text in found)
    assert len({text.lower() for text in found}) == len(found)


@pytest.mark.parametrize("who", [ANA, "user", "assistant"])
@pytest.mark.parametrize(
    ("part", "size"),
    [("so ", 3200), ("a", 10_000), ("I and my, ", 1000), ("- you\n", 1600), ("1. (", 800), ("[image: ", 1200),
     ("very really so ", 800), ("My the a my dog ", 800), ("|a", 12_000), ("A B ", 10_000), ("### ", 10_000)],
)  # fmt: skip
def test_a_long_turn_takes_time_in_proportion(who: str, part: str, size: int) -> None:
    def work(size: int) -> None:
        events(session((who, part * size), (BEN, "Yes, in May."), (who, f"{part * size}?")))

    assert growth(work, size) < LINEAR
