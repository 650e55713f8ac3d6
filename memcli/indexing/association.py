"""What a new session's units are associated with among the older ones': the accept set of a mixture (MemGAS §2.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ..model import Relation
from ..ranking.mixture import accepted
from ..store import units
from ..store.connection import Store
from ..store.nodes import Nodes, load_nodes
from ..store.rows import append, transaction
from .plan import ASSOCIATIONS, Producer

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["CONSIDERED", "Associator", "associations"]

#: How many of the most similar older units a new one is compared with (the released code takes 20 to 30).
CONSIDERED = 30

Edges = list[tuple[int, int, float]]


class Associator:
    """Runs the producer of associations. `watch` hears how many sessions are done of how many."""

    def __init__(
        self, store: Store, dimension: int, watch: Callable[[int, int], object] = lambda _done, _of: None
    ) -> None:
        self._store = store
        self._dimension = dimension
        self._watch = watch

    def run(self, producer: Producer = ASSOCIATIONS) -> int:
        """Associates every session that is not yet, or has grown since; returns how many. Raises StoreError."""
        with self._store.reading() as db:
            missing = units.unbuilt(db, {producer.name: producer.version})
            nodes = load_nodes(db, self._dimension) if missing else None
        for done, session in enumerate(missing, start=1):
            assert nodes is not None
            self._write(producer, session, associations(nodes, session))
            self._watch(done, len(missing))
        return len(missing)

    def _write(self, producer: Producer, session: int, edges: Edges) -> None:
        with self._store.writing() as db, transaction(db):
            own = "select seq from unit where session = ?"
            db.execute(f"delete from edge where relation = 'associated' and src in ({own})", [session])
            if edges:
                src, dst, weight = map(list, zip(*edges, strict=True))
                relation = [Relation.ASSOCIATED.value] * len(edges)
                append(db, "edge", {"src": src, "dst": dst, "relation": relation, "weight": weight})
            units.record_built(db, session, producer.name, producer.version, _turns(db, session))
            db.execute("update meta set value = (value::bigint + 1)::varchar where key = 'generation'")


def associations(nodes: Nodes, session: int) -> Edges:
    """Edges from each unit of a session to units of the sessions before it: their numbers, and the cosine."""
    new, old = nodes.only(nodes.session == session), nodes.only(nodes.session < session)
    if not len(old.unit):
        return []
    edges: Edges = []
    cosines = (new.vectors @ old.vectors.T).astype(np.float64)
    for unit, row in zip(new.unit.tolist(), cosines, strict=True):
        near = np.argsort(-row, kind="stable")[:CONSIDERED]
        kept = near[accepted(row[near])]
        edges.extend((unit, int(old.unit[place]), float(row[place])) for place in kept)
    return edges


def _turns(db: DuckDBPyConnection, session: int) -> int:
    return int(db.execute("select count(*) from turn where session = ?", [session]).fetchall()[0][0])
