"""What is not known is no value among those that are: every moment and every offset can be said."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import duckdb
import numpy as np
import pytest

from memcli.formats import Message
from memcli.memory import Memory
from memcli.model import Filters
from memcli.store.rows import UNKNOWN, columns, from_microseconds, from_stored, microseconds, to_stored

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TICK = timedelta(microseconds=1)


@pytest.mark.parametrize("ticks", [-2, -1, 0, 1])
def test_a_message_of_any_microsecond_is_found_by_its_time(memory: Memory, ticks: int) -> None:
    at = EPOCH + ticks * TICK
    memory.add([Message("the boat left the harbour", "Ana", said_at=at), Message("the boat came back", "Ana", id="2")])

    def found(since: datetime | None, until: datetime | None) -> list[str]:
        return [hit.unit.text for hit in memory.search("boat", filters=Filters(since=since, until=until))]

    said = ["the boat left the harbour"]
    assert found(at, None) == said  # a bound from below is inclusive, the undated one passes none
    assert found(None, at + TICK) == said
    assert found(at, at + TICK) == said
    assert found(None, at) == []
    assert found(at + TICK, None) == []
    assert np.isnan(memory.view().days).tolist() == [False, True]


def test_bounds_are_exact_to_the_microsecond_in_our_days(memory: Memory) -> None:
    at = datetime(2024, 6, 9, 17, 17, 3, 123457, tzinfo=timezone(timedelta(hours=2)))
    memory.add([Message(f"message {n}", "Ana", said_at=at + n * TICK, id=str(n)) for n in range(9)])
    for n in range(9):
        bounds = Filters(since=at + n * TICK, until=at + (n + 1) * TICK)
        assert [hit.unit.text for hit in memory.search("message", filters=bounds)] == [f"message {n}"]


@pytest.mark.parametrize("said", [EPOCH - TICK, EPOCH, EPOCH + TICK, datetime(1900, 1, 1), datetime(2199, 12, 31)])
@pytest.mark.parametrize("offset", [None, -60, -1, 0, 1, 840])
def test_a_moment_comes_back_as_it_was_stored(said: datetime, offset: int | None) -> None:
    zone = None if offset is None else timezone(timedelta(minutes=offset))
    at = said.replace(tzinfo=zone)
    stored, minutes = to_stored(at)
    assert from_stored(stored, minutes) == at
    assert from_microseconds(microseconds(at), UNKNOWN if minutes is None else minutes) == at


def test_generated_memory_keeps_a_time_of_one_microsecond_before_the_epoch(memory: Memory) -> None:
    at = (EPOCH - TICK).astimezone(timezone(timedelta(minutes=-1)))
    memory.add([Message("I live in Lisbon with my sister and I love sailing.", "Ana", said_at=at)])
    hits = memory.search("Where does Ana live?", strategy="emem")
    assert hits
    assert {hit.unit.at for hit in hits} == {at}
    assert {hit.unit.at.utcoffset() for hit in hits if hit.unit.at} == {timedelta(minutes=-1)}


def test_null_is_no_number_no_truth_and_no_text() -> None:
    with duckdb.connect() as db:
        found = columns(
            db,
            """select * from (values (1::integer, 1::bigint, 0.5::float, true, 'a'), (null, null, null, null, null),
               (-1, -1, -1, false, '')) t(narrow, wide, real, truth, text)""",
        )
    assert found["narrow"].tolist() == [1, UNKNOWN, -1]
    assert found["wide"].tolist() == [1, UNKNOWN, -1]
    assert np.isnan(found["real"]).tolist() == [False, True, False]
    assert found["real"][2] == -1
    assert found["truth"].tolist() == [True, None, False]
    assert found["text"].tolist() == ["a", None, ""]
