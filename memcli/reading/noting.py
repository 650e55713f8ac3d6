"""The network that notes: what a window tells of people that belongs on a card, in its own words.

MiniLM (Wang et al. 2020), its four upper layers trained further, with two heads: of each token whether a value of a
kind begins there or goes on, and whether it is told of who speaks. `benchmarks/train_notes.py` makes its weights,
docs/who.md has what it was trained on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..model.cards import CardKind
from ..providers import onnx
from .tokens import English, shares, together

if TYPE_CHECKING:
    from .windows import Window

__all__ = ["Noter", "Told", "noter", "runs", "words"]

Floats = npt.NDArray[np.float32]
_SHA256 = "35625d08a289b47ffe94091bbd8311b1703391ad2e20edf3a12aec4951d63e18"
_KINDS = tuple(CardKind)
#: A value is looked for where one begins at least this probably; it goes on with tokens that do at least so.
_BEGINS, _GOES_ON = 0.2, 0.4


@dataclass(frozen=True, slots=True)
class Told:
    """A value of a kind, in the window's own words: `chance` is the probability that it is one; `own`, that it is told
    of who speaks.
    """

    kind: CardKind
    value: str
    chance: float
    own: float


class Noter:
    """Reads windows, each by itself. `weights` and `bulk`: as of `network.Network`. Raises ModelUnavailable."""

    def __init__(self, weights: Path | None = None, *, bulk: bool = True) -> None:
        self._weights, self._bulk = weights, bulk

    @cached_property
    def _session(self) -> onnx.Session:
        path = self._weights or onnx.packaged(__package__, "notes.onnx", _SHA256)
        return onnx.Session(path, bulk=self._bulk)

    def read(self, window: Window) -> list[Told]:
        """What is told in it, in its order."""
        read = together("", window, English())
        notes, own = self._session.run(read.given)
        chances, ours = shares(notes[0, read.own]), 1 / (1 + np.exp(-own[0, read.own]))
        return [
            Told(kind, value, chance, float(ours[first:end].mean()))
            for kind, first, end, chance in runs(chances)
            if (value := words(window.shown, read.offsets[first][0], read.offsets[end - 1][1]))
        ]


@lru_cache(maxsize=1)
def noter() -> Noter:
    """The network that ships with memcli; its weights are loaded at the first window."""
    return Noter()


def runs(chances: Floats) -> Iterator[tuple[CardKind, int, int, float]]:
    """The kind, the first token, the one after the last, and the probability of each value; `chances` is
    [tokens, 1 + 2 * kinds]: nothing, and of each kind that a value begins and that it goes on.
    """
    begins, goes_on = chances[:, 1::2], chances[:, 2::2]
    place = 0
    while place < len(chances):
        kind, end = int(begins[place].argmax()), place + 1
        if begins[place, kind] >= _BEGINS:
            while end < len(chances) and goes_on[end, kind] >= _GOES_ON:
                end += 1
            yield _KINDS[kind], place, end, float(begins[place, kind])
        place = end


def words(text: str, start: int, end: int) -> str:
    """Whole words of a text, without what is around them."""
    while start and text[start - 1].isalnum() and text[start].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum() and text[end - 1].isalnum():
        end += 1
    return text[start:end].strip(" ,.;:!?…'’\"“”")
