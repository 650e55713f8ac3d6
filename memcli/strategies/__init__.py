"""The strategies by name: ways of finding evidence in one and the same store."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..errors import UsageError
from .base import Strategy

__all__ = ["DEFAULT", "STRATEGIES", "Strategy", "strategy"]

DEFAULT = "fused"


def _fused(_: str) -> Strategy:
    from .fused import Fused

    return Fused()


def _dense(_: str) -> Strategy:
    from .dense import Dense

    return Dense()


def _bm25(_: str) -> Strategy:
    from .bm25 import BM25

    return BM25()


def _sgmem(variant: str) -> Strategy:
    from . import sgmem

    return sgmem.variant(variant)


def _memgas(variant: str) -> Strategy:
    from . import memgas

    return memgas.variant(variant)


def _emem(_: str) -> Strategy:
    from .emem import EMem

    return EMem()


def _emem_g(_: str) -> Strategy:
    from .emem import EMemG

    return EMemG()


#: How each strategy is made of the name of its variant, empty for the whole.
STRATEGIES: Mapping[str, Callable[[str], Strategy]] = {
    "fused": _fused,
    "sgmem": _sgmem,
    "memgas": _memgas,
    "emem": _emem,
    "emem-g": _emem_g,
    "dense": _dense,
    "bm25": _bm25,
}
_VARIED = ("sgmem", "memgas")


def strategy(name: str) -> Strategy:
    """The strategy called `name`, or `name:variant` (`sgmem:TF`, `memgas:without-router`). Raises UsageError."""
    kind, _, variant = name.partition(":")
    if kind not in STRATEGIES or (variant and kind not in _VARIED):
        raise UsageError(f"unknown strategy {name!r}", f"choose one of: {', '.join(STRATEGIES)}")
    return STRATEGIES[kind](variant)
