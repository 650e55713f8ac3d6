"""`a-mem`: turns as notes, linked where they are near one another and share a word, one hop from the nearest ones.

After A-Mem (Xu et al. 2025): `docs/baselines/a-mem.md` maps the paper's steps to the functions here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...model import Hit, Kind, Needs, Query, Relation
from ...ranking.arrays import top
from ...store.views.view import View
from ...strategies.base import top_hits
from ...strategies.dense import turn_cosines
from ...text import content_stems

__all__ = ["AMem"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AMem:
    """The `notes` nearest turns, each followed by the turns that it is linked to, at most `links`; then all others."""

    notes: int = 10
    links: int = 3
    needs: Needs = Needs(frozenset({Kind.TURN, Kind.SENTENCE}), frozenset({Relation.SIMILAR}))  # noqa: RUF009
    phrasings: Sequence[str] = ()

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:
        """See `Strategy.retrieve`. Scores are 1 over the place."""
        rows = np.flatnonzero(view.allowed(query.filters))
        if not len(rows):
            return []
        cosines = turn_cosines(view, view.cosines(query.vector[None, :])[0])[0]
        nearest = rows[top(cosines[rows], len(rows))].tolist()
        allowed = set(nearest)
        read = [row for note in nearest[: self.notes] for row in (note, *self._linked(view, note, allowed))]
        order = list(dict.fromkeys([*read, *nearest]))
        scores = np.zeros(view.n)
        scores[order] = 1.0 / np.arange(1, len(order) + 1)
        return top_hits(view, scores, query.filters, k, {"cosine": cosines})

    def _linked(self, view: View, note: int, allowed: set[int]) -> list[int]:
        """The turns that a note is linked to, the nearest first: some of its words are theirs, too."""
        turns, near = view.once(_links).get(note, _NONE)
        kept = [place for place, turn in enumerate(turns.tolist()) if turn in allowed]
        words = [set(content_stems(turn.text)) for turn in view.fetch([note, *turns[kept].tolist()])]
        shared = [place for place, own in zip(kept, words[1:], strict=True) if own & words[0]]
        return [int(turns[place]) for place in np.array(shared, dtype=np.int64)[top(near[shared], self.links)]]


_NONE = (np.zeros(0, dtype=np.int64), np.zeros(0))


def _links(view: View) -> dict[int, tuple[Ints, Floats]]:
    """For each turn those whose sentences are neighbours of its own in the sentence graph, by the best cosine."""
    source, target, weight = view.similar
    ends = view.owner[np.r_[source, target]], view.owner[np.r_[target, source]]
    apart = ends[0] != ends[1]
    pairs, place = np.unique(ends[0][apart] * view.n + ends[1][apart], return_inverse=True)
    best = np.zeros(len(pairs))
    np.maximum.at(best, place, np.r_[weight, weight][apart])
    notes, starts = np.unique(pairs // view.n, return_index=True)
    parts = zip(np.split(pairs % view.n, starts[1:]), np.split(best, starts[1:]), strict=True)
    return dict(zip(notes.tolist(), parts, strict=False))  # of no links there is one empty part
