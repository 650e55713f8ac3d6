"""The nearest vectors of a large store, for few that are asked for: by their codes, and the best of them exactly.

To hold a million vectors takes ten seconds and most of a gigabyte; their codes take a tenth of a second and 50 MB. A
search by codes costs more for each vector than `VectorIndex` does, so that is for many.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from . import codes
from .cosine import cosines
from .packing import unpacked
from .rows import Columns, columns_among
from .vectors import sound

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["CodedIndex"]

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

#: The vectors that are looked at for each that is asked for.
_CONSIDERED = 200
#: Codes that are compared at a time: as many as a processor's cache holds, which takes half the time of all at once.
_BLOCK = 16_384


class CodedIndex:
    """What a store has now, by the numbers of the vectors; `reading` opens it for moments. Raises StoreError."""

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
        distances = np.empty(len(self._seqs), dtype=np.uint16)
        for at in range(0, len(distances), _BLOCK):
            signs = np.bitwise_count(self._codes[:, at : at + _BLOCK] ^ code[:, None])
            signs.sum(axis=0, dtype=np.uint16, out=distances[at : at + _BLOCK])
        last = min(_CONSIDERED, len(distances)) - 1
        near: Ints = self._seqs[distances <= np.partition(distances, last)[last]]
        return near

    def _read(self, numbers: Ints, dimension: int) -> Columns:
        with self._reading() as db:
            sql = "select seq, hash, data from vector where seq in (select seq from among) order by seq"
            found = columns_among(db, sql, numbers)
        self._hashes |= zip(found["seq"].tolist(), found["hash"].tolist(), strict=True)
        rows = sound(unpacked(found["data"].tolist(), dimension))
        return {"seq": found["seq"].astype(np.int64), "row": rows}
