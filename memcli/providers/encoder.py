"""memcli's own encoder, the default: all-MiniLM-L6-v2 trained further on questions to chats, offline and at once.

`docs/encoder.md` is its card; `benchmarks/train_encoder.py`, `quantise_encoder.py`, `train_questions.py` and
`export_questions.py` make its weights.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from . import onnx
from .minilm import tokenizer
from .vectors import Vectors, unit_rows

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

__all__ = ["Encoder"]

_SHA256 = "f3cc7a81a8af41ac23bbaccba5e2f5bdeb5817635cb61409c44525ba19949c5a"
#: Of both networks: that for questions is what it adds to the other's file.
_SIZE = 26094128
#: Texts that a thread embeds before it looks for more.
_CHUNK = 64


class Encoder:
    """MiniLM (Wang et al. 2020) with memcli's weights, computed in int8: mean pooling, unit length.

    Passages are read by one network and questions by another, which was trained further for the vectors of the first
    (Lee et al. 2021): each is loaded when it is first needed. A text over 256 tokens is cut. Activations are quantised
    by the range that they have in one run (`MatMulInteger`), so that each text is a run of its own: its vector depends
    on nothing else. What passages are stored by is checked against its SHA-256; nothing is downloaded. `weights`,
    `questions`: other files of the same make, for measuring; they are not checked.
    """

    id = "memcli-encoder-2"
    dimension = 384

    def __init__(self, *, bulk: bool = False, weights: Path | None = None, questions: Path | None = None) -> None:
        self._bulk, self._weights, self._asking = bulk, weights, questions or weights
        self._threads = len(os.sched_getaffinity(0)) if bulk else 1

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_passages`. Raises ModelUnavailable."""
        return self._embedded(self._passages, texts)

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_questions`. Raises ModelUnavailable."""
        return self._embedded(self._questions, texts)

    @cached_property
    def _passages(self) -> onnx.Session:
        return onnx.Session(self._weights or onnx.packaged(__package__, "encoder.onnx", _SHA256), bulk=self._bulk)

    @cached_property
    def _questions(self) -> onnx.Session:
        path = self._asking or onnx.sized(__package__, "questions.onnx", _SIZE, beside="encoder.onnx")
        return onnx.Session(path, bulk=self._bulk)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return tokenizer()

    def _embedded(self, network: onnx.Session, texts: Sequence[str]) -> Vectors:
        encoded = self._tokenizer.encode_batch(list(texts)) if texts else []
        if self._threads == 1 or len(encoded) < _CHUNK:
            return self._rows(network, encoded)
        chunks = [encoded[start : start + _CHUNK] for start in range(0, len(encoded), _CHUNK)]
        with ThreadPoolExecutor(self._threads) as pool:
            return np.concatenate(list(pool.map(self._rows, repeat(network), chunks)))

    def count_tokens(self, texts: Sequence[str]) -> int:
        """How many tokens it reads of these texts."""
        return sum(len(e.ids) for e in self._tokenizer.encode_batch(list(texts)))

    def _rows(self, network: onnx.Session, encoded: Sequence[Encoding]) -> Vectors:
        rows = [_mean(network, one) for one in encoded]
        return unit_rows(np.stack(rows)) if rows else np.zeros((0, self.dimension), dtype=np.float32)


def _mean(network: onnx.Session, encoding: Encoding) -> Vectors:
    ids = np.array([encoding.ids], dtype=np.int64)
    feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    (hidden,) = network.run(feed)
    mean: Vectors = hidden[0].mean(axis=0)
    return mean
