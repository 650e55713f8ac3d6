"""`memgas`: four granularities, weighed by how sure each is, spread over their associations (MemGAS, Xu et al. 2025).

`docs/strategies/memgas.md` maps the paper's equations to the functions here and in `ranking`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..languages.base import NAMELESS
from ..model import Hit, Kind, Needs, Query, Relation
from ..ranking.arrays import group_max, group_sum, softmax, top, top_and_ties
from ..ranking.entropy import entropy, router_weights
from ..ranking.pagerank import pagerank
from ..store.views.associations import Nodes, associations, nodes
from ..store.views.view import View
from .base import chunk_units, left_out, ranked

__all__ = ["PARTS", "MemGAS", "variant"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_GRANULARITIES = (Kind.SESSION, Kind.TURN, Kind.SUMMARY, Kind.KEYWORD)
#: What can be left out, to see what it is worth.
PARTS = ("router", "ppr", "association")


@dataclass(frozen=True, slots=True)
class MemGAS:
    """The paper's parameters (§3.1, appendix F): temperature λ, seeds α; `damping` as igraph means it, so that a walk
    returns to its seeds in nine of ten steps.

    `sharpness` is the temperature at which seeds share the restart: by raw cosines all would weigh nearly the same.
    `turns`: how many of a session's turns are handed out, the redundancy filter without a language model (§2.4).
    """

    temperature: float = 0.2
    seeds: int = 15
    damping: float = 0.1
    sharpness: float = 0.05
    turns: int = 5
    without: frozenset[str] = frozenset()
    needs: Needs = Needs(  # noqa: RUF009
        frozenset({Kind.TURN, Kind.SENTENCE, Kind.SESSION, Kind.SUMMARY, Kind.KEYWORD}),
        frozenset({Relation.ASSOCIATED}),
    )
    phrasings: Sequence[str] = (NAMELESS,)

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:
        """See `Strategy.retrieve`. Hits are sessions: the sums of their nodes' shares (§2.4)."""
        if not view.n:
            return []
        vector = query.phrasings.get(NAMELESS, query.vector)
        allowed = view.allowed(query.filters)
        graph = view.once(_graph)
        likeness = graph.nodes.cosines(vector[None, :])[0]
        open_to = np.bincount(view.session[allowed], minlength=graph.sessions) > 0
        likeness[~open_to[graph.session]] = -1.0
        weights = self._weights(graph, likeness)
        shares = group_sum(self._spread(graph, likeness * weights[graph.granularity]), graph.session, graph.sessions)
        best = group_max(likeness + 1.0, graph.session, graph.sessions)
        scores = np.where(open_to, shares + 1e-6 * best, -np.inf)  # behind all that is reached, by the nearest node
        chosen = top_and_ties(scores, min(k, int(open_to.sum())))
        return ranked(self._hits(view, vector, chosen, scores, allowed, weights), k)

    def _weights(self, graph: _AssociationGraph, likeness: Floats) -> Floats:
        """The router's weight of each granularity (equations 3 and 4), each over its best node a session."""
        if "router" in self.without:
            return np.full(len(_GRANULARITIES), 1 / len(_GRANULARITIES))
        found = []
        for number in range(len(_GRANULARITIES)):
            own = graph.granularity == number
            present = np.unique(graph.session[own])
            best = group_max(likeness[own] + 1.0, graph.session[own], graph.sessions)[present]
            found.append(entropy(softmax(best, self.temperature)) if len(present) else np.inf)
        return router_weights(found)

    def _spread(self, graph: _AssociationGraph, scores: Floats) -> Floats:
        """The share of each node: the top α as seeds, then Personalized PageRank over the associations (equation 5)."""
        seeds = top(scores, self.seeds)
        restart = np.zeros(len(scores))
        restart[seeds] = softmax(scores[seeds] * len(_GRANULARITIES), self.sharpness)
        if "ppr" in self.without:
            return restart
        source, target, weight = graph.edges
        if "association" in self.without:
            source, target, weight = source[:0], target[:0], weight[:0]
        return pagerank(source, target, np.ones(len(weight)), len(scores), restart, self.damping)

    def _hits(
        self,
        view: View,
        vector: npt.NDArray[np.float32],
        chosen: Ints,
        scores: Floats,
        allowed: npt.NDArray[np.bool_],
        weights: Floats,
    ) -> list[Hit]:
        cosines = view.cosines(vector[None, :])[0]
        each = group_max(cosines, view.owner, view.n)
        units = chunk_units(view, Kind.SESSION, view.session, chosen, each, allowed, self.turns)
        best = group_max(np.where(allowed, each, -1.0), view.session, len(scores))
        router = {f"router.{kind}": float(w) for kind, w in zip(_GRANULARITIES, weights, strict=True)}
        return [
            Hit(unit, score, {"cosine": cosine, **router})
            for unit, score, cosine in zip(units, scores[chosen].tolist(), best[chosen].tolist(), strict=True)
        ]


@dataclass(frozen=True, slots=True, eq=False)
class _AssociationGraph:
    """The association graph of a view: its nodes with their session and granularity, by place, and its edges."""

    nodes: Nodes
    session: Ints
    granularity: Ints
    sessions: int
    edges: tuple[Ints, Ints, Floats]


def _graph(view: View) -> _AssociationGraph:
    found = nodes(view)
    numbers = np.unique(view.session_numbers)
    order = [kind.value for kind in _GRANULARITIES]
    granularity = np.array([order.index(kind) for kind in found.kind.tolist()], dtype=np.int64)
    session = np.searchsorted(numbers, found.session).astype(np.int64)
    return _AssociationGraph(found, session, granularity, len(numbers), associations(view))


def variant(name: str, _filters: object = None) -> MemGAS:
    """The whole strategy, or `without-PART` for an ablation, parts joined by `+`. Raises UsageError."""
    return MemGAS(without=left_out(name, PARTS, "memgas"))
