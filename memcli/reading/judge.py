"""Logistic regressions over named numbers: what is learned of a few signals, as a probability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..ranking import learned

__all__ = ["Judge"]

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Judge:
    """A logistic regression over the signals called `names`, standardised."""

    names: Sequence[str]
    mean: Floats
    scale: Floats
    weights: Floats
    bias: float

    @classmethod
    def of(cls, found: Mapping[str, Any], names: Sequence[str]) -> Judge:
        """The regression as it is learned, by the names of its signals. Raises ValueError where these are others."""
        mean, scale, weights = learned.arrays(found["inputs"], names, "mean", "scale", "weight", dtype=np.float32)
        return cls(names, mean, scale, weights, found["bias"])

    def numbers(self) -> dict[str, object]:
        """The inverse of `of`, to five significant digits."""
        mean, scale, weights = (learned.significant(each) for each in (self.mean, self.scale, self.weights))
        inputs = learned.inputs(self.names, mean=mean, scale=scale, weight=weights)
        return {"inputs": inputs, "bias": learned.significant(self.bias)}

    def __call__(self, found: Mapping[str, float]) -> float:
        """The probability. Raises ValueError for a signal too many or too few."""
        row = np.asarray(learned.in_order(found, self.names), dtype=np.float32)
        z = float((row - self.mean) / self.scale @ self.weights) + self.bias
        return float(1 / (1 + np.exp(-np.clip(z, -30, 30))))
