"""What a reranker says of hits: of their texts, or, where it is the reader's network, of turns as they stand."""

from __future__ import annotations

from functools import partial

from ..model import Query
from ..providers.reranking import Reranker
from ..reading.rereading import Rereader
from ..reading.stored import StoredTranscript
from ..store.views.view import View
from ..strategies.reranking import Scorer, by_text

__all__ = ["scorer"]


def scorer(reranker: Reranker, query: Query, view: View) -> Scorer:
    """What it says of the hits of a question."""
    if isinstance(reranker, Rereader):
        return partial(reranker.of_hits, query, transcript=StoredTranscript(view))
    return by_text(reranker, query.text)
