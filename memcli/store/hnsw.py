"""An HNSW index (Malkov & Yashunin 2018) that is stored as its links alone, and believed only where they are sound.

hnswlib follows the links of what it loads without looking at them, so that a file from somebody else could lead it
anywhere. What is stored here are the links; the vectors are the store's own, and every link is looked at first.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Hnsw", "restored", "rows_of"]

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Links = npt.NDArray[np.uint32]

_M = 16  # neighbours of a row in each layer, and twice as many in the lowest: the paper's M
_LOWEST = 2 * _M
_BEAM = 100  # the paper's ef, while building and, at least, while searching
_HIGHEST = 64  # no index has so many layers: their number grows with the logarithm of the rows
_HEADER = struct.Struct("<4sII")  # what it is and its version, rows, the row at which a search begins
_MAGIC = b"mcl1"
_BUILT = {"max_elements": 1, "M": _M, "ef_construction": _BEAM, "random_seed": 0}


class Hnsw:
    """An hnswlib index over unit vectors by inner product, built by one thread so that it is reproducible.

    Rows are numbered in the order in which they are added, from 0.
    """

    def __init__(self, dimension: int, state: dict[str, Any] | None = None) -> None:
        import hnswlib

        self.rows = 0
        if state is None:
            self._index = hnswlib.Index(space="ip", dim=dimension)
            self._index.init_index(**_BUILT)
        else:  # of an object that nothing has made yet: hnswlib would lose what one had
            self._index = hnswlib.Index.__new__(hnswlib.Index)
            self._index.__setstate__((state,))
            self.rows = int(state["cur_element_count"])
        self._index.set_num_threads(1)

    def add(self, rows: Floats) -> None:
        """Adds rows float32 [n, d]."""
        numbers = np.arange(self.rows, self.rows + len(rows))
        self._index.resize_index(self.rows + len(rows))
        self._index.add_items(rows, numbers)
        self.rows += len(rows)

    def nearest(self, queries: Floats, k: int) -> Ints | None:
        """The numbers [q, k] of the (about) k nearest rows of each query; None where the links lead to fewer."""
        k = min(k, self.rows)  # hnswlib raises where k exceeds what it holds
        self._index.set_ef(max(_BEAM, 2 * k))
        try:
            labels, _ = self._index.knn_query(queries, k=k)
        except RuntimeError:
            return None
        found: Ints = labels.astype(np.int64)
        return found

    def links(self) -> bytes:
        """What `restored` makes the index of again, with the same vectors."""
        state = self._index.__getstate__()[0]
        levels = state["element_levels"].astype(np.uint8)
        lowest = _lowest(state)[:, : 4 * (1 + _LOWEST)]
        header = _HEADER.pack(_MAGIC, self.rows, state["enterpoint_node"])
        return b"".join((header, levels.tobytes(), lowest.tobytes(), state["link_lists"].tobytes()))


def rows_of(data: bytes) -> int:
    """How many rows these links join; 0 where they are no sound links."""
    found = _read(data)
    return len(found.levels) if found is not None else 0


def restored(data: bytes, rows: Floats) -> Hnsw | None:
    """The index over `rows` float32 [n, d] of which `data` are the links; None where they are not sound ones of it."""
    found = _read(data)
    if found is None or len(found.levels) != len(rows):
        return None
    empty = Hnsw(rows.shape[1])
    empty.add(rows[:1])
    state = empty._index.__getstate__()[0]  # for all that is the same in every index of these parameters
    elements = np.zeros((len(rows), state["size_data_per_element"]), dtype=np.uint8)
    for at, values in (
        (state["offset_level0"], found.lowest),
        (state["offset_data"], np.ascontiguousarray(rows, dtype=np.float32)),
        (state["label_offset"], np.arange(len(rows), dtype=np.uint64)[:, None]),
    ):
        raw = values.view(np.uint8)
        elements[:, at : at + raw.shape[1]] = raw
    return Hnsw(rows.shape[1], state | _parts(found, elements))


def _parts(found: _Read, elements: npt.NDArray[np.uint8]) -> dict[str, Any]:
    """What of hnswlib's state differs from index to index."""
    count = len(found.levels)
    return {
        "max_elements": count,
        "cur_element_count": count,
        "max_level": int(found.levels.max()),
        "enterpoint_node": found.entry,
        "label_lookup_external": np.arange(count, dtype=np.uint64),
        "label_lookup_internal": np.arange(count, dtype=np.uint32),
        "element_levels": found.levels.astype(np.int32),
        "data_level0": elements.reshape(-1).view(np.int8),
        "link_lists": found.upper.reshape(-1).view(np.int8),
    }


def _lowest(state: dict[str, Any]) -> npt.NDArray[np.uint8]:
    rows: npt.NDArray[np.uint8] = state["data_level0"].view(np.uint8).reshape(state["cur_element_count"], -1)
    return rows[:, state["offset_level0"] :]


@dataclass(frozen=True, slots=True, eq=False)
class _Read:
    """Links that have been looked at: how many of the upper layers each row is in; its neighbours, their number first,
    in the lowest layer [n, 33] and, a row a layer, in the others [sum of levels, 17]; where a search begins.
    """

    levels: npt.NDArray[np.uint8]
    lowest: Links
    upper: Links
    entry: int


def _read(data: bytes) -> _Read | None:
    if len(data) < _HEADER.size:
        return None
    magic, rows, entry = _HEADER.unpack_from(data)
    at = _HEADER.size + rows
    end = at + rows * 4 * (1 + _LOWEST)
    if magic != _MAGIC or not entry < rows or len(data) < end:
        return None
    levels = np.frombuffer(data, np.uint8, rows, _HEADER.size)
    size = int(levels.sum(dtype=np.int64)) * 4 * (1 + _M)
    if len(data) != end + size or levels.max() > _HIGHEST or levels[entry] != levels.max():
        return None
    lowest = np.frombuffer(data[at:end], np.uint32).reshape(rows, 1 + _LOWEST)
    upper = np.frombuffer(data[end:], np.uint32).reshape(-1, 1 + _M)
    found = _Read(levels, lowest, upper, entry)
    return found if _is_sound(found) else None


def _is_sound(found: _Read) -> bool:
    """Whether every link of every layer leads to a row that is in that layer."""
    owner = np.repeat(np.arange(len(found.levels)), found.levels)
    starts = np.cumsum(found.levels, dtype=np.int64) - found.levels
    layer = np.arange(len(owner)) - starts[owner] + 1
    lowest = np.zeros(len(found.levels), dtype=np.int64)
    return all(_lead_inside(found, links, level) for links, level in ((found.lowest, lowest), (found.upper, layer)))


def _lead_inside(found: _Read, links: Links, layer: Ints) -> bool:
    counts, ends = links[:, 0], links[:, 1:]
    if (counts > ends.shape[1]).any():
        return False
    used = np.arange(ends.shape[1]) < counts[:, None]
    places, layers = ends[used], np.broadcast_to(layer[:, None], ends.shape)[used]
    return bool((places < len(found.levels)).all() and (found.levels[places] >= layers).all())
