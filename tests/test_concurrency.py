"""Two writers and many readers at once, each a process of its own: nothing is lost, and readers answer or say why not.

With MEMCLI_FAULTS=200 twenty readers ask until both writers are done, and `docs/reliability.md` records how long they
waited.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from memcli.formats import Message
from memcli.indexing.transcript import indexer
from memcli.memory import Memory

from .conftest import TRIES
from .killing import Tell, command, content, doubled, ended, everything, lines, recorded, started

READERS, SESSIONS, PAUSE = (20, 60, 2.0) if TRIES > 10 else (6, 4, 0.5)


def write(tell: Tell, store: Path, chat: Path) -> None:
    """Ingests in small batches, each of which opens the store for itself."""
    indexer.BATCH = 10
    tell(Memory(store, embedder="fake").ingest([chat]).added)


def read(tell: Tell, store: Path, done: Path) -> None:
    """Searches once, and again until the file `done` is there; tells how each ended and how long it took."""
    drawn, is_last = random.Random(os.getpid()), False
    while not is_last:
        is_last = done.exists()
        start = time.perf_counter()
        code = command("search", "boat", "--store", store, here=True).code
        tell((code, time.perf_counter() - start))
        time.sleep(drawn.uniform(0, 2 * PAUSE))


def test_two_writers_and_many_readers(tmp_path: Path) -> None:
    store, undisturbed = tmp_path / "shared.memcli", tmp_path / "undisturbed.memcli"
    chats = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for path in (store, undisturbed):  # a reader that comes before all others is not to find nothing at all
        Memory(path, embedder="fake").add([Message("This was said before.", "Ada", session="before", id="1")])
    for chat in chats:
        chat.write_text("".join(lines(chat.stem, SESSIONS)))
        ended(write, undisturbed, chat)
    writers = [started(write, (store, chat)) for chat in chats]
    readers = [started(read, (store, tmp_path / "done")) for _ in range(READERS)]
    added = [each for _, told in writers for each in everything(told)]
    (tmp_path / "done").touch()
    searches = [search for _, told in readers for search in everything(told)]
    for process, _ in (*writers, *readers):
        process.join()
        assert process.exitcode == 0
    _record(searches)
    codes = {code for code, _ in searches}
    assert len(searches) >= READERS
    assert codes <= {0, 1, 4}
    assert added == [len(chat.read_text().splitlines()) for chat in chats]
    assert doubled(store) == []
    assert content(store) == content(undisturbed)
    assert Memory(store, embedder="fake").care.examine().is_sound


def test_a_reader_outlives_the_writer_beside_it(tmp_path: Path) -> None:
    store = Memory(tmp_path / "x.memcli", embedder="fake").store
    opened, left = threading.Event(), threading.Event()

    def count() -> int:
        with store.reading() as db:
            opened.set()
            assert left.wait(60)
            return int(db.execute("select count(*) from turn").fetchall()[0][0])

    with ThreadPoolExecutor() as threads:
        with store.writing():
            counted = threads.submit(count)
            assert opened.wait(60)
        left.set()
        assert counted.result() == 0
    with store.reading() as db:
        assert db.execute("select count(*) from turn").fetchall() == [(0,)]


def _record(searches: list[tuple[int, float]]) -> None:
    seconds = [taken for _, taken in searches]
    recorded(
        "two writers and twenty readers",
        searches=len(searches),
        exit_codes={str(code): count for code, count in sorted(Counter(code for code, _ in searches).items())},
        seconds={name: round(float(np.percentile(seconds, part)), 2) for name, part in
                 (("p50", 50), ("p95", 95), ("max", 100))},
    )  # fmt: skip
