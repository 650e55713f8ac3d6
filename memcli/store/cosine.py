"""Cosines that are the same on every machine, with one thread and with many, in whatever order they are summed.

Sums of floating point numbers depend on their order, and BLAS chooses one by its build, its threads and where memory
happens to be aligned. So the factors are put on a grid that is so coarse that no sum is ever rounded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from .process_wide import ProcessWide

__all__ = ["cosines", "exact", "one_thread", "unit_rows"]

Floats = npt.NDArray[np.float64]
Vectors = npt.NDArray[np.float32] | npt.NDArray[np.float16]

#: float16, in which vectors are stored, has no finer number; float32 near 1 hardly one.
_ROW_GRID = 2.0**24
#: With that, 51 of the 53 bits that float64 has: sums up to 4 are exact, those of unit vectors and of sums of two.
_QUERY_GRID = 2.0**27
#: Rows that are widened at a time: as many as a processor's cache holds, which takes a quarter of the time of 4,096.
_BLOCK = 256
#: Multiplications from which on OpenBLAS shares a product out among threads, which then spin while they wait: what is
#: spread so gains nothing here, and took a third of the processor time of a cold search.
_SHARED_OUT = 2**18
#: Digits by which a cosine is told from another.
_DIGITS = 6


def cosines(queries: npt.NDArray[Any], rows: Vectors | Floats) -> Floats:
    """The products, to six digits, of queries float [q, d] or [d] with rows [n, d]: [q, n] or [n].

    Those of vectors of unit length are their cosines. Rows in float64 are
    `exact` already.
    """
    asked = _on_grid(queries, _QUERY_GRID)
    products: Floats = np.empty((*asked.shape[:-1], len(rows)))
    step = min(_BLOCK, _SHARED_OUT // max(asked.size, 1) + 1)
    for at in range(0, len(rows), step):
        products[..., at : at + step] = asked @ exact(rows[at : at + step]).T
    return products.round(_DIGITS, out=products)


def exact(rows: Vectors | Floats) -> Floats:
    """The rows on the grid, as `cosines` takes them: those in float64 are on it already, so that it is done once."""
    if rows.dtype == np.float32:
        return _on_grid(rows, _ROW_GRID)
    return rows.astype(np.float64, copy=False)


def unit_rows(rows: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The rows [n, d] at unit length; a row of zeros stays."""
    lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))  # numpy sums in one order, BLAS in many
    of_length_one: npt.NDArray[np.float32] = rows / np.maximum(lengths, np.float32(1e-9))
    return of_length_one


def _on_grid(values: npt.NDArray[Any], grid: float) -> Floats:
    found: Floats = np.round(values.astype(np.float64) * grid)
    found /= grid
    return found


def _bound() -> Callable[[], object]:
    from threadpoolctl import ThreadpoolController

    bound = ThreadpoolController().select(user_api="blas").limit(limits=1)
    take_back: Callable[[], object] = bound.restore_original_limits
    return take_back


#: BLAS keeps to one thread meanwhile: its own would spin while an embedder at work beside it needs the processor.
one_thread = ProcessWide(_bound)
