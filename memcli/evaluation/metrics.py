"""Retrieval metrics over one ranking: exact, by hand-checkable formulas, with their usual names.

A ranking has no repetitions (`first_seen` removes them), relevance is binary, and `gold` is never empty: a question
without evidence is left out before anything is averaged.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from math import log2

__all__ = [
    "CUTOFFS",
    "first_seen",
    "ndcg",
    "ndcg_longmemeval",
    "recall",
    "recall_all",
    "recall_any",
    "reciprocal_rank",
    "retrieval_scores",
]

#: The ranks at which everything is cut.
CUTOFFS = (1, 3, 5, 10, 20)


def recall(ranking: Sequence[Hashable], gold: AbstractSet[Hashable], k: int) -> float:
    """The share of the gold items among the first k (fractional recall)."""
    return len(gold & set(ranking[:k])) / len(gold)


def recall_any(ranking: Sequence[Hashable], gold: AbstractSet[Hashable], k: int) -> float:
    """1 where some gold item is among the first k, else 0 (a "hit rate", often sold as recall)."""
    return float(bool(gold & set(ranking[:k])))


def recall_all(ranking: Sequence[Hashable], gold: AbstractSet[Hashable], k: int) -> float:
    """1 where all gold items are among the first k, else 0."""
    return float(gold <= set(ranking[:k]))


def ndcg(ranking: Sequence[Hashable], gold: AbstractSet[Hashable], k: int) -> float:
    """Normalised discounted cumulative gain (Järvelin & Kekäläinen 2002): rank r counts 1 / log2(r + 1)."""
    ideal = sum(_discount(rank) for rank in range(1, min(k, len(gold)) + 1))
    return sum(_discount(rank) for rank in _ranks(ranking, gold, k)) / ideal


def ndcg_longmemeval(ranking: Sequence[Hashable], gold: AbstractSet[Hashable], k: int) -> float:
    """nDCG as LongMemEval's code computes it: ranks 1 and 2 both count 1, rank r > 2 counts 1 / log2(r)."""
    ideal = sum(_late_discount(rank) for rank in range(1, min(k, len(gold)) + 1))
    return sum(_late_discount(rank) for rank in _ranks(ranking, gold, k)) / ideal


def reciprocal_rank(ranking: Sequence[Hashable], gold: AbstractSet[Hashable]) -> float:
    """1 over the rank of the first gold item; 0 where there is none."""
    return next((1 / rank for rank in _ranks(ranking, gold, len(ranking))), 0.0)


def retrieval_scores(ranking: Sequence[Hashable], gold: AbstractSet[Hashable]) -> Mapping[str, float]:
    """Every metric at every cut-off, by the name that it has in a record."""
    scores: dict[str, float] = {}
    for k in CUTOFFS:
        scores[f"recall_any@{k}"] = recall_any(ranking, gold, k)
        scores[f"recall_all@{k}"] = recall_all(ranking, gold, k)
        scores[f"recall@{k}"] = recall(ranking, gold, k)
        scores[f"ndcg@{k}"] = ndcg(ranking, gold, k)
        scores[f"ndcg_longmemeval@{k}"] = ndcg_longmemeval(ranking, gold, k)
    return scores | {"mrr": reciprocal_rank(ranking, gold)}


def first_seen(ranking: Iterable[Hashable]) -> list[Hashable]:
    """The ranking without repetitions: a ranking of turns as one of their sessions."""
    return list(dict.fromkeys(ranking))


def _ranks(ranking: Sequence[Hashable], gold: AbstractSet[Hashable], k: int) -> list[int]:
    return [rank for rank, item in enumerate(ranking[:k], start=1) if item in gold]


def _discount(rank: int) -> float:
    return 1 / log2(rank + 1)


def _late_discount(rank: int) -> float:
    return 1.0 if rank == 1 else 1 / log2(rank)
