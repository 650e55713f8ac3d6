"""The first hits in the order of a reranker, which looks at each beside the question: slower, and only if asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..errors import ModelUnavailable
from ..model import Hit
from ..providers.reranking import Reranker

__all__ = ["CONSIDERED", "reranked"]

#: How many of the first hits a reranker is shown.
CONSIDERED = 50


def reranked(reranker: Reranker, question: str, hits: Sequence[Hit]) -> list[Hit]:
    """The hits with the first `CONSIDERED` in the order of the reranker's scores; equal ones stay in their order.

    Scores go by place, so that they do not ascend; what the reranker gave is `rerank` in a hit's trace. Raises
    ModelUnavailable, also where there is not one finite score a text.
    """
    first, rest = hits[:CONSIDERED], hits[CONSIDERED:]
    if not first:
        return list(hits)
    given = np.asarray(reranker.rerank(question, [hit.unit.text for hit in first]), dtype=np.float64)
    if given.shape != (len(first),) or not np.isfinite(given).all():
        raise ModelUnavailable(f"the reranker did not give one finite score for each of {len(first)} texts")
    order = np.argsort(-given, kind="stable").tolist()
    moved = (
        replace(first[place], score=hit.score, trace={**first[place].trace, "rerank": float(given[place])})
        for place, hit in zip(order, first, strict=True)
    )
    return [*moved, *rest]
