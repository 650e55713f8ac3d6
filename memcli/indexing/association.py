"""What a new session's units are associated with among the older ones': the accept set of a mixture (MemGAS §2.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..model import Relation
from ..ranking.mixture import accepted
from ..store import ledger, transcript, units
from ..store.connection import Store
from ..store.revision import bump_revision
from ..store.rows import transaction
from ..store.sharing import in_turns
from ..store.units import Joined
from ..store.views.associations import Nodes, load_nodes
from .plan import ASSOCIATIONS, Producer

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["CONSIDERED", "Associator", "associations"]

#: How many of the most similar older units a new one is compared with (the released code takes 20 to 30).
CONSIDERED = 30

_BATCH = 8  # sessions that are compared with all others together

Edges = list[Joined]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


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
            missing = ledger.unbuilt(db, {producer.name: producer.version})
            nodes = load_nodes(db, self._dimension) if missing else None
        if missing:
            self._watch(0, len(missing))
        for start in range(0, len(missing), _BATCH):
            assert nodes is not None
            found = associations(nodes, missing[start : start + _BATCH])
            write = partial(self._write, producer, len(missing))
            in_turns(self._store, enumerate(found.items(), start=start + 1), write)
        return len(missing)

    def _write(self, producer: Producer, of: int, db: DuckDBPyConnection, found: tuple[int, tuple[int, Edges]]) -> None:
        """One transaction a session. `found`: its place among all of them, its number and its edges."""
        done, (session, edges) = found
        with transaction(db):
            units.replace_edges(db, session, Relation.ASSOCIATED, edges)
            turns = transcript.turn_count(db, session)
            ledger.record_built(db, [ledger.Run(session, producer.name, producer.version, turns)])
            bump_revision(db)
        self._watch(done, of)


def associations(nodes: Nodes, sessions: Sequence[int]) -> dict[int, Edges]:
    """For each session the edges from its units to units of the sessions before it: their numbers, and the cosine."""
    new = np.flatnonzero(np.isin(nodes.session, sessions))
    cosines = nodes.cosines(nodes.pooled(new))
    return {session: list(_edges(nodes, session, new, cosines)) for session in sessions}


def _edges(nodes: Nodes, session: int, new: Ints, cosines: Floats) -> Iterator[Joined]:
    old, rows = np.flatnonzero(nodes.session < session), np.flatnonzero(nodes.session[new] == session)
    if not len(old) or not len(rows):
        return
    near = old[np.argsort(-cosines[np.ix_(rows, old)], axis=-1, kind="stable")[:, :CONSIDERED]]
    found = cosines[rows[:, None], near]
    for row, place in np.argwhere(accepted(found)).tolist():
        yield int(nodes.unit[new[rows[row]]]), int(nodes.unit[near[row, place]]), float(found[row, place])
