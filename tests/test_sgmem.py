"""SGMem over small stores whose similarities can be worked out by hand, and over the sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from memcli.errors import UsageError
from memcli.memory import Memory
from memcli.model import Filters, Hit, Kind
from memcli.strategies import strategy
from memcli.strategies.sgmem import SGMem

AT = datetime(2025, 3, 1, tzinfo=UTC)
Write = Callable[..., Path]


@pytest.fixture
def garden(memory: Memory, write: Write) -> Memory:
    """Three sessions: one of tomatoes, one that is half of them, one of something else."""
    said = [
        ("a", "Ada", "I planted tomatoes. The tomatoes grew."),
        ("a", "Bo", "Tomatoes need water."),
        ("b", "Ada", "We bought tomatoes. The train was late."),
        ("b", "Bo", "Trains are late."),
        ("c", "Ada", "My sister plays chess."),
        ("c", "Bo", "Chess is slow."),
    ]
    memory.ingest([write("g.jsonl", *({"session": s, "speaker": who, "text": text} for s, who, text in said))])
    return memory


def found(memory: Memory, chosen: SGMem, text: str = "tomatoes", k: int = 10) -> list[Hit]:
    query, view = memory.query(text, Filters(), AT, chosen)
    return chosen.retrieve(query, view, k)


def first_words(hits: list[Hit]) -> list[str]:
    return [hit.unit.text.split(".")[0] for hit in hits]


def test_a_chunk_scores_the_mean_of_its_chosen_sentences(garden: Memory) -> None:
    chosen = SGMem(Kind.SESSION, (), h=0, n=3)
    query, view = garden.query("tomatoes", Filters(), AT, chosen)
    similarity = view.cosines(query.vector[None, :])[0] + 1
    best = np.sort(np.argsort(-similarity, kind="stable")[:3])
    hits = chosen.retrieve(query, view, 10)
    sessions = view.session[view.owner[best]]
    expected = sorted((similarity[best][sessions == s].mean() for s in np.unique(sessions)), reverse=True)
    assert [hit.score for hit in hits[: len(expected)]] == pytest.approx(expected)


def test_hops_reach_neighbours(garden: Memory) -> None:
    """With one sentence to begin with, what it is joined to decides which other chunks are scored."""
    traces = {}
    for h in (0, 1):
        hits = found(garden, SGMem(Kind.TURN, (), h=h, n=1, neighbour_gamma=0.0), k=20)
        traces[h] = [hit.score for hit in hits]
    assert traces[0] != traces[1]
    bounded = found(garden, SGMem(Kind.TURN, (), h=1, n=1, neighbour_gamma=2.0), k=20)
    assert [hit.score for hit in bounded] == traces[0]


def test_gamma_bounds_what_is_a_seed(garden: Memory) -> None:
    strict = SGMem(Kind.SESSION, (), gamma=2.0, h=0)
    hits = found(garden, strict)
    assert len(hits) == 3  # nothing is near enough to be a seed: chunks follow by their best sentence
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_all_chunks_can_be_had_however_few_the_sentences(garden: Memory) -> None:
    assert len(found(garden, SGMem(Kind.TURN, (), n=1, h=0))) == 6
    assert len(found(garden, SGMem(Kind.ROUND, (), n=1, h=0))) == 3


def test_neighbours_by_words(garden: Memory) -> None:
    hits = found(garden, SGMem(Kind.TURN, (), n=1, neighbours="bm25", neighbour_gamma=0.0))
    assert len(hits) == 6
    assert "omatoes" in hits[0].unit.text


def test_the_variant_says_which_memories_are_asked(prepared_store: Path) -> None:
    memory = Memory(prepared_store)
    kinds = {
        name: {hit.unit.kind for hit in memory.search("What does Theo make?", k=200, strategy=name, at=AT)}
        for name in ("sgmem:S", "sgmem:TF", "sgmem:RMI", "sgmem")
    }
    assert kinds["sgmem:S"] == {Kind.SESSION}
    assert kinds["sgmem:TF"] == {Kind.TURN, Kind.FACT}
    assert kinds["sgmem:RMI"] == {Kind.ROUND, Kind.SUMMARY, Kind.INSIGHT}
    assert kinds["sgmem"] == {Kind.SESSION, Kind.SUMMARY, Kind.FACT, Kind.INSIGHT}


def test_top_bounds_each_kind(prepared_store: Path) -> None:
    memory = Memory(prepared_store)
    hits = found(memory, replace(SGMem(), top=2), "What does Theo make?", k=100)
    assert {kind: sum(h.unit.kind is kind for h in hits) for kind in {h.unit.kind for h in hits}} == {
        Kind.SESSION: 2, Kind.SUMMARY: 2, Kind.FACT: 2, Kind.INSIGHT: 2,
    }  # fmt: skip


@pytest.mark.parametrize("name", ["sgmem:X", "sgmem:SS", "sgmem:SMM", "sgmem:MFI", "sgmem:ST", "bm25:S"])
def test_variants_that_make_no_sense(name: str) -> None:
    with pytest.raises(UsageError):
        strategy(name)


def test_the_defaults_are_the_papers() -> None:
    chosen = strategy("sgmem")
    assert isinstance(chosen, SGMem)
    assert (chosen.k, chosen.h, chosen.n, chosen.gamma) == (3, 1, 15, 1.0)
