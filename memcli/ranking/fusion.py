"""The fused score: signals weighted by a linear function of the question's gates, and nothing else.

score(turn) = Σ_f w_f(question) · x_f(turn),   w_f(question) = Σ_g W[f, g] · gate_g(question)

Signals and gates are centred and scaled by constants of the training data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from . import learned
from .routing import GATES

__all__ = ["FILES", "Ranking", "Weights", "packaged", "standard"]

#: Of embedders that have weights of their own: weights and vectors belong together.
FILES: Mapping[str, str] = {"multilingual-e5-small-q4": "fused_weights_multilingual.json"}

Floats = npt.NDArray[np.float64]

_FARTHEST = 1.0  # deviations


@dataclass(frozen=True, slots=True)
class Weights:
    """W [features, gates] with the names of both and the constants that centre and scale them."""

    features: Sequence[str]
    gates: Sequence[str]
    matrix: Floats
    feature_mean: Floats
    feature_scale: Floats
    gate_mean: Floats
    gate_scale: Floats

    def contributions(self, signals: Floats, gates: Floats) -> Floats:
        """What each signal [n, features] adds to each turn's score, which is their sum: [n, features]."""
        mixture: Floats = self.matrix @ standard(gates, self.gate_mean, self.gate_scale)
        return (signals - self.feature_mean) / self.feature_scale * mixture

    @classmethod
    def of(cls, found: Mapping[str, Any], gates: Sequence[str] = GATES) -> Weights:
        """The weights as they are learned: by the names of signals and gates. Raises ValueError for a wrong gate."""
        signals = found["signals"]
        feature_mean, feature_scale = learned.arrays(signals, list(signals), "mean", "scale")
        gate_mean, gate_scale = learned.arrays(found["gates"], gates, "mean", "scale")
        matrix = np.array([learned.in_order(each["weights"], gates) for each in signals.values()])
        return cls(list(signals), list(gates), matrix, feature_mean, feature_scale, gate_mean, gate_scale)

    def numbers(self) -> dict[str, object]:
        """The inverse of `of`: weights to five digits, means and scales to six."""
        means = {
            name: np.round(getattr(self, name), 6).tolist()
            for name in ("feature_mean", "feature_scale", "gate_mean", "gate_scale")
        }
        rows = [dict(zip(self.gates, row, strict=True)) for row in np.round(self.matrix, 5).tolist()]
        signals = learned.inputs(self.features, mean=means["feature_mean"], scale=means["feature_scale"], weights=rows)
        gates = learned.inputs(self.gates, mean=means["gate_mean"], scale=means["gate_scale"])
        return {"gates": gates, "signals": signals}


def standard(gates: Floats, mean: Floats, scale: Floats) -> Floats:
    """Gates [… gates] centred, scaled and bounded: of a store unlike all that were trained on, weights say nothing."""
    bounded: Floats = np.clip((gates - mean) / scale, -_FARTHEST, _FARTHEST)
    return bounded


@dataclass(frozen=True, slots=True)
class Ranking:
    """The weights of both rankings: each turn by its own signals; then by what the first has filled (`coverage`)."""

    first: Weights
    second: Weights

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Ranking:
        """The inverse of `numbers`. Raises ValueError."""
        return cls(Weights.of(found["first"]), Weights.of(found["second"]))

    def numbers(self) -> dict[str, object]:
        """What is learned, by name."""
        return {"first": self.first.numbers(), "second": self.second.numbers()}


@lru_cache(maxsize=2)
def packaged(embedder: str = "") -> Ranking:
    """The weights that ship with memcli for the vectors of the embedder of this id; the encoder's for any other's."""
    return Ranking.of(learned.packaged(__package__, FILES.get(embedder, "fused_weights.json")))
