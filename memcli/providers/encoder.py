"""memcli's own encoder, the default: all-MiniLM-L6-v2 trained further on questions to chats, offline and at once.

`docs/encoder.md` is its card; `benchmarks/train_encoder.py` and `benchmarks/quantise_encoder.py` make its weights.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from . import onnx
from .minilm import tokenizer
from .vectors import Vectors, unit_rows

if TYPE_CHECKING:
    from tokenizers import Encoding

__all__ = ["Encoder"]

_SHA256 = "f3cc7a81a8af41ac23bbaccba5e2f5bdeb5817635cb61409c44525ba19949c5a"
#: Texts that a thread embeds before it looks for more.
_CHUNK = 64


class Encoder:
    """MiniLM (Wang et al. 2020) with memcli's weights, computed in int8: mean pooling, unit length.

    A text over 256 tokens is cut. Activations are quantised by the range that they have in one run (`MatMulInteger`),
    so that each text is a run of its own: its vector depends on nothing else. The weights are checked against their
    SHA-256; nothing is downloaded. `weights`: another file of the same make, for measuring; it is not checked.
    """

    id = "memcli-encoder-2"
    dimension = 384

    def __init__(self, *, bulk: bool = False, weights: Path | None = None) -> None:
        path = weights or onnx.packaged(__package__, "encoder.onnx", _SHA256)
        self._session = onnx.session(path, bulk=bulk)
        self._tokenizer = tokenizer()
        self._threads = len(os.sched_getaffinity(0)) if bulk else 1

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_passages`."""
        encoded = self._tokenizer.encode_batch(list(texts)) if texts else []
        if self._threads == 1 or len(encoded) < _CHUNK:
            return self._rows(encoded)
        chunks = [encoded[start : start + _CHUNK] for start in range(0, len(encoded), _CHUNK)]
        with ThreadPoolExecutor(self._threads) as pool:
            return np.concatenate(list(pool.map(self._rows, chunks)))

    embed_questions = embed_passages  # trained without prefixes: one space for both

    def count_tokens(self, texts: Sequence[str]) -> int:
        """How many tokens it reads of these texts."""
        return sum(len(e.ids) for e in self._tokenizer.encode_batch(list(texts)))

    def _rows(self, encoded: Sequence[Encoding]) -> Vectors:
        rows = [self._mean(one) for one in encoded]
        return unit_rows(np.stack(rows)) if rows else np.zeros((0, self.dimension), dtype=np.float32)

    def _mean(self, encoding: Encoding) -> Vectors:
        ids = np.array([encoding.ids], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        (hidden,) = self._session.run(None, feed)
        mean: Vectors = hidden[0].mean(axis=0)
        return mean
