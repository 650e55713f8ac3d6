"""What people see: help that is shown as it was written, values that a shell completes, ids that no line breaks."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import typer.main
from rich.console import Console
from typer.testing import CliRunner

from memcli.cli import render
from memcli.cli.app import app
from memcli.formats import FORMATS, Message
from memcli.memory import Memory
from memcli.strategies import STRATEGIES

from .conftest import Ran

Cli = Callable[..., Ran]


def _told() -> Iterator[tuple[list[str], str]]:
    """Every text of every help, with the command that shows it."""
    root: Any = typer.main.get_command(app)
    yield [], root.help
    yield [], root.epilog
    for name, command in root.commands.items():
        for text in (command.help, *(each.help for each in command.params), *(each.metavar for each in command.params)):
            for paragraph in (text or "").split("\n\n"):
                yield [name], paragraph


def _bare(text: str) -> str:
    return re.sub(r"\s", "", text)


def test_help_is_shown_as_it_was_written() -> None:
    shown: dict[str, str] = {}
    told = [pair for pair in _told() if pair[1]]
    assert len(told) > 150
    for command, text in told:
        if str(command) not in shown:
            shown[str(command)] = _bare(CliRunner().invoke(app, [*command, "--help"]).output)
        assert _bare(text) in shown[str(command)], (command, text)


def _completed(line: str, shell: str = "zsh", **environment: str) -> list[str]:
    """What the shell is given for the end of a line."""
    words = {"_TYPER_COMPLETE_ARGS": line, "COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)}
    done = subprocess.run(
        [sys.executable, "-m", "memcli"], capture_output=True, text=True, check=False,
        env={**os.environ, **words, "_MEMCLI_COMPLETE": f"complete_{shell}", **environment},
    )  # fmt: skip
    assert done.stderr == ""
    if shell == "bash":
        return done.stdout.splitlines()
    return [found.replace("\\:", ":") for found in re.findall(r'"((?:[^"\\]|\\.)*)"', done.stdout)]


@pytest.fixture
def store(memory: Memory) -> str:
    """Two people with names of two words."""
    memory.add([Message("Hello there.", "Elena Rossi", conversation="Hiking Crew"), Message("Hi.", "Sam", id="2")])
    return str(memory.store.path)


def test_values_are_completed(store: str) -> None:
    assert set(_completed("memcli search tea --strategy ")) == set(STRATEGIES)
    assert _completed("memcli search tea --strategy em") == ["emem", "emem-g"]
    assert _completed("memcli ingest a --strategy emem,sg") == ["emem,sgmem"]
    assert "baselines" in _completed("memcli eval own.jsonl --strategy ba")
    assert set(_completed("memcli ingest a --format ")) == set(FORMATS)
    assert "parquet" in _completed("memcli export --format ")
    assert _completed("memcli ask tea --embedder mi") == ["minilm"]
    assert _completed("memcli recap --by mo") == ["month"]
    assert _completed("memcli import-hook c") == ["claude-code", "codex"]
    assert _completed("memcli config st") == ["store", "strategy"]
    for given in (f"memcli ask tea --store {store} --speaker ", "memcli ask tea --speaker "):
        assert _completed(given, MEMCLI_STORE=store) == ["Elena Rossi", "Sam"]
    assert _completed(f"memcli export --store {store} --conversation Hik") == ["Hiking Crew"]
    assert _completed(f"memcli search tea --store {store} --speaker E", "bash") == ["Elena\\ Rossi"]


@pytest.mark.parametrize("damage", ["none", "text", "folder"])
def test_where_there_is_no_store_nothing_is_completed(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "some.memcli"
    if damage == "text":
        path.write_text("no store")
    elif damage == "folder":
        path.mkdir()
    assert _completed(f"memcli ask tea --store {path} --speaker ") == []
    assert path.exists() == (damage != "none")


def _printed(text: str, *, width: int, terminal: bool) -> list[str]:
    out = Console(file=StringIO(), width=width, force_terminal=terminal, color_system=None, highlight=False)
    line = render.evidence_line("12", None, "Nora Lind", text, "t:8c58f8165f7a3543", [("now", "May 2023")], whole=True)
    render.print_line(out, line)
    assert isinstance(out.file, StringIO)
    return out.file.getvalue().splitlines()


@pytest.mark.parametrize("width", [30, 40, 80, 81, 100, 200])
@pytest.mark.parametrize("length", range(0, 120, 7))
def test_no_line_of_a_terminal_breaks_an_id(width: int, length: int) -> None:
    lines = _printed("word " * length + "end", width=width, terminal=True)
    assert all(len(line) <= width for line in lines)
    assert sum("t:8c58f8165f7a3543" in line for line in lines) == 1
    assert all(line.startswith("     ") for line in lines[1:])
    assert " ".join(" ".join(lines).split()).count("word") == length


def test_a_message_of_several_lines_is_shown_as_it_is() -> None:
    text = "Eggs\n\n  milk \r\nbread\x1b[31m"
    lines = _printed(text, width=80, terminal=True)
    assert lines[0].endswith("Nora Lind: Eggs")
    assert [line.strip() for line in lines[1:]] == ["milk", "bread[31m [now = May 2023]  t:8c58f8165f7a3543"]
    (line,) = _printed(text, width=80, terminal=False)
    assert "Nora Lind: Eggs\\nmilk\\nbread" in line


def test_one_record_is_one_line_in_a_pipe(cli: Cli, memory: Memory) -> None:
    memory.add([Message("The list:\n- eggs\n- milk\n- bread", "Ana"), Message("The list\nis long.", "Ben", id="2")])
    ran = cli("search", "list", "--store", str(memory.store.path))
    assert len(ran.out.splitlines()) == 2
    assert "The list:\\n- eggs\\n- milk\\n- bread" in ran.out
    answer = cli("ask", "What is on the list?", "--store", str(memory.store.path)).out.splitlines()
    assert len(answer) <= 4


def test_no_line_of_a_tree_breaks_an_id(cli: Cli, prepared_store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from memcli.cli import graph_tree

    out = Console(file=StringIO(), width=80, force_terminal=True, color_system=None)
    monkeypatch.setattr(graph_tree, "console", lambda: out)
    assert cli("inspect-graph", "--query", "cooking", "--hops", "2", "--store", prepared_store).code == 0
    assert isinstance(out.file, StringIO)
    lines = out.file.getvalue().splitlines()
    assert len(lines) > 20
    assert all(re.search(r"\b[a-z]:[0-9a-f]{16}\b", line[:80]) for line in lines)


def test_the_hint_about_feedback_comes_with_the_first_answer_of_a_store(
    cli: Cli, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCLI_RECORD", "yes")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    shown = ["memcli feedback a:" in cli("ask", "Who says hello?", "--store", store).out for _ in range(3)]
    assert shown == [True, False, False]
