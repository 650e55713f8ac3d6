"""The parts of MemGAS, each against what can be worked out by hand, and the strategy over a store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from math import log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.errors import UsageError
from memcli.indexing.association import CONSIDERED, associations
from memcli.languages.base import NAMELESS
from memcli.memory import Memory
from memcli.model import Filters, Kind, Query
from memcli.ranking.arrays import softmax
from memcli.ranking.entropy import entropy, router_weights
from memcli.ranking.mixture import accepted, two_gaussians
from memcli.store.views.associations import Nodes, SpokenSentences, nodes
from memcli.strategies import strategy
from memcli.strategies.memgas import PARTS, MemGAS
from tests.conftest import Ran

AT = datetime(2025, 3, 1, tzinfo=UTC)


def test_softmax_and_entropy_by_hand() -> None:
    assert softmax(np.array([1.0, 1.0]), 0.2).tolist() == [0.5, 0.5]
    # exp(0.2 / 0.2) = e: shares e / (1 + e) and 1 / (1 + e).
    assert softmax(np.array([0.2, 0.0]), 0.2)[0] == pytest.approx(0.731059, abs=1e-6)
    assert entropy(np.array([0.25] * 4)) == pytest.approx(log(4))
    assert entropy(np.array([1.0, 0.0])) == 0.0


def test_the_router_by_hand() -> None:
    # 1/1, 1/2, 1/4 over their sum of 7/4.
    assert router_weights([1.0, 2.0, 4.0]) == pytest.approx([4 / 7, 2 / 7, 1 / 7])
    assert router_weights([3.0] * 4) == pytest.approx([0.25] * 4)


@given(st.lists(st.floats(0.0, 20.0), min_size=1, max_size=6))
def test_router_weights_are_shares_that_fall_with_entropy(entropies: list[float]) -> None:
    weights = router_weights(entropies)
    assert (weights >= 0).all()
    assert weights.sum() == pytest.approx(1.0)
    for a, b in zip(entropies, weights, strict=True):
        for c, d in zip(entropies, weights, strict=True):
            assert b >= d - 1e-12 if a <= c else b <= d + 1e-12


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 1000), st.integers(3, 10), st.integers(12, 25))
def test_the_mixture_recovers_planted_clusters(seed: int, near: int, far: int) -> None:
    rng = np.random.default_rng(seed)
    values = np.r_[rng.normal(0.75, 0.03, near), rng.normal(0.2, 0.05, far)]
    mean, deviation, weight = two_gaussians(values)
    assert mean == pytest.approx([values[near:].mean(), values[:near].mean()], abs=0.02)
    assert (deviation > 0).all()
    assert weight.sum() == pytest.approx(1.0)
    assert accepted(values).tolist() == [True] * near + [False] * far


def test_without_a_gap_a_threshold_decides() -> None:
    flat = np.linspace(0.2, 0.5, 30)
    share = accepted(flat).mean()
    assert 0.0 < share <= 0.6
    assert accepted(np.full(10, 0.4)).any()
    assert accepted(np.array([0.3])).tolist() == [True]
    assert accepted(np.zeros(0)).tolist() == []


@given(st.lists(st.floats(-1, 1), max_size=40))
def test_what_is_accepted_is_nearest(values: list[float]) -> None:
    scores = np.array(values)
    found = accepted(scores)
    if found.any() and not found.all():
        assert scores[found].min() >= scores[~found].max() - 1e-9


@given(st.integers(0, 1000), st.integers(1, 6), st.integers(1, 40))
def test_each_row_is_told_apart_by_itself(seed: int, rows: int, n: int) -> None:
    values = np.random.default_rng(seed).beta(2, 6, (rows, n)).round(2)
    assert accepted(values).tolist() == [accepted(row).tolist() for row in values]


def _nodes(rows: list[tuple[int, int, list[float]]]) -> Nodes:
    vectors = np.array([vector for _, _, vector in rows], dtype=np.float32)
    units, sessions = (np.array([row[i] for row in rows]) for i in (0, 1))
    nothing = np.zeros(0, dtype=np.int64)
    said = SpokenSentences(
        np.zeros((0, vectors.shape[1]), np.float16), nothing, np.zeros(0, np.float32), nothing, nothing
    )
    made = np.arange(len(rows))
    return Nodes(units, sessions, np.full(len(rows), "summary"), np.ones(len(rows), np.float32), said, made, vectors)


def test_a_unit_joins_older_sessions_alone() -> None:
    near, far = [1.0, 0.0], [0.0, 1.0]
    found = _nodes([(0, 0, near), (1, 0, far), (2, 1, near), (3, 1, near), (4, 2, near)])
    edges = associations(found, [1])[1]
    assert {(src, dst) for src, dst, _ in edges} == {(2, 0), (3, 0)}
    assert all(weight == pytest.approx(1.0) for _, _, weight in edges)
    assert associations(found, [0]) == {0: []}


def test_associations_are_bounded() -> None:
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(300, 8))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    found = _nodes([(i, int(i >= 290), v.tolist()) for i, v in enumerate(vectors)])
    edges = associations(found, [1])[1]
    assert {src for src, _, _ in edges} == set(range(290, 300))
    assert len(edges) <= 10 * CONSIDERED


def _asked(memory: Memory, text: str) -> Query:
    chosen = MemGAS()
    query, _ = memory.query(text, Filters(), AT, chosen)
    return query


@pytest.fixture(scope="module")
def sample(prepared_store: Path) -> Memory:
    return Memory(prepared_store)


def test_every_granularity_of_every_session_is_a_node(sample: Memory) -> None:
    view = sample.view()
    found = nodes(view)
    sessions = int(view.session[-1]) + 1
    counts = {kind: int((found.kind == kind).sum()) for kind in ("session", "turn", "summary", "keyword")}
    assert counts["session"] == sessions
    assert counts["turn"] == view.n
    assert 0 < counts["summary"] <= sessions
    assert 0 < counts["keyword"] <= sessions
    vectors = found.pooled(np.arange(len(found.unit)))
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=2e-3)
    places = np.arange(0, len(found.unit), 7)
    assert found.cosines(vectors[places]) == pytest.approx(vectors[places] @ vectors.T, abs=5e-3)


def test_hits_are_sessions_with_their_nearest_turns(sample: Memory) -> None:
    hits = sample.search("What is Nora's phone number?", k=5, strategy="memgas", at=AT)
    assert [hit.unit.kind for hit in hits] == [Kind.SESSION] * 5
    assert all(1 <= len(hit.unit.sources) <= MemGAS().turns for hit in hits)
    assert "07700 900871" in hits[0].unit.text
    router = [value for name, value in hits[0].trace.items() if name.startswith("router.")]
    assert sum(router) == pytest.approx(1.0)


@pytest.mark.parametrize("part", PARTS)
def test_each_part_can_be_left_out(sample: Memory, part: str) -> None:
    question = "What did Theo build in the workshop?"
    whole, less = (
        [(h.unit.id, h.score) for h in sample.search(question, k=10, strategy=name, at=AT)]
        for name in ("memgas", f"memgas:without-{part}")
    )
    assert whole != less
    assert {i for i, _ in whole[:1]} == {i for i, _ in less[:1]}


def test_variants_are_named() -> None:
    assert strategy("memgas:without-router+ppr") == replace(MemGAS(), without=frozenset({"router", "ppr"}))
    for wrong in ("memgas:router", "memgas:without-magic", "memgas:without-"):
        with pytest.raises(UsageError):
            strategy(wrong)


def test_variants_are_options_too(cli: Callable[..., Ran], prepared_store: Path) -> None:
    def ids(*options: str) -> list[str]:
        ran = cli("search", "What does Theo build?", "--store", prepared_store, "--json", *options)
        return [hit["id"] for hit in ran.json["hits"]]

    assert ids("--strategy", "sgmem", "--variant", "TF") == ids("--strategy", "sgmem:TF")
    assert ids("--strategy", "memgas", "--without", "ppr") == ids("--strategy", "memgas:without-ppr")
    assert cli("search", "x", "--store", prepared_store, "--strategy", "fused", "--variant", "TF").code == 2
    both = ("--strategy", "memgas:without-ppr", "--without", "router")
    assert cli("search", "x", "--store", prepared_store, *both).code == 2


def test_a_new_session_is_associated_as_it_comes(memory: Memory, write: Callable[..., Path]) -> None:
    said = [{"text": f"The boat is painted red, coat {i}.", "session": f"s{i}", "speaker": "Ada"} for i in range(4)]
    memory.ingest([write("a.jsonl", *said[:3])])
    memory.prepare(["memgas"])
    before = _edges(memory)
    memory.ingest([write("b.jsonl", said[3])])
    after = _edges(memory)
    assert before < after
    assert {src for src, _ in after - before} <= _units_of_last(memory)


def _edges(memory: Memory) -> set[tuple[int, int]]:
    with memory.store.reading() as db:
        return set(db.execute("select src, dst from edge where relation = 'associated'").fetchall())


def _units_of_last(memory: Memory) -> set[int]:
    with memory.store.reading() as db:
        sql = "select seq from unit where session = (select max(seq) from session)"
        return {seq for (seq,) in db.execute(sql).fetchall()}


def test_the_question_is_asked_without_names(sample: Memory) -> None:
    query = _asked(sample, "What is Nora's phone number?")
    assert not np.allclose(query.phrasings[NAMELESS], query.vector)
