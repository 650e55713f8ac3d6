"""Assertions in the store, and what `ontology` makes of them for somebody who asks without naming their tastes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from memcli.memory import Memory
from memcli.model import Filters
from memcli.store.assertions import assertion_index
from memcli.strategies.ontology import Ontology

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
    """Equation 1, with what a trace says of each part: 0.55 graph + 0.35 dense for who asks for advice."""
    for text, weights in (("Can you recommend hotels?", (0.55, 0.35)), ("Who saw the bridge?", (0.1, 0.9))):
        query, view = filled.query(text, Filters(), AT, Ontology())
        for hit in Ontology().retrieve(query, view, 10):
            expected = weights[0] * hit.trace["graph"] + weights[1] * hit.trace["dense"]
            assert hit.score == pytest.approx(expected, abs=1e-9)


def test_a_taste_goes_before_words_that_are_nearer(filled: Memory) -> None:
    query, view = filled.query("Can you recommend hotels in large cities?", Filters(), AT, Ontology())
    first = Ontology().retrieve(query, view, 4)[0]
    assert "resort complexes" in first.unit.text
    assert first.trace["graph"] > 0


def test_what_says_nothing_of_anybody_is_no_part_of_the_graph(filled: Memory) -> None:
    query, view = filled.query("Can you suggest a river walk?", Filters(), AT, Ontology())
    graph = {hit.unit.text: hit.trace["graph"] for hit in Ontology().retrieve(query, view, 4)}
    assert graph[SAID[1]] == graph[SAID[3]] == 0.0
