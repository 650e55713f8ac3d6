"""Generated memory without a model: each rule by a sentence of its own, planted errors, and what holds for any text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memcli.indexing.memories.insights import insights
from memcli.indexing.memories.keywords import keywords
from memcli.indexing.memories.summaries import summary
from memcli.indexing.memories.verification import verify
from memcli.indexing.transcript.segments import segment
from memcli.languages.english.changes import supersedes
from memcli.languages.english.dates import dated
from memcli.languages.english.facts import facts, retold
from memcli.languages.english.third_person import in_third_person
from memcli.languages.english.verbs import agreeing
from memcli.model import Kind, Session, SessionId, Turn, TurnId
from memcli.model.generated import Generated, SessionText, Told

AT = datetime(2023, 5, 8, 13, 56)
ANA, BEN = "Ana", "Ben"


def session(*said: tuple[str, str], at: datetime | None = AT, name: str = "s") -> SessionText:
    """A session of (speaker, text) pairs; a speaker "user" or "assistant" is a role."""
    about = Session(SessionId(name), "c", "test", at)
    turns = [
        Turn(TurnId(f"{name}{i}"), about.id, i, who, who if who in ("user", "assistant") else "", at, text)
        for i, (who, text) in enumerate(said)
    ]
    return SessionText(about, turns, [s.sentences for s in segment(about, turns).segments])


def told(*sentences: str) -> list[str]:
    """The facts of what Ana says to Ben."""
    return [fact.text for fact in facts(session((ANA, " ".join(sentences)), (BEN, "Okay.")))]


@pytest.mark.parametrize(
    ("verb", "third"),
    [
        ("love", "loves"), ("go", "goes"), ("try", "tries"), ("play", "plays"), ("watch", "watches"), ("am", "is"),
        ("have", "has"), ("do", "does"), ("went", "went"), ("will", "will"), ("need", "needs"), ("walked", "walked"),
        ("haven't", "hasn't"), ("bring", "brings"), ("were", "was"), ("don't", "doesn't"), ("read", "read"),
    ],
)  # fmt: skip
def test_verbs_agree_with_the_third_person(verb: str, third: str) -> None:
    assert agreeing(verb) == third


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("I went to a support group yesterday.", "Ana went to a support group on 7 May 2023"),
        ("I'm allergic to peanuts!", "Ana is allergic to peanuts"),
        ("I've been learning the cello.", "Ana has been learning the cello"),
        ("I'd love to visit Norway.", "Ana would love to visit Norway"),
        ("I'd already seen the castle.", "Ana had already seen the castle"),
        ("I'll bake a cake for the fair.", "Ana will bake a cake for the fair"),
        ("I really love hiking.", "Ana really loves hiking"),
        ("I try to run and have a bike.", "Ana tries to run and have a bike"),
        ("I practice and train in the gym.", "Ana practices and trains in the gym"),
        ("I don't eat meat.", "Ana doesn't eat meat"),
        ("I have never been to Paris.", "Ana has never been to Paris"),
        ("My sister gave me a necklace.", "Ana's sister gave Ana a necklace"),
        ("I took my kids to the museum.", "Ana took their kids to the museum"),
        ("The red bicycle is mine.", "The red bicycle is Ana's"),
        ("I painted the kitchen myself.", "Ana painted the kitchen themselves"),
        ("My wife and I are moving to Leeds.", "Ana's wife and Ana are moving to Leeds"),
        ("We're camping at our lake cabin.", "Ana and others are camping at their lake cabin"),
        ("I'm gonna adopt a puppy.", "Ana is going to adopt a puppy"),
        ("Got a new guitar last week.", "Ana got a new guitar in the week before 8 May 2023"),
        ("Hey Ben! Thanks, Ben, I moved to Leeds.", "Ana moved to Leeds"),
        ("I showed you the garden.", "Ana showed Ben the garden"),
        ("I bought the tent you told me about.", "Ana bought the tent Ben told Ana about"),
        ('I loved the song "I will survive you".', 'Ana loved the song "I will survive you"'),
        ("[image: a photo of a red canoe]", "Ana shared a photo of a red canoe"),
    ],
)
def test_a_statement_is_told_of_its_speaker(said: str, fact: str) -> None:
    assert told(said) == [fact]


@pytest.mark.parametrize(
    "said",
    [
        "How was your trip?", "Thanks so much, Ben!", "Wow, that's great!", "I'm so proud of you.",
        "I hope you like it.", "If I had a boat, I would sail.", "I wish I had a horse.", "I totally agree.",
        "Let's go camping.", "Take care!", "I know what you mean.", "I can't wait!", "I would have bought the house.",
    ],
)  # fmt: skip
def test_small_talk_questions_and_the_hypothetical_are_no_facts(said: str) -> None:
    assert told(said) == []


def test_clauses_with_a_subject_each_are_facts_each() -> None:
    assert told("I sold the boat, and I bought a kayak.") == ["Ana sold the boat", "Ana bought a kayak"]
    assert told("My wife and I went to Rome.") == ["Ana's wife and Ana went to Rome"]
    assert told("When I was young and I lived in Rome, I had a cat.") == [
        "When Ana was young and Ana lived in Rome, Ana had a cat"
    ]


def test_a_statement_about_the_other_is_a_fact_once_confirmed() -> None:
    found = facts(session((ANA, "You went to Lisbon with your brother, right?"), (BEN, "Yes, it was sunny.")))
    assert [(f.text, f.label, f.sources) for f in found] == [
        ("Ben went to Lisbon with their brother, right", BEN, (TurnId("s0"), TurnId("s1")))
    ]
    assert not facts(session((ANA, "You went to Lisbon with your brother, right?"), (BEN, "No, I did not.")))


def test_roles_are_called_by_their_role_and_assistants_only_commit_themselves() -> None:
    said = ("user", "I work as a nurse."), ("assistant", "Nurses work shifts. I recommend a standing desk.")
    assert [f.text for f in facts(session(*said))] == [
        "The user works as a nurse", "The assistant recommends a standing desk",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("saw her last Friday", "saw her on the Friday before 8 May 2023"),
        ("moved there last year", "moved there in 2022"), ("since 2016", "since 2016"),
        ("on March 3", "on 3 March 2023"), ("next month", "in June 2023"), ("last night", "on the night of 7 May 2023"),
        ("two days ago", "on 6 May 2023"), ("every Friday", "every Friday"), ("recently", "recently"),
        ("I have played for 3 years", "I have played for 3 years (since 2020)"),
        ("in early June", "in early June 2023"),
        ("three weeks ago", "three weeks before 8 May 2023"), ("yesterday's class", "the 7 May 2023 class"),
        ("yesterday morning", "on the morning of 7 May 2023"), ("at 5 pm", "at 5 pm"),
    ],
)  # fmt: skip
def test_relative_times_become_dates(said: str, meant: str) -> None:
    assert dated(said, AT) == meant


def test_without_a_date_times_stay_as_they_were_said() -> None:
    assert dated("saw her yesterday", None) == "saw her yesterday"


def test_nobody_is_put_in_who_is_not_known() -> None:
    assert in_third_person("I told you about it", ANA, None) is None
    assert in_third_person("I love how you can see the sea", ANA, BEN) is None


SOURCE = session((ANA, "I went to a support group with Carla yesterday. I never drink coffee. I have 3 dogs."))


@pytest.mark.parametrize(
    ("text", "supported"),
    [
        ("Ana went to a support group with Carla on 7 May 2023", True),
        ("In May 2023, Ana went to a support group", True),
        ("Ana has three dogs", True),
        ("Ana never drinks coffee", True),
        ("Ana went to a support group with Carla on 9 May 2023", False),
        ("Ana has 4 dogs", False),
        ("Ana went to a support group with Diana", False),
        ("Diana went to a support group", False),
        ("Ana adopted a horse and moved to the mountains", False),
        ("Ana went to a support group in 2019", False),
        ("Ana does drink coffee", False),
    ],
)
def test_planted_errors_are_found(text: str, supported: bool) -> None:
    unit = Generated(Kind.FACT, text, (TurnId("s0"),), AT, ANA)
    verdict, because = verify(unit, SOURCE.turns, (ANA, BEN))
    assert verdict is supported
    assert bool(because) is not supported


def test_a_fact_without_a_denial_in_its_sources_denies_nothing() -> None:
    unit = Generated(Kind.FACT, "Ana does not have a boat", (TurnId("s0"),), AT, ANA)
    assert verify(unit, session((ANA, "I have a boat.")).turns)[1] == "no source denies anything"


def test_verification_may_ask_for_likeness_of_vectors() -> None:
    unit = Generated(Kind.FACT, "Ana has 3 dogs", (TurnId("s0"),), AT, ANA)
    x, y = np.eye(2, dtype=np.float32)
    assert verify(unit, SOURCE.turns, vector=x, sentence_vectors=np.stack([x, y]))[0]
    assert not verify(unit, SOURCE.turns, vector=x, sentence_vectors=y[None])[0]


def fact(text: str, name: str = "s", at: datetime | None = AT, axis: int = 0, who: str = ANA) -> Told:
    return Told(text, np.eye(4, dtype=np.float32)[axis], who, SessionId(name), at, (TurnId(f"{name}-{text}"),))


def test_an_insight_counts_sessions_and_is_dated_by_the_latest() -> None:
    new = [fact("Ana runs every morning", "c", datetime(2023, 7, 1))]
    earlier = [
        fact("Ana runs in the morning", "a", datetime(2023, 5, 1)), fact("Ana runs at dawn", "a", datetime(2023, 5, 1)),
        fact("Ana likes running", "b", datetime(2023, 6, 1), axis=1), fact("Ben runs", "b", who=BEN),
        fact("Ana runs a lot", "d", None),
    ]  # fmt: skip
    (found,) = insights(new, earlier)
    assert found.text == "Ana runs every morning (said in 3 sessions, latest 1 July 2023)"
    assert (found.support, found.at, found.label) == (3, datetime(2023, 7, 1), ANA)
    assert len(found.sources) == 4
    assert insights(new, earlier, sessions=4) == []


def test_what_is_said_in_one_session_or_without_a_common_word_is_no_insight() -> None:
    assert insights([fact("Ana runs"), fact("Ana runs often")], []) == []
    assert insights([fact("Ana paints", "b")], [fact("Ana runs", "a")]) == []
    assert insights([], [fact("Ana runs", "a")]) == []


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("Ana lives in Boston", "Ana moved to Leeds in June 2023", True),
        ("Ana works at the bank", "Ana works for a hospital now", True),
        ("Ana's dog is called Rex", "Ana's dog is called Max", True),
        ("Ana's favorite food is pizza", "Ana's favorite food is sushi", True),
        ("Ana has two cats", "Ana has three cats", True),
        ("Ana likes spicy noodles", "Ana doesn't like spicy noodles", True),
        ("Ana plays the violin", "Ana no longer plays the violin", True),
        ("Ana has a red canoe", "Ana sold the red canoe", True),
        ("Ana lives in Boston", "Ana lives in downtown Boston", False),
        ("Ana works at the bank", "Ana works at home on Fridays because of the bank", False),
        ("Ana has two cats", "Ana has three dogs", False),
        ("Ana plays the violin", "Ana won't quit the violin", False),
        ("Ana likes tea", "Ana loves the lake", False),
        ("Ana's favorite food is pizza", "Ana's favorite film is Alien", False),
        ("Ana's dog is called Rex", "Ana's cat is called Max", False),
        ("Passport is in the blue folder", "Passport is in the safe now", True),
        ("Ana parked on level 2", "Ana parked on level 4", True),
        ("Passport is in the blue folder", "Ticket is in the safe now", False),
        ("Ana is in the garden", "Ana is in Leeds", False),
        ("Bo is in the choir", "Bo is in the kitchen", False),
        ("It is in the garden", "It is in the kitchen", False),
        ("Practice is at the gym", "Practice is at 7", False),
        ("The dentist is on Friday", "The dentist is on Tuesday", True),
    ],
)
def test_a_later_fact_may_supersede(old: str, new: str, changed: bool) -> None:
    later = datetime(2023, 9, 1)
    zero = np.zeros(4, dtype=np.float32)
    before, after = (replace(fact(t, at=at), vector=zero) for t, at in ((old, AT), (new, later)))
    assert supersedes(after, before) is changed
    assert not supersedes(replace(after, at=AT), before)
    assert not supersedes(replace(after, at=None), before)
    assert not supersedes(replace(after, speaker=BEN), before)


def test_a_summary_tells_what_matters_in_the_order_it_was_said() -> None:
    said = session(
        (ANA, "Hi Ben! Good to see you! I adopted a beagle puppy yesterday."),
        (BEN, "Wow, that's great! I started a pottery class last month."),
        (ANA, "My puppy chews all my shoes. How is your pottery class?"),
        (BEN, "I made a blue vase in my pottery class. Thanks for asking!"),
    )
    made = summary(said)
    assert made is not None
    assert "Ana adopted a beagle puppy on 7 May 2023." in made.text
    assert "Wow" not in made.text
    assert "?" not in made.text
    assert (made.kind, made.at) == (Kind.SUMMARY, AT)
    assert list(made.sources) == sorted(made.sources)


def test_a_session_of_small_talk_has_no_summary() -> None:
    assert summary(session((ANA, "Hi! How are you?"), (BEN, "Great, thanks!"))) is None


def test_a_summary_does_not_say_the_same_twice() -> None:
    rows = [np.eye(4, dtype=np.float32)[[axis]] for axis in (0, 0, 1, 2)]
    said = session(
        (ANA, "I planted tall tomatoes in the garden."), (BEN, "I planted tall tomatoes in my garden."),
        (ANA, "I repaired the old violin in March."), (BEN, "I joined the rowing club in Leeds."),
    )  # fmt: skip
    made = summary(replace(said, vectors=rows))
    assert made is not None
    assert made.text.count("tomatoes") == 1


def test_keywords_are_phrases_and_whole_names() -> None:
    said = session(
        (ANA, "I saw the pottery class in New Delhi. The pottery class was cheap."),
        (BEN, "Pottery class and then New Delhi street food!"),
    )
    made = keywords(said)
    assert made is not None
    words = made.text.split(", ")
    assert words[0].lower() == "pottery class"
    assert "New Delhi" in words
    assert made.sources == (TurnId("s0"), TurnId("s1"))


def test_rare_words_are_better_keywords() -> None:
    said = session((ANA, "The violin was near the kettle."))
    for rare in ("violin", "kettl"):
        made = keywords(said, defaultdict(lambda: 1.0, {rare: 5.0}).__getitem__)
        assert made is not None
        assert made.text.split(", ")[0].startswith(rare)


WORDS = st.sampled_from(
    "I I'm I've my me we our you your went love have and but , . ! ? \" yesterday last Friday Ana Ben dog 3 not "
    "[image: x] hey thanks if 2016 “ ’ é 猫 \n".split(" ")
)
TEXTS = st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=25).map(" ".join))
SAID = st.lists(st.tuples(st.sampled_from([ANA, BEN, "user", "assistant", "", "Mo O'Neil"]), TEXTS), max_size=5)


def units(said: Sequence[tuple[str, str]]) -> tuple[SessionText, list[Generated]]:
    whole = session(*said)
    return whole, [*facts(whole), *(u for u in (summary(whole), keywords(whole)) if u is not None)]


@settings(deadline=None)
@given(SAID)
@example([(ANA, "ß"), (ANA, ": : : I")])
def test_any_text_has_units_with_sources_in_its_session(said: list[tuple[str, str]]) -> None:
    whole, made = units(said)
    ids = {turn.id for turn in whole.turns}
    for unit in made:
        assert unit.sources
        assert ids >= set(unit.sources)
        assert unit.text.strip()
        verify(unit, whole.turns, whole.people())
    assert made == units(said)[1]


@settings(deadline=None)
@given(TEXTS, st.sampled_from([None, AT]))
def test_any_sentence_can_be_retold(text: str, at: datetime | None) -> None:
    turn = session((ANA, text), at=at).turns[0]
    assert retold(text, turn, (ANA, BEN)) == retold(text, turn, (ANA, BEN))
