"""Assertions as a view shows them: what may shape a ranking, and how far it does (Tag2Graph, step I)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...model import Kind
from ...model.relations import DOMAINS, PREFERENCES, SHAPING, RelationType
from ..cosine import unit_rows
from ..rows import UNKNOWN, Columns, columns
from .lookups import Lookup
from .view import View

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["AssertionIndex", "assertion_index", "strengths"]

Ints = npt.NDArray[np.int64]
Matrix = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]

#: By their units, each with its lifted topic, if it has one.
_ASSERTIONS = Lookup(
    """select a.unit, o.turn, m.data, a.relation, a.confidence, l.concept, coalesce(l.probability, 0) as probability
       from assertion a join memory m on m.unit = a.unit join source o on o.unit = a.unit
       left join belongs b on b.unit = a.unit
       left join lifted l on l.concept = b.concept and l.head = m.label and l.declined = '' where true""",
    column="a.unit",
    key="unit",
    order="order by a.unit",
)


@dataclass(frozen=True, slots=True, eq=False)
class AssertionIndex:
    """The assertions of a view that may shape a ranking (`relations.SHAPING`).

    For each the row of its turn, its vector float32 [m, d], its confidence, whether it voices a preference; the place
    of its topic among `topics` float32 [t, d], of unit length, where that was lifted to an edge of its head, with the
    edge's probability (else -1, and 0); and the place of its relation's domain among `domains` float32 [·, d], or -1.
    """

    rows: Ints
    vectors: Matrix
    confidence: Floats
    taste: npt.NDArray[np.bool_]
    topic: Ints
    lifted: Floats
    topics: Matrix
    domain: Ints
    domains: Matrix


def assertion_index(view: View) -> AssertionIndex:
    """The assertions of the view's turns; read once."""
    return view.once(_load)


def strengths(view: View) -> Floats:
    """The strength of each assertion of `assertion_index(view)`, in its order: 1 where nobody has said anything."""
    index, found = assertion_index(view), view.read(_strengths)
    if not len(found["turn"]):
        return np.ones(len(index.rows))
    named = found["turn"] != UNKNOWN
    by_row = np.full(view.n, found["value"][~named][0] if not named.all() else 1.0)
    rows = view.rows_of_numbers(found["turn"][named].astype(np.int64))
    by_row[rows[rows >= 0]] = found["value"][named][rows >= 0]
    return by_row[index.rows]


def _load(view: View) -> AssertionIndex:
    units = view.units(Kind.ASSERTION)
    found = view.read(_ASSERTIONS.all) if units is None else view.looked_up(_ASSERTIONS, units)
    concepts = view.whole.once(_concepts)
    rows = view.rows_of_numbers(found["turn"])
    kept = (rows >= 0) & (found["confidence"] >= SHAPING)
    own = {name: column[kept] for name, column in found.items()}
    relation = own["relation"].astype(str)
    used = np.unique(own["concept"][own["concept"] >= 0])
    domains = np.flatnonzero(concepts["kind"] == "domain")
    place = {str(concepts["name"][at]): number for number, at in enumerate(domains)}
    return AssertionIndex(
        rows[kept],
        _matrix(own["data"], np.float16, view.dimension),
        own["confidence"].astype(np.float64),
        np.isin(relation, sorted(PREFERENCES)),
        np.where(own["concept"] >= 0, np.searchsorted(used, own["concept"]), -1),
        np.nan_to_num(own["probability"].astype(np.float64)),
        unit_rows(_matrix(concepts["data"][np.isin(concepts["seq"], used)], np.float32, view.dimension)),
        np.array([place.get(DOMAINS.get(RelationType(each), ""), -1) for each in relation], dtype=np.int64),
        _matrix(concepts["data"][domains], np.float32, view.dimension),
    )


def _matrix(data: npt.NDArray[np.object_], dtype: type[np.floating], dimension: int) -> Matrix:
    return np.frombuffer(b"".join(data.tolist()), dtype=dtype).astype(np.float32).reshape(-1, dimension)


def _concepts(view: View) -> Columns:
    return view.read(lambda db: columns(db, "select seq, kind, name, data from concept order by seq"))


def _strengths(db: DuckDBPyConnection) -> Columns:
    """By the number of the turn; under `UNKNOWN` that of the turns that are not named."""
    return columns(
        db,
        """select t.seq as turn, s.value
           from strength s left join turn t on t.id = s.turn where t.id is not null or s.turn = ''""",
    )
