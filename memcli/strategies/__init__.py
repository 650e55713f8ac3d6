"""The strategies by name: ways of finding evidence in one and the same store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import UsageError
from ..extensions import Extensible
from .base import Strategy

if TYPE_CHECKING:
    from .filters import CandidateFilters

__all__ = ["DEFAULT", "STRATEGIES", "Strategy", "strategy"]

DEFAULT = "fused"
#: How each strategy is made: a factory `(variant: str, filters: CandidateFilters | None) -> Strategy`.
#:
#: `variant` is what stands behind the colon of `name:variant`, empty for the whole: a factory that has none of this
#: name raises UsageError (`strategies.base.no_variant`). `filters` are the filters of candidates that the caller
#: wishes, a language model's or None; most strategies have no use for them.
STRATEGIES = Extensible(
    "memcli.strategies",
    {
        "fused": "memcli.strategies.fused:variant",
        "sgmem": "memcli.strategies.sgmem:variant",
        "memgas": "memcli.strategies.memgas:variant",
        "emem": "memcli.strategies.emem:emem",
        "emem-g": "memcli.strategies.emem:emem_g",
        "ontology": "memcli.strategies.ontology:variant",
        "dense": "memcli.strategies.dense:variant",
        "bm25": "memcli.strategies.bm25:variant",
    },
)


def strategy(wanted: str | Strategy, filters: CandidateFilters | None = None) -> Strategy:
    """The strategy called `name`, or `name:variant` (`sgmem:TF`, `memgas:without-router`); one that is made, as it is.

    `filters`: what chooses among candidates, for strategies that leave it to others; None: what needs no model.
    Raises UsageError.
    """
    if not isinstance(wanted, str):
        return wanted
    kind, _, variant = wanted.partition(":")
    if kind not in STRATEGIES:
        raise UsageError(f"unknown strategy {wanted!r}", f"choose one of: {', '.join(STRATEGIES)}")
    made: Strategy = STRATEGIES.make(kind, variant, filters)
    return made
