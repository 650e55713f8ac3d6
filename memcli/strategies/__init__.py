"""The strategies by name: ways of finding evidence in one and the same store."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..errors import UsageError
from .base import Strategy

__all__ = ["DEFAULT", "STRATEGIES", "Strategy", "strategy"]

DEFAULT = "fused"


def _fused() -> Strategy:
    from .fused import Fused

    return Fused()


def _dense() -> Strategy:
    from .dense import Dense

    return Dense()


def _bm25() -> Strategy:
    from .bm25 import BM25

    return BM25()


STRATEGIES: Mapping[str, Callable[[], Strategy]] = {"fused": _fused, "dense": _dense, "bm25": _bm25}


def strategy(name: str) -> Strategy:
    """The strategy called `name`. Raises UsageError."""
    if name not in STRATEGIES:
        raise UsageError(f"unknown strategy {name!r}", f"choose one of: {', '.join(STRATEGIES)}")
    return STRATEGIES[name]()
