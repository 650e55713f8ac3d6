"""Threads share nothing that has state: what many do at once is what one does alone."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from memcli import text
from memcli.formats import Message
from memcli.memory import Memory
from memcli.store.connection import Store
from memcli.store.process_wide import ProcessWide

THREADS = 6
WORDS = [
    a + b + c for a in ("cat", "rel", "nat", "gener") for b in ("ation", "iv", "ful", "") for c in ("s", "ing", "ly")
]
#: Tables that hold when something was done, and not what.
_OF_TIME = ("migration",)


@pytest.fixture(autouse=True)
def _changing() -> Iterator[None]:
    """Threads take turns as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def at_once(work: Callable[[int], object], times: int = THREADS) -> list[object]:
    start = threading.Barrier(times)

    def begin(number: int) -> object:
        start.wait(60)
        return work(number)

    with ThreadPoolExecutor(times) as threads:
        return list(threads.map(begin, range(times)))


def messages(name: str, count: int = 40) -> list[Message]:
    return [
        Message(
            f"{WORDS[i % len(WORDS)].title()} number {i} of {name}. I love {WORDS[(3 * i) % len(WORDS)]} soup!",
            speaker=("Ann", "Bo")[i % 2],
            session=f"{name}-{i // 8}",
            id=str(i),
            said_at=datetime(2024, 5, 1 + i // 8, 9, i, tzinfo=UTC),
        )
        for i in range(count)
    ]


def rows(store: Store) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table, in an order that no run changes."""
    with store.reading() as db:
        tables = [
            name for (name,) in db.execute("select table_name from duckdb_tables() where not internal").fetchall()
        ]
        kept = sorted(set(tables) - set(_OF_TIME))
        return {name: db.execute(f"select * from {name} order by all").fetchall() for name in kept}


def test_many_threads_have_the_stems_of_one() -> None:
    from Stemmer import Stemmer

    alone = [Stemmer("english", 0).stemWord(word) for word in WORDS]
    for _ in range(5):
        text.stem.cache_clear()
        assert at_once(lambda _: [text.stem.__wrapped__(word) for word in WORDS]) == [alone] * THREADS


def test_stores_that_are_filled_at_once_are_those_that_are_filled_alone(tmp_path: Path) -> None:
    def fill(folder: str, number: int) -> dict[str, list[tuple[object, ...]]]:
        memory = Memory(tmp_path / folder / f"{number}.memcli", embedder="fake")
        memory.add(messages(f"chat {number}"))
        memory.prepare(["sgmem", "memgas", "emem-g"])
        return rows(memory.store)

    text.stem.cache_clear()
    together = at_once(lambda number: fill("together", number), 3)
    text.stem.cache_clear()
    assert together == [fill("alone", number) for number in range(3)]


@pytest.mark.parametrize("path", ["one.memcli", None])
def test_threads_that_write_to_one_store_lose_and_double_nothing(tmp_path: Path, path: str | None) -> None:
    """Whether they share a `Memory`, or have each its own over one file, by whichever of its names."""
    shared = Memory(tmp_path / path if path else None, embedder="fake")
    shared.add(messages("first", 4))
    if path:
        (tmp_path / "linked.memcli").symlink_to(tmp_path / path)

    def write(number: int) -> int:
        memory = Memory(tmp_path / ("linked.memcli", path)[number % 2], embedder="fake") if path and number else shared
        return memory.add(messages(f"chat {number}", 24)).added

    assert at_once(write, 4) == [24] * 4
    assert shared.care.examine().left == []
    with shared.store.reading() as db:
        assert db.execute("select count(*), count(distinct seq), count(distinct id) from turn").fetchall() == [
            (100,) * 3
        ]


def test_many_threads_find_what_one_finds(prepared_store: Path) -> None:
    memory, at = Memory(prepared_store), datetime(2025, 3, 1, tzinfo=UTC)
    questions = ["When did Nora start her new job?", "What is Theo allergic to?", "What did Sam plan in June?"]

    def ask(memory: Memory, strategy: str, _thread: int = 0) -> list[object]:
        answers = [memory.ask(question, at=at, strategy=strategy) for question in questions]
        return [(r.answer, [(h.unit.id, h.score, h.trace) for h in r.hits]) for r in answers]

    for strategy in ("fused", "emem-g"):
        alone = ask(Memory(prepared_store), strategy)
        assert at_once(partial(ask, memory, strategy), 4) == [alone] * 4


def test_what_holds_for_a_process_holds_until_the_last_is_done() -> None:
    holds: list[bool] = [False]

    def make() -> Callable[[], object]:
        assert not holds[0]
        holds[0] = True
        return lambda: holds.__setitem__(0, False)

    setting = ProcessWide(make)

    def work(_: int) -> bool:
        held = []
        for _ in range(200):
            with setting():
                held.append(holds[0])
        return all(held)

    assert at_once(work) == [True] * THREADS
    assert holds == [False]
