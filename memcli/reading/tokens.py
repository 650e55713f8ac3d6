"""What the networks read: a question and a window as tokens, and what the layers that they share make of these.

The two lower layers of MiniLM stay as they were in every network that memcli trains, so they are kept once
(`reading/lower.onnx`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..providers import onnx
from ..providers.minilm import tokenizer

if TYPE_CHECKING:
    from .windows import Window

__all__ = ["Lower", "Read", "lower", "shares"]

Floats = npt.NDArray[np.float32]
_SHA256 = "3fc2750ee13b22bdc9a185987161568ba91782b5313184a952ef7f12f48d81cf"
#: Tokens at most: of the question, of what stands before a window, of the window. As in training.
_QUESTION, _BEFORE, _OWN = 48, 40, 104


@dataclass(frozen=True, slots=True)
class Read:
    """The states of the tokens [1, tokens, width]; from which one on they are the window's own, and where each of
    these stands in "SPEAKER: text".
    """

    states: Floats
    start: int
    offsets: Sequence[tuple[int, int]]

    @property
    def own(self) -> slice:
        """Where the window's own tokens are."""
        return slice(self.start, self.start + len(self.offsets))


class Lower:
    """The layers that all networks share. `bulk`: as in `onnx.session`. Raises ModelUnavailable."""

    def __init__(self, *, bulk: bool = False) -> None:
        self._bulk, self._tokenizer = bulk, tokenizer()

    @cached_property
    def _session(self) -> Any:
        return onnx.session(onnx.packaged(__package__, "lower.onnx", _SHA256), bulk=self._bulk)

    def asked(self, question: str) -> tuple[int, ...]:
        """A question as tokens."""
        return tuple(self._tokenizer.encode(question, add_special_tokens=False).ids[:_QUESTION])

    def read(self, asked: tuple[int, ...], window: Window) -> Read:
        """What the lower layers make of a question and a window. Without a question a window is read by itself."""
        first, last = self._ends
        before = self._tokenizer.encode(window.before, add_special_tokens=False).ids[-_BEFORE:]
        own = self._tokenizer.encode(window.shown, add_special_tokens=False)
        head = [first, *asked, last, *before, last]
        ids = np.array([[*head, *own.ids[:_OWN], last]], dtype=np.int64)
        kinds = (np.arange(ids.shape[1]) >= len(asked) + 2).astype(np.int64)[None, :]
        (states,) = self._session.run(None, {"ids": ids, "kinds": kinds})
        return Read(states, len(head), own.offsets[:_OWN])

    @cached_property
    def _ends(self) -> tuple[int, int]:
        """The tokens that stand before everything and after each part."""
        return tuple(self._tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))  # type: ignore[return-value]


@lru_cache(maxsize=2)
def lower(*, bulk: bool = False) -> Lower:
    """The layers that ship with memcli; they are loaded at the first window."""
    return Lower(bulk=bulk)


def shares(logits: Floats) -> Floats:
    """The probabilities that logits mean, of the last axis."""
    raised = np.exp(logits - logits.max(axis=-1, keepdims=True))
    found: Floats = raised / raised.sum(axis=-1, keepdims=True)
    return found
