"""Vectors in memory: exact search that no order changes, HNSW beside it, and links that nobody has to believe."""

from __future__ import annotations

import multiprocessing
import struct
from pathlib import Path
from unittest.mock import MagicMock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.formats import Message
from memcli.memory import Memory
from memcli.store import coded, codes, communities, hnsw, snapshots
from memcli.store.connection import Store
from memcli.store.cosine import cosines, exact, one_thread, unit_rows
from memcli.store.identity import Identity, settle_identity
from memcli.store.unsound import unsound
from memcli.store.vectors import VectorIndex, add_vectors, best_of, load_matrix

from .conftest import TRIES

DIMENSION = 32
#: Snapshots that are spoilt; with MEMCLI_FAULTS=200 ten thousand, as docs/reliability.md records.
SPOILT = 10_000 if TRIES > 10 else 1500


def unit(n: int, seed: int = 0) -> np.ndarray:
    """Vectors as they are stored: of unit length, in float16."""
    rows = np.random.default_rng(seed).standard_normal((n, DIMENSION)).astype(np.float32)
    return unit_rows(rows).astype(np.float16).astype(np.float32)


def put(store: Store, rows: np.ndarray, first: int = 0) -> None:
    """Adds vectors to a store; the hash of each is its number."""
    with store.writing() as db:
        hashes = list(range(first, first + len(rows)))
        settle_identity(db, Identity("made", "made", DIMENSION))
        add_vectors(db, first, hashes, [1] * len(rows), rows.astype(np.float16))


def filled(path: Path, rows: np.ndarray, hnsw_from: int = 10**9, few: int = 0, asking: int = 0) -> VectorIndex:
    store = Store(path)
    put(store, rows)
    index = VectorIndex(DIMENSION, hnsw_from, few)
    index.refresh(store.reading, asking)
    return index


def keep(store: Store, index: VectorIndex) -> None:
    snapshots.save(store, snapshots.LINKS, *index.snapshot(), made_at=0)


def best(queries: np.ndarray, rows: np.ndarray, k: int) -> list[list[int]]:
    """What exact search finds, by one product of everything with everything."""
    scores = queries.astype(np.float64) @ rows.astype(np.float64).T
    order: list[list[int]] = np.argsort(-scores.round(6), axis=1, kind="stable")[:, :k].tolist()
    return order


# -- cosines ----------------------------------------------------------------------------------------------------------


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 500), st.integers(0, 1000))
def test_a_cosine_is_the_same_in_whatever_order_it_is_summed(n: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    rows, query = unit(n, seed), unit_rows(generator.standard_normal((1, DIMENSION)).astype(np.float32))[0]
    order = generator.permutation(DIMENSION)
    whole = cosines(query, rows)
    assert (cosines(query[order], rows[:, order]) == whole).all()
    assert (cosines(np.stack([query, query]), rows)[1] == whole).all()
    assert [cosines(query, row[None])[0] for row in rows] == whole.tolist()
    assert np.abs(whole - rows.astype(np.float64) @ query.astype(np.float64)).max() < 1e-6


def test_a_cosine_by_hand() -> None:
    assert cosines(np.array([0.6, 0.8], np.float32), np.array([[1, 0], [0.8, 0.6]], np.float16)).tolist() == [
        0.6,
        pytest.approx(0.96, abs=2e-4),
    ]
    assert exact(np.array([[0.1]], np.float32)).item() * 2**24 == 1677722


def test_cosines_do_not_depend_on_how_many_rows_there_are() -> None:
    rows = unit(600)  # widened in three parts
    whole = cosines(rows[:3], rows)
    assert whole.shape == (3, 600)
    assert whole.tolist() == [[cosines(query, row[None])[0] for row in rows] for query in rows[:3]]
    assert cosines(rows[0], rows[:0]).shape == (0,)


@pytest.mark.parametrize("first", [[0, 2500], [2500, 0]])
def test_vectors_are_read_in_the_order_of_their_numbers(tmp_path: Path, first: list[int]) -> None:
    store, rows = Store(tmp_path / "v.memcli"), unit(5000)
    for at in first:  # in two appends, of which each is read in two parts
        put(store, rows[at : at + 2500], at)
    with store.reading() as db:
        numbers, found = load_matrix(db, DIMENSION)
    assert numbers.tolist() == list(range(5000))
    assert np.array_equal(found, rows.astype(np.float16))


def test_one_thread_is_lifted_by_the_last_who_wants_it() -> None:
    from threadpoolctl import threadpool_info

    def threads() -> set[int]:
        return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}

    before, first, second = threads(), one_thread(), one_thread()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert threads() == {1}
    second.__exit__(None, None, None)
    assert threads() == before


# -- search -----------------------------------------------------------------------------------------------------------


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=6), st.integers(1, 5))
def test_exact_search_does_not_depend_on_the_pieces(sizes: list[int], k: int) -> None:
    rows = unit(sum(sizes))
    rows[1::7] = rows[0]  # what is said in other letters has the same vector
    index = VectorIndex(DIMENSION)
    start = 0
    for size in sizes:
        index._extend(np.arange(start, start + size, dtype=np.uint64), rows[start : start + size].astype(np.float16))
        start += size
    found, scores = index.nearest(rows[:3], k)
    kept = min(k, len(rows))
    assert found[:, :kept].tolist() == best(rows[:3], rows, kept)
    assert (found[:, kept:] == -1).all()
    assert (np.diff(scores[:, :kept], axis=1) <= 0).all()


def test_broken_vectors_are_near_to_nothing(tmp_path: Path) -> None:
    rows = unit(3)
    rows[1, 0] = np.nan
    rows[2] = np.inf
    places, found = filled(tmp_path / "v.memcli", rows).nearest(unit(1), 3)
    assert places[0, 0] == 0
    assert np.isfinite(found).all()
    assert found[0, places[0] == 2] == [0.0]


@pytest.mark.parametrize("first", [5, 2**31 - 9])
def test_vectors_with_gaps_between_their_numbers_are_all_read(tmp_path: Path, first: int) -> None:
    store, rows = Store(tmp_path / "v.memcli"), unit(8)
    put(store, rows[4:], first)  # what lies first is numbered last
    put(store, rows[:4])
    index = VectorIndex(DIMENSION)
    index.refresh(store.reading, 0)
    assert index.rows == 8
    assert index.nearest(rows, 1)[0][:, 0].tolist() == list(range(8))


def test_the_best_of_rows_with_ties_and_a_floor() -> None:
    scores = np.array([[0.2, 0.9, 0.2, 0.2], [0.1, 0.1, 0.1, 0.8]])
    row, column = best_of(scores, 2, 0.2)
    assert list(zip(row.tolist(), column.tolist(), strict=True)) == [(0, 1), (0, 0), (1, 3)]


def test_hnsw_and_the_tail_find_what_exact_search_finds(tmp_path: Path) -> None:
    rows = unit(2000)
    index = filled(tmp_path / "v.memcli", rows, hnsw_from=500, asking=1)
    index.nearest(rows[:700], 1)  # it takes in two rows for each that is asked for
    assert index._hnsw is not None
    assert index._hnsw.rows == 1400
    assert index.snapshot_is_due()
    found, scores = index.nearest(rows[:100], 5)
    shared = np.mean([len(set(a) & set(b)) / 5 for a, b in zip(found.tolist(), best(rows[:100], rows, 5), strict=True)])
    assert shared > 0.95
    assert (scores[:, 0] == cosines(rows[:100], rows)[np.arange(100), np.arange(100)]).all()


def test_little_is_asked_without_hnsw_whatever_is_left_undone(tmp_path: Path) -> None:
    """An interrupted ingest leaves a large store without an index: the next message does not pay for that."""
    rows = unit(900)
    index = filled(tmp_path / "v.memcli", rows, hnsw_from=300, few=20, asking=10)
    assert index.nearest(rows[590:600], 3)[0].tolist() == best(rows[590:600], rows, 3)
    assert index._hnsw is None
    assert not index.snapshot_is_due(at_last=True)


def test_a_snapshot_is_loaded_only_for_many_questions_and_then_extended(tmp_path: Path) -> None:
    rows, store = unit(900), Store(tmp_path / "v.memcli")
    index = filled(tmp_path / "v.memcli", rows[:600], hnsw_from=300, asking=1)
    index.nearest(rows[:300], 1)
    keep(store, index)
    put(store, rows[600:700], 600)
    again = VectorIndex(DIMENSION, hnsw_from=300, few=20)
    again.refresh(store.reading, 19)
    assert again._hnsw is None
    again.refresh(store.reading, 1)
    assert again._hnsw is not None
    assert (again.rows, again._hnsw.rows) == (700, 600)
    assert again.nearest(rows[[10, 650]], 1)[0].tolist() == [[10], [650]]
    put(store, rows[700:], 700)
    again.refresh(store.reading, 1)
    assert again.nearest(rows[[10, 850]], 1)[0].tolist() == [[10], [850]]
    assert not again.snapshot_is_due()
    again.nearest(rows[:150], 1)
    assert again.snapshot_is_due(at_last=True)


# -- links from somebody else -----------------------------------------------------------------------------------------


def links(rows: np.ndarray) -> bytes:
    index = hnsw.Hnsw(DIMENSION)
    index.add(rows)
    return index.links()


def test_links_hold_no_vector_and_make_the_same_index_again() -> None:
    rows = unit(500)
    data = links(rows)
    assert len(data) < 500 * (1 + 33 * 4 + 17 * 4)
    again = hnsw.restored(data, rows)
    assert again is not None
    first = hnsw.Hnsw(DIMENSION)
    first.add(rows)
    found, expected = again.nearest(rows[:50], 5), first.nearest(rows[:50], 5)
    assert found is not None
    assert expected is not None
    assert (found == expected).all()
    assert again.links() == data
    assert hnsw.restored(data, rows[:-1]) is None


@pytest.mark.parametrize("place", ["neighbour", "count", "upper", "level", "entry", "size"])
def test_links_that_lead_outside_are_none(place: str) -> None:
    rows = unit(500)
    data = bytearray(links(rows))
    header, lowest = 12, 12 + 500
    at, value = {
        "neighbour": (lowest + 4, 0x7FFFFF00),
        "count": (lowest, 33),
        "upper": (lowest + 500 * 33 * 4 + 4, 500),
        "level": (header, 0xFFFFFFFF),
        "entry": (8, 500),
        "size": (4, 0xFFFFFFFF),
    }[place]
    struct.pack_into("<I", data, at, value)
    assert hnsw.rows_of(bytes(data)) == 0
    assert hnsw.restored(bytes(data), rows) is None
    assert hnsw.rows_of(bytes(data[:-1])) == 0


def test_links_to_a_row_that_is_not_in_the_layer_are_none() -> None:
    rows = unit(500)
    data = bytearray(links(rows))
    levels = np.frombuffer(bytes(data), np.uint8, 500, 12)
    struct.pack_into("<I", data, 12 + 500 + 500 * 33 * 4 + 4, int(np.flatnonzero(levels == 0)[0]))
    assert hnsw.rows_of(bytes(data)) == 0


def follow_spoilt(seed: int, tries: int) -> None:
    """Loads, searches and extends what is left of spoilt links; ends with 0 where nothing of it crashes."""
    generator, rows = np.random.default_rng(seed), unit(300)
    sound = links(rows)
    believed = 0
    for _ in range(tries):
        data = bytearray(sound)
        for _ in range(int(generator.integers(1, 40))):
            at = int(generator.integers(len(data)))
            if generator.random() < 0.5:
                data[at] = int(generator.integers(256))
            else:
                struct.pack_into("<I", data, min(at, len(data) - 4) // 4 * 4, int(generator.integers(310)))
        found = hnsw.restored(bytes(data), rows)
        if found is not None:
            believed += 1
            found.nearest(rows[:5], 5)
            found.add(unit(20, seed=1))
            found.nearest(rows[:5], 5)
    assert 0 < believed < tries


def test_spoilt_links_crash_nothing() -> None:
    processes = [
        multiprocessing.get_context("spawn").Process(target=follow_spoilt, args=(seed, SPOILT // 2)) for seed in (1, 2)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(600)
        assert process.exitcode == 0  # a signal is a negative number, a hang None


def test_doctor_names_a_forged_snapshot_and_an_ingest_passes_it_over(tmp_path: Path) -> None:
    """Whoever writes a snapshot writes its checksum."""
    path = tmp_path / "forged.memcli"
    memory = Memory(path, embedder="fake")
    memory.ingest([Path(__file__).parents[1] / "sample_data" / "chats.jsonl"])
    forged = bytearray(links(unit(300)))
    struct.pack_into("<I", forged, 12 + 300 + 4, 0x7FFFFF00)
    snapshots.save(memory.store, snapshots.LINKS, bytes(forged), 300, made_at=1)
    snapshots.save(memory.store, communities.SNAPSHOT, b"\xff" * 400, 50, made_at=1)
    snapshots.save(memory.store, "other", b"?", 1, made_at=1)
    with memory.store.reading() as db:
        assert unsound(db) == {
            "graph": "broken snapshots",
            "links": "broken snapshots",
            "other": "unknown snapshots",
        }
    found = memory.care.examine()
    assert {finding.example for finding in found.left} == {"graph", "links", "other"}
    index = VectorIndex(64, hnsw_from=100, few=0)
    index.refresh(memory.store.reading, 1)
    assert index._hnsw is None
    assert memory.care.examine(repair=True).is_sound
    memory.compact()
    with memory.store.reading() as db:
        assert unsound(db) == {}
        assert snapshots.names(db) == [communities.SNAPSHOT]


# -- few that are asked for in a large store: by their codes ----------------------------------------------------------


def test_what_codes_find_is_what_exact_search_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, asked = unit(1000), unit(12, seed=1)
    store = Store(tmp_path / "a.memcli")
    put(store, rows[:900])
    codes.fill(store, least=1)
    put(store, rows[900:], first=900)  # what came after the last code is found, too
    monkeypatch.setattr(coded, "_CONSIDERED", 1000)  # of random vectors, which nothing is near to, codes find less
    places, scores = (index := coded.CodedIndex(store.reading)).nearest(asked, 3)
    exactly, cosine = filled(tmp_path / "b.memcli", rows).nearest(asked, 3)
    assert places.tolist() == exactly.tolist() == best(asked, rows, 3)
    assert scores.tolist() == cosine.tolist()
    assert index.hashes(places).tolist() == exactly.tolist()  # the hash of each is its number
    assert index.hashes(np.array([[5000]])).tolist() == [[0]]


def test_of_few_vectors_the_rest_of_what_is_asked_for_is_not_there(tmp_path: Path) -> None:
    store = Store(tmp_path / "a.memcli")
    put(store, unit(2))
    codes.fill(store, least=1)
    places, scores = coded.CodedIndex(store.reading).nearest(unit(2), 3)
    assert places[:, 2].tolist() == [-1, -1]
    assert np.isneginf(scores[:, 2]).all()


def test_a_damaged_vector_is_near_to_nothing_by_codes(tmp_path: Path) -> None:
    rows, store = unit(4), Store(tmp_path / "a.memcli")
    put(store, np.concatenate([rows[:3], np.full((1, DIMENSION), np.nan, dtype=np.float32)]))
    codes.fill(store, least=1)
    places, scores = coded.CodedIndex(store.reading).nearest(rows[:1], 4)
    assert places[0, 0] == 0
    assert np.isfinite(scores).all()


def test_a_session_that_is_added_to_a_large_store_is_joined_as_in_a_small_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def edges(name: str, *, is_large: bool) -> list[tuple[object, ...]]:
        with Memory(tmp_path / name, embedder="fake") as memory:
            memory.add(Message(f"The {thing} is on the table.", "Ada", session="1") for thing in ("tea", "map", "salt"))
            if is_large:
                codes.fill(memory.store, least=1)
                monkeypatch.setattr(codes, "CODED_FROM", 1)
                monkeypatch.setattr(VectorIndex, "refresh", MagicMock(side_effect=AssertionError("all are read")))
            memory.add([Message("The salt is under the table. The map is old.", "Ada", session="2")])
            with memory.store.reading() as db:
                return db.execute("select src, dst, weight from edge order by all").fetchall()

    small = edges("small.memcli", is_large=False)
    assert len(small) > 2
    assert edges("large.memcli", is_large=True) == small
