"""The ledger of what was made of which session."""

from __future__ import annotations

import pytest

from memcli import Memory, Message
from memcli.store import ledger
from memcli.store.ledger import Run, record_built, unbuilt, undone


@pytest.fixture
def filled(memory: Memory) -> Memory:
    """Three sessions of one, two and three turns."""
    memory.add([Message(f"{n} {i}", "Ada", session=f"s{n}") for n in range(1, 4) for i in range(n)])
    return memory


@pytest.mark.parametrize(
    ("runs", "left"),
    [
        ([], {"a", "b"}),
        ([("a", 1, 0)], {"b"}),
        ([("a", 1, 0), ("b", 2, 0)], set()),
        ([("a", 1, 1), ("b", 2, 0)], {"a"}),  # one session has grown by a turn since
        ([("a", 2, 0), ("b", 2, 0)], {"a"}),  # another version
    ],
)
def test_what_is_undone_lacks_a_run_over_all_turns_of_some_session(
    filled: Memory, runs: list[tuple[str, int, int]], left: set[str]
) -> None:
    wanted = {"a": 1, "b": 2}
    with filled.store.writing() as db:
        sizes = db.execute("select session, count(*) from turn group by session").fetchall()
        for producer, version, short in runs:
            record_built(db, [Run(s, producer, version, n - (short if n == 3 else 0)) for s, n in sizes])
        assert undone(db, wanted) == left
        assert undone(db, wanted) == {name for name in wanted if unbuilt(db, {name: wanted[name]})}
        assert undone(db, {}) == frozenset()
        assert ledger.producers(db) >= {producer for producer, _, _ in runs}
