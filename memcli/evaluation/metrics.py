"""Retrieval metrics over one ranking: exact, by hand-checkable formulas, with their usual names."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from collections.abc import Set as AbstractSet

__all__ = ["first_seen", "recall", "recall_all", "recall_any"]


def recall(ranking: Sequence[Hashable], gold: AbstractSet[Hashable], k: int) -> float:
    """The share of the gold items among the first k (fractional recall). `gold` is not empty."""
    return len(gold & set(ranking[:k])) / len(gold)


def recall_any(ranking: Sequence[Hashable], gold: AbstractSet[Hashable], k: int) -> float:
    """1 where some gold item is among the first k, else 0 (a "hit rate", often sold as recall)."""
    return float(bool(gold & set(ranking[:k])))


def recall_all(ranking: Sequence[Hashable], gold: AbstractSet[Hashable], k: int) -> float:
    """1 where all gold items are among the first k, else 0."""
    return float(gold <= set(ranking[:k]))


def first_seen(ranking: Sequence[Hashable]) -> list[Hashable]:
    """The ranking without repetitions: a ranking of turns as one of their sessions."""
    return list(dict.fromkeys(ranking))
