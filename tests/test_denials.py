"""Lists without what was denied, or not done after all."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from memcli import Message
from memcli.languages import language
from memcli.languages.english.questions import parse
from memcli.memory import Memory
from memcli.model import TurnId
from memcli.reading.denials import as_asked
from memcli.reading.extractive import found_in
from memcli.reading.network import Finding
from memcli.reading.passages import Passage
from memcli.reading.relevance import Found
from memcli.reading.values import Value
from memcli.reading.windows import Window


def found(text: str, month: int, speaker: str = "Ana") -> Found:
    at = datetime(2026, month, 2, 9, tzinfo=UTC)
    passage = Passage(Window(speaker, text, ""), TurnId(f"t:{month}"), at, 0, 1.0, 0.5, 0.0, 0.0, 1.0, False, text)
    return Found(passage, Finding(3.0, 0.5, 0.5, ()), 0.9)


def kept(question: str, read: Sequence[tuple[str, Found]], others: Sequence[Found] = ()) -> list[str]:
    values = [Value(text, each, 0.9) for text, each in read]
    windows = [*(each for _, each in read), *others]
    return [value.text for value in as_asked(parse(question, ("Ana", "Bo")), values, windows)]


READ = [
    ("Porto", found("Walked all over Porto, never sat down", 1)),
    ("Faro", found("Haven't been to Faro, but Braga was lovely", 2)),
    ("Braga", found("Haven't been to Faro, but Braga was lovely", 2)),
    ("Lagos", found("Booked Lagos for May", 3)),
]


def test_what_is_denied_is_no_item() -> None:
    assert kept("Which cities has Ana seen?", READ) == ["Porto", "Braga", "Lagos"]


def test_what_another_clause_denies_is_an_item() -> None:
    read = [("a chess club", found("Joined a chess club and met people who weren't from work", 1))]
    assert kept("Which places did Ana join?", read) == ["a chess club"]
    assert language("de").clauses("one and two") == ["one and two"]


def test_what_the_same_person_took_back_later_is_no_item() -> None:
    undone = found("Lagos got cancelled", 4)
    assert kept("Which cities has Ana seen?", READ, [undone]) == ["Porto", "Braga"]
    assert kept("Which cities has Ana seen?", READ, [found("Lagos got cancelled", 4, "Bo")]) == [
        "Porto",
        "Braga",
        "Lagos",
    ]
    assert kept("Which cities has Ana seen?", READ, [found("no Lagos this year", 2)]) == ["Porto", "Braga", "Lagos"]


def test_what_is_over_is_no_item_of_what_holds_now() -> None:
    cars = [("a Golf", found("Bought a Golf", 1)), ("a van", found("Got a van for the dogs", 2))]
    sold = found("Finally sold the Golf", 3)
    assert kept("Which cars does Ana have?", cars, [sold]) == ["a van"]
    assert kept("Which cars did Ana buy?", cars, [sold]) == ["a Golf", "a van"]


def test_who_asks_what_was_given_up_is_told_it() -> None:
    books = [("Emma", found("Read Emma instead of Dune", 1)), ("Dune", found("Gave up on Dune", 2))]
    assert kept("Which books did Ana give up?", books) == ["Dune"]
    assert kept("Which books did Ana read?", books) == ["Emma"]
    trips = [("Faro", found("Faro is cancelled", 1)), ("Braga", found("Braga was lovely", 2))]
    assert kept("Which trips did Ana cancel?", trips) == ["Faro"]
    cars = [("a Golf", found("Sold a Golf last week", 1)), ("a van", found("Got a van", 2))]
    assert kept("Which cars has Ana sold?", cars) == ["a Golf"]


def test_why_something_is_not_so_the_words_that_deny_it_do_not_tell() -> None:
    said = Message("I had the flu, couldn't come to the party.", "Ana", said_at=datetime(2026, 1, 2, tzinfo=UTC))
    with Memory(None) as memory:
        memory.add([said])
        answer = memory.ask("Why didn't Ana come to the party?", at=datetime(2026, 2, 1, tzinfo=UTC)).answer
    assert "flu" in answer.text


def test_who_asks_for_what_is_not_so_is_told_that() -> None:
    assert kept("Which cities hasn't Ana seen?", READ) == ["Faro"]
    assert kept("Which cities hasn't Ana seen?", READ[:1]) == ["Porto"]  # nothing says so: as it was read


@pytest.mark.parametrize(
    ("text", "denies"),
    [
        ("haven't read it", True), ("no meat for Bo", True), ("I hadn’t been there", True), ("read it twice", False),
        ("can't wait to see Porto", False), ("couldn't put it down", False), ("not only Porto", False),
        ("no wonder she left", False), ("can't go to Porto", True),
    ],
)  # fmt: skip
def test_what_only_sounds_like_a_denial_is_none(text: str, denies: bool) -> None:
    assert language("en").denies(text) == language("en").is_undone(text) == denies


def test_giving_up_undoes() -> None:
    assert language("en").is_undone("Gave up on Middlemarch")
    assert not language("en").denies("Gave up on Middlemarch")
    assert not language("de").is_undone("Middlemarch")


def test_a_list_leaves_out_what_was_given_up() -> None:
    """With the networks that ship."""
    said = [
        ("Started reading Middlemarch last night", 1),
        ("Finished The Long Ships, loved it", 2),
        ("Gave up on Middlemarch after 200 pages", 3),
        ("I read Piranesi in one weekend", 4),
        ("Haven't read Dune yet, everybody says I should", 5),
    ]
    with Memory(None) as memory:
        memory.add(
            [Message(text, "Ana", said_at=datetime(2026, month, 2, 9, tzinfo=UTC), conversation=f"c{month}")
             for text, month in said]
        )  # fmt: skip
        answer = memory.ask("Which books has Ana read?", at=datetime(2026, 6, 1, tzinfo=UTC)).answer
        unfinished = memory.ask("Which book did Ana not finish?", at=datetime(2026, 6, 1, tzinfo=UTC)).answer
    assert "Middlemarch" in unfinished.text
    assert sorted(item.text for item in answer.items) == ["Piranesi", "The Long Ships"]
    assert all(item.at for item in answer.items)


@pytest.mark.parametrize("text", ["not until Friday", "don't forget the 14th", "not before the 9th"])
def test_what_only_sounds_like_a_denial(text: str) -> None:
    assert not language("en").denies(text)


@pytest.mark.parametrize(
    ("question", "text", "no"),
    [
        ("Did Geoff miss the tour?", "Geoff isn't coming on tour", False),
        ("Did Geoff miss the tour?", "Geoff didn't miss the tour", True),
        ("Did Geoff come on tour?", "Geoff isn't coming on tour", True),
    ],
)
def test_what_is_denied_says_no_to_what_failed_only_in_its_words(question: str, text: str, no: bool) -> None:
    window = Window("Bea", text, "")
    passage = Passage(window, TurnId("t"), None, 0, 1.0, 0.5, 1.0, 1.0, 0.0, False, text)
    found = Found(passage, Finding(3.0, 0.05, 0.95, ()), 0.9)
    assert (found_in(parse(question, ()), [found], ()).text == "No") is no
