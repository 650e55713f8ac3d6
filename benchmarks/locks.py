"""How long an ingest holds the store: a look at the file's lock every few milliseconds, from another process.

    python benchmarks/locks.py --data chats.jsonl [--embedder minilm]

Linux only (fcntl's F_GETLK). Also how far off the time was that the progress bar told meanwhile. Written to
`benchmarks/results/locks.json`.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import multiprocessing
import os
import struct
import tempfile
import time
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from memcli.cli.progress import Pace
from memcli.ingestion import Watcher
from memcli.memory import Memory
from memcli.store.rows import scalar

RESULTS = Path(__file__).parent / "results" / "locks.json"
EVERY = 0.003
Told = Any  # a queue of what was said when, and how long it would take
_LOCK = "hhqqi"  # struct flock: type, whence, start, length, process


def ingest(
    store: Path, data: Path, embedder: str, told: multiprocessing.SimpleQueue[list[tuple[float, float]]]
) -> None:
    """Ingests, and tells at the end what the bar said when: seconds since the start, and how long it would take."""
    pace, said = Pace(), [(0.0, 0.0)]

    def hear(_source: object, report: object) -> None:
        pace.reached(min(report.worked or 0.0, 1.0))  # type: ignore[attr-defined]
        if pace.left is not None and pace.elapsed > said[-1][0] + 1:
            said.append((pace.elapsed, pace.elapsed + pace.left))

    Memory(store, embedder=embedder).ingest([data], watcher=Watcher(progress=hear))
    told.put([*said[1:], (pace.elapsed, pace.elapsed)])


def looks(store: Path, process: multiprocessing.process.BaseProcess) -> Iterator[tuple[float, bool]]:
    """The time of each look, and whether the store was held for writing then."""
    while process.is_alive():
        if store.exists():
            descriptor = os.open(store, os.O_RDWR)
            try:
                asked = struct.pack(_LOCK, fcntl.F_RDLCK, 0, 0, 0, 0)  # a reader's: whom only a writer keeps out
                held = struct.unpack(_LOCK, fcntl.fcntl(descriptor, fcntl.F_GETLK, asked))[0] != fcntl.F_UNLCK
            finally:
                os.close(descriptor)
            yield time.monotonic(), held
        time.sleep(EVERY)


def stretches(seen: list[tuple[float, bool]], wanted: bool) -> list[float]:
    """How long each stretch lasted in which the store was held, or was not."""
    parts = [(held, [at for at, _ in part]) for held, part in groupby(seen, key=lambda look: look[1])]
    return [times[-1] - times[0] + EVERY for held, times in parts if held is wanted]


def main() -> None:
    """Measures, prints and records."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--embedder", default="minilm")
    options = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        store, told = Path(folder) / "locks.memcli", context.SimpleQueue()
        process = context.Process(target=ingest, args=(store, options.data, options.embedder, told))
        process.start()
        seen = list(looks(store, process))
        said = told.get()
        with Memory(store).store.reading() as db:
            sentences, turns = (scalar(db, f"select count(*) from {table}") for table in ("vector", "turn"))
    took, held = said[-1][0], stretches(seen, True)
    off = [max(says / took, took / says) for at, says in said if at < 0.9 * took]
    figures = {
        "turns": turns,
        "distinct sentences": sentences,
        "seconds": round(took),
        "held, share of the time": round(float(np.mean([held for _, held in seen])), 3),
        "held, seconds": {name: round(float(np.percentile(held, at)), 3) for name, at in
                          (("p50", 50), ("p95", 95), ("p99", 99), ("max", 100))},
        "times held": len(held),
        "longer than half a second": sum(each > 0.5 for each in held),
        "time told, factor by which it was off": {"median": round(float(np.median(off)), 2), "max": round(max(off), 2)},
    }  # fmt: skip
    print(json.dumps(figures, indent=1))
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    RESULTS.write_text(json.dumps(kept | {f"{options.embedder}, {sentences} sentences": figures}, indent=1) + "\n")


if __name__ == "__main__":
    main()
