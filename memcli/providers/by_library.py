"""Embedders that other libraries compute on this machine: each is an extra, `memcli[NAME]`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .libraries import library, loading
from .vectors import Vectors, unit_rows

__all__ = ["FastEmbed", "Model2Vec", "SentenceTransformers"]


class SentenceTransformers:
    """Any model of the sentence-transformers library (Reimers & Gurevych 2019), by its hub's name or path.

    It has prompts for questions and for passages where its configuration names them.
    """

    def __init__(self, model: str, _: bool) -> None:
        encoders = library("sentence-transformers")
        with loading(model):
            self._model = encoders.SentenceTransformer(model)
        self.id = f"sentence-transformers:{model}"
        self.dimension = int(self._model.get_sentence_embedding_dimension() or 0)

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_questions`."""
        return self._embed(self._model.encode_query, texts)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_passages`."""
        return self._embed(self._model.encode_document, texts)

    def _embed(self, encode: Callable[..., Any], texts: Sequence[str]) -> Vectors:
        rows = encode(list(texts), show_progress_bar=False, convert_to_numpy=True) if texts else []
        return _unit(rows, self.dimension)


class FastEmbed:
    """Any text model of Qdrant's fastembed (ONNX), by name or folder; `FASTEMBED_CACHE_PATH` is where it keeps them.

    A folder is laid out as sentence-transformers does: `config.json`, `tokenizer.json` with `tokenizer_config.json` and
    `special_tokens_map.json`, `onnx/model.onnx`, and `1_Pooling/config.json` where the mean is not what is pooled.
    """

    def __init__(self, model: str, _: bool) -> None:
        models = library("fastembed").TextEmbedding
        library("loguru").logger.disable("fastembed")  # it tells of each failure at length, and then raises
        with loading(model):
            if (folder := Path(model)).is_dir():
                _register(models, folder)
                self._model = models(model, specific_model_path=model)
            else:
                self._model = models(model)
        self.id = f"fastembed:{model}"
        self.dimension = int(self._model.embedding_size)

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_questions`."""
        return _unit(self._model.query_embed(list(texts)), self.dimension)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_passages`."""
        return _unit(self._model.passage_embed(list(texts)), self.dimension)


def _register(models: Any, folder: Path) -> None:
    """Tells fastembed of a model that lies in a folder, once a process. Raises OSError, ValueError."""
    if any(each["model"] == str(folder) for each in models.list_supported_models()):
        return
    described = library("fastembed.common.model_description")
    pooling = folder / "1_Pooling" / "config.json"
    first = pooling.is_file() and json.loads(pooling.read_text(encoding="utf-8")).get("pooling_mode_cls_token")
    models.add_custom_model(
        model=str(folder),
        pooling=described.PoolingType.CLS if first else described.PoolingType.MEAN,
        normalization=False,
        sources=described.ModelSource(url=folder.absolute().as_uri()),
        dim=int(json.loads((folder / "config.json").read_text(encoding="utf-8"))["hidden_size"]),
        model_file="onnx/model.onnx",
    )


class Model2Vec:
    """Any static model of the model2vec library (Tulkens & van Dongen 2024), by its hub's name or path: the mean of the
    vectors of a text's tokens, the same for questions and passages.
    """

    def __init__(self, model: str, _: bool) -> None:
        static = library("model2vec").StaticModel
        with loading(model):
            self._model = static.from_pretrained(model, force_download=False)
        self.id = f"model2vec:{model}"
        self.dimension = int(self._model.dim)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_passages`."""
        return _unit(self._model.encode(list(texts), use_multiprocessing=False) if texts else [], self.dimension)

    embed_questions = embed_passages


def _unit(rows: Iterable[Any], dimension: int) -> Vectors:
    """Rows of unit length, float32 [n, dimension]; one of zeros, of a text of unknown tokens, is the first axis."""
    found = np.array([np.asarray(row, dtype=np.float32) for row in rows], dtype=np.float32).reshape(-1, dimension)
    found[~found.any(axis=1), 0] = 1
    return unit_rows(found)
