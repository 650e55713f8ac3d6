"""The memory graph in other programs' formats: JSON, Graphviz's DOT, GraphML, and a page for a browser.

What a transcript says is never interpreted: control characters are stripped, every format's own special characters
are escaped, and the page gets the graph as data that it shows as plain text only.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

from ..errors import UsageError
from ..text import clean
from .render import emit_document, one_line

if TYPE_CHECKING:
    from ..model import Edge
    from ..store.graph import Node, Subgraph

__all__ = ["RENDERERS", "document", "to_dot", "to_graphml", "to_html", "to_json", "write"]

#: What XML 1.0 cannot hold even as a reference: lone surrogates and the two non-characters of the first plane.
_NOT_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_LABEL = 60  # characters of a label in DOT


def document(graph: Subgraph) -> dict[str, Any]:
    """The graph as one JSON document; its keys are documented and stay."""
    return {
        "nodes": [_node(node) for node in graph.nodes],
        "edges": [
            {"source": e.src, "target": e.dst, "relation": _plain(e.relation), "weight": e.weight} for e in graph.edges
        ],
        "roots": list(graph.roots),
        "total": {"nodes": graph.total_nodes, "edges": graph.total_edges},
    }


def _node(node: Node) -> dict[str, Any]:
    moment = {} if node.at is None else {"at": node.at.isoformat()}
    return {
        "id": node.id,
        "kind": _plain(node.kind),
        "text": _plain(node.text),
        **moment,
        "speaker": _plain(node.speaker),
        "session": node.session,
        "degree": node.degree,
        "community": node.community,
    }


def _plain(text: str) -> str:
    """`text` without control characters, and without what no encoding can hold."""
    return clean(text).encode("utf-8", "replace").decode("utf-8")


def to_json(graph: Subgraph) -> str:
    """JSON: nodes, edges, the ids of the roots of a neighbourhood, and how large the whole graph is."""
    import orjson

    return orjson.dumps(document(graph), option=orjson.OPT_INDENT_2).decode()


# -- DOT -------------------------------------------------------------------------------------------------------------


def to_dot(graph: Subgraph) -> str:
    """Graphviz's language: an undirected relation is drawn without an arrow."""
    lines = [
        "digraph memory {",
        '  graph [overlap=false, outputorder="edgesfirst"];',
        "  node [shape=box, style=rounded];",
    ]
    lines += [_dot_node(node) for node in graph.nodes]
    lines += [_dot_edge(edge) for edge in graph.edges]
    return "\n".join([*lines, "}"])


def _dot_node(node: Node) -> str:
    text = one_line(node.text)
    label = text if len(text) <= _LABEL else text[: _LABEL - 1] + "…"
    shown = f"label={_quoted(label)}, kind={_quoted(node.kind)}, tooltip={_quoted(text)}"
    return f"  {_quoted(node.id)} [{shown}];"


def _dot_edge(edge: Edge) -> str:
    arrow = "none" if edge.relation == "similar" else "normal"
    relation = f"relation={_quoted(edge.relation)}, weight={edge.weight:g}, dir={arrow}"
    return f"  {_quoted(edge.src)} -> {_quoted(edge.dst)} [{relation}];"


def _quoted(text: str) -> str:
    """A quoted string of DOT. A backslash would begin an escape sequence such as `\\N`, the node's name."""
    return '"' + _plain(one_line(text)).replace("\\", "\\\\").replace('"', '\\"') + '"'


# -- GraphML ---------------------------------------------------------------------------------------------------------

_NODE_KEYS: Mapping[str, str] = MappingProxyType(
    {
        "kind": "string",
        "text": "string",
        "at": "string",
        "speaker": "string",
        "session": "string",
        "degree": "int",
        "community": "int",
    }
)
_EDGE_KEYS: Mapping[str, str] = MappingProxyType({"relation": "string", "weight": "double"})


def to_graphml(graph: Subgraph) -> str:
    """GraphML, as Gephi, yEd, igraph and NetworkX read it."""
    whole = document(graph)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">']
    for owner, keys in (("node", _NODE_KEYS), ("edge", _EDGE_KEYS)):
        lines += [f'  <key id="{k}" for="{owner}" attr.name="{k}" attr.type="{t}"/>' for k, t in keys.items()]
    lines.append('  <graph id="memory" edgedefault="directed">')
    lines += [f"    <node id={_attribute(n['id'])}>{_data(n, _NODE_KEYS)}</node>" for n in whole["nodes"]]
    lines += [_graphml_edge(e) for e in whole["edges"]]
    return "\n".join([*lines, "  </graph>", "</graphml>"])


def _graphml_edge(edge: Mapping[str, Any]) -> str:
    ends = f"source={_attribute(edge['source'])} target={_attribute(edge['target'])}"
    return f"    <edge {ends}>{_data(edge, _EDGE_KEYS)}</edge>"


def _data(values: Mapping[str, Any], keys: Mapping[str, str]) -> str:
    known = ((key, values[key]) for key in keys if values.get(key) is not None)
    return "".join(f'<data key="{key}">{escape(_xml(str(value)))}</data>' for key, value in known)


def _attribute(text: str) -> str:
    return quoteattr(_xml(text))


def _xml(text: str) -> str:
    return _NOT_XML.sub("", text)


# -- the page --------------------------------------------------------------------------------------------------------

#: Nothing in a script element can end it, and nothing in it can end a line of JavaScript.
_ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def to_html(graph: Subgraph) -> str:
    """One page that needs no network: the graph as data, a script that draws it, and a policy that allows no other."""
    import orjson

    data = orjson.dumps(document(graph)).decode().translate(_ESCAPES)
    before, after = _template().split("__DATA__")  # not replaced: the data may say __DATA__ too
    return before + data + after


def _template() -> str:
    from importlib.resources import files

    page = files(__package__).joinpath("graph.html").read_text(encoding="utf-8")
    script, style = _between(page, "<script>", "</script>"), _between(page, "<style>", "</style>")
    policy = (
        f"default-src 'none'; script-src {_hashed(script)}; style-src {_hashed(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return page.replace("__POLICY__", policy)


def _between(page: str, start: str, end: str) -> str:
    return page.split(start, 1)[1].split(end, 1)[0]


def _hashed(text: str) -> str:
    """How a content security policy names the one script, or style, that it allows."""
    from base64 import b64encode
    from hashlib import sha256

    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


#: What `--format` names.
RENDERERS: Mapping[str, Callable[[Subgraph], str]] = MappingProxyType(
    {"json": to_json, "dot": to_dot, "graphml": to_graphml, "html": to_html}
)


def write(text: str, output: Path | None) -> None:
    """Writes an export to a file, which only its owner may read, or to standard output (None or `-`).

    Raises UsageError where the file cannot be written.
    """
    if output is None or str(output) == "-":
        emit_document(text)
        return
    if output.is_dir():
        raise UsageError(f"{output} is a folder", f"name a file: --output {output / 'graph'}")
    try:
        with open(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(text + "\n")
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror or error}", "choose another --output") from error
