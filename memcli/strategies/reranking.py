"""The first hits mixed with what a reranker says of each beside the question: slower, and only if asked for.

A reranker's score is one more signal. Both scores are standardised over the hits that it was shown, and weigh the same:

    z(s) + z(r),   z(x) = (x − mean) / deviation

where r is what the reranker gave and s the strategy's score, as a logarithm where the scores are shares of one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..errors import ModelUnavailable
from ..model import Hit
from ..providers.reranking import Reranker

__all__ = ["CONSIDERED", "Scorer", "by_text", "first_by", "reranked", "scores_of"]

Floats = npt.NDArray[np.float64]
#: A score for each hit; the higher, the better.
Scorer = Callable[[Sequence[Hit]], Sequence[float]]

#: How many of the first hits a reranker is shown, if it takes so many.
CONSIDERED = 50
_ROUNDING = 1e-6  # by which shares may come to more than one
_DIGITS = 9  # by which a sum of standard scores is told from another


def by_text(reranker: Reranker, question: str) -> Scorer:
    """What a reranker says of the texts of hits."""
    return lambda hits: reranker.rerank(question, [hit.unit.text for hit in hits])


def reranked(scorer: Scorer, hits: Sequence[Hit], considered: int = CONSIDERED) -> list[Hit]:
    """The hits with the first `considered` by the sum of both standard scores. In a hit's trace `rerank` is what the
    reranker gave, and `score.rerank` that on the scale of the strategy's scores. Raises what `scores_of` raises.
    """
    if not hits:
        return []
    given = scores_of(scorer, hits[:considered])
    own, added = _unshared(np.array([hit.score for hit in hits[:considered]])), _standard(given)
    told = {"rerank": given, "score.rerank": added * own.std()}
    return first_by((_standard(own) + added).round(_DIGITS), hits, told)


def scores_of(scorer: Scorer, hits: Sequence[Hit]) -> Floats:
    """What is given each hit. Raises ModelUnavailable, also where that is not one finite score."""
    if not hits:
        return np.zeros(0)
    given = np.asarray(scorer(hits), dtype=np.float64)
    if given.shape != (len(hits),) or not np.isfinite(given).all():
        raise ModelUnavailable(f"the reranker did not give one finite score for each of {len(hits)} texts")
    return given


def first_by(scores: Floats, hits: Sequence[Hit], told: Mapping[str, Floats]) -> list[Hit]:
    """The hits with the first of them in the order of `scores`, one each; equal ones stay in theirs.

    Scores of hits go by place, so that they do not ascend. What is `told` of each is noted in its trace.
    """
    order = np.argsort(-scores, kind="stable").tolist()
    moved = (
        replace(
            hits[place], score=hit.score,
            trace={**hits[place].trace, **{name: float(each[place]) for name, each in told.items()}},
        )
        for place, hit in zip(order, hits, strict=False)
    )  # fmt: skip
    return [*moved, *hits[len(order) :]]


def _standard(scores: Floats) -> Floats:
    """z of each score, whatever the scale, which is the reranker's own affair; 0 where all are equal."""
    if len(np.unique(scores)) < 2:
        return np.zeros(len(scores))
    found: Floats = (scores - scores.mean()) / scores.std()
    return found


def _unshared(scores: Floats) -> Floats:
    """Shares of one, such as a softmax or a walk gives, as logarithms: only so are they spread like what made them."""
    if scores.min(initial=0.0) < 0 or scores.sum() > 1 + _ROUNDING:
        return scores
    return np.log(np.maximum(scores, np.finfo(np.float64).tiny))
