"""Turns in their surroundings: `show`, and `-C` of `search` and `ask`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from memcli.errors import NothingFound, UsageError
from memcli.formats import Message
from memcli.memory import Memory
from memcli.store import naming

from .conftest import Ran

Cli = Callable[..., Ran]
START = datetime(2026, 5, 1, 9)
SAID = [
    "one apple",
    "two pears",
    "three plums",
    "def f():\n    return 4",
    "five figs",
    "six \x1b[31mnuts",
    "seven limes",
]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("showing") / "a.memcli"
    with Memory(found, embedder="fake") as memory:
        memory.add(
            Message(text, "Ann" if n % 2 else "Bo", said_at=START + timedelta(minutes=n), conversation="fruit")
            for n, text in enumerate(SAID)
        )
        memory.add([Message("elsewhere", "Cy", said_at=START, conversation="other")])
    return found


@pytest.fixture
def turns(path: Path) -> list[str]:
    """The ids of the turns of the long session, in order."""
    with Memory(path) as memory:
        (entry,) = memory.show([memory.search("pears", k=1)[0].unit.sources[0]], whole=True)
    return [turn.id for turn in entry.excerpts[0].turns]


def test_turns_around_one(path: Path, turns: list[str]) -> None:
    (entry,) = Memory(path).show([turns[3]], around=2)
    (excerpt,) = entry.excerpts
    assert [turn.id for turn in excerpt.turns] == turns[1:6]
    assert (excerpt.marked, entry.text, excerpt.session.conversation) == ({turns[3]}, "", "fruit")


def test_a_session_begins_and_ends(path: Path, turns: list[str]) -> None:
    first, last = Memory(path).show([turns[0], turns[6]], around=1)
    assert [turn.id for turn in first.excerpts[0].turns] == turns[:2]
    assert [turn.id for turn in last.excerpts[0].turns] == turns[5:]


def test_stretches_that_meet_are_one(path: Path, turns: list[str]) -> None:
    from memcli.model import TurnId
    from memcli.store.excerpts import excerpts

    with Memory(path).store.reading() as db:
        met = excerpts(db, [TurnId(turns[0]), TurnId(turns[3])], 1)
        apart = excerpts(db, [TurnId(turns[0]), TurnId(turns[4])], 1)
    assert [[turn.id for turn in each.turns] for each in met] == [turns[:5]]
    assert [[turn.id for turn in each.turns] for each in apart] == [turns[:2], turns[3:6]]


def test_a_session_an_assertion_and_what_is_not_there(path: Path, turns: list[str], memory: Memory) -> None:
    session = Memory(path).turns([turns[0]])[turns[0]][1]  # type: ignore[list-item, index]
    assert [turn.id for turn in Memory(path).show([session.id])[0].excerpts[0].turns] == turns
    memory.remember("I am allergic to walnuts")
    with memory.store.reading() as db:
        ((unit, text),) = db.execute("select id, text from unit where kind = 'assertion'").fetchall()
    (entry,) = memory.show([unit])
    assert (entry.text, entry.excerpts[0].turns[0].text) == (text, "I am allergic to walnuts")
    with pytest.raises(NothingFound, match="t:0"):
        Memory(path).show(["t:0"])
    with pytest.raises(UsageError):
        Memory(path).show([turns[0]], around=-1)


def test_the_command_shows_lines_as_they_are(path: Path, turns: list[str], cli: Cli) -> None:
    shown = cli("show", turns[3], turns[6], "-C", "1", "--store", path)
    lines = shown.out.splitlines()
    assert (shown.code, lines[0]) == (0, "fruit")
    assert "--" in lines
    assert lines[2].startswith("  >  2026-05-01 09:03  Ann: def f():")
    assert lines[3] == "         return 4"
    assert "\x1b" not in shown.out
    assert cli("show", "t:0", "--store", path).code == 1
    assert cli("show", "-", "--store", path, stdin=f"{turns[0]}\n{turns[1]}\n").out.count("t:") == 2


def test_the_beginning_of_an_id_is_enough_where_no_other_begins_so(path: Path, turns: list[str], cli: Cli) -> None:
    whole = Memory(path).show([turns[0]])
    assert Memory(path).show([turns[0][:6], turns[0]]) == whole
    assert cli("show", turns[0][:5], "--store", path).code == 1
    assert "see memcli show --help" in cli("show", "--store", path).err
    assert cli("show", turns[0][:6], "--store", path).out.count(turns[0]) == 1
    with duckdb.connect() as db:
        for table, id_ in (("turn", "t:abcd1"), ("unit", "t:abcd1"), ("session", "s:abcd3"), ("answered", "t:abcd2")):
            db.execute(f"create table {table} as select ? as id", [id_])
        assert [naming.whole(db, each) for each in ("s:abcd", "t:abcd2", "t:abce", "abcd")] == [
            "s:abcd3", "t:abcd2", "t:abce", "abcd",
        ]  # fmt: skip
        with pytest.raises(UsageError, match="several ids begin with t:abcd"):
            naming.whole(db, "t:abcd")


def test_of_what_is_found_hardly_bearing_lines_are_left_out_unless_so_many_are_asked_for(path: Path, cli: Cli) -> None:
    scores = [hit["score"] for hit in cli("search", "plums", "--store", path, "--json").json["hits"]]
    bearing = sum(score >= 0.02 * scores[0] for score in scores)
    assert bearing < len(scores)
    assert len(cli("search", "plums", "--store", path).out.splitlines()) == bearing
    assert len(cli("search", "plums", "-k", "10", "--store", path, "--jsonl").out.splitlines()) == len(scores)


def test_the_document(path: Path, turns: list[str], cli: Cli) -> None:
    (entry,) = cli("show", turns[3], "-C", "1", "--json", "--store", path).json["shown"]
    (excerpt,) = entry["excerpts"]
    assert (entry["id"], entry["text"], excerpt["conversation"]) == (turns[3], None, "fruit")
    assert [turn["meant"] for turn in excerpt["turns"]] == [False, True, False]
    assert excerpt["turns"][1]["text"] == SAID[3]


@pytest.mark.parametrize("command", ["search", "ask"])
def test_hits_with_what_stands_around_them(command: str, path: Path, turns: list[str], cli: Cli) -> None:
    options = ["plums", "-k", "1", "-C", "2", "--store", path, "--strategy", "bm25"]
    found = cli(command, *options, "--json").json
    (hit,) = found.get("hits") or found["evidence"]
    assert [each["id"] for each in hit["context"]] == [*turns[:2], *turns[3:5]]
    assert [each["position"] for each in hit["context"]] == [0, 1, 3, 4]
    lines = [line for line in cli(command, *options).out.splitlines() if "t:" in line and "2026-05" in line]
    assert [line.split("  t:")[1] for line in lines] == [turn[2:] for turn in turns[:5]]
