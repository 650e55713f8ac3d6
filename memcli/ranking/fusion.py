"""The fused score: signals weighted by a linear function of the question's gates, and nothing else.

score(turn) = Σ_f w_f(question) · x_f(turn),   w_f(question) = Σ_g W[f, g] · gate_g(question)

Signals and gates are centred and scaled by constants of the training data. Everything is in one small JSON file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

import numpy as np
import numpy.typing as npt

__all__ = ["Weights", "packaged", "share"]

Floats = npt.NDArray[np.float64]


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
        mixture: Floats = self.matrix @ ((gates - self.gate_mean) / self.gate_scale)
        return (signals - self.feature_mean) / self.feature_scale * mixture

    def to_json(self, **notes: object) -> str:
        """One JSON document, numbers to six digits; `notes` say how it was made."""
        arrays = {
            name: np.round(getattr(self, name), 6).tolist()
            for name in ("feature_mean", "feature_scale", "gate_mean", "gate_scale")
        }
        rows = dict(zip(self.features, np.round(self.matrix, 5).tolist(), strict=True))
        return json.dumps({**notes, "gates": list(self.gates), **arrays, "weights": rows}, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Weights:
        """The inverse of `to_json`."""
        found: Mapping[str, object] = json.loads(text)
        rows = found["weights"]
        assert isinstance(rows, dict)
        arrays = [np.array(found[n]) for n in ("feature_mean", "feature_scale", "gate_mean", "gate_scale")]
        gates = found["gates"]
        assert isinstance(gates, list)
        return cls(list(rows), gates, np.array(list(rows.values())), *arrays)


def packaged() -> Weights:
    """The weights that ship with memcli."""
    return Weights.from_json(resources.files(__package__).joinpath("fused_weights.json").read_text(encoding="utf-8"))


def share(scores: Floats) -> Floats:
    """Softmax: each score's share, in (0, 1], of one."""
    if not len(scores):
        return scores
    raised = np.exp(scores - scores.max())
    result: Floats = raised / raised.sum()
    return result
