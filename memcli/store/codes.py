"""Codes: the signs of a vector's numbers, by which the nearest sentences of a large store are sought.

A code takes 48 bytes where its vector takes 768, and DuckDB compares them by itself: no vector is read of those that
are not near. These are random hyperplanes (Charikar 2002) without the planes: to turn the vectors first changed nothing
beyond the noise (`docs/scale.md`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .identity import dimension_of
from .packing import unpacked
from .revision import bump_revision
from .rows import Columns, append, columns, scalar, transaction
from .sharing import give_way

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from .connection import Store

__all__ = [
    "CODED_FROM",
    "Codes",
    "are_many",
    "distances",
    "fill",
    "in_order",
    "is_coded",
    "load",
    "nearest",
    "renew",
    "signs",
]

Codes = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]

#: From so many distinct sentences on they have codes, and strategies that can do so look at candidates alone: below, to
#: look at all of them takes no longer where it is done again and again (`docs/scale.md`).
CODED_FROM = 100_000
_WORDS = 6
_BITS = 64 * _WORDS
#: The next vectors: those behind the last one that has a code are found at once, others are looked for among all.
_UNCODED = "select v.seq, v.data from vector v {} order by v.seq limit ?"
_BEHIND = "where v.seq > (select max(vector) from code)"
_PART = 20_000  # vectors that are coded at a time: the store is held for a moment only
#: Codes that are compared at a time: as many as a processor's cache holds, which takes half the time of all at once.
_BLOCK = 16_384


def signs(rows: npt.NDArray[Any]) -> Codes:
    """The codes [n, 6] of vectors [n, d]: bit i of all 384 is whether number i is not negative.

    Of longer vectors the numbers 384 apart are summed; shorter ones are filled up with zeros.
    """
    padded = np.zeros((len(rows), -(-rows.shape[1] // _BITS) * _BITS), dtype=np.float32)
    padded[:, : rows.shape[1]] = rows
    folded = padded.reshape(len(rows), -1, _BITS).sum(axis=1)
    return np.packbits(folded >= 0, axis=1, bitorder="little").view("<u8")


def is_coded(db: DuckDBPyConnection) -> bool:
    """Whether the open store is large, and each of its vectors has a code."""
    vectors, codes = _counted(db)
    return vectors == codes >= CODED_FROM


def are_many(db: DuckDBPyConnection) -> bool:
    """Whether the open store is large, and hardly a vector of it has no code."""
    vectors, codes = _counted(db)
    return codes >= CODED_FROM and vectors - codes <= _PART


def load(db: DuckDBPyConnection) -> tuple[Ints, Codes]:
    """The numbers [n] and the codes [6, n] of all vectors, of those too that came after the last one with a code."""
    words = ", ".join(f"signs{word}" for word in range(_WORDS))
    found, later = columns(db, f"select vector, {words} from code"), columns(db, _UNCODED.format(_BEHIND), [_PART])
    own = _signed(db, later) if len(later["seq"]) else np.zeros((0, _WORDS), dtype=np.uint64)
    of_words = [np.concatenate([found[f"signs{word}"], own[:, word]]) for word in range(_WORDS)]
    return np.concatenate([found["vector"], later["seq"]]).astype(np.int64), np.stack(of_words).astype(np.uint64)


def distances(codes: Codes, code: Codes) -> npt.NDArray[np.uint16]:
    """In how many signs each of the codes [6, n] differs from the code [6]: [n]."""
    differing = np.empty(codes.shape[1], dtype=np.uint16)
    for at in range(0, len(differing), _BLOCK):
        signs = np.bitwise_count(codes[:, at : at + _BLOCK] ^ code[:, None])
        signs.sum(axis=0, dtype=np.uint16, out=differing[at : at + _BLOCK])
    return differing


def fill(store: Store, least: int = CODED_FROM, pause: Callable[[float], object] = give_way) -> None:
    """Gives the vectors of a store of `least` or more that have no code one, in one holding of the store or several.

    `pause` is told after each but the last for how long the store was held. Raises StoreError.
    """
    with store.reading() as db:
        vectors, codes = _counted(db)
    left = vectors >= least and codes < vectors
    while left:
        with store.writing() as db, transaction(db):
            started = time.monotonic()
            left = _fill_part(db)
            if not left:
                bump_revision(db)
        if left:
            pause(time.monotonic() - started)


def renew(db: DuckDBPyConnection) -> None:
    """Makes the codes of the open store again."""
    db.execute("delete from code")
    while _fill_part(db):
        pass


def _counted(db: DuckDBPyConnection) -> tuple[int, int]:
    return int(scalar(db, "select count(*) from vector")), int(scalar(db, "select count(*) from code"))


def _fill_part(db: DuckDBPyConnection) -> bool:
    """Codes the next vectors; returns whether there may be more."""
    found = columns(db, _UNCODED.format(_BEHIND), [_PART])
    if not len(found["seq"]):  # the first of all, or somebody else's work
        found = columns(db, _UNCODED.format("anti join code c on c.vector = v.seq"), [_PART])
    if not len(found["seq"]):
        return False
    coded = _signed(db, found)
    append(db, "code", {"vector": found["seq"], **{f"signs{word}": coded[:, word] for word in range(_WORDS)}})
    return len(coded) == _PART


def _signed(db: DuckDBPyConnection, found: Columns) -> Codes:
    return signs(unpacked(found["data"].tolist(), dimension_of(db)))


def nearest(
    db: DuckDBPyConnection, queries: npt.NDArray[np.float32], most: int, turns: str, parameters: Mapping[str, object]
) -> Columns:
    """For each `query` of [q, d], by its number, the `vector`s that are nearest by code, with their `distance`, and
    each `session` that has one of them, by their numbers.

    `most`: how many vectors; `turns`: whose may be, as SQL over `parameters`; empty: everybody's.
    """
    said = f"""select u.vector from unit u join source o on o.unit = u.seq
        where u.kind = 'sentence' and o.turn in ({turns})"""
    among = f"where vector in ({said})" if turns else ""
    inside = f"and u.session in (select session from turn where seq in ({turns}))" if turns else ""
    near = " union all ".join(
        f"select * from (select {query} as query, vector, {_distance(query)} as distance from code {among}"
        f" order by distance, vector limit {most:d})"
        for query in range(len(queries))
    )
    return columns(
        db,
        f"""select distinct n.query, n.distance, n.vector::bigint as vector, u.session::bigint as session
            from ({near}) n join unit u on u.vector = n.vector where u.kind = 'sentence' {inside}""",
        {**_named(signs(queries)), **parameters},
    )


def in_order(near: Columns, queries: int, most: int) -> list[list[int]]:
    """For each query the sessions that hold the `most` nearest vectors of what `nearest` found, best first.

    By all of these that a session holds: by how much each is nearer than the farthest.
    """
    found = []
    for query in range(queries):
        here = np.flatnonzero(near["query"] == query)
        here = here[np.lexsort((near["vector"][here], near["distance"][here]))]
        here = here[_ordinal(near["vector"][here]) < most]
        distance = near["distance"][here]
        sessions, place = np.unique(near["session"][here], return_inverse=True)
        nearer = np.bincount(place, distance.max(initial=0) - distance, len(sessions))
        found.append(sessions[np.lexsort((sessions, -nearer))].tolist())
    return found


def _ordinal(vectors: Ints) -> Ints:
    """For each of these how many distinct ones stand before it; equal ones stand together."""
    before: Ints = np.cumsum(np.r_[0, vectors[1:] != vectors[:-1]][: len(vectors)])
    return before


def _distance(query: int) -> str:
    """How many signs of a code differ from those of the query, as SQL over the parameters that `_named` names."""
    return " + ".join(f"bit_count(xor(signs{word}, ${_name(query, word)}))::integer" for word in range(_WORDS))


def _named(codes: Codes) -> dict[str, int]:
    return {_name(query, word): value for query, code in enumerate(codes.tolist()) for word, value in enumerate(code)}


def _name(query: int, word: int) -> str:
    return f"signs{query}_{word}"
