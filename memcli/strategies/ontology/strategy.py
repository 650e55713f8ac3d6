"""`ontology`: what people assert of themselves, matched with what they ask for (ontology-guided memory).

`docs/strategies/ontology.md` maps the paper's parts to functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ...languages.base import NAMELESS, PREFERENCE
from ...model import Hit, Kind, Needs, Query
from ...ranking.arrays import top
from ...store.views.view import View
from ..base import left_out, top_hits
from . import router, unified
from .expansion import BUDGET_FACTOR, affordable, expand
from .profile import profiled
from .router import Plan, Policy
from .signals import Signals, signals
from .unified import Combiner

__all__ = ["PARTS", "Ontology", "variant"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: What an ablation can leave out.
PARTS = ("lifting", "consistency", "router", "profile", "expansion")


@lru_cache(maxsize=1)
def _packaged() -> tuple[dict[str, Combiner], dict[str, Combiner], Policy]:
    trained = {lead: unified.combiner(lead) for lead in unified.LEADS}
    inconsistent = {lead: unified.combiner(f"{lead} without consistency") for lead in unified.LEADS}
    return trained, inconsistent, router.policy()


@dataclass(frozen=True, slots=True)
class Ontology:
    """Turns by the unified score of graph, dense and profile views (equation 1), under the plan that the router chose.

    `without`: parts that are left out, for ablations (`PARTS`).
    """

    without: frozenset[str] = frozenset()
    needs: Needs = Needs(frozenset({Kind.TURN, Kind.SENTENCE, Kind.ASSERTION}))  # noqa: RUF009
    phrasings: Sequence[str] = (NAMELESS, PREFERENCE)

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:
        """See `Strategy.retrieve`."""
        if not view.n:
            return []
        said = view.cosines(query.vector[None])[0]
        plan = self._plan(query, view, said)
        found = signals(query, view, said, plan.lead)
        scores, graph, dense = self._score(view, plan, found)
        factor = k / min(plan.graph_budget, plan.dense_budget)
        allowed = plan.expand and "expansion" not in self.without and affordable(view)
        if allowed and unified.uncertain(scores, graph, dense):
            expand(query, view, said, plan.lead, found)
            scores, graph, dense = self._score(view, plan, found)
            factor = max(factor, BUDGET_FACTOR)
        rows = _candidates(view, query, plan, (graph, dense), max(factor, 1.0))
        traces = {"cosine": found[1]["question"], "graph": graph, "dense": dense}
        return top_hits(view, scores[rows], query.filters, k, {name: each[rows] for name, each in traces.items()}, rows)

    def _plan(self, query: Query, view: View, said: Floats) -> Plan:
        """The router's plan; without a router the rule that the graph leads where advice is sought."""
        if "router" in self.without:
            return router.PLANS[0 if query.question.seeks_advice else 2]
        return router.plan(_packaged()[2], router.inputs(query, view, said))

    def _score(self, view: View, plan: Plan, found: Signals) -> tuple[Floats, Floats, Floats]:
        trained, inconsistent, _ = _packaged()
        combiner = (inconsistent if "consistency" in self.without else trained)[plan.lead]
        graph, dense = found
        if "lifting" in self.without:
            graph = graph | {"lifted": np.zeros(view.n)}
        profile = np.zeros(view.n) if "profile" in self.without else view.once(profiled)
        return combiner.scores(graph, dense, profile)


def variant(name: str, _filters: object = None) -> Ontology:
    """The whole strategy, or `without-PART` for an ablation, parts joined by `+`. Raises UsageError."""
    return Ontology(without=left_out(name, PARTS, "ontology"))


def _candidates(view: View, query: Query, plan: Plan, views: tuple[Floats, Floats], factor: float) -> Ints:
    """The turns that either view may propose, by the plan's budgets: enough for all that is asked for."""
    allowed = np.flatnonzero(view.allowed(query.filters))
    graph, dense = views
    shares = ((graph, plan.graph_budget), (dense, plan.dense_budget))
    lists = [top(scores[allowed], int(np.ceil(budget * factor))) for scores, budget in shares]
    return allowed[np.unique(np.concatenate(lists))]
