"""One contract that every strategy must keep, whatever it does inside."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from memcli.errors import UsageError
from memcli.formats import Message
from memcli.memory import Memory
from memcli.model import Filters, Kind
from memcli.store.rows import scalar
from memcli.store.selection import Selection
from memcli.strategies import STRATEGIES, strategy

AT = datetime(2025, 3, 1, tzinfo=UTC)
QUESTIONS = [
    "When did Nora start her new job?",
    "What is Theo allergic to?",
    "Can you recommend a restaurant for tonight?",
    "Wann hat Lena Geburtstag?",
    "zebra xylophone quux",
    "?!",
]


def _search(memory: Memory, question: str, name: str, k: int = 10, filters: Filters | None = None):  # type: ignore[no-untyped-def]
    return memory.search(question, k=k, strategy=name, at=AT, filters=filters)


@pytest.fixture(scope="module")
def sample(prepared_store: Path) -> Memory:
    return Memory(prepared_store)


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("question", QUESTIONS)
def test_hits_are_ranked_finite_few_and_traceable(sample: Memory, name: str, question: str) -> None:
    hits = _search(sample, question, name, k=7)
    scores = [hit.score for hit in hits]
    assert len(hits) <= 7
    assert all(math.isfinite(s) for s in scores)
    assert scores == sorted(scores, reverse=True)
    assert len({hit.unit.id for hit in hits}) == len(hits)
    origins = sample.origins(hits)
    for hit in hits:
        assert hit.unit.sources
        assert hit.unit.text
        assert set(hit.unit.sources) <= set(origins)
        if hit.unit.kind is Kind.TURN:
            assert [origins[turn][0].text for turn in hit.unit.sources] == [hit.unit.text]
        assert "cosine" in hit.trace
        assert all(math.isfinite(v) for v in hit.trace.values())


@pytest.mark.parametrize("name", STRATEGIES)
def test_the_same_question_has_the_same_hits(sample: Memory, prepared_store: Path, name: str) -> None:
    again = Memory(prepared_store)
    for question in QUESTIONS[:3]:
        one, other = _search(sample, question, name), _search(again, question, name)
        assert [(h.unit.id, h.score) for h in one] == [(h.unit.id, h.score) for h in other]


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_longer_list_begins_with_the_shorter(sample: Memory, name: str) -> None:
    short, long = (_search(sample, QUESTIONS[0], name, k=k) for k in (3, 12))
    assert [h.unit.id for h in long[:3]] == [h.unit.id for h in short]


@pytest.mark.parametrize("name", STRATEGIES)
def test_filters_hold(sample: Memory, name: str) -> None:
    since, until = datetime(2024, 6, 1, tzinfo=UTC), datetime(2024, 9, 1, tzinfo=UTC)
    for filters in (Filters(speaker="theo"), Filters(since=since, until=until), Filters(conversation="sam-assistant")):
        hits = _search(sample, "What is the plan?", name, filters=filters)
        assert hits
        origins = sample.origins(hits)
        for turn, session in (origins[turn] for hit in hits for turn in hit.unit.sources):
            assert filters.speaker is None or turn.speaker.lower() == filters.speaker
            assert filters.conversation is None or session.conversation == filters.conversation
            if filters.since is not None and filters.until is not None:
                assert turn.said_at is not None
                at = turn.said_at if turn.said_at.tzinfo else turn.said_at.replace(tzinfo=UTC)
                assert filters.since <= at < filters.until


@pytest.mark.parametrize("name", STRATEGIES)
def test_nothing_to_find(memory: Memory, write: Callable[..., Path], name: str) -> None:
    memory.ingest([write("a.jsonl", {"text": "Only this.", "speaker": "Ada"})])
    assert _search(memory, "this", name, filters=Filters(since=AT)) == []
    for filters in (Filters(speaker="nobody"), Filters(conversation="nowhere")):
        with pytest.raises(UsageError):
            _search(memory, "this", name, filters=filters)
    empty = Memory(memory.store.path.with_name("empty.memcli"), embedder="fake")  # type: ignore[union-attr]
    empty.add([Message("Gone.")])
    empty.care.forget(empty.care.select(Selection(filters=Filters(speaker="unknown"))))
    assert _search(empty, "anything", name) == []


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_store_of_one_turn(memory: Memory, write: Callable[..., Path], name: str) -> None:
    memory.ingest([write("a.jsonl", {"text": "The boat is called Marlin.", "speaker": "Ada"})])
    hits = _search(memory, "What is the boat called?", name)
    assert hits
    assert all("Marlin" in hit.unit.text for hit in hits)
    assert len({turn for hit in hits for turn in hit.unit.sources}) == 1


@pytest.mark.parametrize("name", STRATEGIES)
def test_searching_leaves_the_store_as_it_is(sample: Memory, prepared_store: Path, name: str) -> None:
    before = prepared_store.read_bytes()
    _search(sample, QUESTIONS[0], name)
    assert prepared_store.read_bytes() == before


@pytest.mark.parametrize("name", STRATEGIES)
def test_what_a_strategy_needs_is_made(sample: Memory, name: str) -> None:
    needs = strategy(name).needs
    with sample.store.reading() as db:
        for kind in needs.kinds:
            assert scalar(db, "select count(*) from unit where kind = ?", [kind.value]) > 0
        for relation in needs.relations:
            assert scalar(db, "select count(*) from edge where relation = ?", [relation.value]) > 0


def test_unknown_strategies_are_named() -> None:
    with pytest.raises(UsageError, match="unknown strategy"):
        strategy("magic")


def test_fused_explains_its_whole_score(sample: Memory) -> None:
    """The families of signals sum to the score before softmax: the difference of two hits is the log of their ratio."""
    hits = _search(sample, QUESTIONS[0], "fused", k=5)
    sums = [sum(v for n, v in h.trace.items() if n.startswith("score.")) for h in hits]
    for hit, total in zip(hits, sums, strict=True):
        assert math.log(hits[0].score / hit.score) == pytest.approx(sums[0] - total, abs=1e-6)


def test_fused_finds_what_the_sample_questions_ask_for(sample: Memory) -> None:
    """A floor, far under what is measured on benchmarks: the default must work on the chats a newcomer tries first."""
    from memcli.evaluation.datasets import haystacks
    from memcli.evaluation.metrics import recall
    from tests.conftest import SAMPLE

    found = []
    for haystack in haystacks(SAMPLE / "questions.json"):
        for question in (q for q in haystack.questions if q.evidence):
            hits = _search(sample, question.text, "fused", filters=Filters(conversation=haystack.name))
            found.append(recall([h.unit.sources[0] for h in hits], question.evidence, 10))
    assert len(found) > 40
    assert np.mean(found) > 0.75
