"""`memcli inspect-graph`, on the store whose figures `test_graph` computes by hand and on the sample chats."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.text import Text

from memcli.cli import graph_summary, graph_tree
from memcli.cli.boundary import run
from memcli.store import graph
from memcli.store.connection import Store

from .conftest import Ran
from .test_graph import fill

Cli = Callable[..., Ran]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "graph.memcli"
    with Store(path).writing() as db:
        fill(db)
    return path


class TestSummary:
    def test_json(self, cli: Cli, store: Path) -> None:
        ran = cli("inspect-graph", "--store", store, "--json")
        assert ran.code == 0
        found = json.loads(ran.out)
        assert found["nodes"] == {"total": 10, "by_kind": {"sentence": 5, "turn": 3, "session": 1, "keyword": 1}}
        assert found["edges"] == {"total": 13, "by_relation": {"membership": 8, "similar": 5}}
        assert found["degrees"]["all"] == {"nodes": 10, "mean": 2.6, "median": 3.0, "max": 4}
        assert found["components"] == {"count": 2, "largest": 9, "isolated": 1}
        assert found["communities"]["count"] == 2
        assert found["communities"]["largest"][1]["terms"] == ["train", "tickets"]
        assert found["communities"]["largest"][1]["central"] == {"id": "n:b0", "text": "The train was late."}

    def test_tables_in_a_pipe(self, cli: Cli, store: Path) -> None:
        ran = cli("inspect-graph", "--store", store)
        cells = [line.split() for line in ran.out.splitlines()]
        assert ["sentence", "5", "3.0", "3", "4"] in cells
        assert ["all", "10", "2.6", "3", "4"] in cells
        assert ["similar", "5"] in cells
        assert "garden, tomatoes, water" in ran.out
        assert "2 connected components, the largest of 9 nodes; 1 node without an edge" in ran.out
        assert "\x1b" not in ran.out

    def test_text_is_not_interpreted(self, cli: Cli, store: Path) -> None:
        with Store(store).writing() as db:
            db.execute("update unit set text = ? where id = 'n:b0'", ["[red]A\x1b[31m\nB[/red] [link=x]"])
        assert "[red]A[31m B[/red] [link=x]" in cli("inspect-graph", "--store", store).out

    def test_an_empty_store(self, cli: Cli, tmp_path: Path) -> None:
        with Store(tmp_path / "e.memcli").writing():
            pass
        for more in ([], ["--json"], ["--format", "dot"]):
            ran = cli("inspect-graph", "--store", tmp_path / "e.memcli", *more)
            assert (ran.code, ran.out) == (1, "")
            assert "the store is empty" in ran.err

    def test_no_store(self, cli: Cli, tmp_path: Path) -> None:
        assert cli("inspect-graph", "--store", tmp_path / "none.memcli").code == 3


class TestNeighbourhood:
    def test_a_tree_in_a_pipe(self, cli: Cli, store: Path) -> None:
        ran = cli("inspect-graph", "--store", store, "--node", "n:a2")
        assert ran.out.splitlines() == [
            "n:a2  sentence  2024-05-08 12:01  Bob: Does the garden have water?",
            "├── t:aa01  part of  turn  2024-05-08 12:01  Bob: Does the garden have water?",
            "├── n:a1  similar 0.80  sentence  2024-05-08 12:00  Ann: My garden is small.",
            "├── n:a0  similar 0.70  sentence  2024-05-08 12:00  Ann: Tomatoes grow in the garden.",
            "└── n:b0  similar 0.31  sentence  2024-05-08 12:02  Ann: The train was late.",
        ]

    def test_deeper(self, cli: Cli, store: Path) -> None:
        lines = cli("inspect-graph", "--store", store, "--node", "n:b1", "--hops", "2").out.splitlines()
        assert [re.sub(r"[a-z]:\w+  ", "", line)[:12] for line in lines] == [
            "sentence  20",
            "├── part of ",
            "│   └── part",
            "└── similar ",
            "    └── simi",
        ]
        assert "part of  session  2024-05-08 12:00  Ann, Bob: Garden talk Ann: Tomatoes" in lines[2]

    def test_a_limit_is_said(self, cli: Cli, store: Path) -> None:
        ran = cli("inspect-graph", "--store", store, "--node", "n:a2", "--limit", "3")
        assert len(ran.out.splitlines()) == 3
        assert "3 nodes, the nearest; 2 more are left out" in ran.err

    def test_json_is_the_export(self, cli: Cli, store: Path) -> None:
        ran = cli("inspect-graph", "--store", store, "--node", "n:a2", "--json")
        assert [n["id"] for n in json.loads(ran.out)["nodes"]] == ["n:a2", "t:aa01", "n:a1", "n:a0", "n:b0"]
        assert ran.out == cli("inspect-graph", "--store", store, "--node", "n:a2", "--format", "json").out

    def test_ids(self, cli: Cli, store: Path) -> None:
        assert cli("inspect-graph", "--store", store, "--node", "zz").code == 1
        ran = cli("inspect-graph", "--store", store, "--node", "t:aa")
        assert ran.code == 2
        assert "t:aa00, t:aa01" in ran.err

    def test_around_a_question(self, cli: Cli, sample_store: Path) -> None:
        ran = cli("inspect-graph", "--store", sample_store, "--query", "baking sourdough bread", "--json")
        found = json.loads(ran.out)
        assert len(found["roots"]) == 5
        texts = {n["id"]: n["text"] for n in found["nodes"]}
        assert any("sourdough" in texts[root] for root in found["roots"])
        assert {n["kind"] for n in found["nodes"]} == {"turn", "round", "sentence"}

    def test_text_is_not_interpreted(self, cli: Cli, store: Path) -> None:
        with Store(store).writing() as db:
            db.execute("update unit set text = ? where id = 'n:b0'", ["[bold]\x1b]8;;evil\x07\nB"])
        assert "Ann: [bold]]8;;evil B\n" in cli("inspect-graph", "--store", store, "--node", "n:b0").out


class TestOptions:
    @pytest.mark.parametrize(
        "options",
        [
            ["--json", "--format", "dot"],
            ["--output", "graph.txt"],
            ["--output", "-"],
            ["--limit", "3"],
            ["--format", "png"],
            ["--node", ""],
        ],
        ids=" ".join,
    )
    def test_what_makes_no_sense(self, cli: Cli, store: Path, options: list[str]) -> None:
        ran = cli("inspect-graph", "--store", store, *options)
        assert (ran.code, ran.out) == (2, "")
        assert len(ran.err.splitlines()) == 1

    @pytest.mark.parametrize("name", ["json", "dot", "graphml", "html"])
    def test_the_name_of_the_file_says_the_format(self, cli: Cli, store: Path, tmp_path: Path, name: str) -> None:
        ran = cli("inspect-graph", "--store", store, "-o", tmp_path / f"graph.{name}")
        assert (ran.code, ran.out, ran.err) == (0, "", "")
        direct = cli("inspect-graph", "--store", store, "--format", name).out
        assert (tmp_path / f"graph.{name}").read_text() == direct
        assert "The train was late." in direct

    def test_the_whole_graph_with_a_limit(self, cli: Cli, store: Path) -> None:
        ran = cli("inspect-graph", "--store", store, "--format", "json", "--limit", "3", "-o", "-")
        assert [n["id"] for n in json.loads(ran.out)["nodes"]] == ["t:aa00", "n:a0", "n:a2"]
        assert "3 nodes, those with the most edges; 7 more are left out" in ran.err

    def test_a_page_says_what_it_leaves_out_and_data_is_whole(self, cli: Cli, sample_store: Path) -> None:
        page = cli("inspect-graph", "--store", sample_store, "--format", "html", "--limit", "200")
        assert "200 nodes, people, topics and things with sentences of each" in page.err
        whole = cli("inspect-graph", "--store", sample_store, "--format", "json")
        assert whole.err == ""
        assert len(json.loads(whole.out)["nodes"]) > 1500

    def test_a_folder_is_not_overwritten(self, cli: Cli, store: Path, tmp_path: Path) -> None:
        ran = cli("inspect-graph", "--store", store, "--format", "dot", "-o", tmp_path)
        assert ran.code == 2
        assert "is a folder" in ran.err


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def terminal(monkeypatch: pytest.MonkeyPatch) -> _Terminal:
    """From here to the end of the test, standard output is a terminal of 100 columns."""
    screen = _Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "xterm-256color")
    return screen


class TestTerminal:
    def test_a_tree_fits_and_has_colours(self, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        with Store(store).writing() as db:
            db.execute("update unit set text = repeat('漢字 ', 100) where id = 'n:a1'")
            found = graph.neighbourhood(db, ["n:a2"])
        screen = terminal(monkeypatch)
        graph_tree.print_tree(found)
        lines = Text.from_ansi(screen.getvalue()).split()
        assert "\x1b[" in screen.getvalue()
        assert len(lines) == 5
        assert re.search(r"^├── n:a1 .* Ann: 漢字 .*…$", lines[2].plain)
        assert all(line.cell_len <= 100 for line in lines)

    def test_tables_fit(self, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        with Store(store).reading() as db:
            found = graph.summary(db)
        screen = terminal(monkeypatch)
        graph_summary.print_tables(found)
        lines = Text.from_ansi(screen.getvalue()).split()
        assert any("garden" in line.plain for line in lines)
        assert max(line.cell_len for line in lines) <= 100

    def test_a_page_is_not_for_it(self, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        screen = terminal(monkeypatch)
        assert run(["inspect-graph", "--store", str(store), "--format", "html"]) == 2
        assert screen.getvalue() == ""
