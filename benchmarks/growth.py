"""What one more session costs as memory grows, generated memory included: `python benchmarks/growth.py`.

Two stores, of 100 and of 1,000 sessions of twenty turns, both with all that `sgmem` and `memgas` need; the same new
sessions are ingested into copies of both, each by a process of its own. Writes benchmarks/results/growth.json.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from itertools import islice
from pathlib import Path

from speed import conversation

from memcli.formats import Message
from memcli.memory import Memory

RESULTS = Path(__file__).parent / "results" / "growth.json"
SMALL, LARGE, TURNS, RUNS = 100, 1000, 20, 5


def filled(path: Path, sessions: int) -> Path:
    """A store of so many sessions, prepared."""
    memory = Memory(path)
    memory.add(renamed(sessions, seed=1))
    memory.prepare(["sgmem", "memgas"])
    return path


def renamed(sessions: int, seed: int) -> list[Message]:
    """Sessions of twenty turns with names of their own."""
    said = islice(conversation(sessions * TURNS, seed=seed), sessions * TURNS)
    return [replace(m, session=f"{seed}-{i // TURNS}", id=f"{seed}-{i}") for i, m in enumerate(said)]


def seconds(store: Path, chat: Path, folder: Path) -> float:
    """One `memcli ingest` of one session into a copy of the store."""
    copy = folder / "copy.memcli"
    shutil.copy(store, copy)
    start = time.perf_counter()
    command = [sys.executable, "-m", "memcli", "ingest", str(chat), "--store", str(copy)]
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> None:
    """Prints and writes the figures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        stores = {n: filled(folder / f"{n}.memcli", n) for n in (SMALL, LARGE)}
        taken: dict[int, list[float]] = {SMALL: [], LARGE: []}
        for run in range(RUNS):
            chat = folder / f"{run}.jsonl"
            lines = [
                {"text": m.text, "speaker": m.speaker, "session": m.session, "id": m.id, "timestamp": "2025-01-01"}
                for m in renamed(1, seed=100 + run)
            ]
            chat.write_text("".join(json.dumps(line) + "\n" for line in lines))
            for sessions, store in stores.items():
                taken[sessions].append(seconds(store, chat, folder))
        medians = {sessions: statistics.median(times) for sessions, times in taken.items()}
    measured = {"sessions": [SMALL, LARGE], "large_over_small": round(medians[LARGE] / medians[SMALL], 2)}
    RESULTS.write_text(json.dumps(measured, indent=2) + "\n")
    print(json.dumps(measured | {"seconds": medians}))


if __name__ == "__main__":
    main()
