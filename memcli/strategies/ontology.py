"""`ontology`: what people assert of themselves, matched with what they ask for (ontology-guided memory, §3.2, §3.3).

`docs/strategies/ontology.md` says which of the paper's parts are here, and which are not yet.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..model import Hit, Kind, Needs, Query
from ..ranking.arrays import group_max
from ..ranking.phrasing import NAMELESS, PREFERENCE
from ..ranking.routing import seeks_advice
from ..relations import PREFERENCES, SHAPING
from ..store.assertions import assertion_index
from ..store.vectors import steady
from ..store.view import View
from .base import cut

__all__ = ["Ontology"]

Floats = npt.NDArray[np.float64]

#: Words of somebody who is choosing, beside those that ask for advice.
_CHOOSING = re.compile(r"\b(?:best|an? good|recommendations?|options)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ontology:
    """Turns by s(e, q) = w_g s_graph + w_d s_dense (equation 1; the profile's part, 0.10, is the same for all so far).

    A question for advice leads with the graph, by the paper's weights; any other with the dense view, and the graph
    only tells near ties apart. s_graph of a turn is the best cosine of what it asserts, times what the tagger is sure
    of; s_dense the best of its sentences.
    """

    graph_first: tuple[float, float] = (0.55, 0.35)
    dense_first: tuple[float, float] = (0.1, 0.9)
    needs: Needs = Needs(frozenset({Kind.TURN, Kind.SENTENCE, Kind.ASSERTION}))  # noqa: RUF009
    phrasings: Sequence[str] = (NAMELESS, PREFERENCE)

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:
        """See `Strategy.retrieve`."""
        if not view.n:
            return []
        advice = seeks_advice(query.text) or bool(_CHOOSING.search(query.text))
        other = query.phrasings.get(PREFERENCE if advice else NAMELESS, query.vector)
        graph = _graph(view, np.mean([query.vector, other], axis=0, dtype=np.float32), tastes=advice)
        cosines = view.cosines(np.stack([query.vector, other]))
        first, second = (group_max(row, view.owner, view.n) for row in cosines)
        weigh_graph, weigh_dense = self.graph_first if advice else self.dense_first
        dense = (first + second) / 2
        scores = weigh_graph * graph + weigh_dense * dense
        return cut(view, scores, query.filters, k, {"cosine": first, "graph": graph, "dense": dense})


def _graph(view: View, vector: npt.NDArray[np.float32], *, tastes: bool) -> Floats:
    """For each turn the best match among its assertions, 0 without one."""
    index = assertion_index(view)
    shaping = index.confidence >= SHAPING
    if tastes:
        shaping &= np.isin(index.relation, sorted(PREFERENCES))
    near = steady(index.vectors[shaping] @ vector) * (0.5 + 0.5 * index.confidence[shaping])
    found: Floats = np.zeros(view.n)
    np.maximum.at(found, index.rows[shaping], near)
    return found
