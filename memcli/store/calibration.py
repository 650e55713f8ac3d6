"""How alike a store's sentences are that have nothing to do with one another: what it shows of its embedder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from .cosine import cosines
from .rows import columns, scalar
from .vectors import load_rows

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["LEAST_SENTENCES", "PAIRS", "keep", "kept", "strangers"]

#: Of fewer distinct sentences nothing is concluded.
LEAST_SENTENCES = 500
#: How many pairs are looked at, of at most so many sentences.
PAIRS = 10_000
_POOL = 2_000
_SEED = 1789
#: It goes with the embedder that it is of: see `identity`.
_KEY = "embedder.thresholds"


def strangers(db: DuckDBPyConnection, dimension: int) -> npt.NDArray[np.float64] | None:
    """The cosines of random pairs of distinct sentences of different sessions, a fixed sample of a store.

    None where there are too few sentences, or no two sessions.
    """
    if int(scalar(db, "select count(*) from vector")) < LEAST_SENTENCES:
        return None
    said = columns(
        db,
        """select u.vector, min(t.session) session from unit u join source o on o.unit = u.seq
        join turn t on t.seq = o.turn where u.kind = 'sentence' group by u.vector order by u.vector""",
    )
    draw = np.random.default_rng(_SEED)
    pool = np.sort(draw.permutation(len(said["vector"]))[:_POOL])
    session = said["session"][pool]
    rows = load_rows(db, said["vector"][pool].tolist(), dimension)
    one, other = draw.integers(len(pool), size=(2, 4 * PAIRS))
    apart = np.flatnonzero(session[one] != session[other])[:PAIRS]
    if len(apart) < PAIRS:
        return None
    alike = cosines(rows, rows)
    return np.asarray(alike[one[apart], other[apart]], dtype=np.float64)


def kept(db: DuckDBPyConnection) -> Mapping[str, float] | None:
    """The thresholds that were found for the store's embedder, by name, each a cosine.

    None where none were, or where what stands there is none: a store may come from somebody else.
    """
    found = scalar(db, "select value from meta where key = ?", [_KEY])
    try:
        read = json.loads(found or "null")
    except (ValueError, RecursionError):
        return None
    return read if isinstance(read, dict) and all(map(_is_cosine, read.values())) else None


def _is_cosine(value: object) -> bool:
    return isinstance(value, int | float) and -1 <= value <= 1


def keep(db: DuckDBPyConnection, thresholds: Mapping[str, float]) -> None:
    """Keeps them for as long as the store has this embedder."""
    db.execute("delete from meta where key = ?", [_KEY])
    db.execute("insert into meta values (?, ?)", [_KEY, json.dumps(dict(thresholds))])
