"""`sgmem`: sentences, their neighbours in the sentence graph, and the chunks that hold them (SGMem, Wu et al. 2025).

`docs/strategies/sgmem.md` maps the paper's equations to the functions here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from ..errors import UsageError
from ..languages.base import NAMELESS
from ..model import Hit, Kind, Needs, Query, Relation
from ..ranking.arrays import group_max, top, top_and_ties
from ..ranking.bm25 import bm25
from ..store.cosine import cosines
from ..store.views.memories import memories
from ..store.views.view import View
from ..text import content_stems
from .base import chunk_units, ranked

__all__ = ["SGMem", "variant"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_CHUNKS = {"S": Kind.SESSION, "R": Kind.ROUND, "T": Kind.TURN}
_MEMORIES = {"M": Kind.SUMMARY, "F": Kind.FACT, "I": Kind.INSIGHT}


@dataclass(frozen=True, slots=True)
class SGMem:
    """The paper's parameters by its names (§4.4): k neighbours a sentence, h hops, n sentences, threshold γ, top K.

    `chunk`: what sentences are collected to; `generated`: the kinds of generated memory beside them; `gamma` is a bound
    on cos + 1, of the sentences found and of their neighbours; `neighbours`: by stored cosines, or by BM25.
    `top` bounds each kind; None: as many as are asked for.
    """

    chunk: Kind = Kind.SESSION
    generated: tuple[Kind, ...] = (Kind.SUMMARY, Kind.FACT, Kind.INSIGHT)
    k: int = 3
    h: int = 1
    n: int = 15
    gamma: float = 1.0
    neighbour_gamma: float = 1.4
    top: int | None = None
    neighbours: Literal["dense", "bm25"] = "dense"
    phrasings: Sequence[str] = (NAMELESS,)

    @property
    def needs(self) -> Needs:
        """Chunks and sentences with the sentence graph, and the kinds of generated memory that the variant names."""
        said = frozenset({self.chunk, Kind.SENTENCE})
        return Needs(said | frozenset(self.generated), frozenset({Relation.SIMILAR}))

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:
        """See `Strategy.retrieve`. The union of chunks and generated memory (§3.4, C_relevant), by similarity."""
        if not view.n:
            return []
        vector = query.phrasings.get(NAMELESS, query.vector)
        allowed = view.allowed(query.filters)
        most = min(k, self.top or k)
        hits = self._chunks(view, vector, allowed, most)
        for kind in self.generated:
            found = memories(view, kind)
            scores = np.where(
                found.allowed(allowed, unsupported=query.filters.unsupported),
                cosines(vector, found.vectors) + 1.0,
                0.0,
            )
            places = [i for i in top_and_ties(scores, most).tolist() if scores[i] > 0]
            of_kind = (Hit(found.units[i], float(scores[i]), {"cosine": float(scores[i]) - 1.0}) for i in places)
            hits += ranked(of_kind, most)
        return ranked(hits, k)

    def _chunks(
        self, view: View, vector: npt.NDArray[np.float32], allowed: npt.NDArray[np.bool_], most: int
    ) -> list[Hit]:
        """Chunks by the mean similarity of their sentences in C*; behind them those with the next best sentences."""
        similarity = view.cosines(vector[None, :])[0] + 1.0
        similarity = np.where(allowed[view.owner], similarity, 0.0)  # cos + 1 is above 0 for all that is said
        chosen = self._expanded(view, similarity)
        groups = _groups(view, self.chunk)[view.owner]
        count = int(groups[-1]) + 1
        scores = _means(similarity, chosen, groups, count)
        best = group_max(similarity, groups, count)
        # The n sentences may lie in fewer than K chunks: behind them come those with the next best sentences.
        floor = float(scores[scores > 0].min(initial=np.inf))
        scores = np.where(scores > 0, scores, np.minimum(best, floor) * (best > 0) * 0.999)
        places = top_and_ties(scores, most)
        places = places[scores[places] > 0]
        each = group_max(similarity, view.owner, view.n)
        units = chunk_units(view, self.chunk, _groups(view, self.chunk), places, each, allowed)
        pairs = zip(units, scores[places].tolist(), best[places].tolist(), strict=True)
        hits = (
            Hit(unit, score, {"cosine": nearest - 1.0, "sgmem.mean": score - 1.0}) for unit, score, nearest in pairs
        )
        return ranked(hits, most)

    def _expanded(self, view: View, similarity: Floats) -> Ints:
        """C* = C_q ∪ N_h(C_q): at most n sentences over γ, and what h hops in the graph reach over its own bound."""
        seeds = top(similarity, self.n)
        chosen = np.zeros(len(similarity), dtype=bool)
        chosen[seeds[similarity[seeds] >= self.gamma]] = True
        for _ in range(self.h):
            near = self._near(view, np.flatnonzero(chosen))
            chosen[near[similarity[near] >= self.neighbour_gamma]] = True
        return np.flatnonzero(chosen)

    def _near(self, view: View, sentences: Ints) -> Ints:
        """The k nearest neighbours of these sentences."""
        if self.neighbours == "bm25":
            return _lexical_neighbours(view, sentences, self.k)
        starts, ends, ranks = view.once(_ranked_neighbours)
        mask = np.isin(starts, sentences) & (ranks < self.k)
        found: Ints = ends[mask]
        return found


def variant(name: str, _filters: object = None) -> SGMem:
    """The strategy with the chunk S, R or T and any of M, F and I, as the paper names it: `SMFI`. Raises UsageError."""
    letters = name.upper() or "SMFI"
    known = letters[0] in _CHUNKS and all(letter in _MEMORIES for letter in letters[1:])
    if not known or len(set(letters)) < len(letters):
        raise UsageError(f"no variant {name!r} of sgmem", "one of S, R and T, then any of M, F and I: SMFI, TF, R")
    return SGMem(_CHUNKS[letters[0]], tuple(kind for letter, kind in _MEMORIES.items() if letter in letters[1:]))


def _groups(view: View, chunk: Kind) -> Ints:
    """For each turn the number of its chunk, ascending."""
    if chunk is Kind.SESSION:
        return view.session
    return view.round if chunk is Kind.ROUND else np.arange(view.n)


def _means(similarity: Floats, chosen: Ints, groups: Ints, count: int) -> Floats:
    """score(k_p) = 1/|C_kp| · Σ sim(q, c_j) over the chosen sentences of each chunk (§3.4); 0 where there are none."""
    sizes = np.bincount(groups[chosen], minlength=count)
    sums = np.bincount(groups[chosen], weights=similarity[chosen], minlength=count)
    return sums / np.maximum(sizes, 1)


def _ranked_neighbours(view: View) -> tuple[Ints, Ints, Ints]:
    """The sentence graph's edges in both directions, with the rank of each end among its start's neighbours."""
    source, target, weight = view.similar
    starts, ends, cosines = np.r_[source, target], np.r_[target, source], np.r_[weight, weight]
    order = np.lexsort((ends, -cosines, starts))
    starts, ends = starts[order], ends[order]
    return starts, ends, np.arange(len(starts)) - np.searchsorted(starts, starts)


def _lexical_neighbours(view: View, sentences: Ints, k: int) -> Ints:
    """For each sentence those nearest in words: the best turns by BM25, and of each the sentence that shares most."""
    texts = {
        place: text for said in view.sentence_texts(view.owner[sentences].tolist()).values() for place, text in said
    }
    found = [near for sentence in sentences.tolist() for near in _nearest_in_words(view, sentence, texts[sentence], k)]
    return np.array(found, dtype=np.int64)


def _nearest_in_words(view: View, sentence: int, text: str, k: int) -> list[int]:
    stems = content_stems(text)
    scores = bm25(stems, view.postings(stems), view.length, np.arange(view.n)).scores
    scores[view.owner[sentence]] = 0.0
    turns = [turn for turn in top(scores, k).tolist() if scores[turn] > 0]
    wanted = set(stems)
    return [
        max(said, key=lambda pair: len(wanted & set(content_stems(pair[1]))))[0]
        for said in view.sentence_texts(turns).values()
    ]
