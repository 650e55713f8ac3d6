"""What the networks read: a question and a window, as BERT's word pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..providers.minilm import tokenizer

if TYPE_CHECKING:
    from .windows import Window

__all__ = ["Tokens", "asked", "shares", "together"]

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]
#: Tokens at most: of the question, of what stands before a window, of the window. As in training.
_QUESTION, _BEFORE, _OWN = 48, 40, 104


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens [1, tokens], and which part each is of; from which one on they are the window's own, and where each
    of these stands in "SPEAKER: text".
    """

    ids: Numbers
    kinds: Numbers
    start: int
    offsets: Sequence[tuple[int, int]]

    @property
    def given(self) -> dict[str, Numbers]:
        """What a network takes."""
        return {"ids": self.ids, "kinds": self.kinds}

    @property
    def own(self) -> slice:
        """Where the window's own tokens are."""
        return slice(self.start, self.start + len(self.offsets))


def asked(question: str) -> tuple[int, ...]:
    """A question as tokens."""
    return tuple(tokenizer().encode(question, add_special_tokens=False).ids[:_QUESTION])


def together(question: tuple[int, ...], window: Window) -> Tokens:
    """A question, as `asked` has it, and a window. Without a question a window stands by itself."""
    first, last = _ends()
    before = tokenizer().encode(window.before, add_special_tokens=False).ids[-_BEFORE:]
    own = tokenizer().encode(window.shown, add_special_tokens=False)
    head = [first, *question, last, *before, last]
    ids = np.array([[*head, *own.ids[:_OWN], last]], dtype=np.int64)
    kinds = (np.arange(ids.shape[1]) >= len(question) + 2).astype(np.int64)[None, :]
    return Tokens(ids, kinds, len(head), own.offsets[:_OWN])


@lru_cache(maxsize=1)
def _ends() -> tuple[int, ...]:
    """The tokens that stand before everything and after each part."""
    return tuple(tokenizer().token_to_id(token) for token in ("[CLS]", "[SEP]"))  # type: ignore[misc]


def shares(logits: Floats) -> Floats:
    """The probabilities that logits mean, of the last axis."""
    raised = np.exp(logits - logits.max(axis=-1, keepdims=True))
    found: Floats = raised / raised.sum(axis=-1, keepdims=True)
    return found
