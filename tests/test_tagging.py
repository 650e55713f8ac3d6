"""The offline tagger: every relation by a sentence of its own, choices, what holds for any text, and marked turns.

The marks (`tagged_turns.json`) name turns of benchmark data that is no part of the project: MEMCLI_DATA says where
it is.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.indexing.ontology.topics import sensitive
from memcli.languages.english.assertions.options import matching, options
from memcli.languages.english.assertions.tagging import assertions
from memcli.languages.english.assertions.tails import is_telling, tail_of
from memcli.model import SessionId, Turn, TurnId
from memcli.model.generated import Assertion
from memcli.model.relations import AVERSIONS, GROUPS, PREFERENCES, SHAPING
from memcli.model.relations import RelationType as R
from memcli.text import sentences

from .proportion import LINEAR, growth

AT = datetime(2024, 3, 9, 18, 30)
MARKS = Path(__file__).with_name("tagged_turns.json")


def turn(text: str, speaker: str = "Ana", role: str = "", name: str = "t1") -> Turn:
    return Turn(TurnId(name), SessionId("s"), 1, speaker, role, AT, text)


def tagged(text: str, before: str = "", speaker: str = "Ana") -> list[Assertion]:
    """What Ana asserts, after Ben said `before`."""
    earlier = [turn(before, "Ben", name="t0")] if before else []
    return assertions(turn(text, speaker), sentences(text), earlier, ("Ana", "Ben"))


def sure(text: str, before: str = "") -> set[tuple[R, str, bool]]:
    return {(a.relation, a.tail, a.negated) for a in tagged(text, before) if a.confidence >= SHAPING}


SAID = [
    ("I really love old lighthouses.", R.LIKES, "old lighthouses", False),
    ("I'm a big fan of sea shanties.", R.LIKES, "sea shanties", False),
    ("I'm really into birdwatching.", R.LIKES, "birdwatching", False),
    ("My favourite dessert is lemon tart.", R.LIKES, "lemon tart", False),
    ("Lemon tart is my favourite.", R.LIKES, "Lemon tart", False),
    ("Knitting by the fire helps me unwind.", R.LIKES, "Knitting by the fire", False),
    ("I can't stand loud bars.", R.DISLIKES, "loud bars", False),
    ("I don't like horror films.", R.DISLIKES, "horror films", False),
    ("I'm not a fan of jazz.", R.DISLIKES, "jazz", False),
    ("I'm not really a fan of musicals.", R.DISLIKES, "musicals", False),
    ("Crowded lifts make me uncomfortable.", R.DISLIKES, "Crowded lifts", False),
    ("I have a strong aversion to talent shows.", R.DISLIKES, "talent shows", False),
    ("Reality shows don't appeal to me.", R.DISLIKES, "Reality shows", False),
    ("I have no interest in crypto.", R.DISLIKES, "crypto", False),
    ("I no longer enjoy skiing.", R.LIKES, "skiing", True),
    ("I tend to avoid night buses.", R.AVOIDS, "night buses", False),
    ("I never buy fast fashion.", R.AVOIDS, "fast fashion", False),
    ("I refuse to use self-checkouts.", R.AVOIDS, "use self-checkouts", False),
    ("I stay away from energy drinks.", R.AVOIDS, "energy drinks", False),
    ("I will not consume any dairy.", R.AVOIDS, "dairy", False),
    ("I prefer not to fly at night.", R.AVOIDS, "fly at night", False),
    ("I prefer to avoid steep stairs.", R.AVOIDS, "steep stairs", False),
    ("I've always preferred tea over coffee.", R.PREFERS, "tea", False),
    ("I've always preferred tea over coffee.", R.PREFERS, "coffee", True),
    ("I only buy second-hand furniture.", R.PREFERS, "second-hand furniture", False),
    ("I'd rather take the night train.", R.PREFERS, "night train", False),
    ("As someone who only wears wool, what would you pack?", R.PREFERS, "wool", False),
    ("I'm interested in medieval maps.", R.INTERESTED_IN, "medieval maps", False),
    ("I find volcanoes fascinating.", R.INTERESTED_IN, "volcanoes", False),
    ("I'm terrified of spiders.", R.FEARS, "spiders", False),
    ("I have a fear of heights.", R.FEARS, "heights", False),
    ("I follow a strict vegan diet.", R.DIET, "vegan diet", False),
    ("I'm vegetarian.", R.DIET, "vegetarian", False),
    ("I'm allergic to walnuts.", R.ALLERGY, "walnuts", False),
    ("I have a severe shellfish allergy.", R.ALLERGY, "shellfish", False),
    ("I'm not allergic to cats.", R.ALLERGY, "cats", True),
    ("I get motion sickness on ferries.", R.HEALTH, "motion sickness on ferries", False),
    ("I suffer from migraines.", R.HEALTH, "migraines", False),
    ("I believe that libraries should be free.", R.BELIEVES, "libraries should be free", False),
    ("I usually bike to the office.", R.HABIT, "bike to the office", False),
    ("I've been baking rye bread lately.", R.HABIT, "baking rye bread", False),
    ("I swim every morning.", R.HABIT, "swim every morning", False),
    ("I'm using a paper calendar.", R.USES, "paper calendar", False),
    ("I own a tandem.", R.OWNS, "tandem", False),
    ("I don't own any suitcase.", R.OWNS, "suitcase", True),
    ("The brakes of my old car squeak.", R.OWNS, "old car", False),
    ("My dog Rex hates the rain.", R.HAS_PET, "dog Rex", False),
    ("I adopted a grey kitten.", R.HAS_PET, "kitten", False),
    ("My sister Eva lives in Rome.", R.RELATIVE_OF, "sister Eva", False),
    ("My neighbour Tom mows the lawn.", R.FRIEND_OF, "neighbour Tom", False),
    ("I'm a single mom.", R.IS, "single mom", False),
    ("I work at a bakery.", R.WORKS_AT, "bakery", False),
    ("As a nurse, I sleep little.", R.WORKS_AS, "nurse", False),
    ("I'm a software engineer.", R.WORKS_AS, "software engineer", False),
    ("I'm studying marine biology.", R.STUDIES, "marine biology", False),
    ("I'm fluent in Danish.", R.SKILL, "Danish", False),
    ("I'm terrible at chess.", R.SKILL, "chess", True),
    ("I live in Porto.", R.LIVES_IN, "Porto", False),
    ("I grew up in Galway.", R.COMES_FROM, "Galway", False),
    ("I'm planning a trip to Oslo.", R.PLANS, "trip to Oslo", False),
    ("I'm thinking of getting a kayak.", R.PLANS, "getting a kayak", False),
    ("My goal is to run a marathon.", R.GOAL, "run a marathon", False),
    ("I want to open a bookshop.", R.GOAL, "open a bookshop", False),
    ("I need step-free access.", R.NEEDS, "step-free access", False),
    ("I'm looking for a quiet hotel.", R.NEEDS, "quiet hotel", False),
    ("Something under $50 would be best.", R.BUDGET, "under $50", False),
    ("My budget is around $300.", R.BUDGET, "$300", False),
]


@pytest.mark.parametrize(
    ("text", "head", "relation", "tail"),
    [
        ("Tom is vegetarian", "Tom", R.DIET, "vegetarian"),
        ("Tom's vegan now", "Tom", R.DIET, "vegan"),
        ("Mum's gone veggie btw", "mum", R.DIET, "veggie"),
        ("my sister Alba is coming too, she's coeliac", "Alba", R.DIET, "coeliac"),
        ("Seeing Alba tonight. She's allergic to nuts", "Alba", R.ALLERGY, "nuts"),
        ("my husband Tom is late. He can't stand coriander", "Tom", R.DISLIKES, "coriander"),
        ("Dad doesn't eat fish and he hates olives", "dad", R.DISLIKES, "olives"),
    ],
)
def test_what_is_told_of_others_is_theirs(text: str, head: str, relation: R, tail: str) -> None:
    assert (head, relation, tail) in [(each.head, each.relation, each.tail) for each in tagged(text)]


@pytest.mark.parametrize("text", ["It is vegan", "She's vegetarian", "Everybody loves olives", "Who hates olives?"])
def test_nobody_is_no_head(text: str) -> None:
    assert not tagged(text)


@pytest.mark.parametrize(("text", "relation", "tail", "negated"), SAID)
def test_a_sentence_asserts_its_relation(text: str, relation: R, tail: str, negated: bool) -> None:
    assert (relation, tail, negated) in sure(text)


def test_every_relation_has_a_sentence_and_a_group() -> None:
    assert {relation for _, relation, _, _ in SAID} == set(R)
    assert set(GROUPS) == set(R)
    assert set(R) >= AVERSIONS
    assert {R.HEALTH, R.ALLERGY, R.BELIEVES} <= sensitive()
    assert R.WORKS_AT not in PREFERENCES


@pytest.mark.parametrize(
    "text",
    [
        "Thanks for your kind words, I appreciate the support.",
        "Do you think I should avoid sugar?",
        "Can you tell me what I need for a visa?",
        "If I had a boat, I would love the sea.",
        "I used to love skiing.",
        "I love your garden!",
        "I love it!",
        "I'll let you know.",
        "What do people like about opera?",
        'He said "I hate mushrooms" and left.',
        "Write a letter: I need five days off and I love my job.",
        "Maybe I'll visit Lima.",
        "The landlord said yesterday was fine.",
    ],
)
def test_nothing_is_sure_where_nothing_is_asserted(text: str) -> None:
    assert sure(text) == set()


def test_what_was_so_once_is_kept_with_little_confidence() -> None:
    (once,) = [a for a in tagged("I used to love skiing.") if a.relation is R.LIKES]
    assert once.negated
    assert 0 < once.confidence < SHAPING


def test_strength_is_that_of_the_words() -> None:
    def strength(text: str) -> float:
        return next(a.strength for a in tagged(text) if a.relation in (R.LIKES, R.DISLIKES))

    assert strength("I absolutely love figs.") > strength("I like figs.") > strength("I kind of like figs.")
    assert strength("I can't stand figs.") > strength("I don't really like figs.")


def test_favours_tells_likes_from_aversions() -> None:
    def favours(text: str) -> bool:
        return next(a.favours for a in tagged(text) if a.relation in PREFERENCES)

    assert favours("I love figs.")
    assert favours("I'm not afraid of heights.")
    assert not favours("I avoid figs.")
    assert not favours("I no longer enjoy figs.")


def test_a_relatives_taste_is_the_relatives() -> None:
    found = tagged("My sister Eva loves opera. I love my bike, and my wife hates noise.")
    heads = {(a.head, a.relation, a.tail) for a in found}
    assert ("Eva", R.LIKES, "opera") in heads
    assert ("Ana", R.RELATIVE_OF, "sister Eva") in heads
    assert ("wife", R.DISLIKES, "noise") in heads


def test_an_assertion_tells_when_where_and_who() -> None:
    (one,) = tagged("I really love old lighthouses.")
    assert (one.head, one.at, one.turn, one.clause) == ("Ana", AT, "t1", "I really love old lighthouses")
    (user,) = tagged("I really love old lighthouses.", speaker="user")
    assert user.head == "the user"


def test_assistants_assert_nothing() -> None:
    for said in (turn("I love figs.", "assistant", "assistant"), turn("I love figs.", "Bot", "assistant")):
        assert assertions(said, ["I love figs."], [], ("the user", "the assistant")) == []


def test_reasons_and_coordinated_verbs_are_clauses_of_their_own() -> None:
    found = sure("I usually prefer ground floors since I dread lifts, and avoid towers.")
    assert {(R.PREFERS, "ground floors", False), (R.FEARS, "lifts", False), (R.AVOIDS, "towers", False)} <= found


def test_a_reason_in_a_question_holds() -> None:
    assert (R.AVOIDS, "shrimp", False) in sure("Since I avoid shrimp, what should I order?")


WALKS = "Here are a few ideas:\n1. A long hike in the hills.\n2. A tour of the glass museum.\n3. Karaoke at a bar."
INLINE = "Options: 1. A spicy chili with rice. 2. A garden salad with feta. 3. A hot curry with naan."
SERIES = "You could take the night train, rent a small car, or fly with a charter airline."
EITHER = "Would you like the lake cabin or the city loft?"


@pytest.mark.parametrize(
    ("text", "offer", "tail"),
    [
        ("I'd rather go with the second one.", WALKS, "tour of the glass museum"),
        ("Option 2 sounds better.", WALKS, "tour of the glass museum"),
        ("The second one, please.", WALKS, "tour of the glass museum"),
        ("I'll take the latter.", EITHER, "city loft"),
        ("I'll go with the former.", EITHER, "lake cabin"),
        ("The garden salad sounds perfect for me.", INLINE, "garden salad"),
        ("I think option 2, the garden salad, would be best for me.", INLINE, "garden salad"),
        ("I'll go with option 1.", SERIES, "night train"),
        ("I'd choose the night train.", SERIES, "night train"),
        ("I'll stick with the paper map.", "", "paper map"),
    ],
)
def test_a_choice_is_a_preference(text: str, offer: str, tail: str) -> None:
    assert (R.PREFERS, tail, False) in sure(text, offer)


@pytest.mark.parametrize("text", ["I'll take the day off.", "I'll take a few days off.", "I'll take care of it."])
def test_time_off_is_no_choice(text: str) -> None:
    assert not any(relation is R.PREFERS for relation, _, _ in sure(text, "Can you drive her?"))


def test_what_is_turned_down_is_not_preferred() -> None:
    found = sure("I'll go with the garden salad. The other options seem too spicy for me.", INLINE)
    assert (R.PREFERS, "spicy chili with rice", True) in found
    assert (R.PREFERS, "hot curry with naan", True) in found
    assert (R.AVOIDS, "spicy", False) in found
    assert not any(negated and "salad" in tail for _, tail, negated in found)


def test_what_a_choice_is_made_for_is_kept() -> None:
    found = sure("I'll go with the second one, since it has no long hikes.", WALKS)
    assert {(R.PREFERS, "tour of the glass museum", False), (R.AVOIDS, "long hikes", False)} <= found


def test_options_are_read_from_lists_series_and_questions() -> None:
    assert options(WALKS) == ["long hike in the hills", "tour of the glass museum", "Karaoke at a bar"]
    assert options("a) red paint b) no list") == options("Nothing on offer.") == []
    assert options("- Consider a kayak tour.\n- How about a cooking class?") == ["kayak tour", "cooking class"]
    assert options(EITHER) == ["lake cabin", "city loft"]
    assert matching("the museum", options(WALKS)) == 1
    assert matching("a sauna", options(WALKS)) is None


def test_tails_are_short_and_bare() -> None:
    assert tail_of("my old bike because it squeaks") == "old bike"
    assert tail_of("mild, dry climates, and so on") == "mild, dry climates"
    assert not is_telling("it")
    assert not is_telling("your garden")
    assert is_telling("garden")


_WORDS = """I I'm I'd my not never love prefer avoid allergic to the other options option 1. 2. (1) or and , . ? ! "
- over
rather than a an as nurse dog Rex because since if go with sounds perfect too $5 under budget is me you \u00fc"""
_SPOKEN = st.lists(st.sampled_from([*_WORDS.split(), "\n"]), max_size=80).map(" ".join)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=400), _SPOKEN), st.one_of(st.text(max_size=300), _SPOKEN))
def test_whatever_is_said_assertions_are_sound(text: str, before: str) -> None:
    found = tagged(text, before)
    assert found == tagged(text, before)
    for one in found:
        assert 0.0 <= one.confidence <= 1.0
        assert 0.0 < one.strength <= 1.0
        assert one.tail.strip()
        assert one.head
        assert one.turn == "t1"
        assert one.at == AT
        assert one.relation in R


@pytest.mark.parametrize(
    ("before", "part", "after", "size"),
    [
        ("", "I ", "", 4000), ("", "I really really ", "", 2000), ("", "my old big ", "", 2000), ("", "a, ", "", 4000),
        ("", "1. ", "", 3000), ("", "(1) a ", "", 3000), ("", "x or y ", "?", 2000), ("", "I think option ", "", 1000),
        ("", '"', "", 4000), ("", "-", "", 6000), ("the ", "really ", "sounds perfect", 2000),
        ("as a ", "x-", " nurse", 2000), ("I have a ", "very ", "aversion", 800), ("", "w", "", 20_000),
        ("", "I am not so very a bit a little too to ", "", 500),
    ],
)  # fmt: skip
def test_long_input_takes_time_in_proportion(before: str, part: str, after: str, size: int) -> None:
    def work(size: int) -> None:
        text = f"{before}{part * size}{after}"
        assertions(turn(text), sentences(text), [turn(text, "Ben", name="t0")], ("Ana", "Ben"))

    assert growth(work, size) < LINEAR


@pytest.mark.slow
@pytest.mark.skipif("MEMCLI_DATA" not in os.environ, reason="MEMCLI_DATA does not name a folder with the data")
def test_marked_turns_are_tagged_as_they_were_marked() -> None:
    right = made = found = marked = 0
    for entry, said, before, people in _marked_turns(Path(os.environ["MEMCLI_DATA"])):
        of_turn = [a for a in assertions(said, sentences(said.text), before, people) if a.confidence >= SHAPING]
        speaker = "the user" if said.speaker == "user" else said.speaker
        fits = [[a.head == speaker and _fits(a, mark) for mark in entry["marks"]] for a in of_turn]
        right += sum(any(row) for row in fits)
        found += sum(any(column) for column in zip(*fits, strict=True))
        made += len(of_turn)
        marked += len(entry["marks"])
    assert right / made >= 0.85
    assert found / marked >= 0.60


def _fits(one: Assertion, mark: dict[str, Any]) -> bool:
    words = set(re.findall(r"[^\W_]+(?:['-][^\W_]+)*", one.tail.lower()))
    words |= {part for word in words for part in word.split("-")}
    if not {hashlib.sha256(word.encode()).hexdigest()[:12] for word in words} & set(mark["heads"]):
        return False
    return any(
        GROUPS[R(name)] == GROUPS[one.relation] and ((R(name) in AVERSIONS) == mark["negated"]) == one.favours
        for name in mark["relations"]
    )


def _marked_turns(data: Path) -> Iterator[tuple[dict[str, Any], Turn, list[Turn], tuple[str, ...]]]:
    files: dict[str, Any] = {}
    for entry in json.loads(MARKS.read_text())["turns"]:
        name = entry["file"]
        if name not in files:
            raw = (data / name).read_bytes()
            files[name] = json.loads(gzip.decompress(raw) if name.endswith(".gz") else raw)
        read = _of_longmemeval if name.startswith("longmemeval") else _of_locomo
        yield entry, *read(files[name], *entry["turn"].split("|"))


def _of_locomo(data: Any, sample: str, dia: str) -> tuple[Turn, list[Turn], tuple[str, ...]]:
    talk = next(s["conversation"] for s in data if s["sample_id"] == sample)
    said = talk[f"session_{dia[1:].partition(':')[0]}"]
    place = next(i for i, t in enumerate(said) if t["dia_id"] == dia)
    turns = [_turn(t["speaker"], t["text"], t.get("blip_caption"), i) for i, t in enumerate(said[: place + 1])]
    return turns[-1], turns[:-1], _people(talk["speaker_a"], talk["speaker_b"])


def _of_longmemeval(data: Any, question: str, session: str, place: str) -> tuple[Turn, list[Turn], tuple[str, ...]]:
    said = next(q for q in data if q["question_id"] == question)["haystack_sessions"][int(session)]
    turns = [_turn(t["role"], t["content"], None, i) for i, t in enumerate(said[: int(place) + 1])]
    return turns[-1], turns[:-1], _people("user", "assistant")


def _turn(speaker: str, text: str, caption: str | None, place: int) -> Turn:
    role = "assistant" if speaker == "assistant" else "user"
    whole = f"{text}\n[image: {caption}]" if caption else text
    return Turn(TurnId(str(place)), SessionId("s"), place, speaker, role, None, whole)


def _people(*speakers: str) -> tuple[str, ...]:
    return tuple({"user": "the user", "assistant": "the assistant"}.get(name, name) for name in speakers)
