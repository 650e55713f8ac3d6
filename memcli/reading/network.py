"""The networks that read: a question and a window of what was said, together.

Ten layers of bge-small-en-v1.5 (Xiao et al. 2023) for English and of multilingual-e5-small (Wang et al. 2024) for other
languages, the upper ones trained further, with three heads: whether the window answers, where the answer begins and
ends in "SPEAKER: text" (so who speaks can be the answer), and whether it says yes or no.
`benchmarks/train_reader.py` makes their weights; docs/reading/networks.md and docs/languages.md are their cards.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..providers import onnx
from ..ranking.arrays import softmax
from .tokens import English, Languages, Vocabulary, shares, together

if TYPE_CHECKING:
    from .windows import Window

__all__ = ["Finding", "Network", "Span", "compared", "in_bulk", "network", "of_languages", "of_updates"]

Floats = npt.NDArray[np.float32]
#: The networks that ship, and how many bytes their files have. Those for English share their lower layers.
_LOWER = "lower.onnx", 13_484_971
_READER = "reader.onnx", 10_993_976
_UPDATES = "updates.onnx", 10_994_030
_LANGUAGES = "reader_languages.onnx", 18_530_948
#: What the lower layers make of the tokens, by its name in both files.
_STATES = "states"
#: Tokens of an answer, and answers that are kept of a window.
_LONGEST, _KEPT = 24, 6
#: Findings that are kept in bulk: contenders are given the same windows. A process that serves keeps no text for long.
_REMEMBERED = 20_000


@dataclass(frozen=True, slots=True)
class Span:
    """`text[start:end]` of a window as it is shown, with the probability that it is the answer, if one is there."""

    start: int
    end: int
    chance: float


@dataclass(frozen=True, slots=True)
class Finding:
    """What the network makes of a window: `answers` is a logit, spans are best first; `yes` and `no` sum to 1."""

    answers: float
    yes: float
    no: float
    spans: Sequence[Span]


class Network:
    """Reads windows. Each is a run of its own, so what is found in it depends on nothing else.

    `weights`: another file of the same make, for measuring; it is not checked. `shipped`: which one of the package is
    meant where none is given. `bulk`: many questions are going to be asked, some of them again over the same windows.
    `vocabulary`: what it was trained on; for English, if none is given. Raises ModelUnavailable.
    """

    def __init__(
        self,
        weights: Path | None = None,
        *,
        shipped: tuple[str, int] = _READER,
        bulk: bool = False,
        vocabulary: Vocabulary | None = None,
    ) -> None:
        self._weights, self._shipped, self._bulk = weights, shipped, bulk
        self._vocabulary = vocabulary or English()
        self._found = lru_cache(_REMEMBERED)(self._find) if bulk else self._find

    @cached_property
    def _run(self) -> Callable[[Mapping[str, Any]], Any]:
        """Whether a window answers, where, and yes or no, of its tokens; by both parts of a network that has two."""
        whole = onnx.Session(self._weights or onnx.sized(__package__, *self._shipped), bulk=self._bulk)
        if _STATES not in whole.inputs:
            return whole.run
        lower = _lower(bulk=self._bulk)
        return lambda given: whole.run({_STATES: lower.run(given)[0]})

    def read(self, question: str, windows: Sequence[Window]) -> list[Finding]:
        """What is found in each window."""
        return [self._found(question, window) for window in windows]

    def _find(self, question: str, window: Window) -> Finding:
        read = together(question, window, self._vocabulary)
        answers, place, polarity = self._run(read.given)
        yes, no = shares(polarity[0])
        return Finding(float(answers[0]), float(yes), float(no), _spans(place[0, read.own], read.offsets))


@lru_cache(maxsize=2)
def _lower(*, bulk: bool) -> onnx.Session:
    return onnx.Session(onnx.sized(__package__, *_LOWER), bulk=bulk)


#: Whether many questions are asked; see `in_bulk`.
_BULK: ContextVar[bool] = ContextVar("bulk", default=False)


@contextmanager
def in_bulk() -> Iterator[None]:
    """Within it, the networks that ship are those for many questions, some of them over the same windows."""
    token = _BULK.set(True)
    try:
        yield
    finally:
        _BULK.reset(token)


def network() -> Network:
    """The network for English that ships with memcli; its weights are loaded at the first window."""
    return _of(_READER, bulk=_BULK.get())


def of_updates() -> Network:
    """The one that reads a later statement behind an earlier one: whether it takes that one's place, and by what."""
    return _of(_UPDATES, bulk=_BULK.get())


def of_languages() -> Network:
    """The one for other languages, which reads with the words of the package for the multilingual embedder."""
    return _of(_LANGUAGES, bulk=_BULK.get())


@lru_cache
def _of(shipped: tuple[str, int], *, bulk: bool) -> Network:
    return Network(shipped=shipped, bulk=bulk, vocabulary=Languages() if shipped is _LANGUAGES else None)


def compared(findings: Sequence[Finding]) -> list[dict[str, float]]:
    """What the network says of each window, by itself and beside the others: signals for a judge, by name."""
    answers = np.array([finding.answers for finding in findings], np.float64)
    among, ranks = softmax(answers), np.argsort(np.argsort(-answers, kind="stable"))
    return [
        {
            "read.answers": answer,
            "read.behind": float(answers.max()) - answer,
            "read.sure": 1 / (1 + math.exp(-answer)),
            "read.share": share,
            "read.rank": 1 / (1 + rank),
        }
        for answer, share, rank in zip(answers.tolist(), among.tolist(), ranks.tolist(), strict=True)
    ]


def _spans(place: Floats, offsets: Sequence[tuple[int, int]]) -> list[Span]:
    """The likeliest runs of whole words, by the product of the chances of their ends."""
    begins, ends = shares(place[:, 0]), shares(place[:, 1])
    chances = np.triu(np.outer(begins, ends)) * (np.tri(len(begins), k=_LONGEST).T > 0)
    found: list[Span] = []
    for flat in np.argsort(-chances, axis=None, kind="stable")[: 4 * _KEPT]:
        first, last = divmod(int(flat), len(begins))
        span = Span(offsets[first][0], offsets[last][1], float(chances[first, last]))
        if span.chance > 0 and len(found) < _KEPT:
            found.append(span)
    return found
