"""The learned constants of the reader: a small network that scores candidates and a regression for confidence.

Both are made by `benchmarks/reading.py`; the file is plain JSON, read at first use.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

__all__ = ["Confidence", "Constants", "Network", "from_json", "shipped", "to_json"]

Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Network:
    """One hidden layer with rectified units; its input is standardised."""

    mean: Matrix
    scale: Matrix
    hidden: Matrix
    hidden_bias: Matrix
    output: Matrix
    output_bias: float

    def __call__(self, rows: Matrix) -> Matrix:
        """The score of each row."""
        return self.scores(self.sums(rows, slice(None)))

    def sums(self, rows: Matrix, columns: Sequence[int] | slice) -> Matrix:
        """What `rows`, which hold these columns alone, add to the hidden units: their sum is what `scores` takes."""
        return rows @ self._plain[0][columns]

    def scores(self, sums: Matrix) -> Matrix:
        """The score of each row, from its sums over all columns."""
        inner = sums + self._plain[1]
        scores: Matrix = np.maximum(inner, 0, out=inner) @ self.output + np.float32(self.output_bias)
        return scores

    @cached_property
    def _plain(self) -> tuple[Matrix, Matrix]:
        """The weights and the bias of the hidden units for input that is not standardised."""
        weights = self.hidden.astype(np.float64) / self.scale[:, None]
        return weights.astype(np.float32), (self.hidden_bias - self.mean @ weights).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Confidence:
    """A logistic regression; below `threshold` the reader abstains."""

    mean: Matrix
    scale: Matrix
    weights: Matrix
    bias: float
    threshold: float

    def __call__(self, row: Sequence[float]) -> float:
        """The probability that memory answers the question."""
        z = float((np.asarray(row, dtype=np.float32) - self.mean) / self.scale @ self.weights) + self.bias
        return float(1 / (1 + np.exp(-np.clip(z, -30, 30))))


@dataclass(frozen=True, slots=True)
class Constants:
    """All that was learned."""

    spans: Network
    confidence: Confidence


def _arrays(part: Mapping[str, object]) -> dict[str, object]:
    return {k: np.asarray(v, dtype=np.float32) if isinstance(v, list) else v for k, v in part.items()}


def from_json(text: str | bytes) -> Constants:
    """Constants as `benchmarks/reading.py` writes them."""
    stored = json.loads(text)
    return Constants(Network(**_arrays(stored["spans"])), Confidence(**_arrays(stored["confidence"])))  # type: ignore[arg-type]


def to_json(constants: Constants) -> str:
    """`constants` as JSON that `from_json` reads, to five significant digits."""
    learned: dict[str, Network | Confidence] = {"spans": constants.spans, "confidence": constants.confidence}
    plain = {name: {f.name: _plain(getattr(part, f.name)) for f in fields(part)} for name, part in learned.items()}
    return json.dumps(plain)


def _plain(value: object) -> object:
    if isinstance(value, np.ndarray):
        return [_plain(item) for item in value.tolist()]
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return float(f"{value:.5g}") if isinstance(value, float) else value


@lru_cache(maxsize=1)
def shipped() -> Constants:
    """The constants that come with memcli."""
    return from_json(files("memcli.reading").joinpath("constants.json").read_bytes())
