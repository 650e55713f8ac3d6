"""The memory graph of an open store, to be looked at: in figures, around some units, or whole.

The graph itself is in `views.graph`, its communities in `communities`; this module is what others import.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import NothingFound, UsageError
from ..model import Edge, Kind, UnitId
from .communities import Communities, communities, key_terms, snapshot
from .rows import from_stored
from .views.graph import Graph, Ints, load

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "Communities",
    "Community",
    "Components",
    "Degrees",
    "Graph",
    "GraphSummary",
    "Node",
    "Subgraph",
    "as_nodes",
    "communities",
    "load",
    "neighbourhood",
    "resolve",
    "snapshot",
    "summary",
    "whole",
]

_LARGEST = 12
_TEXT = 600  # characters of a node's text: enough for a tooltip
#: What is to be known of generated memory before it is believed.
_MARK = """case when m.unit is null then '' when not m.supported then concat('[unsupported: ', m.reason, '] ')
    when m.replaced_by is not null then concat('[until ', coalesce(strftime(m.valid_to, '%-d %B %Y'), '?'), '] ')
    else '' end"""
_TURNS = 6  # of a round or a session: enough to fill these characters


@dataclass(frozen=True, slots=True)
class Node:
    """A unit as it is shown. `text` is shortened; `session` is an id; `community` a number, or None for none."""

    id: UnitId
    kind: str
    text: str
    session: str
    at: datetime | None
    speaker: str
    degree: int
    community: int | None


@dataclass(frozen=True, slots=True)
class Subgraph:
    """Nodes and every edge between them. `total_*` say how large the graph is that they were taken from; `left_out`,
    how many nodes a limit cut off: of a neighbourhood, those next to what is in it.

    Of a neighbourhood: nodes in the order in which they were reached, the `roots` first, and by `reached` the edge
    that led to each of the others.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    total_nodes: int
    total_edges: int
    left_out: int = 0
    roots: tuple[UnitId, ...] = ()
    reached: Mapping[UnitId, Edge] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Degrees:
    """How many edges nodes have."""

    count: int
    mean: float
    median: float
    max: int


@dataclass(frozen=True, slots=True)
class Components:
    """Parts of the graph that no edge joins. `isolated`: nodes without any edge, each a component too."""

    count: int
    largest: int
    isolated: int


@dataclass(frozen=True, slots=True)
class Community:
    """Sentences that are similar to each other, what sets their words apart, and the best joined of them."""

    number: int
    size: int
    terms: tuple[str, ...]
    central: Node


@dataclass(frozen=True, slots=True)
class GraphSummary:
    """The graph in figures. `degrees` has an entry for each kind and one for `all`; `communities`: the largest ones."""

    nodes: Mapping[str, int]
    edges: Mapping[str, int]
    degrees: Mapping[str, Degrees]
    components: Components
    communities: tuple[Community, ...]
    community_count: int
    community_members: int
    modularity: float


# -- figures ---------------------------------------------------------------------------------------------------------


def summary(db: DuckDBPyConnection, largest: int = _LARGEST) -> GraphSummary:
    """The graph of the open store in figures, with its `largest` communities."""
    graph = load(db)
    found = communities(db, graph)
    sizes = found.sizes
    return GraphSummary(
        nodes=_counts(graph.kinds, graph.kind_names),
        edges=_counts(graph.relations, graph.relation_names),
        degrees=_degrees(graph),
        components=_components(graph),
        communities=tuple(_communities(db, graph, found, min(largest, len(sizes)))),
        community_count=len(sizes),
        community_members=int(sizes.sum()),
        modularity=found.modularity,
    )


def _counts(codes: Ints, names: Sequence[str]) -> dict[str, int]:
    counts = np.bincount(codes, minlength=len(names)).tolist()
    return {name: count for count, name in sorted(zip(counts, names, strict=True), reverse=True)}


def _degrees(graph: Graph) -> dict[str, Degrees]:
    degrees = graph.degrees
    chosen = {"all": degrees} | {name: degrees[graph.kinds == code] for code, name in enumerate(graph.kind_names)}
    return {
        name: Degrees(len(some), float(some.mean()), float(np.median(some)), int(some.max()))
        for name, some in chosen.items()
        if len(some)
    }


def _components(graph: Graph) -> Components:
    import igraph

    ends = np.stack([graph.sources, graph.targets], axis=1).tolist()
    sizes = igraph.Graph(n=len(graph.seqs), edges=ends).connected_components(mode="weak").sizes()
    return Components(len(sizes), max(sizes, default=0), int((graph.degrees == 0).sum()))


def _communities(db: DuckDBPyConnection, graph: Graph, found: Communities, count: int) -> list[Community]:
    degrees, sizes = graph.degrees, found.sizes
    order = np.lexsort((graph.seqs, -degrees, found.labels))
    first = order[np.searchsorted(found.labels[order], np.arange(count))]
    central = as_nodes(db, graph, found, first)
    terms = key_terms(db, graph, found, count)
    return [Community(i, int(sizes[i]), tuple(terms.get(i, ())), central[i]) for i in range(count)]


# -- parts -----------------------------------------------------------------------------------------------------------


def resolve(db: DuckDBPyConnection, prefix: str) -> UnitId:
    """The id of the one unit whose id is `prefix` or begins with it.

    Raises NothingFound where there is none, UsageError where there are several.
    """
    if not prefix:
        raise UsageError("an empty unit id", "ids are shown by: memcli search QUERY --json")
    sql = "select id from unit where starts_with(id, ?) order by id <> ?, id limit 4"
    found = [str(unit) for (unit,) in db.execute(sql, [prefix, prefix]).fetchall()]
    if not found:
        raise NothingFound(
            f"no unit has an id that begins with {prefix!r}", "ids are shown by: memcli search QUERY --json"
        )
    if len(found) > 1 and found[0] != prefix:
        some = ", ".join(found[:3]) + (", …" if len(found) > 3 else "")
        raise UsageError(f"several units have ids that begin with {prefix!r}", f"give more of it: {some}")
    return UnitId(found[0])


def neighbourhood(db: DuckDBPyConnection, unit_ids: Sequence[str], hops: int = 1, limit: int | None = None) -> Subgraph:
    """Everything within `hops` edges of the units, whose ids may be shortened: breadth first, strongest edges first.

    `limit` is the most nodes that are returned, the given units among them. Raises NothingFound, UsageError.
    """
    roots = list(dict.fromkeys(resolve(db, unit) for unit in unit_ids))
    graph = load(db)
    found = dict(db.execute("select id, seq from unit where id in (select unnest(?::varchar[]))", [roots]).fetchall())
    start = np.searchsorted(graph.seqs, [found[root] for root in roots]).tolist()
    limit = len(graph.seqs) if limit is None else limit
    reached = _Reached(graph, start[:limit], left_out=max(len(start) - limit, 0))
    for _ in range(hops):
        reached.spread(limit)
    return _subgraph(db, graph, np.array(reached.nodes, dtype=np.int64), reached.left_out, reached.via)


def whole(db: DuckDBPyConnection, limit: int | None = None) -> Subgraph:
    """The whole graph, in the order of its units; with a `limit` only as many of the nodes with the most edges."""
    graph = load(db)
    nodes = np.arange(len(graph.seqs))
    if limit is not None and limit < len(nodes):
        nodes = np.sort(np.lexsort((nodes, -graph.degrees))[:limit])
    return _subgraph(db, graph, nodes, len(graph.seqs) - len(nodes), None)


@dataclass(slots=True)
class _Reached:
    """The nodes of a neighbourhood, in order, and for each but the first ones the edge that led to it (`via`)."""

    graph: Graph
    nodes: list[int]
    via: dict[int, int] = field(default_factory=dict)
    left_out: int = 0

    def spread(self, limit: int) -> None:
        """Adds what is one edge further, the strongest edges first, up to `limit` nodes in all."""
        graph = self.graph
        inside = np.zeros(len(graph.seqs), dtype=np.bool_)
        inside[self.nodes] = True
        crossing = np.flatnonzero(inside[graph.sources] != inside[graph.targets])
        crossing = crossing[np.argsort(-graph.weights[crossing], kind="stable")]
        outer = np.where(inside[graph.sources[crossing]], graph.targets[crossing], graph.sources[crossing])
        _, first = np.unique(outer, return_index=True)
        taken = np.sort(first)[: limit - len(self.nodes)]
        self.left_out = max(self.left_out, len(first) - len(taken))
        self.via.update(zip(outer[taken].tolist(), crossing[taken].tolist(), strict=True))
        self.nodes.extend(outer[taken].tolist())


def _subgraph(
    db: DuckDBPyConnection, graph: Graph, chosen: Ints, left_out: int, via: Mapping[int, int] | None
) -> Subgraph:
    """The nodes `chosen` with all edges between them; `via` where they are a neighbourhood."""
    inside = np.zeros(len(graph.seqs), dtype=np.bool_)
    inside[chosen] = True
    edges = np.flatnonzero(inside[graph.sources] & inside[graph.targets])
    nodes = as_nodes(db, graph, communities(db, graph), chosen)
    ids = {int(position): node.id for position, node in zip(chosen, nodes, strict=True)}
    led = {} if via is None else {ids[node]: _edge(graph, edge, ids) for node, edge in via.items()}
    return Subgraph(
        nodes=tuple(nodes),
        edges=tuple(_edge(graph, edge, ids) for edge in edges.tolist()),
        total_nodes=len(graph.seqs),
        total_edges=len(graph.sources),
        left_out=left_out,
        roots=() if via is None else tuple(node.id for node in nodes if node.id not in led),
        reached=MappingProxyType(led),
    )


def _edge(graph: Graph, edge: int, ids: Mapping[int, UnitId]) -> Edge:
    source, target = ids[int(graph.sources[edge])], ids[int(graph.targets[edge])]
    weight = round(float(graph.weights[edge]), 6)  # stored with single precision: the rest is noise
    return Edge(source, target, graph.relation_names[graph.relations[edge]], weight)


def as_nodes(db: DuckDBPyConnection, graph: Graph, found: Communities, chosen: Ints) -> list[Node]:
    """The nodes at the positions `chosen`, in this order, with their texts."""
    rows = db.execute(
        f"""with wanted as (select unnest(?::integer[]) as seq, unnest(?::integer[]) as place),
                 said as (select o.unit, list(t.speaker order by t.session, t.position) as speakers,
                          list(left(t.text, {_TEXT}) order by t.session, t.position)[1:{_TURNS}] as texts,
                          list(t.said_at order by t.session, t.position)[1] as at,
                          list(t.utc_offset order by t.session, t.position)[1] as utc_offset
                          from wanted w join source o on o.unit = w.seq join turn t on t.seq = o.turn group by o.unit)
            select u.id, u.kind, left(u.text, {_TEXT + 1}), s.id, s.title, d.at, d.utc_offset, d.speakers, d.texts,
                   {_MARK}
            from wanted w join unit u on u.seq = w.seq left join session s on s.seq = u.session
            left join said d on d.unit = u.seq left join memory m on m.unit = u.seq order by w.place""",
        [graph.seqs[chosen].tolist(), list(range(len(chosen)))],
    ).fetchall()
    degrees, labels = graph.degrees[chosen].tolist(), found.labels[chosen].tolist()
    return [_node(row, degree, label) for row, degree, label in zip(rows, degrees, labels, strict=True)]


def _node(row: Sequence[Any], degree: int, label: int) -> Node:
    id_, kind, text, session, title, at, offset, speakers, texts, mark = row
    speaker = ", ".join(dict.fromkeys(name for name in speakers or () if name))
    if text is None:
        text = _said(speakers or (), texts or ())
    if kind == Kind.SESSION and title:
        text = f"{title}\n{text}"
    text = mark + text
    text = text if len(text) <= _TEXT else text[: _TEXT - 1] + "…"
    community = label if label >= 0 else None
    return Node(UnitId(id_), kind, text, session or "", from_stored(at, offset), speaker, degree, community)


def _said(speakers: Sequence[str], texts: Sequence[str]) -> str:
    """One turn as it is; of several, who said which."""
    if len(speakers) < 2:
        return "".join(texts)
    return "\n".join(f"{speaker}: {text}" for speaker, text in zip(speakers, texts, strict=False))
