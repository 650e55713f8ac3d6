"""What all embedders make: rows of float32, of unit length."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["Vectors", "unit_rows"]

Vectors = npt.NDArray[np.float32]


def unit_rows(rows: npt.ArrayLike) -> Vectors:
    """The rows scaled to unit length, as float32; a row of zeros stays."""
    matrix = np.asarray(rows, dtype=np.float32)
    scaled: Vectors = matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), np.float32(1e-12))
    return scaled
