"""Peak memory over the length of a file: `python benchmarks/scale.py [--lines 10000 100000 1000000]`.

A chat of so many lines, as memcli's JSONL and as WhatsApp's text, goes the whole way from the file to the point where
its sessions would be embedded and written: detected, parsed, cleaned, split, given ids. The least and ten times as many
are stored, too, with the fake embedder: what grows there is what the store knows. Each is a process of its own. Writes
benchmarks/results/scale.json.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from memcli.formats import sources
from memcli.ingestion import Ingestion, Watcher
from memcli.memory import Memory
from memcli.model import Session, SessionId, Turn, TurnId

RESULTS = Path(__file__).parent / "results" / "scale.json"
LINES = (10_000, 100_000, 1_000_000)
FORMATS = ("jsonl", "whatsapp")
SESSION = 20
WORDS = (
    "boat cat garden violin harbour letter kitchen winter bicycle museum neighbour ticket recipe window river".split()
)


class Forgetful:
    """Takes what an indexer takes and keeps the count alone."""

    def __init__(self) -> None:
        self.turns = 0

    def add(self, _session: Session, turns: Sequence[Turn]) -> None:
        """Counts."""
        self.turns += len(turns)

    def known(self, _ids: Sequence[TurnId]) -> Mapping[TurnId, SessionId]:
        """Nothing is known."""
        return {}

    def latest(self, _conversation: str) -> None:
        """There is no session yet."""

    def flush(self) -> None:
        """Nothing waits."""

    finish = flush


def lines(format_name: str, count: int) -> Iterator[str]:
    """A chat of two, twenty messages an evening."""
    for i in range(count):
        at = datetime(1990, 1, 1, 19) + timedelta(hours=5 * (i // SESSION), minutes=i % SESSION)
        who, text = ("Ada", "Bo")[i % 2], f"About the {WORDS[i % 15]} and the {WORDS[i // 7 % 15]}, number {i}."
        if format_name == "jsonl":
            yield json.dumps({"text": text, "speaker": who, "timestamp": at.isoformat(), "conversation": "c"}) + "\n"
        else:
            yield f"[{at:%d/%m/%Y, %H:%M:%S}] {who}: {text}\n"


def passed(path: Path) -> int:
    """Sends a file through everything before the indexer; returns how many turns came out."""
    indexer = Forgetful()
    run = Ingestion(lambda _stored, _passed, _embedded: indexer, Watcher())  # type: ignore[arg-type, return-value]
    for source in sources([path]):
        run.run(source, None, strict=False)
    run.finish()
    return indexer.turns


def peak() -> int:
    """The most memory that this process has held so far, in megabytes; getrusage would count its parent's, too."""
    status = Path("/proc/self/status").read_text()
    return round(int(status.split("VmHWM:")[1].split()[0]) / 1024)


def measure(what: str, path: Path) -> dict[str, float]:
    """One measurement, in this process: turns, seconds, and megabytes at the most and before."""
    before = peak()
    start = time.perf_counter()
    if what == "stored":
        turns = Memory(path.with_suffix(".memcli"), embedder="fake").ingest([path]).added
    else:
        turns = passed(path)
    seconds = time.perf_counter() - start
    return {"turns": turns, "seconds": seconds, "megabytes": peak(), "megabytes_before": before}


def measured(what: str, count: int, format_name: str) -> dict[str, float]:
    """One measurement, by a process of its own."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / ("chat.jsonl" if format_name == "jsonl" else "WhatsApp Chat with Bo.txt")
        with path.open("w", encoding="utf-8") as file:
            file.writelines(lines(format_name, count))
        command = [sys.executable, __file__, "--measure", what, str(path)]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    print(what, format_name, count, found, file=sys.stderr)
    if found["turns"] != count:
        raise SystemExit(f"{found['turns']} turns of {count} lines")
    return {name: found[name] for name in ("megabytes", "megabytes_before")}


def main() -> None:
    """Prints and writes the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, nargs="+", default=LINES)
    parser.add_argument("--measure", nargs=2, metavar=("WHAT", "PATH"))
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measure(given.measure[0], Path(given.measure[1]))))
        return
    document: dict[str, object] = {}
    for name in FORMATS:
        rows = {str(count): measured("passed", count, name) for count in given.lines}
        least, most = (rows[str(count)]["megabytes"] for count in (min(given.lines), max(given.lines)))
        document[name] = {"lines": rows, "largest_over_smallest": round(most / least, 2)}
    least = min(given.lines)
    document["stored"] = {str(count): measured("stored", count, "jsonl") for count in (least, 10 * least)}
    RESULTS.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
