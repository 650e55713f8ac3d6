"""`emem` and `emem-g`: events and, in the latter, a walk over their arguments (EMem and EMem-G, Zhou & Han 2025).

`docs/strategies/emem.md` maps the paper's equations to the functions here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..languages.base import NAMELESS
from ..model import Hit, Kind, Needs, Query, Relation
from ..ranking.arrays import top, top_and_ties
from ..ranking.pagerank import pagerank
from ..store.cosine import cosines as cosines_of
from ..store.cosine import unit_rows
from ..store.views.events import EventGraph, event_graph
from ..store.views.view import View
from .base import mention_vectors, no_variant, ranked
from .filters import CandidateFilters, Thresholds

__all__ = ["EMem", "EMemG", "emem", "emem_g"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class EMem:
    """The most similar events that pass the filter (§3.4); how many there are is the filter's to say.

    `linked`: K_e, how many events are candidates.
    """

    linked: int = 30
    filters: CandidateFilters = Thresholds()  # noqa: RUF009
    needs: Needs = Needs(frozenset({Kind.TURN, Kind.EDU, Kind.CHUNK}))  # noqa: RUF009
    phrasings: Sequence[str] = (NAMELESS,)

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:
        """See `Strategy.retrieve`. Hits are EDUs and structured chunks."""
        graph = event_graph(view)
        if not graph.n:
            return []
        cosines, allowed = _cosines(query, graph), _allowed(query, view, graph)
        return ranked((hit for _, hit in _linked(query, view, graph, cosines, allowed, self.linked, self.filters)), k)


@dataclass(frozen=True, slots=True)
class EMemG:
    """The events that a walk from similar events and arguments comes to most (§3.3).

    The paper's parameters (§4.1): `linked` K_e events and `arguments` K_a arguments a mention are candidates, `seeds`
    arguments at most begin the walk. `damping` is the α of equation π = (1 − α)s + αTᵀπ, which is igraph's convention:
    the probability of going on.
    """

    linked: int = 30
    arguments: int = 10
    seeds: int = 30
    damping: float = 0.5
    filters: CandidateFilters = Thresholds()  # noqa: RUF009
    needs: Needs = Needs(  # noqa: RUF009
        frozenset({Kind.TURN, Kind.EDU, Kind.CHUNK, Kind.ARGUMENT}),
        frozenset({Relation.HAS_ARGUMENT, Relation.SYNONYM}),
    )
    phrasings: Sequence[str] = (NAMELESS,)

    def mentions(self, question: str, names: Sequence[str]) -> list[str]:
        """M(q), whose vectors it asks for."""
        return self.filters.mentions(question, names)

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:
        """See `Strategy.retrieve`. Hits are EDUs and structured chunks, by π(v_e)."""
        graph = event_graph(view)
        if not graph.n:
            return []
        cosines, allowed = _cosines(query, graph), _allowed(query, view, graph)
        kept = _linked(query, view, graph, cosines, allowed, self.linked, self.filters)
        seeds = np.zeros(graph.n + len(graph.texts) + graph.sessions)
        seeds[[place for place, _ in kept]] = [max(hit.score, 0.0) for _, hit in kept]
        seeds[graph.n : graph.n + len(graph.texts)] = self._argument_seeds(query, graph)
        source, target, weight = view.once(_edges)
        share = pagerank(source, target, weight, len(seeds), seeds, self.damping)[: graph.n]
        share = np.where(allowed, share, 0.0)
        chosen = top_and_ties(share, k)
        chosen = chosen[share[chosen] > 0]
        note = dict(kept[0][1].trace) if kept else {}
        hits = (
            Hit(unit, score, {**note, "cosine": float(cosines[place]), "seed": float(seeds[place])})
            for unit, place, score in zip(
                graph.units(view, chosen.tolist()), chosen.tolist(), share[chosen].tolist(), strict=True
            )
        )
        return ranked(hits, k)

    def _argument_seeds(self, query: Query, graph: EventGraph) -> Floats:
        """s(v_a) = sim(h(m), h(a)) of the kept arguments, of which the best begin the walk."""
        found = np.zeros(len(graph.texts))
        for vector in mention_vectors(query):
            near = cosines_of(vector, graph.argument_vectors)
            places = top(near, self.arguments)
            found[places] = np.maximum(found[places], near[places])
        candidates = top(found, int(np.count_nonzero(found > 0)))
        listed = [(graph.texts[place], float(found[place])) for place in candidates.tolist()]
        kept = candidates[self.filters.arguments(query.text, listed)] if listed else candidates
        seeds = np.zeros(len(found))
        seeds[kept[: self.seeds]] = found[kept[: self.seeds]]
        return seeds


def emem(name: str, filters: CandidateFilters | None = None) -> EMem:
    """The strategy with these filters of candidates; it has no variants. Raises UsageError."""
    no_variant(name, "emem")
    return EMem(filters=filters) if filters else EMem()


def emem_g(name: str, filters: CandidateFilters | None = None) -> EMemG:
    """The strategy with these filters of candidates; it has no variants. Raises UsageError."""
    no_variant(name, "emem-g")
    return EMemG(filters=filters) if filters else EMemG()


def _cosines(query: Query, graph: EventGraph) -> Floats:
    """sim(z_q, h(e)), of the question as it is asked and without the names in it: every event names its people."""
    vector = query.vector + query.phrasings.get(NAMELESS, query.vector)
    return cosines_of(unit_rows(vector[None])[0], graph.vectors)


def _allowed(query: Query, view: View, graph: EventGraph) -> npt.NDArray[np.bool_]:
    return graph.allowed(view.allowed(query.filters), unsupported=query.filters.unsupported)


def _linked(
    query: Query,
    view: View,
    graph: EventGraph,
    cosines: Floats,
    allowed: npt.NDArray[np.bool_],
    most: int,
    filters: CandidateFilters,
) -> list[tuple[int, Hit]]:
    """C^edu and of it what the filter keeps (§3.3), with their places; all of it where that is nothing."""
    places = np.flatnonzero(allowed)
    places = places[top(cosines[places], most)]
    units = graph.units(view, places.tolist())
    hits = [Hit(unit, score) for unit, score in zip(units, cosines[places].tolist(), strict=True)]
    kept = filters.events(query.text, hits)
    note = {"filter.kept": float(len(kept)), "filter.of": float(len(hits))}
    chosen = kept or range(len(hits))
    return [(int(places[i]), replace(hits[i], trace={"cosine": hits[i].score, **note})) for i in chosen]


def _edges(view: View) -> tuple[Ints, Ints, Floats]:
    """E of the whole graph (§3.2). Nodes: the events, then the arguments, then the sessions."""
    graph = event_graph(view)
    arguments, sessions = graph.n, graph.n + len(graph.texts)
    source = np.concatenate([graph.links[0], arguments + graph.synonyms[0], np.arange(graph.n)])
    target = np.concatenate([arguments + graph.links[1], arguments + graph.synonyms[1], sessions + graph.session])
    weight = np.concatenate([np.ones(len(graph.links[0])), graph.synonyms[2], np.ones(graph.n)])
    return source, target, weight
