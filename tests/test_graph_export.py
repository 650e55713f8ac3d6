"""Exports of the memory graph are read back by other parsers, with text that tries to break out of each format."""

from __future__ import annotations

import json
import re
import stat
from base64 import b64encode
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from xml.etree import ElementTree

import igraph
import pytest

from memcli.cli import graph_export
from memcli.errors import UsageError
from memcli.model import Edge, UnitId
from memcli.store.graph import Node, Subgraph

HOSTILE = (
    '</script><img src=x onerror=alert(1)> & "quoted" \\N \\" ]]> <!-- __DATA__ __POLICY__ '
    "\x1b[31m red \x00\x08\ufffe\u2028 end"
)
XML = "{http://graphml.graphdrawing.org/xmlns}"


def node(id_: str, text: str, *, kind: str = "turn", community: int | None = None, dated: bool = True) -> Node:
    at = datetime(2024, 5, 8, 18, 42, tzinfo=UTC) if dated else None
    return Node(UnitId(id_), kind, text, "s:1", at, "Ann", 1, community)


@pytest.fixture
def small() -> Subgraph:
    nodes = (node("t:1", "Hello."), node("n:1", HOSTILE, kind="sentence", community=0), node("k:1", "", dated=False))
    edges = (
        Edge(UnitId("n:1"), UnitId("t:1"), "membership", 1.0),
        Edge(UnitId("n:1"), UnitId("k:1"), "similar", 0.75),
    )
    return Subgraph(nodes, edges, total_nodes=9, total_edges=20, roots=(UnitId("t:1"),))


EMPTY = Subgraph((), (), 0, 0)


class TestJson:
    def test_every_documented_key(self, small: Subgraph) -> None:
        found = json.loads(graph_export.to_json(small))
        assert found["nodes"][0] == {
            "id": "t:1",
            "kind": "turn",
            "text": "Hello.",
            "at": "2024-05-08T18:42:00+00:00",
            "speaker": "Ann",
            "session": "s:1",
            "degree": 1,
            "community": None,
        }
        assert found["edges"][1] == {"source": "n:1", "target": "k:1", "relation": "similar", "weight": 0.75}
        assert found["roots"] == ["t:1"]
        assert found["total"] == {"nodes": 9, "edges": 20}

    def test_an_unknown_date_has_no_key(self, small: Subgraph) -> None:
        assert "at" not in json.loads(graph_export.to_json(small))["nodes"][2]

    def test_control_characters_are_gone(self, small: Subgraph) -> None:
        text = json.loads(graph_export.to_json(small))["nodes"][1]["text"]
        assert not re.search(r"[\x00-\x08\x0b-\x1f]", text)
        assert text.startswith("</script><img")

    def test_a_lone_surrogate_is_no_error(self) -> None:
        found = json.loads(graph_export.to_json(Subgraph((node("t:1", "a\ud800b"),), (), 1, 0)))
        assert found["nodes"][0]["text"] == "a?b"


class TestDot:
    def test_an_edge_and_a_node(self, small: Subgraph) -> None:
        lines = graph_export.to_dot(small).splitlines()
        assert '  "t:1" [label="Hello.", kind="turn", tooltip="Hello."];' in lines
        assert '  "n:1" -> "t:1" [relation="membership", weight=1, dir=normal];' in lines
        assert '  "n:1" -> "k:1" [relation="similar", weight=0.75, dir=none];' in lines

    def test_no_text_ends_its_string(self, small: Subgraph) -> None:
        for line in graph_export.to_dot(small).splitlines()[3:-1]:
            without_strings = re.sub(r'"(?:[^"\\]|\\.)*"', "STRING", line)
            assert re.fullmatch(r"  STRING( -> STRING)? \[(\w+=[\w.]+(, )?)+\];", without_strings)

    def test_escapes_are_text(self, small: Subgraph) -> None:
        line = next(line for line in graph_export.to_dot(small).splitlines() if line.startswith('  "n:1" [label'))
        assert '\\"quoted\\" \\\\N \\\\\\"' in line

    def test_braces_balance_in_an_empty_graph(self) -> None:
        assert graph_export.to_dot(EMPTY).splitlines()[0] == "digraph memory {"
        assert graph_export.to_dot(EMPTY).endswith("}")


class TestGraphml:
    def test_nodes_edges_and_their_data(self, small: Subgraph) -> None:
        root = ElementTree.fromstring(graph_export.to_graphml(small))
        nodes = root.findall(f".//{XML}node")
        assert [n.get("id") for n in nodes] == ["t:1", "n:1", "k:1"]
        first = {d.get("key"): d.text for d in nodes[0]}
        assert first["text"] == "Hello."
        assert first["at"] == "2024-05-08T18:42:00+00:00"
        assert "community" not in first
        edge = root.findall(f".//{XML}edge")[1]
        assert (edge.get("source"), edge.get("target")) == ("n:1", "k:1")
        assert {d.get("key"): d.text for d in edge} == {"relation": "similar", "weight": "0.75"}

    def test_hostile_text_is_text(self, small: Subgraph) -> None:
        root = ElementTree.fromstring(graph_export.to_graphml(small))
        text = next(d.text for d in root.findall(f".//{XML}node")[1] if d.get("key") == "text")
        assert text is not None
        assert text.startswith('</script><img src=x onerror=alert(1)> & "quoted" \\N \\" ]]> <!--')
        assert text.endswith("\u2028 end")

    def test_every_key_that_is_used_is_declared(self, small: Subgraph) -> None:
        root = ElementTree.fromstring(graph_export.to_graphml(small))
        declared = {(k.get("for"), k.get("id")) for k in root.findall(f"{XML}key")}
        used = {(owner, d.get("key")) for owner in ("node", "edge") for d in root.findall(f".//{XML}{owner}/{XML}data")}
        assert len(used) > 5
        assert used <= declared

    def test_another_program_reads_it(self, small: Subgraph, tmp_path: Path) -> None:
        file = tmp_path / "graph.graphml"
        graph_export.write(graph_export.to_graphml(small), file)
        read = igraph.Graph.Read_GraphML(str(file))
        assert read.vs["kind"] == ["turn", "sentence", "turn"]
        assert read.es["weight"] == [1.0, 0.75]


class TestHtml:
    def test_the_data_is_the_json_document(self, small: Subgraph) -> None:
        page = graph_export.to_html(small)
        data = page.split('<script type="application/json" id="data">')[1].split("</script>")[0]
        assert json.loads(data) == graph_export.document(small)

    def test_text_never_ends_the_script(self, small: Subgraph) -> None:
        page = graph_export.to_html(small)
        assert page.count("</script>") == 2  # the data's and the program's
        assert "<img" not in page
        assert "\u2028" not in page

    def test_nothing_is_fetched(self, small: Subgraph) -> None:
        page = graph_export.to_html(small)
        assert not re.search(r"(?i)\b(?:src|href)\s*=|url\(|@import|https?:", page.split("application/json")[0])
        assert not re.search(r"\bfetch\(|XMLHttpRequest|WebSocket|innerHTML|\beval\(", page)

    def test_the_policy_allows_the_one_script_and_the_one_style(self, small: Subgraph) -> None:
        page = graph_export.to_html(small)
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
        assert policy
        assert policy[1].startswith("default-src 'none'; ")
        for name in ("script", "style"):
            content = page.split(f"<{name}>")[1].split(f"</{name}>")[0]
            assert f"{name}-src 'sha256-{b64encode(sha256(content.encode()).digest()).decode()}';" in policy[1]


@pytest.mark.parametrize("name", graph_export.RENDERERS)
def test_an_empty_graph_and_the_same_twice(name: str, small: Subgraph) -> None:
    render = graph_export.RENDERERS[name]
    assert render(EMPTY)
    assert render(small) == render(small)


class TestWriting:
    def test_only_its_owner_may_read_it(self, tmp_path: Path) -> None:
        graph_export.write("text", tmp_path / "a.json")
        assert (tmp_path / "a.json").read_text() == "text\n"
        assert stat.S_IMODE((tmp_path / "a.json").stat().st_mode) == 0o600

    def test_what_was_there_is_replaced(self, tmp_path: Path) -> None:
        (tmp_path / "a.json").write_text("something longer")
        graph_export.write("text", tmp_path / "a.json")
        assert (tmp_path / "a.json").read_text() == "text\n"

    @pytest.mark.parametrize("output", [None, Path("-")])
    def test_standard_output(self, output: Path | None, capsys: pytest.CaptureFixture[str]) -> None:
        graph_export.write("text", output)
        assert capsys.readouterr().out == "text\n"

    def test_a_folder(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="is a folder"):
            graph_export.write("text", tmp_path)

    def test_a_folder_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="No such file"):
            graph_export.write("text", tmp_path / "none" / "a.json")
