"""What the strategies learn: losses whose gradients are right, and policies that follow their rewards."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from memcli.indexing.ontology import lifting
from memcli.reading.network import Finding
from memcli.strategies.ontology import router, unified


@pytest.fixture
def fitting(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    import ontology_fitting

    yield ontology_fitting
    sys.modules.pop("ontology_fitting", None)


def _listed(fitting: ModuleType, count: int) -> list[object]:
    rng = np.random.default_rng(1)
    found = []
    for _ in range(count):
        graph, dense = rng.random((12, len(unified.GRAPH))), rng.random((12, len(unified.DENSE)))
        gold = np.zeros(12, dtype=bool)
        gold[int((graph[:, 0] + dense[:, 1]).argmax())] = True
        found.append(fitting.Listed(graph, dense, gold, 1.0))
    return found


@pytest.mark.parametrize("consistency", [0.0, 0.1, 3.0])
def test_the_gradient_of_the_views_loss_is_its_slope(fitting: ModuleType, consistency: float) -> None:
    problem = fitting._Problem.of(_listed(fitting, 5), consistency)
    at = np.random.default_rng(2).random(problem.columns)
    gradient = problem.loss(at)[1]
    for place in range(problem.columns):
        step = np.zeros(problem.columns)
        step[place] = 1e-5
        slope = (problem.loss(at + step)[0] - problem.loss(at - step)[0]) / 2e-5
        assert gradient[place] == pytest.approx(slope, abs=1e-6)


def test_consistency_is_nothing_where_the_views_agree(fitting: ModuleType) -> None:
    one = _listed(fitting, 1)
    size = min(len(unified.GRAPH), len(unified.DENSE))
    one[0].graph = np.zeros_like(one[0].graph)  # type: ignore[attr-defined]
    one[0].graph[:, :size] = one[0].dense[:, :size]  # type: ignore[attr-defined]
    with_it, without = (fitting._Problem.of(one, weight) for weight in (5.0, 0.0))
    same = np.r_[np.ones(size), np.zeros(len(unified.GRAPH) - size), np.ones(size)]
    assert with_it.loss(same)[0] == pytest.approx(without.loss(same)[0], abs=1e-9)


def test_the_views_learn_what_tells_the_evidence(fitting: ModuleType) -> None:
    found = fitting.fit_views(_listed(fitting, 200), 0.0)
    assert max(found["graph"], key=found["graph"].get) == unified.GRAPH[0]
    assert max(found["dense"], key=found["dense"].get) == unified.DENSE[1]
    assert sum(found["mix"].values()) == pytest.approx(1.0, abs=1e-4)


def test_the_router_follows_what_pays(fitting: ModuleType) -> None:
    """Where the dense view always pays, and asking for advice has nothing to do with it, the rule is unlearned."""
    rng = np.random.default_rng(3)
    inputs = rng.random((400, len(router.INPUTS)))
    dense_pays = np.array([float(plan.lead == "dense") for plan in router.PLANS])
    policy = fitting.fit_router(inputs, np.tile(dense_pays, (400, 1)), np.ones(400))
    leads = [router.PLANS[place].lead for place in policy.probabilities(inputs).argmax(axis=1)]
    assert leads.count("dense") > 380


def test_the_router_keeps_the_rule_where_nothing_pays_more(fitting: ModuleType) -> None:
    inputs = np.zeros((100, len(router.INPUTS)))
    inputs[::2, router.INPUTS.index("advice")] = 1.0
    policy = fitting.fit_router(inputs, np.full((100, len(router.PLANS)), 0.5), np.ones(100))
    leads = [router.PLANS[place] for place in policy.probabilities(inputs).argmax(axis=1)]
    assert all(each.lead == ("graph" if asked else "dense") for each, asked in zip(leads, inputs[:, 0], strict=True))
    assert not any(each.expand for each in leads)


def test_lifting_learns_that_many_contexts_foretell_a_return(fitting: ModuleType) -> None:
    rng = np.random.default_rng(4)
    rows = [dict(zip(lifting.FEATURES, rng.random(len(lifting.FEATURES)), strict=True)) for _ in range(300)]
    scorer = fitting.fit_lifting(rows, [row["contexts"] > 0.5 for row in rows])
    assert max(scorer.weights, key=scorer.weights.get) == "contexts"


def test_logits_are_stretched_to_those_of_another_network() -> None:
    """By hand: the means are 1 and 20, the spreads √½ and ten times that."""
    from reading import ReadCase, stretched

    case: Any = None
    own, others = (
        [ReadCase(case, [Finding(logit, 0.5, 0.5, ()) for logit in logits]) for logits in whole]
        for whole in (([0.0], [2.0, 1.0, 1.0]), ([10.0], [30.0, 20.0, 20.0]))
    )
    made = [[finding.answers for finding in each.findings] for each in stretched(own, others)]
    assert made == [[10.0], pytest.approx([30.0, 20.0, 20.0])]
