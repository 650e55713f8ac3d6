"""What the networks read: a question and a window, as word pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..providers.minilm import tokenizer
from ..providers.pieces import BEGIN, END, pieces

if TYPE_CHECKING:
    from .windows import Window

__all__ = ["English", "Languages", "Tokens", "Vocabulary", "shares", "together"]

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]
#: Tokens at most: of the question, of what stands before a window, of the window. As in training.
_QUESTION, _BEFORE, _OWN = 48, 40, 104


@dataclass(frozen=True, slots=True)
class English:
    """BERT's word pieces, whose vectors the network has."""

    def ends(self) -> tuple[int, int]:
        """The tokens that stand before everything and after each part."""
        return _bert_ends()

    def encode(self, text: str) -> tuple[Sequence[int], Sequence[tuple[int, int]]]:
        """The tokens of a text, and where in it each stands."""
        encoded = tokenizer().encode(text, add_special_tokens=False)
        return encoded.ids, encoded.offsets

    def given(self, ids: Numbers) -> dict[str, npt.NDArray[Any]]:
        """The tokens [1, tokens] as the network takes them."""
        return {"ids": ids}


@dataclass(frozen=True, slots=True)
class Languages:
    """The pieces of multilingual-e5-small, with their vectors: 250,000 words of a hundred languages are in a package
    that is there for the embedder. Raises ModelUnavailable where it is not.
    """

    def ends(self) -> tuple[int, int]:
        """See `English.ends`."""
        return BEGIN, END

    def encode(self, text: str) -> tuple[Sequence[int], Sequence[tuple[int, int]]]:
        """See `English.encode`."""
        return pieces().encode(text)

    def given(self, ids: Numbers) -> dict[str, npt.NDArray[Any]]:
        """See `English.given`."""
        return {"words": pieces().vectors(ids[0].tolist())[None]}


#: The word pieces that a network was trained on.
Vocabulary = English | Languages


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a network takes; from which token on they are the window's own, and where each of these stands in
    "SPEAKER: text".
    """

    given: dict[str, npt.NDArray[Any]]
    start: int
    offsets: Sequence[tuple[int, int]]

    @property
    def own(self) -> slice:
        """Where the window's own tokens are."""
        return slice(self.start, self.start + len(self.offsets))


def together(question: str, window: Window, vocabulary: Vocabulary) -> Tokens:
    """A question and a window. Without a question a window stands by itself."""
    first, last = vocabulary.ends()
    asked = _asked(question, vocabulary)
    before = vocabulary.encode(window.before)[0][-_BEFORE:]
    own, offsets = vocabulary.encode(window.shown)
    head = [first, *asked, last, *before, last]
    ids = np.array([[*head, *own[:_OWN], last]], dtype=np.int64)
    kinds = (np.arange(ids.shape[1]) >= len(asked) + 2).astype(np.int64)[None, :]
    return Tokens({**vocabulary.given(ids), "kinds": kinds}, len(head), offsets[:_OWN])


@lru_cache(maxsize=16)
def _asked(question: str, vocabulary: Vocabulary) -> Sequence[int]:
    return vocabulary.encode(question)[0][:_QUESTION]


@lru_cache(maxsize=1)
def _bert_ends() -> tuple[int, int]:
    first, last = (tokenizer().token_to_id(token) for token in ("[CLS]", "[SEP]"))
    return first, last  # type: ignore[return-value]


def shares(logits: Floats) -> Floats:
    """The probabilities that logits mean, of the last axis."""
    raised = np.exp(logits - logits.max(axis=-1, keepdims=True))
    found: Floats = raised / raised.sum(axis=-1, keepdims=True)
    return found
