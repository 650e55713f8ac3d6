"""An embedder for memcli without a model: texts that share letters are similar, in any language."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

import numpy as np
import numpy.typing as npt

from memcli.errors import UsageError

__all__ = ["Trigrams", "trigrams"]


class Trigrams:
    """Counts each text's sequences of three letters, hashed to `dimension` places (Weinberger et al. 2009)."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self.id = f"trigrams:{dimension}"

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """float32 [n, dimension], rows of unit length, in the order of `texts`."""
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            padded = f"  {' '.join(text.lower().split())} "
            for start in range(len(padded) - 2):
                hashed = crc32(padded[start : start + 3].encode())
                row[hashed % self.dimension] += 1 if hashed >> 31 else -1  # by sign, collisions cancel out
            if not row.any():  # every row has a length
                row[0] = 1
        unit: npt.NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit

    embed_questions = embed_passages


def trigrams(model: str, _bulk: bool = False) -> Trigrams:
    """`trigrams`, or `trigrams:DIMENSION`. Raises UsageError."""
    if model and not (model.isdecimal() and 8 <= int(model) <= 4096):
        raise UsageError(f"no embedder trigrams:{model}", "trigrams:DIMENSION, from 8 to 4096")
    return Trigrams(int(model or 384))
