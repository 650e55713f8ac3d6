"""`ontology`: what people assert of themselves, matched with what they ask for (ontology-guided memory).

`docs/strategies/ontology.md` maps the paper's parts to functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ..languages.base import NAMELESS, PREFERENCE
from ..model import Hit, Kind, Needs, Query
from ..ranking import router, unified
from ..ranking.arrays import group_best, group_max, group_sum, top
from ..ranking.router import Plan, Policy
from ..ranking.unified import Combiner
from ..store.cosine import cosines, unit_rows
from ..store.views.assertions import AssertionIndex, assertion_index, strengths
from ..store.views.view import View
from .base import cut, left_out
from .recent import profiled

__all__ = ["PARTS", "Ontology", "Signals", "expand", "inputs", "signals", "variant"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Vector = npt.NDArray[np.float32]
#: The signals of the two views for every turn, by name: `unified.GRAPH` and `unified.DENSE`.
Signals = tuple[dict[str, Floats], dict[str, Floats]]

#: What an ablation can leave out.
PARTS = ("lifting", "consistency", "router", "profile", "expansion")
#: Assertions, or sentences, whose mean is added to the question for the one expansion (Rocchio 1971).
_SEEDS = 5
#: The budget of candidates grows by this factor where the expansion is spent (B.1).
_BUDGET_FACTOR = 1.5
#: An expansion that would read more vectors than this is skipped: the latency guard, counted so that equal stores give
#: equal answers whatever else the machine does.
_GUARD = 400_000
#: After so many days an assertion's recency is a half.
_HALF_LIFE = 90.0


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
        allowed = plan.expand and "expansion" not in self.without and _affordable(view)
        if allowed and unified.uncertain(scores, graph, dense):
            expand(query, view, said, plan.lead, found)
            scores, graph, dense = self._score(view, plan, found)
            factor = max(factor, _BUDGET_FACTOR)
        rows = _candidates(view, query, plan, (graph, dense), max(factor, 1.0))
        traces = {"cosine": found[1]["question"], "graph": graph, "dense": dense}
        return cut(view, scores[rows], query.filters, k, {name: each[rows] for name, each in traces.items()}, rows)

    def _plan(self, query: Query, view: View, said: Floats) -> Plan:
        """The router's plan; without a router the rule that the graph leads where advice is sought."""
        if "router" in self.without:
            return router.PLANS[0 if query.question.seeks_advice else 2]
        return router.plan(_packaged()[2], inputs(query, view, said))

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


def signals(query: Query, view: View, said: Floats, lead: str) -> Signals:
    """Every turn's signals in both views. `said`: the cosine of the question with each sentence.

    Where the graph leads, tastes alone count, and the question is reworded to what one could have voiced.
    """
    wording = query.phrasings.get(PREFERENCE if lead == "graph" else NAMELESS, query.vector)
    second = view.cosines(wording[None])[0]
    dense = {
        "question": group_max(said, view.owner, view.n),
        "wording": group_max(second, view.owner, view.n),
        "turn": group_sum(second * view.weight, view.owner, view.n) / view.norms("turn"),
    }
    index = assertion_index(view)
    chosen = _of_those_named(query, view, index)
    if lead == "graph":
        chosen &= index.taste
    between: Vector = (query.vector + wording) * np.float32(0.5)
    return _graph(view, between, chosen), dense


def _of_those_named(query: Query, view: View, index: AssertionIndex) -> npt.NDArray[np.bool_]:
    """Which assertions count: those of the speakers that the question names; all, where it names none."""
    named = query.question.speakers
    if not named:
        return np.ones(len(index.rows), dtype=bool)
    asked = np.array([name in named for name in view.speaker_names], dtype=bool)
    counting: npt.NDArray[np.bool_] = asked[view.speaker_code[index.rows]]
    return counting


def _graph(view: View, vector: Vector, chosen: npt.NDArray[np.bool_]) -> dict[str, Floats]:
    """The paths from the question to a turn: to what it asserts (one hop), by a domain that the relation bears on
    (two), by a topic lifted to an edge of who said it (three); and how sure and how recent the assertion is.

    `chosen`: the assertions that count.
    """
    index = assertion_index(view)
    strength = view.once(strengths)
    paths = {
        "direct": cosines(vector, index.vectors) * (0.5 + 0.5 * index.confidence) * strength,
        "domain": _along(index.domains, index.domain, vector) * index.confidence * strength,
        "lifted": _along(index.topics, index.topic, vector) * index.lifted * strength,
        "sure": index.confidence,
        "recency": view.once(_recency),
    }
    return {name: group_best(each[chosen], index.rows[chosen], view.n) for name, each in paths.items()}


def _along(concepts: Vector, place: Ints, vector: Vector) -> Floats:
    """For each assertion the cosine of the question with its concept, 0 where that is negative or there is none."""
    if not len(concepts):
        return np.zeros(len(place))
    near = np.maximum(cosines(vector, concepts), 0.0)
    return np.where(place >= 0, near[place], 0.0)


def _recency(view: View) -> Floats:
    """For each assertion how recent it is, in [0, 1]: halved every 90 days before the last that was said."""
    days = view.days[assertion_index(view).rows]
    known = days[~np.isnan(days)]
    age = (known.max() if len(known) else 0.0) - days
    recent: Floats = np.nan_to_num(0.5 ** (age / _HALF_LIFE), nan=0.0)
    return recent


def expand(query: Query, view: View, said: Floats, lead: str, found: Signals) -> None:
    """Adds to the signals what one more step finds: a hop in the graph, where it leads, or else a dense probe (§3.3).

    The hop starts from the assertions that are nearest to the question, the probe from the nearest sentences.
    """
    graph, dense = found
    if lead == "graph":
        index = assertion_index(view)
        seeds = np.flatnonzero(index.taste)
        seeds = seeds[top(cosines(query.vector, index.vectors[seeds]), _SEEDS)]
        vector = _towards(index.vectors[seeds], query.vector)
        graph["hop"] = group_best(cosines(vector, index.vectors[index.taste]), index.rows[index.taste], view.n)
    else:
        seeds = top(said, _SEEDS)
        vector = _towards(view.vectors(seeds), query.vector)
        dense["probe"] = group_max(view.cosines(vector[None])[0], view.owner, view.n)


def _towards(seeds: Vector, vector: Vector) -> Vector:
    """The question's vector, moved to the mean of the seeds; of unit length."""
    moved = vector + (seeds.mean(axis=0) if len(seeds) else 0.0)
    of_length_one: Vector = unit_rows(moved.astype(np.float32)[None])[0]
    return of_length_one


def inputs(query: Query, view: View, said: Floats) -> dict[str, float]:
    """What the router is told (`router.INPUTS`). `said`: the cosine of the question with each sentence."""
    index = assertion_index(view)
    near = cosines(query.vector, index.vectors[index.taste])
    return {
        "advice": float(query.question.seeks_advice),
        "time": float(query.question.seeks_time),
        "named": float(bool(query.question.speakers)),
        "first_person": float(query.question.first_person),
        **_sharpness("graph", near),
        **_sharpness("dense", said),
        "domain_best": float(np.max(cosines(query.vector, index.domains), initial=0.0)),
    }


def _sharpness(name: str, near: Floats) -> dict[str, float]:
    best = near[top(near, 10)]
    drop = float(best[0] - best[-1]) if len(best) else 0.0
    return {f"{name}_best": float(best[0]) if len(best) else 0.0, f"{name}_drop": drop}


def _affordable(view: View) -> bool:
    return len(view.owner) + len(assertion_index(view).rows) <= _GUARD


def _candidates(view: View, query: Query, plan: Plan, views: tuple[Floats, Floats], factor: float) -> Ints:
    """The turns that either view may propose, by the plan's budgets: enough for all that is asked for."""
    allowed = np.flatnonzero(view.allowed(query.filters))
    graph, dense = views
    shares = ((graph, plan.graph_budget), (dense, plan.dense_budget))
    lists = [top(scores[allowed], int(np.ceil(budget * factor))) for scores, budget in shares]
    return allowed[np.unique(np.concatenate(lists))]
