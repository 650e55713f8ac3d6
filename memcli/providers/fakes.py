"""Stand-ins that ship with the package, so that tests of memcli, and of what is built on it, need no model."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from ..text import content_stems
from .embedding import Vectors, unit_rows

__all__ = ["FakeEmbedder"]


class FakeEmbedder:
    """Texts that share stems have similar vectors: the sum of a fixed random direction for each content stem."""

    id = "fake"
    dimension = 64

    def __init__(self) -> None:
        self.embedded: list[str] = []  # what was asked for, so that a test can see that nothing is embedded twice

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed`."""
        self.embedded.extend(texts)
        rows = [sum((self._direction(s) for s in content_stems(t)), self._direction("") * 0.1) for t in texts]
        return unit_rows(np.array(rows, dtype=np.float32).reshape(len(texts), self.dimension))

    def _direction(self, stem: str) -> Vectors:
        seed = int.from_bytes(blake2b(stem.encode(), digest_size=4).digest(), "little")
        return np.random.default_rng(seed).standard_normal(self.dimension).astype(np.float32)
