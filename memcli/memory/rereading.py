"""What a reranker says of hits: of their texts; of the hits themselves, if it takes these; or, where it is the reader's
network, of turns as they stand.
"""

from __future__ import annotations

from functools import partial

from ..model import Query
from ..providers.reranking import HitReranker, Reranker
from ..reading.rereading import Rereader
from ..reading.stored import StoredTranscript
from ..store.views.view import View
from ..strategies.reranking import CONSIDERED, Scorer, by_text

__all__ = ["considered", "scorer"]


def scorer(reranker: Reranker, query: Query, view: View) -> Scorer:
    """What it says of the hits of a question."""
    if isinstance(reranker, Rereader):
        return partial(reranker.of_hits, query, transcript=StoredTranscript(view))
    if isinstance(reranker, HitReranker):
        return partial(reranker.of_hits, query)
    return by_text(reranker, query.text)


def considered(reranker: Reranker) -> int:
    """How many of the first hits it is shown."""
    return reranker.considered if isinstance(reranker, HitReranker) else CONSIDERED
