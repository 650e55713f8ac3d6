"""What needs no look at what the question asks: nothing at all, chance, and the latest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from ...model import Hit, Kind, Needs, Query
from ...store.views.view import View
from ...strategies.base import top_hits

__all__ = ["Nothing", "Random", "Recency"]

_TURNS = Needs(frozenset({Kind.TURN, Kind.SENTENCE}))


@dataclass(frozen=True, slots=True)
class Nothing:
    """No history: the reader is on its own."""

    needs: Needs = _TURNS
    phrasings: Sequence[str] = ()

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:  # noqa: ARG002
        """See `Strategy.retrieve`."""
        return []


@dataclass(frozen=True, slots=True)
class Random:
    """Turns in an order drawn anew for each question, by `seed` and the question's words: what chance reaches."""

    seed: int = 0
    needs: Needs = _TURNS
    phrasings: Sequence[str] = ()

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:
        """See `Strategy.retrieve`."""
        drawn = int.from_bytes(blake2b(query.text.encode(), digest_size=8).digest(), "little")
        scores = np.random.default_rng([self.seed, drawn]).random(view.n)
        return top_hits(view, scores, query.filters, k, {})


@dataclass(frozen=True, slots=True)
class Recency:
    """The latest turns first: the sliding window of a chat without a memory."""

    needs: Needs = _TURNS
    phrasings: Sequence[str] = ()

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:
        """See `Strategy.retrieve`."""
        order = np.lexsort((np.arange(view.n), np.nan_to_num(view.days, nan=-np.inf)))
        place = np.empty(view.n)
        place[order] = np.arange(1, view.n + 1)
        return top_hits(view, place / max(view.n, 1), query.filters, k, {})
