"""What a reranker says of hits: of their texts, or, where it is memcli's own, of turns as they stand."""

from __future__ import annotations

from functools import partial

from ..model import Query
from ..providers.reranking import Reranker
from ..reading.rereading import Rereader
from ..reading.stored import StoredTranscript
from ..store.views.view import View
from ..strategies.listwise import SHOWN, Listwise
from ..strategies.reranking import CONSIDERED, Scorer, by_text

__all__ = ["considered", "scorer"]


def scorer(reranker: Reranker, query: Query, view: View) -> Scorer:
    """What it says of the hits of a question."""
    if isinstance(reranker, Rereader):
        return partial(reranker.of_hits, query, transcript=StoredTranscript(view))
    if isinstance(reranker, Listwise):
        return partial(reranker.of_hits, query)
    return by_text(reranker, query.text)


def considered(reranker: Reranker) -> int:
    """How many of the first hits it is shown."""
    return SHOWN if isinstance(reranker, Listwise) else CONSIDERED
