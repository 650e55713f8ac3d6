"""Sentence vectors: one row a distinct sentence, exact search over them, and HNSW where exact search gets slow.

How a vector is stored, `packing` says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from . import hnsw, snapshots
from .cosine import exact, one_thread
from .hnsw import Hnsw
from .packing import packed, unpacked
from .rows import Columns, append, columns, columns_among, scalar

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "FEW",
    "HNSW_FROM",
    "VectorIndex",
    "add_vectors",
    "best_of",
    "count",
    "drop_vectors",
    "find_rows",
    "find_vectors",
    "load_matrix",
    "load_rows",
    "load_weighted_rows",
    "part_after",
    "sound",
]

Floats = npt.NDArray[np.float32]
Halves = npt.NDArray[np.float16]
Ints = npt.NDArray[np.int64]

#: From this many distinct sentences an HNSW index answers nearest-neighbour questions; below, exact search is as fast.
HNSW_FROM = 30_000
#: Up to so many rows that are asked for, exact search costs less than to load a snapshot of HNSW.
FEW = 300
#: HNSW takes in so many rows for each that is asked for: what it costs is in proportion to what is done.
_TAKEN_IN = 2
#: A snapshot is written again when it lags so many rows, and this share of all, behind: a few times at most.
_STALE_ROWS, _STALE_SHARE = 2000, 0.25
_AMONG = "hash in (select unnest(?::ubigint[]))"
_CELLS = 4_000_000  # cosines that are held at a time, so that memory stays flat
_FETCHED = 2048  # vectors that are objects of Python at a time
_PART = 20_000  # vectors that are read at a time, so that the store is held for a moment only
_UNSURE = 1e-4  # two cosines in float32 that differ by less may be the other way round


def find_vectors(db: DuckDBPyConnection, hashes: Sequence[int]) -> dict[int, int]:
    """The numbers of the vectors that the store has already, by the hash of their sentence."""
    found = columns(db, f"select hash, seq from vector where {_AMONG}", [list(dict.fromkeys(hashes))])
    return dict(zip(found["hash"].tolist(), found["seq"].tolist(), strict=True))


def find_rows(db: DuckDBPyConnection, hashes: Sequence[int], dimension: int) -> dict[int, Floats]:
    """The vectors float32 [d] that the store has already, by the hash of their sentence.

    Found by number: to look for hashes beside what they stand for reads all vectors.
    """
    places = {seq: hash_ for hash_, seq in find_vectors(db, hashes).items()}
    found = columns_among(db, "select seq, data from vector where seq in (select seq from among)", list(places))
    rows = unpacked(found["data"].tolist(), dimension).astype(np.float32)
    return {places[seq]: row for seq, row in zip(found["seq"].tolist(), rows, strict=True)}


def add_vectors(
    db: DuckDBPyConnection, first: int, hashes: Sequence[int], weights: Sequence[int], rows: Halves
) -> None:
    """Appends vectors under the numbers from `first` on."""
    append(
        db,
        "vector",
        {
            "seq": np.arange(first, first + len(hashes)),
            "hash": np.array(hashes, dtype=np.uint64),
            "weight": np.array(weights, dtype=np.int32),
            "data": packed(rows),
        },
    )


def drop_vectors(db: DuckDBPyConnection, numbers: str, parameters: Sequence[object] = ()) -> None:
    """Removes the vectors with these numbers, which are SQL and never from data, and their codes."""
    for table, column in (("code", "vector"), ("vector", "seq")):
        db.execute(f"delete from {table} where {column} in ({numbers})", parameters)


def part_after(db: DuckDBPyConnection, last: int, table: str = "vector") -> Columns:
    """The vectors next behind the number `last`, none at the end; in no order, since sorting costs more."""
    first = scalar(db, f"select min(seq) from {table} where seq > ?", [last])
    until = None if first is None else first + _PART - 1
    return columns(db, f"select * from {table} where seq between ? and ?", [first, until])


def count(db: DuckDBPyConnection) -> int:
    """How many vectors there are."""
    return int(scalar(db, "select count(*) from vector"))


def load_matrix(db: DuckDBPyConnection, dimension: int) -> tuple[Ints, Halves]:
    """The numbers, and the vectors float16 [n, dimension], of all vectors in order.

    They are stored in order, and taken over in parts: to have them sorted, and all at once, as objects of Python took
    twice the time and three times the memory.
    """
    vectors = count(db)
    seqs, rows = np.empty(vectors, dtype=np.int64), np.empty((vectors, dimension), dtype=np.float16)
    reading, done = db.execute("select seq, data from vector"), 0
    while part := reading.fetchmany(_FETCHED):
        numbers, data = zip(*part, strict=True)
        here = slice(done, done + len(part))
        seqs[here], rows[here] = numbers, unpacked(data, dimension)
        done += len(part)
    if (seqs[1:] < seqs[:-1]).any():  # somebody else's work
        order = np.argsort(seqs, kind="stable")
        seqs, rows = seqs[order], rows[order]
    return seqs, rows


def load_rows(db: DuckDBPyConnection, seqs: Sequence[int], dimension: int) -> Halves:
    """The vectors float16 [n, dimension] with these numbers, which ascend."""
    return load_weighted_rows(db, seqs, dimension)[1]


def load_weighted_rows(db: DuckDBPyConnection, seqs: Sequence[int] | Ints, dimension: int) -> tuple[Ints, Halves]:
    """The weights [n] and the vectors float16 [n, dimension] with these numbers, which ascend."""
    found = columns_among(db, "select seq, weight, data from vector where seq in (select seq from among)", seqs)
    order = np.argsort(found["seq"], kind="stable")  # as they lie, but for somebody else's work
    return found["weight"][order], unpacked(found["data"][order].tolist(), dimension)


def sound(rows: Halves) -> Halves:
    """The rows with 0 for what damage has made of a number."""
    return rows if np.isfinite(rows).all() else np.nan_to_num(rows, nan=0.0, posinf=0.0, neginf=0.0)


class VectorIndex:
    """The vectors of a store in memory, in the order of their numbers, and which of them are nearest to others.

    `nearest` is exact up to `hnsw_from` rows. Above, HNSW answers for the rows that it has taken in, and exact search
    for the others beside it; it takes them in bit by bit, as much is asked. Until `few` rows have been asked for there
    is no HNSW at all: to load its snapshot for one session would cost many times what the session does.
    """

    def __init__(self, dimension: int, hnsw_from: int = HNSW_FROM, few: int = FEW) -> None:
        self._dimension = dimension
        self._hnsw_from = hnsw_from
        self._few = few
        self._asked = 0
        self._rows: Halves = np.zeros((0, dimension), dtype=np.float16)
        self._hashes = np.zeros(0, dtype=np.uint64)
        self._last = -1  # the number of the last vector that was read
        self.rows = 0
        self._hnsw: Hnsw | None = None
        self._looked = False  # for a snapshot
        self._saved = 0  # rows that the stored snapshot covers

    def refresh(self, reading: Callable[[], AbstractContextManager[DuckDBPyConnection]], asking: int) -> None:
        """Takes in the vectors that the store has and this index has not; it is held for a part of them at a time.

        `asking`: for how many vectors the nearest ones are to be found next.
        """
        self._asked += asking
        while self._read_part(reading):
            pass
        if self._is_wanted() and not self._looked:
            self._looked = True
            with reading() as db:
                self._load_snapshot(db)

    def take(self, hashes: npt.NDArray[np.uint64], data: Sequence[bytes]) -> None:
        """Takes in these vectors, in this order, whatever else the store has."""
        self._extend(hashes, unpacked(data, self._dimension))

    def _read_part(self, reading: Callable[[], AbstractContextManager[DuckDBPyConnection]]) -> bool:
        """Takes in the next vectors; returns whether there were any."""
        with reading() as db:
            found = part_after(db, self._last)
        if not len(found["seq"]):
            return False
        order = np.argsort(found["seq"], kind="stable")  # as they lie, but for somebody else's work
        self._extend(found["hash"][order].astype(np.uint64), unpacked(found["data"][order].tolist(), self._dimension))
        self._last = int(found["seq"][order[-1]])
        return True

    def _extend(self, hashes: npt.NDArray[np.uint64], rows: Halves) -> None:
        needed = self.rows + len(hashes)
        if needed > len(self._hashes):  # grown by half, so that appending costs what is appended
            room = max(needed, len(self._hashes) * 3 // 2)
            self._hashes = np.concatenate([self._hashes[: self.rows], np.zeros(room - self.rows, dtype=np.uint64)])
            empty = np.zeros((room - self.rows, self._dimension), dtype=np.float16)
            self._rows = np.concatenate([self._rows[: self.rows], empty])
        self._hashes[self.rows : needed] = hashes
        self._rows[self.rows : needed] = sound(rows)
        self.rows = needed

    def hashes(self, places: Ints) -> npt.NDArray[np.uint64]:
        """The hashes of the sentences at these places."""
        return self._hashes[places] if len(self._hashes) else np.zeros(places.shape, dtype=np.uint64)

    def nearest(self, queries: Floats, k: int) -> tuple[Ints, npt.NDArray[np.float64]]:
        """The places and cosines [n, k] of the k nearest rows of each query, best first; -1 where there are fewer."""
        best = _Best(queries, k)
        covered = self._covered(queries, k, best)
        step = max(_CELLS // max(len(queries), 1), 512)
        with one_thread():
            for at in range(covered, self.rows, step):
                rows = self._rows[at : min(at + step, self.rows)].astype(np.float32)
                best.offer(queries @ rows.T, at)
        return best.settled(self._rows)

    def _covered(self, queries: Floats, k: int, best: _Best) -> int:
        """Has HNSW say what it knows; returns up to where it does."""
        self._take_in(_TAKEN_IN * len(queries))
        found = self._hnsw.nearest(queries, k) if self._hnsw is not None else None
        if self._hnsw is None or found is None:
            self._hnsw = None
            return 0
        best.suggest(found)
        return self._hnsw.rows

    def _is_wanted(self) -> bool:
        """Whether so much is asked for that HNSW is worth what it costs."""
        return self.rows >= self._hnsw_from and self._asked >= self._few

    def _take_in(self, most: int) -> None:
        if self._is_wanted():
            self._hnsw = self._hnsw or Hnsw(self._dimension)
            rows = self._rows[self._hnsw.rows : min(self._hnsw.rows + most, self.rows)]
            if len(rows):
                self._hnsw.add(rows.astype(np.float32))

    def _load_snapshot(self, db: DuckDBPyConnection) -> None:
        data = snapshots.load(db, snapshots.LINKS)
        covered = hnsw.rows_of(data[0]) if data is not None else 0
        if data is not None and 0 < covered <= self.rows:
            self._hnsw = hnsw.restored(data[0], self._rows[:covered].astype(np.float32))
            self._saved = self._hnsw.rows if self._hnsw is not None else 0

    def snapshot_is_due(self, *, at_last: bool = False) -> bool:
        """Whether HNSW has taken in much that its stored snapshot has not; `at_last`: or what else would be lost."""
        new = self._hnsw.rows - self._saved if self._hnsw is not None else 0
        share = 0.0 if at_last else _STALE_SHARE
        return new >= max(min(_STALE_ROWS, self._hnsw_from), share * self._saved)

    def snapshot(self) -> tuple[bytes, int]:
        """The links of the HNSW index, and how many rows they join: they are counted as stored from now on."""
        assert self._hnsw is not None
        self._saved = self._hnsw.rows
        return self._hnsw.links(), self._saved


class _Best:
    """The k best of several lists, a row a query: ties go to the smaller place, so that parts do not matter.

    Cosines in float32 choose whom to look at, and exact ones who is best.
    """

    def __init__(self, queries: Floats, k: int) -> None:
        self._queries = queries
        self._k = k
        self._scores = np.full((len(queries), k), -np.inf, dtype=np.float32)
        self._found: list[tuple[Ints, Ints, Floats]] = []

    def offer(self, scores: Floats, first: int) -> None:
        """The scores [n, m] of the rows at the places from `first` on."""
        k = min(self._k, scores.shape[1])
        top = np.partition(scores, scores.shape[1] - k, axis=1)[:, scores.shape[1] - k :]
        self._scores = np.sort(np.concatenate([self._scores, top], axis=1), axis=1)[:, -self._k :]
        query, place = np.nonzero(scores >= self._scores[:, :1] - _UNSURE)
        self._found.append((query, place + first, scores[query, place]))

    def suggest(self, places: Ints) -> None:
        """Places [n, m] that are to be looked at, whatever else there is."""
        query = np.repeat(np.arange(len(places)), places.shape[1])
        self._found.append((query, places.reshape(-1), np.full(places.size, np.inf, dtype=np.float32)))

    def settled(self, rows: Halves) -> tuple[Ints, npt.NDArray[np.float64]]:
        """The places and the exact cosines [n, k], best first; `rows` by place. -1 where there are fewer."""
        seqs = np.full((len(self._queries), self._k), -1, dtype=np.int64)
        cosines = np.full(seqs.shape, -np.inf)
        if self._found:
            query, place, score = map(np.concatenate, zip(*self._found, strict=True))
            kept = score >= self._scores[query, 0] - _UNSURE
            query, place = query[kept], place[kept]
            score = (exact(self._queries)[query] * exact(rows[place])).sum(axis=1).round(6)
            order, rank = _ranks(query, place, score, self._k)
            seqs[query[order], rank] = place[order]
            cosines[query[order], rank] = score[order]
        return seqs, cosines


def best_of(scores: npt.NDArray[np.float64], k: int, least: float) -> tuple[Ints, Ints]:
    """The places (row, column) of the k best of each row of scores [n, m] that are `least` or more, best first.

    Ties go to the smaller column.
    """
    k = min(k, scores.shape[1])
    bound = np.partition(scores, scores.shape[1] - k, axis=1)[:, scores.shape[1] - k, None]
    row, column = np.nonzero(scores >= np.maximum(bound, least))
    order, _ = _ranks(row, column, scores[row, column], k)
    return row[order], column[order]


def _ranks(row: Ints, place: Ints, score: npt.NDArray[np.float64], k: int) -> tuple[Ints, Ints]:
    """The order of these pairs, row by row and best first, without those behind the k-th; and the rank of each."""
    order = np.lexsort((place, -score, row))
    rank = np.arange(len(row)) - np.searchsorted(row[order], row[order])
    first = rank < k
    return order[first], rank[first]
