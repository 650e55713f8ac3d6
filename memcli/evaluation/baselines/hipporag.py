"""`hipporag`: phrases joined where an event names them together, and a walk from those that the question names.

After HippoRAG (Gutiérrez et al. 2024): `docs/baselines/hipporag.md` maps the paper's steps to the functions here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...model import Hit, Kind, Needs, Query, Relation
from ...ranking.arrays import group_sum, top
from ...ranking.pagerank import pagerank
from ...store.cosine import cosines
from ...store.views.events import event_graph
from ...store.views.view import View
from ...strategies.base import mention_vectors, top_hits
from ...strategies.filters import Thresholds

__all__ = ["HippoRAG"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class HippoRAG:
    """Turns by the shares of the phrases that they name. `damping`: as igraph means it, the paper's 0.5."""

    damping: float = 0.5
    needs: Needs = Needs(  # noqa: RUF009
        frozenset({Kind.TURN, Kind.EDU, Kind.CHUNK, Kind.ARGUMENT}),
        frozenset({Relation.HAS_ARGUMENT, Relation.SYNONYM}),
    )
    phrasings: Sequence[str] = ()

    def mentions(self, question: str, names: Sequence[str]) -> list[str]:
        """The question's phrases, whose vectors it asks for."""
        return Thresholds().mentions(question, names)

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:
        """See `Strategy.retrieve`. A turn that no walk from the question's phrases comes to is no hit."""
        graph, named = event_graph(view), view.once(_named)
        seeds = _seeds(query, graph.argument_vectors, named) if graph.n else np.zeros(0)
        if not seeds.any():
            return []
        shares = pagerank(*view.once(_edges), len(seeds), seeds, self.damping)
        allowed = view.allowed(query.filters)
        kept = graph.allowed(allowed, unsupported=query.filters.unsupported)[named.event]
        scores = group_sum(shares[named.phrase[kept]], named.turn[kept], view.n)
        rows = np.flatnonzero(scores > 0)
        return top_hits(view, scores[rows], query.filters, k, {}, rows)


@dataclass(frozen=True, slots=True, eq=False)
class _Named:
    """Which phrase is named by which event in which turn: three places each; `turns`: in how many turns a phrase is."""

    phrase: Ints
    event: Ints
    turn: Ints
    turns: Ints


def _named(view: View) -> _Named:
    graph = event_graph(view)
    event, phrase = graph.links
    first, last = np.searchsorted(graph.members, event), np.searchsorted(graph.members, event, "right")
    which = np.repeat(np.arange(len(event)), last - first)
    turn = graph.rows[np.arange(len(which)) - np.repeat(np.cumsum(last - first) - last, last - first)]
    distinct = np.unique(phrase[which] * view.n + turn) // max(view.n, 1)
    return _Named(phrase[which], event[which], turn, np.bincount(distinct, minlength=len(graph.texts)))


def _seeds(query: Query, phrases: npt.NDArray[np.float32], named: _Named) -> Floats:
    """Where the walk begins: for each of the question's phrases at the one most like it, by 1 / the turns it is in."""
    seeds = np.zeros(len(phrases))
    for vector in mention_vectors(query):
        nearest = top(cosines(vector, phrases), 1)
        seeds[nearest] = 1.0 / np.maximum(named.turns[nearest], 1)
    return seeds


def _edges(view: View) -> tuple[Ints, Ints, Floats]:
    """Phrases that an event names together, by the number of such events; and synonyms, by their cosine."""
    graph = event_graph(view)
    pairs = [_pairs(phrases) for phrases in _by_event(*graph.links)]
    together = np.concatenate([*pairs, np.zeros((2, 0), dtype=np.int64)], axis=1)
    source, target, weight = graph.synonyms
    weights = np.concatenate([np.ones(together.shape[1]), weight])
    return np.concatenate([together[0], source]), np.concatenate([together[1], target]), weights


def _by_event(event: Ints, phrase: Ints) -> list[Ints]:
    order = np.lexsort((phrase, event))
    starts = np.flatnonzero(np.diff(event[order])) + 1
    return np.split(phrase[order], starts)


def _pairs(phrases: Ints) -> npt.NDArray[np.int64]:
    first, second = np.triu_indices(len(phrases), k=1)
    return np.stack([phrases[first], phrases[second]])
