"""The reader's network as a reranker: each turn is read beside the question, with who says it and what stands before.

    r = the largest logit that a window of the turn answers

so that a reply of one word is found by what was asked before it. It knows English alone: what it cannot read is worth
the mean of what it can, and its standard score is 0.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import UsageError
from ..model import Hit, Query
from .network import Network, in_bulk, network
from .passages import Transcript, of_hits
from .unread import is_readable
from .windows import Window

__all__ = ["Rereader"]


class Rereader:
    """Implements `Reranker`, and reads hits where they stand. Raises UsageError for a model: it has its own."""

    def __init__(self, model: str = "", network_: Network | None = None) -> None:
        if model:
            raise UsageError("the reranker reader has no models", "--reranker reader")
        with in_bulk():
            self._network = network_ or network()

    def rerank(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """See `Reranker.rerank`: of texts alone, of which nobody knows where they stand."""
        return [each.answers for each in self._network.read(question, [Window("", text, "") for text in texts])]

    def of_hits(self, query: Query, hits: Sequence[Hit], transcript: Transcript) -> Sequence[float]:
        """A score for each hit, whose first turn is read."""
        passages = of_hits(query.question, query, hits, transcript)
        readable = [passage for passage in passages if is_readable(query.question, passage)]
        found = self._network.read(query.question.asks, [passage.window for passage in readable])
        best: dict[int, float] = {}
        for passage, finding in zip(readable, found, strict=True):
            best[passage.rank] = max(finding.answers, best.get(passage.rank, finding.answers))
        usual = sum(best.values()) / max(len(best), 1)
        return [best.get(rank, usual) for rank in range(len(hits))]
