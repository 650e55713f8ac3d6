"""The memory graph as columns: units are its nodes, and whatever joins two units is an edge.

Two units that name each other as similar are joined once, by the stronger of the two edges; so it is for every
relation without a direction. An edge to a unit that is gone does not count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...model import Kind, Relation
from ..rows import columns

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Floats", "Graph", "Ints", "load"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: Relations without a direction: a pair is joined by the stronger of its two edges.
_MUTUAL = (Relation.SIMILAR.value, Relation.SYNONYM.value, Relation.ASSOCIATED.value)


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """The whole graph as columns. A node is a position in `seqs`; kinds and relations are positions in their names."""

    seqs: Ints
    kinds: Ints
    kind_names: tuple[str, ...]
    sources: Ints
    targets: Ints
    relations: Ints
    relation_names: tuple[str, ...]
    weights: Floats

    @property
    def degrees(self) -> Ints:
        """How many edges each node has."""
        return np.bincount(np.concatenate([self.sources, self.targets]), minlength=len(self.seqs)).astype(np.int64)

    def of_kind(self, kind: Kind) -> npt.NDArray[np.bool_]:
        """Which nodes are of `kind`."""
        code = self.kind_names.index(kind.value) if kind.value in self.kind_names else -1
        return np.equal(self.kinds, code)

    def of_relation(self, relation: Relation) -> npt.NDArray[np.bool_]:
        """Which edges are of `relation`."""
        names = self.relation_names
        return np.equal(self.relations, names.index(relation.value) if relation.value in names else -1)


def load(db: DuckDBPyConnection) -> Graph:
    """The graph of the open store, nodes by number, edges by the numbers of their ends."""
    kinds = _names(db, "select distinct kind from unit order by kind")
    relations = _names(db, "select distinct relation from edge order by relation")
    units = columns(db, "select seq, list_position(?::varchar[], kind) - 1 as kind from unit order by seq", [kinds])
    edges = columns(
        db,
        """with mutual as (select src, dst, relation, weight, list_contains(?::varchar[], relation) as free from edge),
                joined as (select if(free, least(src, dst), src) as src, if(free, greatest(src, dst), dst) as dst,
                           list_position(?::varchar[], relation) - 1 as relation, weight from mutual)
           select src, dst, relation, max(weight) as weight from joined where src <> dst
           group by src, dst, relation order by src, dst, relation""",
        [list(_MUTUAL), relations],
    )
    seqs = units["seq"].astype(np.int64)
    source, target = _positions(seqs, edges["src"]), _positions(seqs, edges["dst"])
    known = (source >= 0) & (target >= 0)
    codes, weights = edges["relation"][known].astype(np.int64), edges["weight"][known].astype(np.float64)
    kind_codes = units["kind"].astype(np.int64)
    return Graph(seqs, kind_codes, tuple(kinds), source[known], target[known], codes, tuple(relations), weights)


def _names(db: DuckDBPyConnection, sql: str) -> list[str]:
    return [str(name) for (name,) in db.execute(sql).fetchall()]


def _positions(seqs: Ints, wanted: npt.NDArray[np.integer]) -> Ints:
    """Where each of `wanted` is in `seqs`, ascending; -1 where it is not."""
    if not len(seqs):
        return np.full(len(wanted), -1, dtype=np.int64)
    at = np.minimum(np.searchsorted(seqs, wanted), len(seqs) - 1)
    return np.where(seqs[at] == wanted, at, -1).astype(np.int64)
