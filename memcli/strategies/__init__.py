"""The strategies by name: ways of finding evidence in one and the same store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ..errors import UsageError
from .base import Strategy

if TYPE_CHECKING:
    from .filters import Filters

__all__ = ["DEFAULT", "STRATEGIES", "Strategy", "strategy"]

DEFAULT = "fused"


def _fused(_variant: str, _filters: Filters | None) -> Strategy:
    from .fused import Fused

    return Fused()


def _dense(_variant: str, _filters: Filters | None) -> Strategy:
    from .dense import Dense

    return Dense()


def _bm25(_variant: str, _filters: Filters | None) -> Strategy:
    from .bm25 import BM25

    return BM25()


def _sgmem(variant: str, _filters: Filters | None) -> Strategy:
    from . import sgmem

    return sgmem.variant(variant)


def _memgas(variant: str, _filters: Filters | None) -> Strategy:
    from . import memgas

    return memgas.variant(variant)


def _emem(_variant: str, filters: Filters | None) -> Strategy:
    from .emem import EMem

    return EMem(filters=filters) if filters else EMem()


def _emem_g(_variant: str, filters: Filters | None) -> Strategy:
    from .emem import EMemG

    return EMemG(filters=filters) if filters else EMemG()


def _ontology(variant: str, _filters: Filters | None) -> Strategy:
    from . import ontology

    return ontology.variant(variant)


#: How each strategy is made of the name of its variant, empty for the whole, and of the filters of candidates.
STRATEGIES: Mapping[str, Callable[[str, Filters | None], Strategy]] = {
    "fused": _fused,
    "sgmem": _sgmem,
    "memgas": _memgas,
    "emem": _emem,
    "emem-g": _emem_g,
    "ontology": _ontology,
    "dense": _dense,
    "bm25": _bm25,
}
_VARIED = ("sgmem", "memgas", "ontology")


def strategy(name: str, filters: Filters | None = None) -> Strategy:
    """The strategy called `name`, or `name:variant` (`sgmem:TF`, `memgas:without-router`). Raises UsageError.

    `filters`: what chooses among candidates, for strategies that leave it to others; None: what needs no model.
    """
    kind, _, variant = name.partition(":")
    if kind not in STRATEGIES or (variant and kind not in _VARIED):
        raise UsageError(f"unknown strategy {name!r}", f"choose one of: {', '.join(STRATEGIES)}")
    return STRATEGIES[kind](variant, filters)
