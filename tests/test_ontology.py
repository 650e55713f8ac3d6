"""Assertions in the store, and what `ontology` makes of them for somebody who asks without naming their tastes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from memcli.errors import UsageError
from memcli.memory import Memory
from memcli.model import Filters
from memcli.store.views.assertions import assertion_index
from memcli.strategies.ontology import PARTS, Ontology, router, unified, variant
from memcli.strategies.ontology.expansion import expand
from memcli.strategies.ontology.router import inputs
from memcli.strategies.ontology.signals import signals

AT = datetime(2024, 6, 1, tzinfo=UTC)
SAID = (
    "I avoid hotels that are part of large resort complexes.",
    "The weather was fine and we walked along the river.",
    "I love ceramics, and I am allergic to peanuts.",
    "Have you seen the new bridge?",
)


def said(*texts: str, session: str = "s") -> list[dict[str, object]]:
    return [
        {"text": text, "speaker": "Ada", "session": session, "id": f"{session}{i}", "timestamp": "2024-05-20T10:00:00"}
        for i, text in enumerate(texts)
    ]


@pytest.fixture
def filled(memory: Memory, write: Callable[..., Path]) -> Memory:
    memory.ingest([write("a.jsonl", *said(*SAID))])
    memory.prepare(["ontology"])
    return memory


def stored(memory: Memory) -> list[tuple[str, str, bool]]:
    with memory.store.reading() as db:
        return db.execute("select relation, tail, negated from assertion order by unit").fetchall()


def test_assertions_are_stored_with_their_relation_and_their_turn(filled: Memory) -> None:
    found = stored(filled)
    assert {relation for relation, _, _ in found} >= {"avoids", "likes", "allergy"}
    assert any("resort" in tail for relation, tail, _ in found if relation == "avoids")
    index = assertion_index(filled.view())
    assert set(index.rows.tolist()) == {0, 2}
    assert np.linalg.norm(index.vectors, axis=1) == pytest.approx(1.0, abs=2e-3)


def test_session_after_session_is_the_same_as_all_at_once(
    filled: Memory, write: Callable[..., Path], tmp_path: Path
) -> None:
    more = said(*SAID, "I never eat mushrooms.")
    filled.ingest([write("b.jsonl", *more)])
    other = Memory(tmp_path / "other.memcli", embedder="fake")
    other.ingest([write("c.jsonl", *more)])
    other.prepare(["ontology"])
    assert stored(filled) == stored(other)
    assert any("mushroom" in tail for _, tail, _ in stored(filled))


def test_the_score_is_the_weighted_sum_of_its_parts(filled: Memory) -> None:
    """Equation 1, with what a trace says of each part; nothing was retrieved before: the profile adds nothing."""
    for text, lead in (("Can you recommend hotels?", "graph"), ("Who saw the bridge?", "dense")):
        query, view = filled.query(text, Filters(), AT, Ontology())
        by_graph, by_dense, _ = unified.combiner(lead).mix
        without_router = Ontology(frozenset({"router"}))
        for hit in without_router.retrieve(query, view, 10):
            expected = by_graph * hit.trace["graph"] + by_dense * hit.trace["dense"]
            assert hit.score == pytest.approx(expected, abs=1e-9)


def test_a_combiner_is_linear_in_its_views() -> None:
    combiner = unified.Combiner({"direct": 2.0, "hop": 1.0}, {"question": 3.0}, (0.5, 0.4, 0.1))
    score, graph, dense = combiner.scores(
        {"direct": np.array([1.0, 0.0])}, {"question": np.array([0.5, 1.0])}, np.array([0.0, 1.0])
    )
    assert graph.tolist() == [2.0, 0.0]
    assert dense.tolist() == [1.5, 3.0]
    assert score == pytest.approx([0.5 * 2 + 0.4 * 1.5, 0.4 * 3 + 0.1])


@pytest.mark.parametrize("lead", unified.LEADS)
def test_the_packaged_weights_sum_to_one_in_each_view_and_over_the_views(lead: str) -> None:
    combiner = unified.combiner(lead)
    assert sum(combiner.mix) == pytest.approx(1.0, abs=1e-4)
    assert combiner.mix[2] == 0.10
    for weights, names in ((combiner.graph, unified.GRAPH), (combiner.dense, unified.DENSE)):
        assert tuple(weights) == names
        assert sum(weights[name] for name in names[:-1]) == pytest.approx(1.0, abs=1e-4)
        assert min(weights.values()) >= 0.0


def test_scores_are_uncertain_where_they_are_flat_or_the_views_do_not_meet() -> None:
    steep, flat = np.r_[np.linspace(2, 1, 10), np.zeros(20)], np.r_[np.linspace(1.01, 1, 10), np.zeros(20)]
    assert not unified.uncertain(steep, steep, steep)
    assert unified.uncertain(flat, flat, flat)
    assert unified.uncertain(steep, steep, steep[::-1].copy())
    assert not unified.uncertain(steep[:10], steep[:10], steep[:10])  # everything is shown anyway


def test_the_policy_is_two_layers_and_a_softmax() -> None:
    hidden, out = np.zeros((len(router.INPUTS), 2)), np.zeros((2, len(router.PLANS)))
    hidden[0] = [1.0, 0.0]
    out[0, 3] = 2.0
    policy = router.Policy(
        np.zeros(len(router.INPUTS)), np.ones(len(router.INPUTS)), hidden, np.zeros(2), out, np.zeros(len(router.PLANS))
    )
    told = dict.fromkeys(router.INPUTS, 0.0)
    assert policy.probabilities(np.zeros(len(router.INPUTS))) == pytest.approx(np.full(4, 0.25))
    raised = np.exp(2 * np.tanh(0.5))
    assert policy.probabilities(np.array([0.5] + [0.0] * (len(router.INPUTS) - 1)))[3] == pytest.approx(
        raised / (raised + 3)
    )
    assert router.plan(policy, told | {router.INPUTS[0]: 0.5}) == router.Plan("dense", 24, 40, expand=True)


def test_the_packaged_router_lets_tastes_lead_where_advice_is_sought(filled: Memory) -> None:
    view = filled.view()
    for text, lead in (("Can you recommend a hotel for me?", "graph"), ("When did Ada see the new bridge?", "dense")):
        query, _ = filled.query(text, Filters(), AT, Ontology())
        told = inputs(query, view, view.cosines(query.vector[None])[0])
        assert router.plan(router.policy(), told).lead == lead


def test_a_restaurant_leads_to_an_allergy_by_the_domain_of_food(filled: Memory) -> None:
    query, view = filled.query("food: what to eat, dishes, restaurants, recipes, snacks", Filters(), AT, Ontology())
    graph, _ = signals(query, view, view.cosines(query.vector[None])[0], "graph")
    index = assertion_index(view)
    allergic = index.rows[index.domain >= 0]
    assert allergic.tolist() == [2]
    between = (query.vector + query.phrasings["preference"]) / 2
    expected = max(0.0, float(index.domains[0] @ between)) * index.confidence[index.domain >= 0][0]
    assert graph["domain"][2] == pytest.approx(expected, abs=1e-5)
    assert np.count_nonzero(graph["domain"]) <= 1


@pytest.mark.parametrize("lead", unified.LEADS)
def test_an_expansion_adds_one_signal_to_the_view_that_leads(filled: Memory, lead: str) -> None:
    query, view = filled.query("Can you recommend hotels?", Filters(), AT, Ontology())
    said_near = view.cosines(query.vector[None])[0]
    found = signals(query, view, said_near, lead)
    before = [set(each) for each in found]
    expand(query, view, said_near, lead, found)
    after = [set(each) - had for each, had in zip(found, before, strict=True)]
    assert after == ([{"hop"}, set()] if lead == "graph" else [set(), {"probe"}])


@pytest.mark.parametrize("part", PARTS)
def test_every_part_can_be_left_out(filled: Memory, part: str) -> None:
    found = filled.search("Can you recommend hotels?", k=3, strategy=f"ontology:without-{part}")
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    assert len(found) == 3


def test_a_part_that_there_is_not_cannot_be_left_out() -> None:
    with pytest.raises(UsageError, match="no variant"):
        variant("without-memory")


def test_a_taste_goes_before_words_that_are_nearer(filled: Memory) -> None:
    query, view = filled.query("Can you recommend hotels in large cities?", Filters(), AT, Ontology())
    first = Ontology().retrieve(query, view, 4)[0]
    assert "resort complexes" in first.unit.text
    assert first.trace["graph"] > 0


def test_what_says_nothing_of_anybody_is_no_part_of_the_graph(filled: Memory) -> None:
    query, view = filled.query("Can you suggest a river walk?", Filters(), AT, Ontology())
    graph = {hit.unit.text: hit.trace["graph"] for hit in Ontology().retrieve(query, view, 4)}
    assert graph[SAID[1]] == graph[SAID[3]] == 0.0
