"""Personalised PageRank against a dense solve, a star by hand, and what must hold for any graph."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.ranking.pagerank import pagerank

Floats = npt.NDArray[np.float64]
NONE = np.zeros(0, dtype=np.int64)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[tuple[int, int, float]], Floats, float]:
    """Edges, seeds and a damping; nodes without edges and without weight of seed among them."""
    n = draw(st.integers(1, 12))
    node = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(node, node, st.floats(0.01, 10)), max_size=30))
    seeds = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=n, max_size=n))
    return edges, np.array(seeds), draw(st.sampled_from([0.1, 0.5, 0.85, 0.95]))


def arrays(edges: list[tuple[int, int, float]]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Floats]:
    src, dst = (np.array([e[i] for e in edges], dtype=np.int64) for i in (0, 1))
    return src, dst, np.array([e[2] for e in edges], dtype=np.float64)


def dense(edges: list[tuple[int, int, float]], seeds: Floats, damping: float) -> Floats:
    n = len(seeds)
    jump = seeds / seeds.sum() if seeds.sum() > 0 else np.full(n, 1 / n)
    adjacent = np.zeros((n, n))
    for a, b, weight in edges:
        if a != b:
            adjacent[a, b] += weight
            adjacent[b, a] += weight
    moves = np.array([row / row.sum() if row.sum() > 0 else jump for row in adjacent])
    return np.linalg.solve(np.eye(n) - damping * moves.T, (1 - damping) * jump)


@given(graphs())
def test_agrees_with_a_dense_solve_and_sums_to_one(graph: tuple[list[tuple[int, int, float]], Floats, float]) -> None:
    edges, seeds, damping = graph
    found = pagerank(*arrays(edges), len(seeds), seeds, damping)
    assert found.sum() == pytest.approx(1)
    assert np.abs(found - dense(edges, seeds, damping)).max() < 1e-8


def test_a_star_by_hand() -> None:
    """Hub 0 with three leaves, damping d: hub = (1-d)/4 + d·(1 - hub), so hub = ((1-d)/4 + d) / (1 + d)."""
    found = pagerank(np.zeros(3, dtype=np.int64), np.array([1, 2, 3]), np.ones(3), 4, damping=0.85)
    hub = (0.15 / 4 + 0.85) / 1.85
    assert found.tolist() == pytest.approx([hub, *[(1 - hub) / 3] * 3])


def test_everything_stays_near_the_seed() -> None:
    """A pair and a node alone: what starts at the pair never reaches the third."""
    found = pagerank(np.array([0]), np.array([1]), np.ones(1), 3, np.array([1.0, 0, 0]), damping=0.5)
    assert found.tolist() == pytest.approx([2 / 3, 1 / 3, 0])


def test_without_edges_the_seeds_are_the_answer() -> None:
    assert pagerank(NONE, NONE, np.zeros(0), 3, np.array([0.0, 1, 3])).tolist() == [0, 0.25, 0.75]
    assert pagerank(NONE, NONE, np.zeros(0), 2).tolist() == [0.5, 0.5]


def test_an_empty_graph_has_no_scores() -> None:
    assert pagerank(NONE, NONE, np.zeros(0), 0).tolist() == []
