"""How a sentence's vector is stored: a byte a number.

A vector of unit length is stored as its numbers in 127ths of the largest, rounded. Their proportions are all that
matters: brought back to unit length they need no scale beside them. A cosine of the encoder's then differs by some
0.0005 from what it was, and recall by nothing (`docs/speed.md`). Vectors of few numbers are stored as float16: of them
little is gained and much is lost. Both are read, wherever they stand.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["are_sound", "as_stored", "is_packable", "lengths", "packed", "stacked", "unpacked", "widened"]

Floats = npt.NDArray[np.float32]
Halves = npt.NDArray[np.float16]
Bytes = npt.NDArray[np.int8]
Doubles = npt.NDArray[np.float64]

#: Vectors of fewer numbers are stored as float16.
_LEAST = 64
_MOST = 127
#: Rows that are unpacked at a time: as many as a processor's cache holds.
_BLOCK = 256
#: Of the 53 digits that float64 has it leaves the eleven of float16.
_LARGE = 2.0**42 + 1


def is_packable(dimension: int) -> bool:
    """Whether vectors of so many numbers are stored in a byte each."""
    return dimension >= _LEAST


def packed(rows: Floats | Halves) -> list[bytes]:
    """Vectors [n, d] of unit length, or zeros, as they are stored."""
    halves = rows.astype(np.float16)  # from those of an older store comes what comes from the vectors as they are made
    if not is_packable(rows.shape[1]):
        return [row.tobytes() for row in halves]
    wide = halves.astype(np.float32)
    most = np.abs(wide).max(axis=1, keepdims=True, initial=0)
    numbers = np.rint(wide / np.where(most > 0, most, 1) * np.float32(_MOST)).astype(np.int8)
    return [row.tobytes() for row in numbers]


def unpacked(data: Sequence[bytes], dimension: int) -> Halves:
    """The vectors float16 [n, d] of what is stored. Raises ValueError for what is no vector of this dimension."""
    short = np.array([len(each) == dimension for each in data], dtype=bool)
    if short.all():
        return _of_bytes(data, dimension)
    if not short.any():
        return _of_halves(data, dimension)
    rows = np.empty((len(data), dimension), dtype=np.float16)
    rows[short] = _of_bytes([data[place] for place in np.flatnonzero(short).tolist()], dimension)
    rows[~short] = _of_halves([data[place] for place in np.flatnonzero(~short).tolist()], dimension)
    return rows


def are_sound(data: Sequence[bytes], dimension: int) -> list[bool]:
    """Which of these are vectors of this dimension: of unit length, or for nothing at all of zeros."""
    whole = [len(each) in (dimension, 2 * dimension) for each in data]
    rows = unpacked([each for each, good in zip(data, whole, strict=True) if good], dimension)
    with np.errstate(invalid="ignore", over="ignore"):
        lengths = np.linalg.norm(rows.astype(np.float32), axis=1)
        sound = iter((np.isfinite(lengths) & ((np.abs(lengths - 1.0) < 0.02) | (lengths == 0.0))).tolist())
    return [good and next(sound) for good in whole]


def as_stored(rows: Floats) -> Floats:
    """The vectors as they come back from the store: the same whether they were just made or read."""
    return unpacked(packed(rows), rows.shape[1]).astype(np.float32)


def _of_halves(data: Sequence[bytes], dimension: int) -> Halves:
    return np.frombuffer(b"".join(data), dtype=np.float16).reshape(-1, dimension)


def _of_bytes(data: Sequence[bytes], dimension: int) -> Halves:
    numbers = stacked(data, dimension)
    rows = np.empty(numbers.shape, dtype=np.float16)
    for at in range(0, len(numbers), _BLOCK):
        block = numbers[at : at + _BLOCK]
        rows[at : at + _BLOCK] = block / lengths(block)[:, None]
    return rows


def stacked(data: Sequence[bytes], dimension: int) -> Bytes:
    """The numbers int8 [n, d] of vectors that are stored in a byte each. Raises ValueError where one is not."""
    if any(len(each) != dimension for each in data):
        raise ValueError(f"not {dimension} bytes")
    return np.frombuffer(b"".join(data), dtype=np.int8).reshape(-1, dimension)


def lengths(numbers: Bytes) -> Doubles:
    """What each row of numbers [n, d] is divided by: its length; 1 of a row of zeros."""
    wide = numbers.astype(np.float64)  # sums of whole numbers are exact, in any order
    found: Doubles = np.maximum(np.sqrt(np.einsum("nd,nd->n", wide, wide)), 1.0)
    return found


def widened(numbers: Bytes, over: Doubles) -> Doubles:
    """The vectors [n, d] that `unpacked` makes of these numbers, to the last bit: as float64, and in half the time.

    `over`: their `lengths`. float16 keeps eleven digits of two, which a sum with a large multiple leaves of a number,
    too (Veltkamp's: Dekker 1971). None of these is so small that it keeps fewer: the least is 1 / (127 √d).
    """
    rows = np.empty(numbers.shape)
    for at in range(0, len(numbers), _BLOCK):
        block = rows[at : at + _BLOCK]
        np.divide(numbers[at : at + _BLOCK], over[at : at + _BLOCK, None], out=block)
        large = block * _LARGE
        np.subtract(large, large - block, out=block)
    return rows
