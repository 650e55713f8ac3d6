"""The papers' "dense and rerank": the first turns by cosine in the order of a reranker, whatever the cosines say."""

from __future__ import annotations

from collections.abc import Sequence

from ...memory.rereading import considered, scorer
from ...model import Hit, Needs, Query
from ...providers.reranking import Reranker, reranker
from ...store.views.view import View
from ...strategies.dense import Dense
from ...strategies.reranking import CONSIDERED, first_by, scores_of

__all__ = ["DenseReranked"]


class DenseReranked:
    """`dense` with its best turns reordered, 50 or as many as the reranker takes. `wanted`: the reranker, or its name:
    it is made when it is needed.
    """

    def __init__(self, wanted: str | Reranker) -> None:
        self._wanted = wanted
        self._dense = Dense()
        self._made: Reranker | None = None
        self.needs: Needs = self._dense.needs
        self.phrasings: Sequence[str] = ()

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:
        """See `Strategy.retrieve`. Raises UsageError, ModelUnavailable."""
        hits = self._dense.retrieve(query, view, max(k, CONSIDERED))
        given = scores_of(scorer(self._reranker(), query, view), hits[: considered(self._reranker())])
        return first_by(given, hits, {"rerank": given})[:k]

    def check(self) -> None:
        """Raises UsageError, ModelUnavailable where the reranker cannot be had."""
        self._reranker()
        self.close()

    def close(self) -> None:
        """Ends the connections of a reranker that was made here."""
        close = getattr(self._made, "close", None)
        if isinstance(self._wanted, str) and close is not None:
            close()
        self._made = None

    def _reranker(self) -> Reranker:
        if self._made is None:
            self._made = reranker(self._wanted) if isinstance(self._wanted, str) else self._wanted
        return self._made
