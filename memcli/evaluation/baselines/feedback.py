"""Query expansion without a model: the best turns of a first search are taken for relevant, and searched with.

`docs/baselines/feedback.md` maps the equations of the papers to the functions here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...model import Hit, Kind, Needs, Query
from ...ranking.arrays import top
from ...ranking.bm25 import K1, B, bm25
from ...store.cosine import unit_rows
from ...store.views.view import View
from ...strategies.base import top_hits
from ...strategies.dense import nearest_turns
from ...text import content_stems

__all__ = ["DenseFeedback", "RelevanceModel", "interpolated", "relevance_model", "rocchio"]

Floats = npt.NDArray[np.float64]
Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class RelevanceModel:
    """BM25 over turns with the question expanded by RM3 (Abdul-Jaleel et al. 2004), with Anserini's parameters:

    `documents` turns are taken for relevant, their `terms` most telling words join the question's, whose own weigh
    `original` in all.
    """

    documents: int = 10
    terms: int = 10
    original: float = 0.5
    k1: float = K1
    b: float = B
    needs: Needs = Needs(frozenset({Kind.TURN}))  # noqa: RUF009
    phrasings: Sequence[str] = ()

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:
        """See `Strategy.retrieve`. A turn without any word of the expanded question is no hit."""
        stems = content_stems(query.text)
        if not view.n or not stems:
            return []
        first = np.where(view.allowed(query.filters), self._scores(view, dict.fromkeys(stems, 1.0)), 0.0)
        relevant = [row for row in top(first, self.documents).tolist() if first[row] > 0]
        said = [content_stems(turn.text) for turn in view.fetch(relevant)]
        expansion = relevance_model(said, first[relevant], self.terms)
        scores = self._scores(view, interpolated(stems, expansion, self.original))
        rows = np.flatnonzero(scores > 0)
        return top_hits(view, scores[rows], query.filters, k, {"bm25.turn": first[rows]}, rows)

    def _scores(self, view: View, weights: Mapping[str, float]) -> Floats:
        stems = list(weights)
        groups = np.arange(view.n)
        return bm25(
            stems, view.postings(stems), view.length, groups, k1=self.k1, b=self.b, weights=weights
        ).scores  # fmt: skip


def relevance_model(documents: Sequence[Sequence[str]], scores: Floats, terms: int) -> dict[str, float]:
    """RM1 (Lavrenko & Croft 2001): P(w|R) ∝ Σ_d P(w|d) · P(q|d), of the `terms` likeliest words, which sum to 1.

    `documents`: the stems of each; `scores` [documents], positive, stand for the likelihoods P(q|d).
    """
    found: dict[str, float] = {}
    for stems, score in zip(documents, scores.tolist(), strict=True):
        for stem, count in Counter(stems).items():
            found[stem] = found.get(stem, 0.0) + score * count / len(stems)
    likeliest = sorted(found, key=lambda stem: (-round(found[stem], 9), stem))[:terms]
    total = sum(found[stem] for stem in likeliest)
    return {stem: found[stem] / total for stem in likeliest}


def interpolated(stems: Sequence[str], expansion: Mapping[str, float], original: float) -> dict[str, float]:
    """RM3: P'(w) = λ · P(w|q) + (1 − λ) · P(w|R), where λ is `original`; P(w|q), where nothing expands the question."""
    share = original if expansion else 1.0
    asked = {stem: share * count / len(stems) for stem, count in Counter(stems).items()}
    return asked | {stem: asked.get(stem, 0.0) + (1 - share) * weight for stem, weight in expansion.items()}


@dataclass(frozen=True, slots=True)
class DenseFeedback:
    """Cosines over turns with the question's vector moved towards the best turns' (Vector-PRF, Li et al. 2021)."""

    documents: int = 5
    alpha: float = 0.4
    beta: float = 0.6
    needs: Needs = Needs(frozenset({Kind.TURN, Kind.SENTENCE}))  # noqa: RUF009
    phrasings: Sequence[str] = ()

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:
        """See `Strategy.retrieve`."""
        first = nearest_turns(view, query.vector, query.filters, self.documents)
        if not first:
            return []
        relevant = _turn_vectors(view, view.rows_of([hit.unit.sources[0] for hit in first]).tolist())
        return nearest_turns(view, rocchio(query.vector, relevant, self.alpha, self.beta), query.filters, k)


def rocchio(question: Vectors, relevant: Vectors, alpha: float, beta: float) -> Vectors:
    """α · q + β · the mean of the relevant vectors [m, d], at unit length (Rocchio 1971, without irrelevant ones)."""
    moved = alpha * question + beta * relevant.mean(axis=0)
    found: Vectors = unit_rows(moved.astype(np.float32)[None])[0]
    return found


def _turn_vectors(view: View, rows: Sequence[int]) -> Vectors:
    """The pooled vectors [m, d] of these turns, at unit length."""
    bounds = np.searchsorted(view.owner, [[row, row + 1] for row in rows]).tolist()
    pooled = [(view.vectors(np.arange(a, b)) * view.weight[a:b, None]).sum(axis=0) for a, b in bounds]
    return unit_rows(np.array(pooled, dtype=np.float32))
