"""The memory graph in figures: as a JSON document, as tables on a terminal, as the same tables plain in a pipe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from .render import console, cut, one_line

if TYPE_CHECKING:
    from rich.table import Table

    from ..store.graph import Community, GraphSummary

__all__ = ["document", "print_tables"]

_EXAMPLE = 60
_PLAIN_WIDTH = 140


def document(summary: GraphSummary) -> dict[str, Any]:
    """What `--json` prints; its keys are documented and stay."""
    parts = summary.components
    return {
        "nodes": {"total": sum(summary.nodes.values()), "by_kind": dict(summary.nodes)},
        "edges": {"total": sum(summary.edges.values()), "by_relation": dict(summary.edges)},
        "degrees": {
            name: {"nodes": d.count, "mean": round(d.mean, 4), "median": d.median, "max": d.max}
            for name, d in summary.degrees.items()
        },
        "components": {"count": parts.count, "largest": parts.largest, "isolated": parts.isolated},
        "communities": {
            "count": summary.community_count,
            "members": summary.community_members,
            "modularity": round(summary.modularity, 6),
            "largest": [_community(c) for c in summary.communities],
        },
    }


def _community(community: Community) -> dict[str, Any]:
    central = {"id": community.central.id, "text": community.central.text}
    return {
        "number": community.number,
        "size": community.size,
        "terms": list(community.terms),
        "central": central,
    }


def print_tables(summary: GraphSummary) -> None:
    """Prints the tables."""
    out = console()
    if not out.is_terminal:
        out.width = _PLAIN_WIDTH  # not the 80 columns that are assumed of a pipe
    for table in (_nodes(summary), _edges(summary), _communities(summary)):
        out.print(table)
    parts = summary.components
    out.print(
        f"{_counted(parts.count, 'connected component')}, the largest of {_counted(parts.largest, 'node')}; "
        f"{_counted(parts.isolated, 'node')} without an edge"
    )


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def _nodes(summary: GraphSummary) -> Table:
    rows = [
        (name, f"{d.count:,}", f"{d.mean:.1f}", f"{d.median:g}", f"{d.max:,}")
        for name, d in sorted(summary.degrees.items(), key=lambda item: (item[0] == "all", -item[1].count))
    ]
    return _table("Nodes", ("kind", "nodes", "mean degree", "median", "max"), rows)


def _edges(summary: GraphSummary) -> Table:
    rows = [(one_line(name), f"{count:,}") for name, count in summary.edges.items()]
    return _table("Edges", ("relation", "edges"), [*rows, ("all", f"{sum(summary.edges.values()):,}")])


def _communities(summary: GraphSummary) -> Table:
    title = (
        f"Communities of similar sentences: {summary.community_count:,}, "
        f"{_counted(summary.community_members, 'sentence')}, modularity {summary.modularity:.2f}"
    )
    rows = [
        (f"{c.number}", f"{c.size:,}", ", ".join(map(one_line, c.terms)), cut(one_line(c.central.text), _EXAMPLE))
        for c in summary.communities
    ]
    table = _table(title, ("#", "size", "key terms", "best joined sentence"), rows)
    table.columns[0].justify = "right"
    for column in table.columns[2:]:
        column.justify = "left"
    return table


def _table(title: str, names: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """A table of names and, right-aligned, numbers. Cells are Text: what looks like markup stays as it is."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title, style="bold", no_wrap=True), title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for i, name in enumerate(names):
        table.add_column(name, justify="right" if i else "left")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table
