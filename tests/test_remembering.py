"""One thing, remembered now: where it goes, and what it says of the earlier ones that hold no longer."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from memcli.errors import NothingFound, UsageError
from memcli.memory import Memory
from memcli.store.selection import Selection

from .conftest import Ran

Cli = Callable[..., Ran]
MAY, JUNE = datetime(2026, 5, 1, 9), datetime(2026, 6, 1, 9)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The car is on level 1", "The car is on level 3, row F"),
        ("My passport is in the desk drawer", "my passport is with Anna now"),
        ("I live in Leeds", "I moved to Bristol"),
        ("Code for the key box is 4471", "The code for the key box is 9982 now"),
        ("I'm working at the library", "I started a new job at the harbour office"),
    ],
)
def test_what_holds_no_longer_is_named(old: str, new: str, memory: Memory) -> None:
    before = memory.remember(old, at=MAY)
    kept = memory.remember(new, at=JUNE)
    assert [turn.id for turn in kept.replaces] == [before.turn.id]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The car is on level 3", "The car is on level 3, row F"),
        ("The car is on level 1", "The bike is on level 3"),
        ("The car is on level 1", "The car is blue"),
        ("The code for the key box is 4471", "The code for the garage is 9982"),
        ("I live in Leeds", "I like Bristol"),
    ],
)
def test_what_still_holds_is_not(old: str, new: str, memory: Memory) -> None:
    memory.remember(old, at=MAY)
    assert not memory.remember(new, at=JUNE).replaces


def test_only_the_last_of_several_is_replaced_and_nobody_elses(memory: Memory) -> None:
    memory.remember("The car is on level 1", at=datetime(2026, 4, 1))
    second = memory.remember("The car is on level 2", at=MAY)
    memory.remember("The car is on level 4", speaker="Tom", at=MAY)
    assert [turn.id for turn in memory.remember("The car is on level 3", at=JUNE).replaces] == [second.turn.id]


def test_the_same_again_is_known(memory: Memory) -> None:
    first = memory.remember("Tea is in the tin", at=MAY)
    again = memory.remember("Tea is in the tin", at=MAY)
    assert (first.is_new, again.is_new, again.turn.id) == (True, False, first.turn.id)


def test_what_was_forgotten_is_not_brought_back(memory: Memory) -> None:
    kept = memory.remember("The code is 4471", at=MAY)
    memory.care.forget(memory.care.select(Selection([kept.turn.id])))
    with pytest.raises(NothingFound):
        memory.remember("The code is 4471", at=MAY)


@pytest.mark.parametrize("nothing", ["", "  \n", "\x00\x1b"])
def test_nothing_is_not_remembered(nothing: str, memory: Memory) -> None:
    with pytest.raises(UsageError):
        memory.remember(nothing)


def test_the_command(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMCLI_STORE", str(tmp_path / "a.memcli"))
    monkeypatch.setenv("MEMCLI_EMBEDDER", "fake")
    first = cli("add", "The car is on level 1", "--at", "2026-05-01")
    assert first.code == 0
    said = cli("add", "-", "--json", stdin="The car is\non level 3").json
    assert (said["speaker"], said["conversation"], said["text"]) == ("me", "notes", "The car is\non level 3")
    told = cli("add", "The car is on level 2", "--speaker", "me")
    assert told.out.splitlines()[1].startswith("was  2026-05-01 00:00  me: The car is on level 1  t:")
    monkeypatch.setenv("MEMCLI_SPEAKER", "Ana")
    assert cli("add", "I like tea", "--conversation", "tastes", "--json").json["speaker"] == "Ana"
    assert cli("add", "").code == 2
    assert "no date" in cli("add", "x", "--at", "soonish").err
