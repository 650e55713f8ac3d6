"""Names: a unique part is enough, what is ambiguous or unknown is refused with the nearest; what names there are."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memcli.errors import UsageError
from memcli.formats import Message
from memcli.memory import Memory
from memcli.model import Filters
from memcli.store.names import meant
from memcli.store.selection import Selection

from .conftest import Ran

Cli = Callable[..., Ran]
DAY = datetime(2024, 5, 6, 12, tzinfo=UTC)


@pytest.fixture
def store(memory: Memory) -> str:
    """Four people in three conversations, one of them without a date."""
    said = [
        ("Elena Rossi", "Hiking Crew", 0), ("Elena Rossi", "Hiking Crew", 3), ("Theo Papadakis", "Hiking Crew", 1),
        ("Elena Rossi", "Family", 9), ("Sam Lee", "Family", 5), ("Samantha Poe", "Hiking Plans", None),
    ]  # fmt: skip
    memory.add(
        Message("the boots are wet", who, said_at=DAY.replace(day=6 + day) if day is not None else None,
                conversation=where, id=str(number))
        for number, (who, where, day) in enumerate(said)
    )  # fmt: skip
    return str(memory.store.path)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("Elena", "Elena Rossi"), ("ROSSI", "Elena Rossi"), ("elena  rossi", "Elena Rossi"), ("len", "Elena Rossi"),
        ("papa", "Theo Papadakis"), ("sam", "Sam Lee"), ("samantha", "Samantha Poe"), ("poe", "Samantha Poe"),
        ("sama", "Samantha Poe"),
    ],
)  # fmt: skip
def test_a_unique_part_is_enough_for_every_command(cli: Cli, store: str, wanted: str, found: str) -> None:
    for command in (("search", "boots"), ("ask", "boots?"), ("export",)):
        ran = cli(*command, "--speaker", wanted, "--store", store)
        whole = cli(*command, "--speaker", found, "--store", store)
        assert ran.out == whole.out
        assert found in ran.out
    assert cli("forget", "--speaker", wanted, "--dry-run", "--json", "--store", store).json == cli(
        "forget", "--speaker", found, "--dry-run", "--json", "--store", store
    ).json  # fmt: skip
    memory = Memory(store)
    assert memory.search("boots", filters=Filters(speaker=wanted)) == memory.search(
        "boots", filters=Filters(speaker=found)
    )


@pytest.mark.parametrize(("wanted", "count"), [("crew", 3), ("plans", 1), ("FAMILY", 2), ("fam", 2)])
def test_a_part_of_a_conversation_is_enough(cli: Cli, store: str, wanted: str, count: int) -> None:
    ran = cli("search", "boots", "--conversation", wanted, "--jsonl", "--store", store)
    assert len(ran.out.splitlines()) == count
    assert len(cli("export", "--conversation", wanted, "--store", store).out.splitlines()) == count


@pytest.mark.parametrize("command", [("search", "boots"), ("ask", "boots?"), ("export",), ("forget", "--dry-run")])
@pytest.mark.parametrize(
    ("option", "wanted", "says"),
    [
        ("--speaker", "Teo", "no speaker is called 'Teo' (the nearest: Theo Papadakis"),
        ("--speaker", "e", "'e' is a part of the names of several speakers: Elena Rossi, Sam Lee, Samantha Poe, Theo"),
        ("--speaker", "", "no speaker is called ''"),
        ("--speaker", "Zbigniew", "memcli speakers lists all"),
        ("--conversation", "hiking", "several conversations: Hiking Crew, Hiking Plans"),
        ("--conversation", "Hikking Crew", "the nearest: Hiking Crew"),
    ],
)
def test_what_is_ambiguous_or_unknown_is_refused(
    cli: Cli, store: str, command: tuple[str, ...], option: str, wanted: str, says: str
) -> None:
    ran = cli(*command, option, wanted, "--store", store)
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1)
    assert says in ran.err


def test_a_library_is_told_the_same(store: str) -> None:
    memory = Memory(store)
    for filters in (Filters(speaker="Teo"), Filters(conversation="hiking")):
        for ask in (memory.search, memory.ask):
            with pytest.raises(UsageError):
                ask("boots", filters=filters)


def test_speakers_are_listed_with_counts_and_dates(cli: Cli, store: str) -> None:
    assert cli("speakers", "--store", store).out.splitlines() == [
        "3  2024-05-06 to 2024-05-15  Elena Rossi",
        "1  2024-05-11 to 2024-05-11  Sam Lee",
        "1  undated                   Samantha Poe",
        "1  2024-05-07 to 2024-05-07  Theo Papadakis",
    ]
    found = cli("speakers", "--json", "--store", store).json
    assert isinstance(found, dict)
    assert found["speakers"][0] == {
        "name": "Elena Rossi", "turns": 3, "sessions": 3, "conversations": 2,
        "first": "2024-05-06T12:00:00+00:00", "last": "2024-05-15T12:00:00+00:00",
    }  # fmt: skip
    assert found["speakers"][2]["first"] is found["speakers"][2]["last"] is None


def test_conversations_are_listed_with_counts_and_dates(cli: Cli, store: str) -> None:
    assert cli("conversations", "--store", store).out.splitlines() == [
        "3  2024-05-06 to 2024-05-09  Hiking Crew",
        "2  2024-05-11 to 2024-05-15  Family",
        "1  undated                   Hiking Plans",
    ]
    found = cli("conversations", "--json", "--store", store).json
    assert isinstance(found, dict)
    assert [each["speakers"] for each in found["conversations"]] == [2, 2, 1]


@pytest.mark.parametrize("command", ["speakers", "conversations"])
def test_there_is_nobody_in_an_empty_store(cli: Cli, tmp_path: Path, command: str) -> None:
    assert cli(command, "--store", tmp_path / "none.memcli").code == 3
    memory = Memory(tmp_path / "empty.memcli", embedder="fake")
    memory.add([Message("Tea.", speaker="Ann")])
    memory.care.forget(memory.care.select(Selection()))
    ran = cli(command, "--store", tmp_path / "empty.memcli")
    assert (ran.code, ran.out, ran.err) == (1, "", "nothing found\n")


def test_the_exact_name_comes_before_its_parts() -> None:
    names = ["Ana", "Ana Maria", "Mariana", "STRASSE", "Jose\u0301"]

    def found(wanted: str) -> str:
        return meant(wanted, names, "speaker", "memcli speakers")

    assert found("ana") == "Ana"
    assert found("maria") == "Ana Maria"
    assert found("straße") == "STRASSE"
    assert found("Jos\u00e9") == "Jose\u0301"
    with pytest.raises(UsageError, match="several speakers: Ana, Ana Maria, Mariana"):
        found("an")
