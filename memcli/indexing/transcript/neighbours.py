"""The edges of the sentence graph: what a new sentence is nearest to (SGMem §3.2), worked out before it is stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ...store.cosine import cosines, one_thread
from ...store.vectors import best_of
from .segments import Segmented

__all__ = ["MOST", "Index", "Neighbours", "neighbours"]

#: Edges that a new sentence gets to its nearest neighbours in the store (SGMem: k = 3 on LongMemEval, 1 on LoCoMo).
MOST = 3

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


class Index(Protocol):
    """The vectors of a store."""

    def nearest(self, queries: Floats, k: int) -> tuple[Ints, npt.NDArray[np.float64]]:
        """The places and cosines [n, k] of the k nearest of each query, best first; -1 where there are fewer."""
        ...

    def hashes(self, places: Ints) -> npt.NDArray[np.uint64]:
        """The hashes of the sentences at these places."""
        ...


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The nearest sentences of some new ones with their cosines, nearest first: all by the hash of the sentence.

    By the conversation, too, where these are joined each by itself; else that is empty.
    """

    _found: Mapping[tuple[str, int], Sequence[tuple[int, float]]]

    def of(self, conversation: str, hash_: int) -> Sequence[tuple[int, float]]:
        """Those of one sentence; none, of one that was stored already."""
        return self._found.get((conversation, hash_), ())

    def hashes(self) -> Iterable[int]:
        """Every sentence that is one's neighbour."""
        return (other for near in self._found.values() for other, _ in near)

    def __or__(self, other: Neighbours) -> Neighbours:
        return Neighbours({**self._found, **other._found})


def neighbours(
    batch: Sequence[Segmented],
    rows: Mapping[int, Floats],
    stored: Iterable[int],
    index: Index,
    least: float,
    conversation: str = "",
) -> Neighbours:
    """Of each sentence of the batch that is not among the `stored`: those nearest to it among all that were said before
    in the store and in the batch, and in its own session. `index`: the vectors of the store, `rows` those of the batch.
    A cosine under `least` joins nothing: most unrelated sentences have less. `conversation`: the one that all of it is
    of, where conversations are joined each by itself.
    """
    known = set(stored)
    sessions = _new(batch, known)
    new = np.array([hash_ for hashes in sessions for hash_ in hashes], dtype=np.uint64)
    if not len(new):
        return Neighbours({})
    matrix = np.stack([rows[hash_] for hash_ in new.tolist()])
    places, scores = index.nearest(matrix, MOST)
    before = np.where(places >= 0, index.hashes(np.maximum(places, 0)), 0)
    found: dict[int, Sequence[tuple[int, float]]] = {}
    start = 0
    with one_thread():
        for hashes in sessions:
            own = slice(start, start + len(hashes))
            found |= _joined(new, matrix, own, before[own], scores[own], least)
            start += len(hashes)
    return Neighbours({(conversation, hash_): near for hash_, near in found.items()})


def _new(batch: Sequence[Segmented], known: set[int]) -> list[list[int]]:
    """For each session the sentences that are said in it for the first time, in the order of telling."""
    seen = set(known)
    sessions = []
    for segmented in batch:
        hashes = dict.fromkeys(hash_ for parts in segmented.segments for hash_ in parts.hashes)
        sessions.append([hash_ for hash_ in hashes if hash_ not in seen])
        seen.update(hashes)
    return sessions


def _joined(
    new: npt.NDArray[np.uint64],
    matrix: Floats,
    own: slice,
    before: npt.NDArray[np.uint64],
    scores: npt.NDArray[np.float64],
    least: float,
) -> dict[int, list[tuple[int, float]]]:
    """The nearest of one session's sentences: of those `before`, in the store, and of the batch up to its own end."""
    if own.start == own.stop:
        return {}
    here = cosines(matrix[own], matrix[: own.stop])
    here[np.arange(len(here)), np.arange(own.start, own.stop)] = -np.inf
    scores = np.concatenate([scores, here], axis=1)
    hashes = np.concatenate([before, np.broadcast_to(new[: own.stop], here.shape)], axis=1)
    near: dict[int, list[tuple[int, float]]] = {hash_: [] for hash_ in new[own].tolist()}
    row, column = best_of(scores, MOST, least)
    pairs = zip(new[own][row].tolist(), hashes[row, column].tolist(), scores[row, column].tolist(), strict=True)
    for hash_, other, cosine in pairs:
        near[hash_].append((other, cosine))
    return near
