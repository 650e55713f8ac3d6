"""Which windows are read: the likeliest of those that were gathered, as they stood; all the same where none is read."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import Memory, Message
from memcli.model import Filters, TurnId
from memcli.reading import shortlist
from memcli.reading.judge import Judge
from memcli.reading.passages import Passage, gather
from memcli.reading.shortlist import MOST, NAMES, chosen, signals, to_read
from memcli.reading.stored import StoredTranscript
from memcli.reading.windows import Window
from memcli.strategies import DEFAULT, strategy


def passage(rank: int, cosine: float = 0.5, text: str = "the quay was wet") -> Passage:
    return Passage(Window("Ana", text, ""), TurnId(f"t{rank}"), None, rank, 1.0, cosine, 0.0, 0.0, 0.0, False, text)


@pytest.fixture
def by_cosine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A regression that looks at one signal."""
    weights = np.array([name == "cosine" for name in NAMES], dtype=np.float32)
    judge = Judge(NAMES, np.zeros(len(NAMES), np.float32), np.ones(len(NAMES), np.float32), weights, 0.0)
    monkeypatch.setattr(shortlist, "packaged", lambda: judge)


@pytest.mark.usefixtures("by_cosine")
def test_the_likeliest_are_read_in_the_order_of_the_hits() -> None:
    found = [passage(rank, cosine) for rank, cosine in enumerate((0.1, 0.9, 0.3, 0.8, 0.7))]
    assert [each.rank for each in chosen(found, 3)] == [1, 3, 4]
    assert chosen(found) == found
    assert chosen([]) == []


@pytest.mark.usefixtures("by_cosine")
def test_of_those_that_are_as_likely_the_first_are_read() -> None:
    assert [each.rank for each in chosen([passage(rank) for rank in range(6)], 2)] == [0, 1]


def test_the_signals_of_a_window() -> None:
    first, second = signals([passage(0, 0.5, "where? on the quay"), replace(passage(3, 0.2), follows=True)])
    assert (first["rank"], first["place.rank"], first["cosine.behind"]) == (0.0, 1.0, 0.0)
    assert (second["rank"], second["place.rank"], second["cosine.behind"]) == (3.0, 0.25, pytest.approx(0.3))
    assert (first["asks"], second["asks"], first["follows"], second["follows"]) == (1.0, 0.0, 0.0, 1.0)
    assert (first["words"], second["words"]) == (4.0, 4.0)
    assert signals([passage(0, text="so " * 90)])[0]["words"] == 40.0


@given(st.lists(st.tuples(st.integers(0, 19), st.floats(-1, 1)), max_size=30), st.integers(0, 12))
def test_never_more_than_asked_for_and_never_out_of_order(told: list[tuple[int, float]], most: int) -> None:
    found = [passage(rank, cosine) for rank, cosine in told]
    read = chosen(found, most)
    assert len(read) == min(most, len(found))
    places = [next(n for n, each in enumerate(found) if each is one) for one in read]
    assert places == sorted(set(places))


def test_the_likeliest_are_read_first_and_then_the_next() -> None:
    with Memory(None, embedder="fake") as memory:
        memory.add([Message(f"I saw seal {n} at the quay", "Ana", conversation=f"c{n}") for n in range(30)])
        default, at = strategy(DEFAULT), datetime(2025, 5, 1, tzinfo=UTC)
        query, view = memory.query("Who saw a seal at the quay?", Filters(), at, default)
        with memory.store.reading():
            hits, transcript = default.retrieve(query, view, 20), StoredTranscript(view)
            every = gather(query.question, query, hits, transcript)
            assert len(every) == 20
            read, further = to_read(query.question, query, hits, transcript)
            assert to_read(query.question, query, [], transcript) == ([], [])
    assert len(read) == len(further) == MOST
    assert (read, further) == (chosen(every), chosen(every, behind=MOST))
    assert not {each.turn for each in read} & {each.turn for each in further}
