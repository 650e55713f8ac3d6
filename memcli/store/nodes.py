"""The nodes of the association graph: every session, turn, summary and keyword unit with a vector of its own.

Vectors of turns and sessions are pooled from their sentences' when they are asked for: they are never stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..model import Kind
from .rows import columns
from .vectors import load_matrix

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Nodes", "load_nodes"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """Units by number, with their session's number, their kind, and their vectors float32 [n, d] of unit length."""

    unit: Ints
    session: Ints
    kind: npt.NDArray[np.str_]
    vectors: Floats

    def only(self, keep: npt.NDArray[np.bool_] | Ints) -> Nodes:
        """Some of them."""
        return Nodes(self.unit[keep], self.session[keep], self.kind[keep], self.vectors[keep])


def load_nodes(db: DuckDBPyConnection, dimension: int) -> Nodes:
    """Every node of the open store, by the numbers of their units."""
    parts = [*_pooled(db, dimension), _generated(db, dimension)]
    found = Nodes(
        np.concatenate([part.unit for part in parts]),
        np.concatenate([part.session for part in parts]),
        np.concatenate([part.kind for part in parts]),
        np.concatenate([part.vectors for part in parts]),
    )
    return found.only(np.argsort(found.unit, kind="stable"))


def _pooled(db: DuckDBPyConnection, dimension: int) -> list[Nodes]:
    said = columns(
        db,
        """select o.turn, u.session, u.vector, v.weight from unit u join source o on o.unit = u.seq
           join vector v on v.seq = u.vector where u.kind = 'sentence' order by u.seq""",
    )
    seqs, matrix = load_matrix(db, dimension)
    rows = matrix[np.searchsorted(seqs, said["vector"])].astype(np.float32) * np.maximum(said["weight"], 1)[:, None]
    turns = columns(
        db,
        """select u.seq, u.session, o.turn as member from unit u join source o on o.unit = u.seq
           where u.kind = 'turn'""",
    )
    sessions = columns(db, "select seq, session, session as member from unit where kind = 'session'")
    return [
        _kind(Kind.TURN, turns, said["turn"], rows),
        _kind(Kind.SESSION, sessions, said["session"], rows),
    ]


def _kind(kind: Kind, units: dict[str, Ints], members: Ints, rows: Floats) -> Nodes:
    order = np.argsort(units["member"], kind="stable")
    member = units["member"][order]
    sums = _sums(rows, np.searchsorted(member, members), len(member))
    sums /= np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
    names = np.full(len(member), kind.value, dtype="<U16")
    return Nodes(units["seq"][order].astype(np.int64), units["session"][order].astype(np.int64), names, sums)


def _sums(rows: Floats, groups: Ints, count: int) -> Floats:
    """The sum of the rows of each group, float32 [count, d]; much faster than adding them up one by one."""
    sums = np.zeros((count, rows.shape[1]), dtype=np.float32)
    if len(groups):
        order = np.argsort(groups, kind="stable")
        starts = np.flatnonzero(np.r_[True, np.diff(groups[order]) != 0])
        sums[groups[order[starts]]] = np.add.reduceat(rows[order], starts, axis=0)
    return sums


def _generated(db: DuckDBPyConnection, dimension: int) -> Nodes:
    found = columns(
        db,
        """select u.seq, u.session, u.kind, m.data from unit u join memory m on m.unit = u.seq
           where u.kind in ('summary', 'keyword') order by u.seq""",
    )
    vectors = np.frombuffer(b"".join(found["data"].tolist()), dtype=np.float16).astype(np.float32)
    return Nodes(
        found["seq"].astype(np.int64),
        found["session"].astype(np.int64),
        found["kind"].astype("<U16"),
        vectors.reshape(-1, dimension),
    )
