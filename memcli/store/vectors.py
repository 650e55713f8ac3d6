"""Sentence vectors: one row a distinct sentence, exact search over them, and HNSW where exact search gets slow.

A vector is stored as float16 (half the file, and a cosine that differs from float32's by under 0.001).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import snapshots
from .rows import append, columns, scalar

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from threadpoolctl import ThreadpoolController

__all__ = [
    "HNSW_FROM",
    "VectorIndex",
    "add_vectors",
    "cosines",
    "find_rows",
    "find_vectors",
    "load_matrix",
    "representatives",
    "steady",
]

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

#: From this many distinct sentences an HNSW index answers nearest-neighbour questions; below, exact search is as fast.
HNSW_FROM = 30_000
#: Up to so many rows that are asked for, exact search costs less than to load a snapshot of HNSW.
FEW = 300
#: HNSW takes in the newer vectors when they are this share of all: its snapshot is rewritten a few times at most.
STALE_SHARE = 0.25
_AMONG = "hash in (select unnest(?::ubigint[]))"
_BLOCK = 8192  # rows that are compared at a time, so that memory stays flat


def find_vectors(db: DuckDBPyConnection, hashes: Sequence[int]) -> dict[int, int]:
    """The numbers of the vectors that the store has already, by the hash of their sentence."""
    found = columns(db, f"select hash, seq from vector where {_AMONG}", [list(dict.fromkeys(hashes))])
    return dict(zip(found["hash"].tolist(), found["seq"].tolist(), strict=True))


def find_rows(db: DuckDBPyConnection, hashes: Sequence[int]) -> dict[int, Floats]:
    """The vectors float32 [d] that the store has already, by the hash of their sentence."""
    found = columns(db, f"select hash, data from vector where {_AMONG}", [list(dict.fromkeys(hashes))])
    rows = (np.frombuffer(data, dtype=np.float16).astype(np.float32) for data in found["data"])
    return dict(zip(found["hash"].tolist(), rows, strict=True))


def add_vectors(
    db: DuckDBPyConnection, first: int, hashes: Sequence[int], weights: Sequence[int], rows: npt.NDArray[np.float16]
) -> None:
    """Appends vectors under the numbers from `first` on."""
    append(
        db,
        "vector",
        {
            "seq": np.arange(first, first + len(hashes)),
            "hash": np.array(hashes, dtype=np.uint64),
            "weight": np.array(weights, dtype=np.int32),
            "data": [row.tobytes() for row in rows],
        },
    )


def load_matrix(
    db: DuckDBPyConnection, dimension: int, first: int = 0, rows: int | None = None
) -> tuple[Ints, npt.NDArray[np.float16]]:
    """The numbers, and the vectors float16 [n, dimension], of the vectors from number `first` on, in order.

    `rows`: at most so many.
    """
    found = columns(db, "select seq, data from vector where seq >= ? order by seq limit ?", [first, rows])
    joined = b"".join(found["data"].tolist())
    return found["seq"].astype(np.int64), np.frombuffer(joined, dtype=np.float16).reshape(-1, dimension)


def representatives(db: DuckDBPyConnection) -> dict[int, int]:
    """For each vector the number of the sentence unit that had it first."""
    found = columns(db, "select vector, min(seq) as unit from unit where vector is not null group by vector")
    return dict(zip(found["vector"].tolist(), found["unit"].tolist(), strict=True))


class VectorIndex:
    """The vectors of a store in memory, kept up to date while sessions are added.

    `nearest` is exact up to `hnsw_from` rows. Above, HNSW (Malkov & Yashunin 2018) answers for the rows that it has
    taken in, and exact search for the newer ones beside it. What a snapshot covers is searched exactly as well until
    `few` rows have been asked for: to load the snapshot for one session would cost many times what the session does.
    """

    def __init__(self, dimension: int, hnsw_from: int = HNSW_FROM, few: int = FEW) -> None:
        self._dimension = dimension
        self._hnsw_from = hnsw_from
        self._few = few
        self._asked = 0
        self._cold: tuple[Ints, npt.NDArray[np.float16]] | None = None  # the rows of a snapshot that is not loaded
        self._hnsw: snapshots.Hnsw | None = None
        self._saved = 0  # rows that the stored snapshot covers
        self._last = -1
        self._seqs = np.zeros(0, dtype=np.int64)
        self._tail = np.zeros((0, dimension), dtype=np.float32)  # the rows that HNSW has not
        self._used = 0

    @property
    def rows(self) -> int:
        """How many vectors there are."""
        taken_in = self._hnsw.rows if self._hnsw is not None else 0
        return self._used + taken_in + (len(self._cold[0]) if self._cold is not None else 0)

    def refresh(self, db: DuckDBPyConnection) -> None:
        """Takes in the vectors that the store has and this index has not."""
        if self._last < 0:
            self._open(db)
        elif self._cold is not None and self._asked > self._few:
            self._cold, self._used, self._last = None, 0, -1
            self._load_snapshot(db)
        self.extend(*load_matrix(db, self._dimension, self._last + 1))

    def _open(self, db: DuckDBPyConnection) -> None:
        stored = int(scalar(db, "select count(*) from vector"))
        if stored < self._hnsw_from:
            return
        covered = snapshots.covered(db, "hnsw")
        if covered and self._few:
            self._cold = load_matrix(db, self._dimension, rows=covered)
            self._last = int(self._cold[0][-1])
        else:
            self._load_snapshot(db)

    def _load_snapshot(self, db: DuckDBPyConnection) -> None:
        self._hnsw = snapshots.load_hnsw(db, self._dimension, int(scalar(db, "select count(*) from vector")))
        if self._hnsw is not None:
            self._saved = self._hnsw.rows
            self._last = int(scalar(db, "select seq from vector order by seq offset ? limit 1", [self._saved - 1]))

    def extend(self, seqs: Ints, matrix: npt.NDArray[np.float16]) -> None:
        """Appends rows with their vectors' numbers, ascending."""
        if not len(seqs):
            return
        needed = self._used + len(seqs)
        if needed > len(self._seqs):  # grown by half, so that appending costs what is appended
            room = max(needed, len(self._seqs) * 3 // 2)
            self._seqs = np.concatenate([self._seqs[: self._used], np.zeros(room - self._used, dtype=np.int64)])
            empty = np.zeros((room - self._used, self._dimension), dtype=np.float32)
            self._tail = np.concatenate([self._tail[: self._used], empty])
        self._seqs[self._used : needed] = seqs
        self._tail[self._used : needed] = matrix
        self._used, self._last = needed, int(seqs[-1])
        if self._cold is None and self.rows >= self._hnsw_from and self._used > STALE_SHARE * self.rows:
            self._absorb()

    def _absorb(self) -> None:
        self._hnsw = self._hnsw or snapshots.Hnsw(self._dimension)
        self._hnsw.add(self._seqs[: self._used], self._tail[: self._used])
        self._seqs, self._tail, self._used = self._seqs[:0].copy(), self._tail[:0].copy(), 0

    def nearest(self, queries: Floats, k: int) -> tuple[Ints, Floats]:
        """The numbers and cosines [n, k] of the k nearest rows of each query, best first; -1 where there are fewer."""
        best = _Best(len(queries), k)
        self._asked += len(queries)
        if self._hnsw is not None:
            best.merge(*self._hnsw.nearest(queries, k))
        if self._cold is not None:
            for seqs, rows in _blocks(*self._cold):
                best.merge_scores(cosines(queries, rows.astype(np.float32)), seqs)
        for seqs, rows in _blocks(self._seqs[: self._used], self._tail[: self._used]):
            best.merge_scores(cosines(queries, rows), seqs)
        return best.seqs, best.scores

    @property
    def snapshot_is_due(self) -> bool:
        """Whether HNSW has taken in much that its stored snapshot has not."""
        return self._hnsw is not None and self._hnsw.rows > self._saved

    def save(self, db: DuckDBPyConnection) -> None:
        """Stores the HNSW index as a snapshot."""
        if self._hnsw is not None:
            snapshots.save_hnsw(db, self._hnsw)
            self._saved = self._hnsw.rows


def steady(scores: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Cosines as they are in every run: BLAS sums in the order that memory happens to be aligned for."""
    return scores.astype(np.float64).round(6)


def _blocks(seqs: Ints, rows: npt.NDArray[Any]) -> Iterator[tuple[Ints, npt.NDArray[Any]]]:
    for at in range(0, len(seqs), _BLOCK):
        yield seqs[at : at + _BLOCK], rows[at : at + _BLOCK]


def cosines(queries: Floats, rows: Floats) -> Floats:
    """The cosines [n, m] of unit vectors [n, d] and [m, d].

    By one thread: these products are small, and BLAS's threads spin while the embedder needs the processor.
    """
    with _blas().limit(limits=1):
        found: Floats = queries @ rows.T
    return found


@lru_cache(maxsize=1)
def _blas() -> ThreadpoolController:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


class _Best:
    """The k best of several lists, a row a query: ties go to the smaller number, so that blocks do not matter."""

    def __init__(self, n: int, k: int) -> None:
        self.seqs = np.full((n, k), -1, dtype=np.int64)
        self.scores = np.full((n, k), -np.inf, dtype=np.float32)

    def merge_scores(self, scores: Floats, seqs: Ints) -> None:
        k = min(self.seqs.shape[1], scores.shape[1])
        if not k:
            return
        top = np.argpartition(-scores, k - 1, axis=1)[:, :k]
        self.merge(seqs[top], np.take_along_axis(scores, top, axis=1))

    def merge(self, seqs: Ints, scores: Floats) -> None:
        all_seqs = np.concatenate([self.seqs, seqs], axis=1)
        all_scores = np.concatenate([self.scores, scores.astype(np.float32)], axis=1)
        order = np.lexsort((all_seqs, -all_scores), axis=1)[:, : self.seqs.shape[1]]
        self.seqs = np.take_along_axis(all_seqs, order, axis=1)
        self.scores = np.take_along_axis(all_scores, order, axis=1)
