"""Cosines with what a language model has written for a question: an answer that could be true, or other wordings.

What it has written comes with the question, embedded (`evaluation.rewriting`): nothing here asks a model.
`docs/baselines/rewriting.md` maps the papers' equations to the functions here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...model import Hit, Kind, Needs, Query
from ...ranking.arrays import settled
from ...store.cosine import unit_rows
from ...store.views.view import View
from ...strategies.base import top_hits
from ...strategies.dense import nearest_turns, turn_cosines

__all__ = ["HYDE", "MULTI_QUERY", "HyDE", "MultiQuery", "is_passage", "phrasing", "reciprocal_ranks"]

Floats = npt.NDArray[np.float64]
Vectors = npt.NDArray[np.float32]

#: The names of the baselines, and of what a model writes for them.
HYDE, MULTI_QUERY = "hyde", "multi-query"
_TURNS = Needs(frozenset({Kind.TURN, Kind.SENTENCE}))


def phrasing(baseline: str, number: int) -> str:
    """The name among a query's phrasings of what a model has written for a baseline, by number from 0."""
    return f"{baseline}: {number}"


def is_passage(phrasing_name: str) -> bool:
    """Whether what a query has under this name could stand in the store, and is embedded as what stands there is."""
    return phrasing_name.startswith(f"{HYDE}: ")


def _written(query: Query, baseline: str) -> list[Vectors]:
    """The vectors of what was written for a baseline, in order."""
    names = (phrasing(baseline, number) for number in range(len(query.phrasings)))
    return [query.phrasings[name] for name in names if name in query.phrasings]


@dataclass(frozen=True, slots=True)
class HyDE:
    """Turns by the cosine with the mean of the question and of hypothetical answers (Gao et al. 2022, equation 8)."""

    needs: Needs = _TURNS
    phrasings: Sequence[str] = ()

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:
        """See `Strategy.retrieve`. Without an answer it is `dense`."""
        vectors = np.stack([*_written(query, HYDE), query.vector])
        return nearest_turns(view, unit_rows(vectors.mean(axis=0, keepdims=True))[0], query.filters, k)


@dataclass(frozen=True, slots=True)
class MultiQuery:
    """Turns by the question and by each of its rewordings, the rankings fused by reciprocal rank.

    `k0`: what is added to a rank (Cormack et al. 2009).
    """

    k0: int = 60
    needs: Needs = _TURNS
    phrasings: Sequence[str] = ()

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:
        """See `Strategy.retrieve`. Every ranking is of all turns that the filters let through."""
        rows = np.flatnonzero(view.allowed(query.filters))
        if not len(rows):
            return []
        cosines = view.cosines(np.stack([query.vector, *_written(query, MULTI_QUERY)]))
        scores = reciprocal_ranks([turn_cosines(view, each)[0][rows] for each in cosines], self.k0)
        return top_hits(view, scores, query.filters, k, {}, rows)


def reciprocal_ranks(rankings: Sequence[Floats], k0: int) -> Floats:
    """RRF(d) = Σ_r 1 / (k0 + r(d)), r from 1, of scores [n] each (Cormack, Clarke & Büttcher 2009).

    Equal scores are ranked in the order of conversation.
    """
    total = np.zeros(len(rankings[0]))
    for scores in rankings:
        order = np.argsort(-settled(scores), kind="stable")
        total[order] += 1.0 / (k0 + np.arange(1, len(order) + 1))
    return total
