"""How vectors are stored: what comes back, what does not change any more, and what older stores are brought to."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.formats import Message
from memcli.memory import Memory
from memcli.store.cosine import exact, unit_rows
from memcli.store.packing import are_sound, as_stored, lengths, packed, stacked, unpacked, widened
from memcli.store.repacking import repack
from memcli.store.rows import columns, transaction

DIMENSION = 384
#: What the fake embedder's vectors have.
FAKE = 64


def made(count: int, dimension: int = DIMENSION, seed: int = 0) -> np.ndarray:
    rows = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    return unit_rows(rows)


def test_a_vector_is_its_numbers_in_127ths_of_the_largest() -> None:
    row = np.zeros((1, DIMENSION), np.float32)
    row[0, :3] = 0.8, -0.48, 0.36  # 127, -76.2, 57.15
    [data] = packed(row)
    assert data[:4] == bytes([127, 256 - 76, 57, 0])
    assert len(data) == DIMENSION
    length = (127**2 + 76**2 + 57**2) ** 0.5
    assert (
        unpacked([data], DIMENSION)[0, :3].tolist() == (np.array([127, -76, 57]) / length).astype(np.float16).tolist()
    )


def test_what_comes_back_is_near_and_of_unit_length() -> None:
    rows = made(500)
    found = as_stored(rows)
    assert np.abs(np.linalg.norm(found, axis=1) - 1).max() < 0.0005
    assert (found * rows).sum(axis=1).min() > 0.999
    asked = made(20, seed=1)
    assert np.abs(asked @ found.T - asked @ rows.T).mean() < 0.0006


@given(st.integers(0, 2**32 - 1), st.sampled_from([64, 100, 384, 1536]))
def test_what_is_stored_again_stays_the_same(seed: int, dimension: int) -> None:
    data = packed(made(3, dimension, seed))
    assert packed(unpacked(data, dimension)) == data
    assert packed(made(3, dimension, seed).astype(np.float16)) == data  # as an older store has them


@given(st.integers(0, 2**32 - 1), st.sampled_from([64, 384, 1536]), st.sampled_from([1, 3, 20, 127]))
def test_what_is_widened_at_once_is_the_same_to_the_last_bit(seed: int, dimension: int, most: int) -> None:
    numbers = np.random.default_rng(seed).integers(-most, most + 1, (300, dimension)).astype(np.int8)
    numbers[7] = 0
    data = [row.tobytes() for row in numbers]
    assert np.array_equal(stacked(data, dimension), numbers)
    assert np.array_equal(widened(numbers, lengths(numbers)), exact(unpacked(data, dimension)))


def test_what_is_of_another_length_is_not_stacked() -> None:
    with pytest.raises(ValueError, match="384"):
        stacked([bytes(DIMENSION), bytes(2 * DIMENSION)], DIMENSION)


def test_few_numbers_are_stored_as_they_were() -> None:
    rows = made(3, 32)
    assert packed(rows) == [row.tobytes() for row in rows.astype(np.float16)]
    assert unpacked(packed(rows), 32).tolist() == rows.astype(np.float16).tolist()


def test_zeros_stay_zeros_and_nothing_is_nothing() -> None:
    assert not as_stored(np.zeros((2, DIMENSION), np.float32)).any()
    assert unpacked([], DIMENSION).shape == (0, DIMENSION)


def test_both_forms_are_read_in_one_store() -> None:
    rows = made(4)
    data = [packed(rows[:1])[0], rows[1].astype(np.float16).tobytes(), rows[2].astype(np.float16).tobytes()]
    found = unpacked([*data, packed(rows[3:])[0]], DIMENSION)
    assert found[1:3].tolist() == rows[1:3].astype(np.float16).tolist()
    assert found[[0, 3]].tolist() == unpacked(packed(rows[[0, 3]]), DIMENSION).tolist()


def test_what_is_no_vector_is_told_from_one() -> None:
    rows = made(3)
    long = np.full(DIMENSION, 0.5, np.float16).tobytes()
    nothing = np.full(DIMENSION, np.nan, np.float16).tobytes()
    given = [packed(rows)[0], b"x", long, nothing, bytes(DIMENSION), rows[1].astype(np.float16).tobytes(), b""]
    assert are_sound(given, DIMENSION) == [True, False, False, False, True, True, False]
    with pytest.raises(ValueError, match=r"reshape|multiple"):
        unpacked([b"x"], DIMENSION)


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """A store with its vectors as float16, one of them damaged."""
    path = tmp_path / "a.memcli"
    with Memory(path, embedder="fake") as memory:
        memory.add([Message(f"The {thing} is on the table.", "Ada", session="1") for thing in ("tea", "map", "salt")])
    with duckdb.connect(str(path)) as db:
        found = columns(db, "select seq, data from vector order by seq")
        halves = [row.tobytes() for row in unpacked(found["data"].tolist(), FAKE)]
        for seq, data in zip(found["seq"].tolist(), halves, strict=True):
            db.execute("update vector set data = ? where seq = ?", [data, seq])
    return path


def test_an_older_store_is_brought_to_the_same_as_a_new_one(older: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.memcli"
    with Memory(new, embedder="fake") as memory:
        memory.add([Message(f"The {thing} is on the table.", "Ada", session="1") for thing in ("tea", "map", "salt")])
    with duckdb.connect(str(older)) as db, transaction(db):
        db.execute("update unit set norm = norm * 2 where norm is not null")
        repack(db)

    def held(path: Path) -> list[object]:
        with duckdb.connect(str(path), read_only=True) as db:
            vectors = db.execute("select * from vector order by seq").fetchall()
            return [*vectors, *db.execute("select id, norm from unit order by id").fetchall()]

    assert held(older) == held(new)
    with Memory(older) as memory:
        assert memory.care.examine().is_sound


def test_what_is_damaged_stays_for_the_doctor_to_find(older: Path) -> None:
    with duckdb.connect(str(older)) as db, transaction(db):
        db.execute("update vector set data = 'x'::blob where seq = 1")
        repack(db)
        lengths = db.execute("select octet_length(data) from vector order by seq").fetchall()
    assert lengths == [(FAKE,), (1,), (FAKE,)]
    with Memory(older) as memory:
        assert [finding.what for finding in memory.care.examine().left] == ["vectors that are none"]
