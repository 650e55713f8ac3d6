"""What a large store is read by from memory: the same rows as from the file, and the same hits."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.formats import Message
from memcli.memory import Memory
from memcli.model import Hit
from memcli.store import codes, vectors
from memcli.store.cosine import exact
from memcli.store.vectors import load_weighted_rows
from memcli.store.views import view as views
from memcli.store.views.assertions import _ASSERTIONS
from memcli.store.views.lookups import EDGES, TURNS, UNITS, Held, HeldVectors, Lookup
from memcli.strategies.fused import Fused

from .conftest import coded

THINGS = ("tea", "rain", "boats", "maps", "bread", "snow", "stone", "wool")
DIMENSION = 64
QUESTIONS = ("Who likes tea?", "What was said of boats?", "Does Bo hate rain?", "When did it snow?")


def messages(first: int, end: int) -> list[Message]:
    """Four to a session."""
    return [
        Message(f"I love {THINGS[n % 8]}. The {THINGS[n % 7]} was here on day {n}.", ("Ada", "Bo")[n % 2],
                session=f"s{n // 4}", conversation=f"c{n // 20}", id=str(n))
        for n in range(first, end)
    ]  # fmt: skip


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """Thirty sessions, with codes."""
    with coded(tmp_path_factory.mktemp("l") / "a.memcli", messages(0, 120)) as memory:
        yield memory


@pytest.mark.parametrize("table", [TURNS, UNITS, EDGES, _ASSERTIONS], ids=["turns", "units", "edges", "assertions"])
def test_what_is_held_is_what_is_read(filled: Memory, table: Lookup) -> None:
    with filled.store.reading() as db:
        everything, held = table.all(db), table.held(db)
        numbers = np.unique(everything[table.key])
        assert len(numbers) > 20
        for some in (numbers, numbers[::3], numbers[5:6], numbers[:0], np.array([10**6])):
            read, taken = table.read(db, some), held.of(some)
            assert taken.keys() == read.keys()
            for name, column in read.items():
                np.testing.assert_array_equal(taken[name], column)


@given(st.lists(st.integers(0, 9), max_size=30), st.sets(st.integers(0, 9)))
def test_rows_are_found_by_their_numbers_in_the_order_of_the_table(keys: list[int], wanted: set[int]) -> None:
    rows = {"key": np.array(keys, dtype=np.int64), "place": np.arange(len(keys))}
    found = Held(rows, "key").of(np.array(sorted(wanted), dtype=np.int64))
    assert found["place"].tolist() == [place for place, key in enumerate(keys) if key in wanted]


def test_vectors_that_are_held_are_those_that_are_read(filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "_PART", 7)  # numbers of vectors that are read at a time
    with filled.store.reading() as db:
        held = HeldVectors(vectors.count(db), DIMENSION)
        assert not held.is_whole(db)
        for _ in range(10):
            held.is_whole(db)
        assert held.is_whole(db)
        some = np.array([0, 3, 4, 20])
        weights, rows = load_weighted_rows(db, some, DIMENSION)
        assert held.of(some)[0].tolist() == weights.tolist()
        assert np.array_equal(held.of(some)[1], exact(rows))


def test_several_threads_take_each_vector_in_once(filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "_PART", 3)
    with filled.store.reading() as db:
        number = vectors.count(db)
        wanted = load_weighted_rows(db, np.arange(number), DIMENSION)
    held = HeldVectors(number, DIMENSION)

    def take(_: int) -> None:
        with filled.store.reading() as db:
            while not held.is_whole(db):
                pass

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(take, range(6)))
    weights, rows = held.of(np.arange(number))
    assert weights.tolist() == wanted[0].tolist()
    assert np.array_equal(rows, exact(wanted[1]))


def test_more_vectors_than_can_be_found_are_not_taken_in(filled: Memory) -> None:
    with filled.store.reading() as db:
        held = HeldVectors(vectors.count(db) + 1, DIMENSION)
        with pytest.raises(ValueError, match="fewer"):
            held.is_whole(db)


def test_vectors_that_are_stored_otherwise_are_not_held(filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "_OFTEN", 1)
    monkeypatch.setattr("memcli.store.views.lookups.stacked", Mock(side_effect=ValueError))
    with Memory(filled.store.path, embedder="fake") as anew:
        asked(anew, 8)
        assert len(in_memory(anew)) == 5
        assert in_memory(anew)[HeldVectors] is None


def asked(memory: Memory, times: int) -> list[list[Hit]]:
    few = Fused(candidate_sessions=5)
    return [memory.search(QUESTIONS[n % len(QUESTIONS)], k=6, strategy=few) for n in range(times)]


def in_memory(memory: Memory) -> dict[object, object]:
    return memory.view()._in_memory


def test_whoever_keeps_asking_is_answered_from_memory_and_the_same(
    filled: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memcli.store.views.candidates.SAMPLED", 2)
    with Memory(filled.store.path, embedder="fake") as anew:
        wanted = asked(anew, 4)
        assert not in_memory(anew)
    monkeypatch.setattr(views, "_OFTEN", 1)
    with Memory(filled.store.path, embedder="fake") as anew:
        for questions in range(1, 6):  # one thing for each question
            asked(anew, 1)
            assert len(in_memory(anew)) == questions - 1
        assert asked(anew, 4) == wanted
        assert len(in_memory(anew)) == 5
        assert None not in in_memory(anew).values()
        monkeypatch.setattr(Lookup, "read", partial(pytest.fail, "read from the file"))
        monkeypatch.setattr(views, "load_weighted_rows", partial(pytest.fail, "read from the file"))
        assert asked(anew, 4) == wanted


@pytest.mark.parametrize("shards", [0, 3], ids=["several stores", "shards"])
def test_several_stores_and_shards_are_answered_from_memory_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shards: int
) -> None:
    monkeypatch.setattr(codes, "CODED_FROM", 1)
    monkeypatch.setattr("memcli.store.views.candidates.SAMPLED", 2)
    where = [tmp_path / "a.memcli.d"] if shards else [tmp_path / "a.memcli", tmp_path / "b.memcli"]
    for place, path in enumerate(where):
        with Memory(path, embedder="fake", shards=shards or None) as memory:
            memory.add(messages(120 * place, 120 * (place + 1)))
    opened = where[0] if shards else where
    with Memory(opened, embedder="fake") as memory:
        wanted = asked(memory, 4)
    monkeypatch.setattr(views, "_OFTEN", 1)
    with Memory(opened, embedder="fake") as memory:
        asked(memory, 8)
        assert len(in_memory(memory)) == 5
        assert asked(memory, 4) == wanted


def test_what_was_written_since_is_read_anew(filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "_OFTEN", 1)
    asked(filled, 8)
    assert in_memory(filled)
    filled.add([Message("A zeppelin flew by.", "Cem", session="new", id="new")])
    assert not in_memory(filled)
    for _ in range(8):
        hits = filled.search("Who saw a zeppelin?", k=1, strategy=Fused(candidate_sessions=5))
        assert hits[0].unit.text == "A zeppelin flew by."


def test_what_is_too_large_is_not_held(filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "_OFTEN", 1)
    monkeypatch.setattr(views, "_MOST_HELD", 64 * 10)
    with Memory(filled.store.path, embedder="fake") as anew:
        asked(anew, 8)
        assert not in_memory(anew)


def test_a_small_store_holds_its_vectors_alone(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "_OFTEN", 1)
    monkeypatch.setattr(codes, "CODED_FROM", 10**6)
    memory.add([Message("I love tea.", "Ada", id="1")])
    asked(memory, 4)
    assert not in_memory(memory)
