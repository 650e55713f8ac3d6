"""What was talked about: which sentences tell it, in which parts, and the questions that look back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memcli.errors import UsageError
from memcli.formats import Message
from memcli.languages import language
from memcli.memory import Memory
from memcli.memory.recapping import told_of
from memcli.model import Filters, Form

from .conftest import Ran

Cli = Callable[..., Ran]
NOW = datetime(2026, 4, 15, 12)
MARCH = Filters(datetime(2026, 3, 1), datetime(2026, 4, 1))
SAID = [
    (datetime(2026, 2, 3, 9), "Ann", "the bus was late again", "crew"),
    (datetime(2026, 2, 20, 9), "Bo", "We adopted a greyhound called Pixel", "crew"),
    (datetime(2026, 3, 2, 9), "Ann", "the bus was late again", "crew"),
    (datetime(2026, 3, 2, 9, 5), "Ann", "I signed the lease for the flat in Porto", "crew"),
    (datetime(2026, 3, 3, 9), "Bo", "haha ok", "crew"),
    (datetime(2026, 3, 12, 9), "Bo", "My violin teacher moved to Quebec last month", "crew"),
    (datetime(2026, 3, 12, 9, 1), "Cy", "The invoice of the glazier is paid", "work"),
    (datetime(2026, 4, 7, 9), "Ann", "the bus was late again", "crew"),
    (datetime(2026, 4, 8, 9), "Cy", "The harbour festival was rained off", "work"),
]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("recap") / "a.memcli"
    with Memory(found) as memory:
        memory.add(Message(text, who, said_at=at, conversation=where) for at, who, text, where in SAID)
    return found


def test_what_is_particular_to_a_month(path: Path) -> None:
    found = Memory(path).recap(filters=MARCH)
    texts = [each.text for part in found.parts for each in part.told]
    assert texts == [SAID[3][2], SAID[5][2], SAID[6][2]]  # no greeting, and not the bus, which is late every month
    assert [part.name for part in found.parts] == ["2–8 March 2026", "9–15 March 2026"]
    assert (found.turns, found.by) == (5, "week")


def test_a_week_is_named_by_those_of_its_days_that_were_asked_for(path: Path) -> None:
    found = Memory(path).recap(filters=Filters(datetime(2026, 3, 2), datetime(2026, 3, 13)), by="week")
    assert [part.name for part in found.parts] == ["2–8 March 2026", "9–12 March 2026"]
    found = Memory(path).recap(filters=Filters(datetime(2026, 2, 20), datetime(2026, 3, 3)), by="week")
    assert [part.name for part in found.parts] == ["20–22 February 2026", "2 March 2026"]


@pytest.mark.parametrize(
    ("by", "names"),
    [
        ("day", ["2026-03-02", "2026-03-12"]),
        ("month", ["March 2026"]),
        ("conversation", ["crew", "work"]),
    ],
)
def test_by_parts(by: str, names: list[str], path: Path) -> None:
    assert [part.name for part in Memory(path).recap(filters=MARCH, by=by).parts] == names


def test_by_topic(memory: Memory) -> None:
    memory.add(
        Message(text, "Ann", said_at=NOW + timedelta(days=day))
        for day, text in enumerate(["The greyhound bit the postman", "I baked a rye loaf", "The greyhound saw a vet"])
    )
    parts = memory.recap(by="topic").parts
    assert sorted([each.text for each in part.told] for part in parts) == [
        ["I baked a rye loaf"],
        ["The greyhound bit the postman", "The greyhound saw a vet"],
    ]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Der Zahnarzttermin ist bei Doktor Vogel", "zahnarzttermin, doktor, vogel"),
        ("我领养了一只乌龟，叫阿慢，它很喜欢吃黄瓜和生菜", "我领养了一只乌龟，叫阿慢，它很喜…"),
    ],
)
def test_a_topic_is_named_by_words_that_tell(text: str, name: str, memory: Memory) -> None:
    memory.add([Message(text, "Ann", said_at=NOW)])
    assert [part.name for part in memory.recap(by="topic").parts] == [name]


def test_at_most_so_many_and_of_one_speaker(path: Path) -> None:
    memory = Memory(path)
    (part,) = memory.recap(filters=MARCH, by="month", most=1).parts
    assert len(part.told) == 1
    told = memory.recap(filters=Filters(MARCH.since, MARCH.until, speaker="bo")).told
    assert [each.turn.speaker for each in told] == ["Bo"]
    assert not memory.recap(filters=Filters(datetime(2030, 1, 1))).parts


@pytest.mark.parametrize(("by", "most"), [("year", 5), ("day", 0)])
def test_what_makes_no_sense(by: str, most: int, path: Path) -> None:
    with pytest.raises(UsageError):
        Memory(path).recap(by=by, most=most)


@pytest.mark.parametrize(
    ("question", "since", "until", "who"),
    [
        ("What did we talk about last week?", "2026-04-06", "2026-04-13", ""),
        ("what happened in March 2026?", "2026-03-01", "2026-04-01", ""),
        ("What did Elena say yesterday?", "2026-04-14", "2026-04-15", "Elena"),
        ("What's new this week?", "2026-04-13", "2026-04-20", ""),
        ("what have we discussed since 1 March 2026", "2026-03-01", "2026-04-15", ""),
        ("Summarise last month", "2026-03-01", "2026-04-01", ""),
        ("In March 2026, what happened?", "2026-03-01", "2026-04-01", ""),
        ("What was Kit's news yesterday?", "2026-04-14", "2026-04-15", "Kit"),
        ("Any news from Ann this week?", "2026-04-13", "2026-04-20", "Ann"),
        ("What happened to Ann last week?", "2026-04-06", "2026-04-13", "Ann"),
    ],
)
def test_questions_that_look_back(question: str, since: str, until: str, who: str) -> None:
    found = language("en").looks_back(question, NOW)
    assert found is not None
    span, asked = found
    assert (f"{span.start:%Y-%m-%d}", f"{span.end:%Y-%m-%d}", asked) == (since, until, who)


@pytest.mark.parametrize(
    "question",
    [
        "What did Elena say about the boiler last week?",
        "What happened to the car in March 2026?",
        "When did Tom move last year?",
        "What did we talk about?",
        "what happened",
        "Where was Ann in March 2026?",
    ],
)
def test_others_do_not(question: str) -> None:
    assert language("en").looks_back(question, NOW) is None


def test_the_answer_quotes_that_time(path: Path) -> None:
    reading = Memory(path).ask("What happened in March 2026?", at=NOW)
    assert reading.answer.text.splitlines() == [
        f"2026-03-02 Ann: {SAID[3][2]}", f"2026-03-12 Bo: {SAID[5][2]}", f"2026-03-12 Cy: {SAID[6][2]}"
    ]  # fmt: skip
    assert reading.answer.form is Form.QUOTE
    assert len(reading.answer.citations) == 3
    assert Memory(path).ask("What did Bo say in March 2026?", at=NOW).answer.text == f"2026-03-12 Bo: {SAID[5][2]}"
    assert Memory(path).ask("What did we talk about in May 2024?", at=NOW).answer.abstained


def test_sentences_of_one_turn_stand_as_they_were_said_and_it_is_evidence_once(memory: Memory) -> None:
    text = "We found a flat in the old town at last! Ahornweg 17 on the third floor, the landlord allows greyhounds."
    memory.add([Message(text, "Ann", said_at=NOW), Message("The harbour festival was rained off", "Bo", said_at=NOW)])
    told = [each.text for part in memory.recap().parts for each in part.told]
    assert " ".join(told[:2]) == text
    reading = memory.ask("What happened in April 2026?", at=NOW + timedelta(days=1))
    assert len(reading.hits) == len({hit.unit.sources for hit in reading.hits}) == 2


def test_who_is_nobody_is_asked_about_otherwise(path: Path) -> None:
    assert told_of(Memory(path).view(), "What did Zoe say yesterday?", Filters(), NOW) is None


def test_the_command(path: Path, cli: Cli) -> None:
    shown = cli("recap", "March", "2026", "--store", path)
    assert shown.code == 0
    assert shown.out.startswith("2–8 March 2026\n     2026-03-02 09:05  Ann: I signed the lease")
    found = cli("recap", "march 2026", "--speaker", "cy", "--by", "conversation", "--json", "--store", path).json
    assert [part["name"] for part in found["parts"]] == ["work"]
    assert found["parts"][0]["told"][0]["conversation"] == "work"
    assert cli("recap", "last week", "--at", "2020-01-01", "--store", path).code == 1
    nothing = cli("recap", "last week", "--at", "2020-01-15", "--store", path)
    assert nothing.err == "nothing found: nothing was said from 2020-01-06 to 2020-01-12\n"
    assert cli("recap", "soonish", "--store", path).code == 2
    assert cli("recap", "last week", "--since", "2026-03", "--store", path).code == 2
