"""Structures that are costly to build, kept in the store as bytes: the HNSW index, and the graph's communities.

A snapshot bears the store's generation, the number of rows that it covers and a checksum. It may lag behind the
store; one that is broken is treated as missing. Nothing here is ever unpickled.
"""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from .rows import columns, scalar, transaction

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Hnsw", "covered", "generation", "load", "load_hnsw", "save", "save_hnsw", "state"]

_PART = 8 << 20
_NEIGHBOURS = 16  # M of the HNSW paper
_BEAM = 100  # ef while building and, at least, while searching


def generation(db: DuckDBPyConnection) -> int:
    """How many times the store has been written to."""
    return int(scalar(db, "select value from meta where key = 'generation'") or 0)


def save(db: DuckDBPyConnection, name: str, data: bytes, rows: int) -> None:
    """Stores `data` as the snapshot `name`, in one transaction, in place of the one before."""
    checksum = hashlib.sha256(data).hexdigest()
    with transaction(db):
        db.execute("delete from snapshot where name = ?", [name])
        for part, at in enumerate(range(0, max(len(data), 1), _PART)):
            db.execute(
                "insert into snapshot values (?, ?, ?, ?, ?, ?)",
                [name, part, generation(db), rows, checksum, data[at : at + _PART]],
            )


def load(db: DuckDBPyConnection, name: str) -> tuple[bytes, int, int] | None:
    """The snapshot's bytes, rows and generation; None where it is missing or its checksum is wrong."""
    found = columns(db, "select data, rows, generation, checksum from snapshot where name = ? order by part", [name])
    if not len(found["data"]):
        return None
    data = b"".join(found["data"].tolist())
    if hashlib.sha256(data).hexdigest() != found["checksum"][0]:
        return None
    return data, int(found["rows"][0]), int(found["generation"][0])


def covered(db: DuckDBPyConnection, name: str) -> int:
    """How many rows the snapshot `name` says that it covers, without reading it; 0 where there is none."""
    return int(scalar(db, "select coalesce(max(rows), 0) from snapshot where name = ?", [name]))


def state(db: DuckDBPyConnection) -> dict[str, str]:
    """For each snapshot in the store: `sound` or `broken`."""
    names = [n for (n,) in db.execute("select distinct name from snapshot order by name").fetchall()]
    return {name: "broken" if load(db, name) is None else "sound" for name in names}


class Hnsw:
    """An hnswlib index over unit vectors by inner product, built by one thread so that it is reproducible."""

    def __init__(self, dimension: int, data: bytes | None = None, rows: int = 0) -> None:
        import hnswlib

        self._index = hnswlib.Index(space="ip", dim=dimension)
        self.rows = rows
        if data is None:
            self._index.init_index(max_elements=1, M=_NEIGHBOURS, ef_construction=_BEAM, random_seed=0)
        else:
            with tempfile.TemporaryDirectory() as folder:  # hnswlib reads and writes files only
                path = Path(folder, "index")
                path.write_bytes(data)
                self._index.load_index(str(path), max_elements=rows)
        self._index.set_num_threads(1)

    def add(self, seqs: npt.NDArray[np.int64], rows: npt.NDArray[np.float32]) -> None:
        """Adds rows under their vectors' numbers."""
        self.rows += len(rows)
        self._index.resize_index(self.rows)
        self._index.add_items(rows, seqs)

    def nearest(
        self, queries: npt.NDArray[np.float32], k: int
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Numbers and cosines of the (about) k nearest rows of each query."""
        k = min(k, self.rows)  # hnswlib raises where k exceeds what it holds
        self._index.set_ef(max(_BEAM, 2 * k))
        labels, distances = self._index.knn_query(queries, k=k)
        return labels.astype(np.int64), (1.0 - distances).astype(np.float32)

    def to_bytes(self) -> bytes:
        """hnswlib's own save format."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "index")
            self._index.save_index(str(path))
            return path.read_bytes()


def save_hnsw(db: DuckDBPyConnection, index: Hnsw) -> None:
    """Stores the index as the snapshot `hnsw`."""
    save(db, "hnsw", index.to_bytes(), index.rows)


def load_hnsw(db: DuckDBPyConnection, dimension: int, rows: int) -> Hnsw | None:
    """The snapshot `hnsw`, which covers the first of the store's `rows` vectors; None where it is missing or broken."""
    found = load(db, "hnsw")
    if found is None or found[1] > rows:
        return None
    try:
        return Hnsw(dimension, found[0], found[1])
    except RuntimeError:
        return None
