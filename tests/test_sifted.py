"""What the benchmark of models asks about a list of turns, with a model that replies by a script."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

import pytest

from memcli.formats import Message
from memcli.memory import Memory
from memcli.model import Filters
from memcli.providers.fakes import FakeLanguageModel
from memcli.strategies import strategy

AT = datetime(2024, 5, 20, 10, tzinfo=UTC)
SAID = ("My cat Miso had kittens.", "How many kittens?", "Three kittens.", "We painted the boat green.")


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    import models as benchmark

    yield benchmark
    for name in ("models", "sifted"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(("kept", "left"), [(["t3", "t1"], 2), ([], len(SAID))])
def test_turns_are_sifted_in_their_order(memory: Memory, models: ModuleType, kept: list[str], left: int) -> None:
    memory.add([Message(text, "Bo", said_at=AT, session="s", conversation="c") for text in SAID])
    chosen = strategy("dense")
    query, view = memory.query("How many kittens?", Filters(), AT, chosen)
    all_ = models.Sifted(chosen, None).retrieve(query, view, 10)
    sifted = models.Sifted(chosen, FakeLanguageModel([{"keep": kept}]))
    found = sifted.retrieve(query, view, 10)
    assert sifted.kept == [left] == [len(found)]
    assert found == ([all_[0], all_[2]] if kept else all_)


def test_replies_are_counted_by_their_form(models: ModuleType) -> None:
    form = json.dumps({"properties": {"edus": {}}})
    calls = [({"form": form}, {"finish": finish, "completion": 7}) for finish in ("stop", "length")]
    assert models._replies(calls) == {"edus": {"replies": 2, "cut off": 1, "tokens": 14}}
