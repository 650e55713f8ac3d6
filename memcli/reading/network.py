"""The small network that scores candidate answers (`reading.spans`), over named numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from memcli.ranking import learned

__all__ = ["Network"]

Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Network:
    """One hidden layer with rectified units; its input, the numbers called `names`, is standardised."""

    names: Sequence[str]
    mean: Matrix
    scale: Matrix
    hidden: Matrix
    hidden_bias: Matrix
    output: Matrix
    output_bias: float

    @classmethod
    def of(cls, found: Mapping[str, Any], names: Sequence[str]) -> Network:
        """The network as it is learned, by the names of its inputs. Raises ValueError where these are others."""
        mean, scale, hidden = learned.arrays(found["inputs"], names, "mean", "scale", "hidden", dtype=np.float32)
        bias, output = (np.array(found[field], dtype=np.float32) for field in ("hidden_bias", "output"))
        return cls(names, mean, scale, hidden, bias, output, found["output_bias"])

    def numbers(self) -> dict[str, object]:
        """The inverse of `of`, to five significant digits."""
        mean, scale, hidden, hidden_bias, output, output_bias = (
            learned.significant(each)
            for each in (self.mean, self.scale, self.hidden, self.hidden_bias, self.output, self.output_bias)
        )
        inputs = learned.inputs(self.names, mean=mean, scale=scale, hidden=hidden)
        return {"inputs": inputs, "hidden_bias": hidden_bias, "output": output, "output_bias": output_bias}

    def __call__(self, rows: Matrix) -> Matrix:
        """The score of each row."""
        return self.scores(self.sums(rows, self.names))

    def sums(self, rows: Matrix, names: Sequence[str]) -> Matrix:
        """What `rows`, which hold these numbers alone, add to the hidden units: their sum is what `scores` takes."""
        return rows @ self._plain[0][[self._places[name] for name in names]]

    def scores(self, sums: Matrix) -> Matrix:
        """The score of each row, from its sums over all numbers."""
        inner = sums + self._plain[1]
        scores: Matrix = np.maximum(inner, 0, out=inner) @ self.output + np.float32(self.output_bias)
        return scores

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.names)}

    @cached_property
    def _plain(self) -> tuple[Matrix, Matrix]:
        """The weights and the bias of the hidden units for input that is not standardised."""
        weights = self.hidden.astype(np.float64) / self.scale[:, None]
        return weights.astype(np.float32), (self.hidden_bias - self.mean @ weights).astype(np.float32)
