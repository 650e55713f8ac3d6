"""`memcli formats`, and ingest of folders, zips and what is broken, by the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memcli.formats import FORMATS

from .conftest import Ran
from .formats import GROWING, chatgpt, node, put, sample, zipped

Cli = Callable[..., Ran]


@pytest.fixture
def ingest(cli: Cli, tmp_path: Path) -> Cli:
    """`memcli ingest` into one store."""
    return lambda *arguments: cli("ingest", *arguments, "--store", tmp_path / "store", "--embedder", "fake")


def test_formats_as_json(cli: Cli) -> None:
    ran = cli("formats", "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == sample("formats.json").read_text(encoding="utf-8")


def test_formats_as_text(cli: Cli) -> None:
    lines = cli("formats").out.splitlines()
    assert [line.split()[0] for line in lines[::3]] == list(FORMATS)
    assert all(line.startswith(" ") and len(line) < 140 for line in lines[1::3] + lines[2::3])


def test_the_page_has_a_chapter_for_each_format() -> None:
    page = (Path(__file__).parents[1] / "docs" / "formats.md").read_text(encoding="utf-8")
    assert [line[3:] for line in page.splitlines() if line.startswith("## ") and line[3:] in FORMATS] == list(FORMATS)


def test_a_folder_of_projects_with_other_files_in_it(ingest: Cli, tmp_path: Path) -> None:
    projects = tmp_path / "projects"
    put(projects, "-home-u-proj/s1.jsonl", sample("claude_code/s1.jsonl").read_bytes())
    put(projects, "-home-u-other/s2.jsonl", sample("claude_code/s1.jsonl").read_text().replace('"s1"', '"s2"'))
    put(
        projects, "-home-u-other/s2/subagents/agent-a.jsonl", '{"type": "user", "isSidechain": true, "sessionId": "s2"}'
    )
    for name in ("memory.md", "-home-u-proj/settings.json", "-home-u-proj/x.png", "-home-u-other/empty.jsonl"):
        put(projects, name, b"\x89")
    ran = ingest(projects)
    assert ran.code == 0
    assert ran.err.splitlines() == [
        f"memcli: {projects}: 4 files of no known format passed over: memory.md, empty.jsonl, settings.json and 1 more",
        "6 new messages in 2 sessions",
    ]
    assert ingest(projects, "--json").json["added"] == 0


def test_zips_and_folders_at_once_and_what_is_broken_costs_nothing_else(ingest: Cli, tmp_path: Path) -> None:
    file, make = GROWING["chatgpt"]
    good = put(tmp_path / "in", "a.zip", zipped({file: json.dumps(make(2))}))
    put(tmp_path / "in", "broken.zip", good.read_bytes()[:50])
    put(tmp_path / "in", "cut.json", sample("chatgpt/conversations.json").read_bytes()[:-20])
    ran = ingest(tmp_path / "in", put(tmp_path, "slack.zip", GROWING["slack"][1](3)))
    assert ran.code == 6
    lines = ran.err.splitlines()
    assert len(lines) == 3
    assert "broken.zip: is no zip that can be read" in lines[0]
    assert "cut.json: broken JSON, the rest is not read" in lines[1]
    assert lines[2].startswith("5 new messages in 4 sessions")


def test_branches(ingest: Cli, tmp_path: Path) -> None:
    chat = chatgpt(node("a", None, "hello"), node("b", "a", "old"), node("c", "a", "new"))
    path = put(tmp_path, "conversations.json", [chat])
    results: list[Any] = [ingest(path, "--json", *more).json for more in ([], ["--branches", "all"])]
    assert [(each["messages"], each["added"]) for each in results] == [(2, 2), (3, 1)]
    ran = ingest(path, "--branches", "some")
    assert ran.code == 2
    assert "current or all" in ran.err


def test_strict_refuses_a_zip_with_a_bad_part(ingest: Cli, tmp_path: Path) -> None:
    path = put(tmp_path, "a.zip", zipped({"a.jsonl": '{"text": "one"}\noops\n'}))
    ran = ingest(path, "--strict")
    assert ran.code == 6
    assert f"{path}: a.jsonl:2" in ran.err
    assert len(ran.err.splitlines()) == 1
