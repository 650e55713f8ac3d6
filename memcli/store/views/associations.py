"""The association graph: every session, turn, summary and keyword unit with a vector of its own, and what joins them.

Vectors of turns and sessions are pooled from their sentences' when they are asked for: they are never stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...model import Kind
from ..cosine import cosines
from ..rows import Columns, columns
from ..vectors import load_matrix
from .view import View

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Nodes", "SpokenSentences", "associations", "load_nodes", "nodes"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class SpokenSentences:
    """What was said, sentence by sentence: the distinct vectors float16 [v, d], and of each of the sentences the row
    among them, its weight, and the places of its turn's and its session's node.
    """

    matrix: npt.NDArray[np.float16]
    row: Ints
    weight: Floats
    turn: Ints
    session: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """Units by number, with their session's number, their kind, and the length of their pooled vector.

    Those of `made`, by place, have a vector of their own: `vectors` float32 [m, d]. The cosine of a pooled vector is a
    sum of sentence cosines, so that no pooled vector is ever made but for the few that are asked for.
    """

    unit: Ints
    session: Ints
    kind: npt.NDArray[np.str_]
    norm: Floats
    said: SpokenSentences
    made: Ints
    vectors: Floats

    def cosines(self, queries: Floats) -> npt.NDArray[np.float64]:
        """The cosine of each query [q, d] with each node: [q, n]."""
        said, found = self.said, np.zeros((len(queries), len(self.unit)))
        weighed = cosines(queries, said.matrix)[:, said.row] * said.weight
        for places in (said.turn, said.session):
            for number, values in enumerate(weighed):
                found[number] += np.bincount(places, weights=values, minlength=len(self.unit))
        found /= self.norm
        found[:, self.made] = cosines(queries, self.vectors)
        return found

    def pooled(self, places: Ints) -> Floats:
        """The vectors float32 [m, d], of unit length, of the nodes at these places."""
        found = np.zeros((len(places), self.vectors.shape[1]), dtype=np.float32)
        number = np.full(len(self.unit), -1)
        number[places] = np.arange(len(places))
        for of in (self.said.turn, self.said.session):
            own = np.flatnonzero(number[of] >= 0)
            rows = self.said.matrix[self.said.row[own]].astype(np.float32) * self.said.weight[own, None]
            np.add.at(found, number[of[own]], rows)
        found /= np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)
        own = np.flatnonzero(number[self.made] >= 0)
        found[number[self.made[own]]] = self.vectors[own]
        return found


def nodes(view: View) -> Nodes:
    """The nodes of the association graph that belong to the view's sessions; read once."""
    return view.once(_nodes)


def associations(view: View) -> tuple[Ints, Ints, npt.NDArray[np.float64]]:
    """The associations between `nodes`, by their places: two ends and the cosine."""
    return view.once(_associations)


def load_nodes(db: DuckDBPyConnection, dimension: int, sessions: Ints | None = None) -> Nodes:
    """Every node of the open store, by the numbers of their units; of some sessions, by number, alone."""
    units = _of(
        columns(
            db,
            """select seq, session, kind, norm from unit where kind in ('session', 'turn', 'summary', 'keyword')
               order by seq""",
        ),
        sessions,
    )
    seqs, made = units["seq"].astype(np.int64), np.flatnonzero(np.isin(units["kind"].astype(str), _GENERATED))
    data = columns(
        db,
        """select m.unit, m.data from memory m join unit u on u.seq = m.unit
           where u.kind in ('summary', 'keyword') order by m.unit""",
    )
    own = data["data"][np.isin(data["unit"], seqs)]
    vectors = np.frombuffer(b"".join(own.tolist()), dtype=np.float16).astype(np.float32).reshape(-1, dimension)
    norm = np.fmax(units["norm"].astype(np.float32), 1e-9)  # what was generated has none
    said = _said(db, dimension, units, sessions)
    return Nodes(seqs, units["session"].astype(np.int64), units["kind"].astype("<U16"), norm, said, made, vectors)


_GENERATED = [Kind.SUMMARY.value, Kind.KEYWORD.value]


def _of(found: Columns, sessions: Ints | None) -> Columns:
    if sessions is None:
        return found
    keep = np.isin(found["session"], sessions)
    return {name: column[keep] for name, column in found.items()}


def _said(db: DuckDBPyConnection, dimension: int, units: Columns, sessions: Ints | None) -> SpokenSentences:
    said = _of(
        columns(
            db,
            """select o.turn, u.session, u.vector, v.weight from unit u join source o on o.unit = u.seq
               join vector v on v.seq = u.vector where u.kind = 'sentence' order by u.seq""",
        ),
        sessions,
    )
    members = columns(
        db, "select u.seq, o.turn from unit u join source o on o.unit = u.seq where u.kind = 'turn' order by o.turn"
    )
    seqs, matrix = load_matrix(db, dimension)
    whole = np.flatnonzero(units["kind"] == Kind.SESSION.value)
    whole = whole[np.argsort(units["session"][whole])]
    turn = members["seq"][np.searchsorted(members["turn"], said["turn"])]
    return SpokenSentences(
        matrix,
        np.searchsorted(seqs, said["vector"]).astype(np.int64),
        np.maximum(said["weight"], 1).astype(np.float32),
        np.searchsorted(units["seq"], turn).astype(np.int64),
        whole[np.searchsorted(units["session"][whole], said["session"])].astype(np.int64),
    )


def _nodes(view: View) -> Nodes:
    return view.read(partial(load_nodes, dimension=view.dimension, sessions=np.unique(view.session_numbers)))


def _associations(view: View) -> tuple[Ints, Ints, npt.NDArray[np.float64]]:
    found = view.read(_edges)
    units = nodes(view).unit
    ends = [np.minimum(np.searchsorted(units, found[end]), max(len(units) - 1, 0)) for end in ("src", "dst")]
    known = (units[ends[0]] == found["src"]) & (units[ends[1]] == found["dst"]) if len(units) else ends[0] > 0
    return ends[0][known], ends[1][known], found["weight"][known].astype(np.float64)


def _edges(db: DuckDBPyConnection) -> Columns:
    return columns(db, "select src, dst, weight from edge where relation = 'associated' order by src, dst")
