"""Statistics: what a store holds, counted."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from memcli.formats import Message
from memcli.memory import Memory
from memcli.store.migrations import MIGRATIONS
from tests.conftest import Ran

Cli = Callable[..., Ran]


@pytest.fixture
def store(memory: Memory) -> str:
    memory.add(
        [
            Message("I moved to Porto. I like it.", "Ada", said_at=datetime.fromisoformat("2024-05-20T10:00:00+01:00"),
                    conversation="c", session="s", id="1"),
            Message("I like it.", "Bo", conversation="d", session="s", id="2"),
        ]
    )  # fmt: skip
    with memory.store.writing() as db:
        for key, response in (("a", '{"prompt": 100, "completion": 20}'), ("b", "nonsense"), ("c", '{"prompt": "x"}')):
            db.execute("insert into call values (?, 'm', 'q', ?, now())", [key, response])
    return str(memory.store.path)


def test_stats_golden_json(cli: Cli, store: str) -> None:
    ran = cli("stats", "--json", "--store", store)
    assert ran.code == 0
    assert ran.json == {
        "store": store, "shards": 1, "conversations": 2, "sessions": 2, "turns": 2, "undated": 1, "speakers": 2,
        "first": "2024-05-20T10:00:00+01:00", "last": "2024-05-20T10:00:00+01:00", "sentences": 3, "vectors": 2,
        "generated": {}, "unsupported": 0, "events": {"assertion": 1}, "topics": 0, "lifted": 0,
        "edges": {"membership": 8, "similar": 1},
        "calls": {"count": 3, "prompt_tokens": 100, "completion_tokens": 20}, "answers": 0, "feedback": 0,
        "tombstones": 0, "snapshots": {}, "languages": {"en": 2},
        "embedder": {"name": "fake", "id": "fake", "dimension": 64},
        "schema": len(MIGRATIONS), "bytes": Path(store).stat().st_size, "calibrated": False,
    }  # fmt: skip


def test_stats_plain(cli: Cli, store: str) -> None:
    ran = cli("stats", "--store", store)
    lines = dict(line.split("  ", 1) for line in ran.out.splitlines())
    values = {name.strip(): value.strip() for name, value in lines.items()}
    assert values["turns"] == "2 (1 undated)"
    assert values["said"] == "2024-05-20 10:00 to 2024-05-20 10:00"
    assert values["cached calls"] == "3, 120 tokens"
    assert values["generated"] == "none"


def test_stats_of_generated_memory(cli: Cli, prepared_store: Path) -> None:
    found = cli("stats", "--json", "--store", prepared_store).json
    assert isinstance(found, dict)
    assert set(found["generated"]) == {"summary", "keyword", "fact", "insight"}
    assert set(found["events"]) >= {"edu", "argument"}
    assert set(found["edges"]) >= {"membership", "similar", "associated", "has_argument", "synonym"}


def test_an_empty_store(cli: Cli, memory: Memory) -> None:
    with memory.store.writing():
        pass
    ran = cli("stats", "--store", memory.store.path)
    assert (ran.code, ran.err) == (0, "")
    assert "said           undated" in ran.out


def test_there_must_be_a_store(cli: Cli, tmp_path: Path) -> None:
    ran = cli("stats", "--store", tmp_path / "none.memcli")
    assert (ran.code, len(ran.err.splitlines())) == (3, 1)
