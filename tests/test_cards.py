"""The card of a person: what is noted, what holds and what was before, as it was then, and correcting it."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memcli.care.cards import Card, Note
from memcli.errors import NothingFound, UsageError
from memcli.formats import Message
from memcli.languages.data import table
from memcli.languages.english.cards import card_rules, noted
from memcli.memory import Memory
from memcli.store.selection import Selection

from .conftest import Ran

Cli = Callable[..., Ran]
LIST = tomllib.loads(Path(__file__).with_name("cards.toml").read_text(encoding="utf-8"))
ROWS = table("memcli.languages.english", "cards")["rule"]
PEOPLE = sorted({fact[0] for fact in LIST["facts"]})


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["finds"])
def test_a_rule_finds_its_example(row: dict[str, Any]) -> None:
    assert len(card_rules()) == len(ROWS)
    assert (row["kind"], row["finds"]) in {(each.kind.value, each.value) for each in noted(row["example"])}


@pytest.mark.parametrize(
    "text",
    [
        "Do you live in Leeds?", "She got the job in Bristol", "my boss is driving me mad", "I sold the old jar",
        "his number is 07700 900123", "we went to Skipton and had chips", "Is your birthday on 9 April?",
        "never trust a man with a clean tent", "no worries", "my cousin lives in Otley",
        "We can't have two Lenas in one flat.", "I can't have a dog here", "I can't have it all",
    ],
)  # fmt: skip
def test_what_is_noted_of_nobody(text: str) -> None:
    assert noted(text) == []


# -- the list --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chats(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cards") / "a.memcli"
    with Memory(path, embedder="fake") as memory:
        memory.add(
            Message(text, who, said_at=datetime.fromisoformat(at) if at else None, conversation=where)
            for where, at, who, text in LIST["turns"]
        )
    return path


def has(card: Card, fact: list[str]) -> bool:
    _, kind, value, when = fact
    notes = card.holds if when == "holds" else card.before
    return any(note.kind.value == kind and value.lower() in note.value.lower() for note in notes)


def test_at_least_seven_of_ten_facts_are_there(chats: Path) -> None:
    cards = {name: Memory(chats).who(name) for name in PEOPLE}
    found = [fact for fact in LIST["facts"] if has(cards[fact[0]], fact)]
    assert len(found) / len(LIST["facts"]) >= 0.7


def test_nine_of_ten_values_are_true_and_current(chats: Path) -> None:
    known = [*LIST["facts"], *LIST["also"]]
    told = [(name, each, "holds") for name in PEOPLE for each in Memory(chats).who(name).holds]
    told += [(name, each, "before") for name in PEOPLE for each in Memory(chats).who(name).before]
    true = [each for each in told if any(is_of(*each, fact) for fact in known)]
    assert len(true) / len(told) >= 0.9
    assert all(note.turn.speaker == name for name, note, _ in told)


def is_of(name: str, note: Note, when: str, fact: list[str]) -> bool:
    value = note.value.lower()
    return [name, note.kind.value, when] == [fact[0], fact[1], fact[3]] and fact[2].lower() in value


def test_a_card_as_it_was(chats: Path) -> None:
    memory = Memory(chats)
    then = memory.who("Priya", at=datetime(2025, 6, 1, 12))
    assert [note.value for note in then.holds if note.kind == "lives in"] == ["Leeds"]
    assert not [note for note in then.before if note.kind == "lives in"]
    now = memory.who("priya")
    (was,) = [note for note in now.before if note.kind == "lives in"]
    assert (was.value, f"{was.until:%Y-%m}") == ("Leeds", "2025-10")


# -- correcting ------------------------------------------------------------------------------------------------------


def test_what_is_on_a_card_is_called_by_how_its_id_begins(memory: Memory) -> None:
    memory.remember("I live in Leeds and work as a nurse", speaker="Ana", at=datetime(2026, 1, 1))
    home, work = sorted(memory.who("Ana").holds, key=lambda note: note.kind.value)
    with pytest.raises(UsageError, match="several ids begin"):
        memory.cards.wrong(home.id[:8])
    one = next(n for n in range(19, 23) if home.id[:n] != work.id[:n])
    assert memory.cards.wrong(home.id[:one]) == home.id
    assert [note.id for note in memory.who("Ana").holds] == [work.id]
    assert memory.cards.right(home.id[:one]) == home.id
    assert len(memory.who("Ana").holds) == 2
    assert memory.show([home.id[:8]])[0].excerpts[0].turns[0].id == home.turn.id


def test_what_is_wrong_stays_wrong(memory: Memory) -> None:
    memory.remember("I live in Leeds", speaker="Ana", at=datetime(2026, 1, 1))
    memory.remember("I moved to Porto", speaker="Ana", at=datetime(2026, 2, 1))
    (home,) = memory.who("Ana").holds
    assert home.value == "Porto"
    memory.cards.wrong(home.id)
    memory.remember("The tea is cold", speaker="Ana")
    assert [note.value for note in memory.who("Ana").holds] == ["Leeds"]  # nothing took its place
    memory.cards.right(home.id)
    assert [note.value for note in memory.who("Ana").holds] == ["Porto"]
    assert memory.show([home.id])[0].excerpts[0].turns[0].text == "I moved to Porto"
    with pytest.raises(NothingFound):
        memory.cards.wrong("w:00")
    with pytest.raises(NothingFound):
        memory.cards.wrong(f"{home.id[:-4]}0000")  # another value of the same turn, which is on no card
    with pytest.raises(NothingFound):
        memory.cards.wrong(home.turn.id)
    assert memory.care.examine().is_sound
    memory.cards.wrong(home.id)
    memory.care.forget(memory.care.select(Selection([home.turn.id])))
    assert memory.care.examine().is_sound


def test_nobody_is_called_so(memory: Memory) -> None:
    memory.remember("tea", speaker="Ana")
    with pytest.raises(UsageError):
        memory.who("Zoe")


def test_who_has_to_do_with_something(chats: Path) -> None:
    found = Memory(chats).knows("climbing wall")
    assert found[0].name == "Priya"
    assert all("climbing" in hit.unit.text or "wall" in hit.unit.text for each in found for hit in each.hits)


def test_a_plan_ends_with_its_day() -> None:
    with Memory(None, embedder="fake") as memory:
        memory.remember("My driving test is on 3 May 2025.", speaker="Ana", at=datetime(2025, 4, 1, 9))
        memory.remember("I'm flying to Sark on 5 May 2025", speaker="Ana", at=datetime(2025, 4, 1, 10))
        cards = [memory.who("Ana", at=datetime(2025, 5, day, 12)) for day in (3, 4, 6)]
    values = [[[note.value.split()[0] for note in part] for part in (card.holds, card.before)] for card in cards]
    assert values == [[["flying", "driving"], []], [["flying"], ["driving"]], [[], ["flying", "driving"]]]
    assert [note.until for note in cards[2].before] == [datetime(2025, 5, 5), datetime(2025, 5, 3)]


def test_the_command(chats: Path, cli: Cli) -> None:
    shown = cli("who", "tom", "--at", "2026-06-01", "--store", chats)
    lines = shown.out.splitlines()
    assert lines[0].startswith("Tom  ")
    assert any(line.startswith("  family        Hannah  2026-02-14  w:") for line in lines)
    assert any("was plans" in line and "wedding: 12 September" in line and "until 2026-05-20" in line for line in lines)
    later = cli("who", "tom", "--at", "2026-10-01", "--store", chats).out.splitlines()
    assert any("was plans" in line and "wedding: 19 September" in line and "until 2026-09-19" in line for line in later)
    (person,) = cli("who", "Priya", "--at", "2025-06", "--json", "--store", chats).json["people"]
    assert [note["value"] for note in person["card"]["holds"] if note["kind"] == "lives in"] == ["Leeds"]
    assert cli("who", "--knows", "climbing", "--json", "--store", chats).json["people"][0]["name"] == "Priya"
    assert cli("who", "--knows", "zeppelin", "--store", chats).code == 1
    assert cli("who", "Tom", "--knows", "x", "--store", chats).code == 2
    assert cli("who", "--wrong", "w:0", "--store", chats).code == 1
