"""The codes of a large store in memory: a tenth of a second and 50 MB for a million vectors.

To hold the vectors takes ten seconds and most of a gigabyte. A search by codes costs more for each vector that is asked
for than `VectorIndex` does, so that is for many.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from . import codes, lexical
from .cosine import cosines
from .packing import unpacked
from .rows import Columns, columns, columns_among, runs
from .vectors import sound

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["CodedIndex", "CodedSessions"]

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

#: The vectors that are looked at for each that is asked for.
_CONSIDERED = 200


class CodedIndex:
    """The nearest vectors of a store as it is now: by their codes, and the best of them exactly, by their numbers.

    `reading` opens it for moments. Raises StoreError.
    """

    def __init__(self, reading: Callable[[], AbstractContextManager[DuckDBPyConnection]]) -> None:
        self._reading = reading
        with reading() as db:
            self._seqs, self._codes = codes.load(db)
        self._hashes: dict[int, int] = {}

    def nearest(self, queries: Floats, k: int) -> tuple[Ints, npt.NDArray[np.float64]]:
        """The numbers and cosines [n, k] of the k nearest vectors of each query [n, d], best first.

        -1 where there are fewer; of equal ones the one with the smaller number.
        """
        near = [self._near(code) for code in codes.signs(queries)]
        found = self._read(np.unique(np.concatenate(near)), queries.shape[1])
        best = np.full((len(queries), k), -1, dtype=np.int64), np.full((len(queries), k), -np.inf)
        for query, among in enumerate(near):
            rows = np.flatnonzero(np.isin(found["seq"], among))
            scores = cosines(queries[query], found["row"][rows])
            order = np.lexsort((found["seq"][rows], -scores))[:k]
            best[0][query, : len(order)], best[1][query, : len(order)] = found["seq"][rows[order]], scores[order]
        return best

    def hashes(self, numbers: Ints) -> npt.NDArray[np.uint64]:
        """The hashes of the sentences that were found under these numbers; 0 of others."""
        return np.array([[self._hashes.get(number, 0) for number in row] for row in numbers.tolist()], dtype=np.uint64)

    def _near(self, code: codes.Codes) -> Ints:
        """The numbers of those whose codes differ least, with all that differ as much as the last."""
        near: Ints = self._seqs[_among_nearest(codes.distances(self._codes, code), _CONSIDERED)]
        return near

    def _read(self, numbers: Ints, dimension: int) -> Columns:
        with self._reading() as db:
            sql = "select seq, hash, data from vector where seq in (select seq from among) order by seq"
            found = columns_among(db, sql, numbers)
        self._hashes |= zip(found["seq"].tolist(), found["hash"].tolist(), strict=True)
        rows = sound(unpacked(found["data"].tolist(), dimension))
        return {"seq": found["seq"].astype(np.int64), "row": rows}


class CodedSessions:
    """Which sessions the nearest sentences of an open store are in, and its turns, for whoever asks again: see
    `codes.nearest`.
    """

    def __init__(self, db: DuckDBPyConnection) -> None:
        seqs, self._codes = codes.load(db)
        said = columns(db, "select vector, session from unit where kind = 'sentence'")
        by_number = np.argsort(seqs)
        place = by_number[np.searchsorted(seqs[by_number], said["vector"])]
        order = np.argsort(place, kind="stable")
        # Where the sentences of each code begin, and which vector in which session each of them is.
        self._starts = np.searchsorted(place[order], np.arange(len(seqs) + 1)).astype(np.int32)
        self._said = (said["vector"].astype(np.int64) << 32 | said["session"])[order]
        self._turns = columns(db, "select seq as turn, session from turn order by seq")

    def nearest(self, queries: Floats, most: int) -> Columns:
        """What `codes.nearest` finds among everybody's, and what is as near as the last of it."""
        found = []
        for query, code in enumerate(codes.signs(queries)):
            differing = codes.distances(self._codes, code)
            near = _among_nearest(differing, most)
            starts, ends = self._starts[near], self._starts[near + 1]
            said, first = np.unique(self._said[runs(starts, ends)], return_index=True)
            apart = np.repeat(differing[near], ends - starts)[first].astype(np.int64)
            found.append((np.full_like(said, query), apart, said >> 32, said & 0xFFFFFFFF))
        names = ("query", "distance", "vector", "session")
        return {name: np.concatenate(parts) for name, parts in zip(names, zip(*found, strict=True), strict=True)}

    def sessions(self, turns: Ints) -> Columns:
        """The turns with these numbers, which ascend, each with its session."""
        here, session = lexical.known(turns, self._turns)
        return {"turn": turns[here], "session": session.astype(np.int64)}


def _among_nearest(differing: npt.NDArray[np.uint16], most: int) -> Ints:
    """The places of the `most` that differ least, with all that differ as much as the last."""
    up_to = np.cumsum(np.bincount(differing))  # how many differ in so many signs at most
    return np.flatnonzero(differing <= np.searchsorted(up_to, min(most, len(differing))))
