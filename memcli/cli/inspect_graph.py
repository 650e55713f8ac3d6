"""`memcli inspect-graph`: what the memory graph holds, what is around a unit or a question, and its export."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options as o

if TYPE_CHECKING:
    from ..memory import Memory
    from ..store.graph import Subgraph

__all__ = ["GraphFormat", "inspect_graph"]

#: Hits whose neighbourhood `--query` shows.
_SEEDS = 5
#: Nodes of a neighbourhood in the terminal, and of the page, unless `--limit` says otherwise.
_TREE_LIMIT = 40
_PAGE_LIMIT = 1500


class GraphFormat(StrEnum):
    """What the graph can be exported as."""

    JSON = "json"
    DOT = "dot"
    GRAPHML = "graphml"
    HTML = "html"


def inspect_graph(
    node: Annotated[
        list[str] | None,
        typer.Option("--node", metavar="ID", help="Around what has this id; a unique beginning is enough."),
    ] = None,
    query: Annotated[
        str | None, typer.Option("--query", metavar="TEXT", help="Around the five turns that best speak to this.")
    ] = None,
    hops: Annotated[int, typer.Option("--hops", min=0, max=9, help="How many edges far around them.")] = 1,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            min=1,
            help="Nodes at the most: the nearest, or of the whole graph the best joined; of a page, 1,500.",
        ),
    ] = None,
    format_: Annotated[
        GraphFormat | None, typer.Option("--format", help="Export instead. Default: what the name of --output ends in.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where the export goes; - is standard output.")
    ] = None,
    as_json: o.Json = False,
    store: o.Store = None,
    embedder: o.EmbedderName = None,
) -> int:
    """Show the memory graph: its figures, the neighbourhood of a unit or a question, or an export of it.

    As a page, the whole memory is its people, topics and things, and the sentences of the one that you open.
    """
    chosen = _format(format_, output, as_json=as_json)
    memory = o.memory(store, embedder)
    if chosen is None and not node and not query:
        return _summary(memory, limit, as_json=as_json)
    if chosen is None and limit is None and not as_json:
        limit = _TREE_LIMIT
    elif chosen is GraphFormat.HTML and limit is None:
        limit = _PAGE_LIMIT
    if chosen is GraphFormat.HTML and limit and not node and not query:
        found = _overview(memory, limit)
    else:
        found = _subgraph(memory, node or [], query, hops, limit)
    if chosen is None and not as_json:
        _tree(found)
    else:
        _export(found, chosen or GraphFormat.JSON, output)
    return 0


def _format(given: GraphFormat | None, output: Path | None, *, as_json: bool) -> GraphFormat | None:
    """The format that the options ask for, if any. Raises UsageError where they contradict each other."""
    from ..errors import UsageError

    if as_json and given not in (None, GraphFormat.JSON):
        raise UsageError(f"--json and --format {given} exclude each other", "leave --json out")
    suffix = output.suffix.removeprefix(".") if output is not None else ""
    chosen = given or (GraphFormat(suffix) if suffix in list(GraphFormat) and not as_json else None)
    if output is not None and chosen is None:
        raise UsageError("--output needs a format", "add --format json, dot, graphml or html")
    return chosen


def _summary(memory: Memory, limit: int | None, *, as_json: bool) -> int:
    from ..errors import NothingFound, UsageError
    from ..store import graph
    from . import graph_summary
    from .render import emit_json

    if limit is not None:
        raise UsageError("--limit goes with --node, --query or --format", "leave it out to see the figures")
    with memory.store.reading() as db:
        found = graph.summary(db)
    if not found.nodes:
        raise NothingFound("the store is empty", "fill it with: memcli ingest FILE")
    if as_json:
        emit_json(graph_summary.document(found))
    else:
        graph_summary.print_tables(found)
    return 0


def _subgraph(memory: Memory, nodes: list[str], query: str | None, hops: int, limit: int | None) -> Subgraph:
    from ..errors import NothingFound
    from ..store import graph, naming

    near = _hits(memory, query) if query is not None else []
    with memory.store.reading() as db:
        roots = [*(unit for node in nodes for unit in naming.nodes(db, o.typed(node))), *near]
        found = graph.neighbourhood(db, roots, hops, limit) if roots else graph.whole(db, limit)
    if not found.nodes:
        raise NothingFound("the store is empty", "fill it with: memcli ingest FILE")
    return found


def _overview(memory: Memory, limit: int) -> Subgraph:
    """What a page of the whole memory shows: thousands of sentences at once cannot be read."""
    from ..errors import NothingFound
    from ..store.overview import overview

    with memory.store.reading() as db:
        found = overview(db, limit)
    if not found.nodes:
        raise NothingFound("the store is empty", "fill it with: memcli ingest FILE")
    return found


def _hits(memory: Memory, query: str) -> list[str]:
    from ..errors import NothingFound

    hits = memory.search(o.typed(query), k=_SEEDS)
    if not hits:
        raise NothingFound("nothing in memory speaks to this question", "try other words, or --node ID")
    return [hit.unit.id for hit in hits]


def _tree(found: Subgraph) -> None:
    from .graph_tree import print_tree

    print_tree(found)
    _cut_short(found)


def _export(found: Subgraph, chosen: GraphFormat, output: Path | None) -> None:
    from ..errors import UsageError
    from .graph_export import RENDERERS, write
    from .render import console, say

    if output is None and chosen is GraphFormat.HTML and console().is_terminal:
        raise UsageError("a page is not for the terminal", "add --output graph.html")
    text = RENDERERS[chosen.value](found)
    write(text, output)
    _cut_short(found)
    if output is not None and str(output) != "-" and console(stderr=True).is_terminal:
        say(f"wrote {output}: {len(found.nodes):,} nodes, {len(found.edges):,} edges")


def _cut_short(found: Subgraph) -> None:
    """A limit never cuts in silence."""
    from ..store.overview import PERSON
    from .render import say

    if found.left_out:
        first = "people, topics and things with sentences of each"
        most = first if found.nodes[0].kind == PERSON else "those with the most edges"
        how = "the nearest" if found.roots else most
        say(f"{len(found.nodes):,} nodes, {how}; {found.left_out:,} more are left out: --limit raises it")
