"""Whether a topic that a person keeps coming back to becomes an edge of theirs (ontology-guided memory, A.4).

p_lift = σ(g(pattern features, support)); lifted where p_lift > τ and the support is at least 3 (equations 12 and 13).
`benchmarks/train_ontology.py` trains g: a topic of the first part of a history is a good one where the person comes
back to it in the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ...ranking import learned

__all__ = ["FEATURES", "LEAST_SUPPORT", "TAU", "Scorer", "packaged", "pattern"]

Floats = npt.NDArray[np.float64]

#: The gate of equation 13, and the fewest assertions that can pass it.
TAU = 0.7
LEAST_SUPPORT = 3
#: After so many days an assertion counts half in recurrence.
_HALF_LIFE = 90.0

FEATURES = ("support", "recurrence", "contexts", "concentration", "confidence", "coherence")


def pattern(days: Floats, sessions: Sequence[int], confidence: Floats, cosines: Floats) -> dict[str, float]:
    """The features of a candidate edge, from its supporting assertions.

    `days`: when each was said, in days (nan: unknown); `sessions` the session of each; `cosines`: of each to its topic.
    `recurrence` is the number of assertions, halved every 90 days before the last; `contexts` the number of sessions;
    `concentration` how close together in time they lie, in [0, 1].
    """
    known = days[~np.isnan(days)]
    age = known.max() - known if len(known) else np.zeros(len(days))
    span = float(known.max() - known.min()) if len(known) else 0.0
    return {
        "support": float(np.log1p(len(days))),
        "recurrence": float(np.log1p(np.sum(0.5 ** (age / _HALF_LIFE)))),
        "contexts": float(np.log1p(len(set(sessions)))),
        "concentration": float(1.0 / (1.0 + span / 30.0)),
        "confidence": float(confidence.mean()),
        "coherence": float(cosines.mean()),
    }


@dataclass(frozen=True, slots=True)
class Scorer:
    """g of equation 12: linear in the features that `pattern` gives, by name."""

    bias: float
    weights: Mapping[str, float]

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Scorer:
        """The scorer as it is learned. Raises ValueError where it weighs other features."""
        return cls(found["bias"], dict(zip(FEATURES, learned.in_order(found["weights"], FEATURES), strict=True)))

    def __call__(self, features: Mapping[str, float]) -> float:
        """p_lift of a candidate edge."""
        score = self.bias + sum(self.weights[name] * features[name] for name in FEATURES)
        return float(1.0 / (1.0 + np.exp(-score)))


@lru_cache(maxsize=1)
def packaged() -> Scorer:
    """The scorer that ships with memcli."""
    return Scorer.of(learned.packaged(__package__, "lifting.json")["lifting"])
