"""Start-up, search, memory, ingest throughput and growth: ratios taken in one run, written as JSON.

    python benchmarks/speed.py --reference PYTHON [--large]

PYTHON is an interpreter that has sentence-transformers: `import sentence_transformers` is the yardstick for start-up,
the bare embedder over the sentences alone is the one for ingest. `--large` adds a store of 100,000 sentences.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from memcli.formats import Message
from memcli.memory import Memory
from memcli.providers.minilm import MiniLM
from memcli.text import sentences

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "sample_data" / "chats.jsonl"
RUNS = 7


def conversation(turns: int, seed: int = 0) -> Iterator[Message]:
    """Chat of realistic length in which no sentence repeats: sentences of the sample with their words exchanged."""
    rng = random.Random(seed)
    texts = [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
    said = [s for m in texts for s in sentences(m.get("text") or m.get("content") or "") if len(s.split()) > 3]
    vocabulary = sorted({w for s in said for w in s.split()})
    for i in range(turns):
        parts = [_changed(rng.choice(said), vocabulary, rng) for _ in range(rng.choice((1, 2, 3, 4, 5)))]
        session = i // 20
        at = datetime(2023, 1 + session % 12, 1 + session % 28, 10, i % 20, tzinfo=UTC)
        yield Message(" ".join(parts), "Ada" if i % 2 else "Bo", said_at=at, session=f"s{session}", id=f"{seed}-{i}")


def _changed(sentence: str, vocabulary: Sequence[str], rng: random.Random) -> str:
    words = sentence.split()
    for _ in range(max(1, len(words) // 3)):
        words[rng.randrange(len(words))] = rng.choice(vocabulary)
    return " ".join(words).strip().rstrip(".!?") + "."


#: A child's peak memory counts its parent's at the moment of the fork: so a small process runs the command.
_LAUNCHER = """
import resource, subprocess, sys, time
start = time.perf_counter()
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def timed(command: Sequence[str], runs: int = RUNS) -> tuple[float, int]:
    """The median wall time, s, and the largest peak memory, kB, of whole processes, after a warm-up."""
    times, peaks = [], []
    for run in range(runs + 1):
        done = subprocess.run([sys.executable, "-c", _LAUNCHER, *command], capture_output=True, text=True, check=True)
        seconds, peak = done.stdout.split()
        if run:
            times.append(float(seconds))
            peaks.append(int(peak))
    return statistics.median(times), max(peaks)


def start_up(reference: str, folder: Path) -> dict[str, float]:
    """Help and a cold search on 5,000 turns, against importing sentence-transformers; the three in turn."""
    store = folder / "five.memcli"
    Memory(store).add(conversation(5000))
    memcli = [sys.executable, "-m", "memcli"]
    yardstick, _ = timed([reference, "-c", "import sentence_transformers"], 3)
    helped, _ = timed([*memcli, "--help"])
    searched, peak = timed([*memcli, "search", "When did we talk about the garden?", "--store", str(store), "--json"])
    asked, _ = timed([*memcli, "ask", "When did we talk about the garden?", "--store", str(store), "--json"])
    return {
        "import sentence_transformers, s": round(yardstick, 3),
        "help / import": round(helped / yardstick, 4),
        "search at 5,000 turns / import": round(searched / yardstick, 4),
        "ask at 5,000 turns / import": round(asked / yardstick, 4),
        "search at 5,000 turns, peak MB": round(peak / 1024),
        "search at 5,000 turns, s": round(searched, 3),
    }


def throughput(folder: Path) -> dict[str, float]:
    """Ingest, everything included, against the bare embedder over the sentences alone, in tokens a second; in turn."""
    messages = list(conversation(3000, seed=1))
    said = list(dict.fromkeys(s for m in messages for s in sentences(m.text)))
    model = MiniLM(bulk=True)
    model.embed_passages(said[:256])
    ratios, rates = [], []
    tokens = model.count_tokens(said)
    for run in range(3):
        start = time.perf_counter()
        model.embed_passages(said)
        bare = time.perf_counter() - start
        start = time.perf_counter()
        Memory(folder / f"run{run}.memcli", embedder=model).add(messages)
        whole = time.perf_counter() - start
        ratios.append(bare / whole)
        rates.append(tokens / bare)
    return {
        "ingest / bare embedder, tokens a second": round(statistics.median(ratios), 3),
        "bare embedder, tokens a second": round(statistics.median(rates)),
        "sentences": len(said),
    }


def growth(folder: Path) -> dict[str, float]:
    """Search at 100,000 sentences against 5,000, and adding one session to either."""
    memcli = [sys.executable, "-m", "memcli"]
    stores, counts = {}, {}
    for name, turns in (("small", 1700), ("large", 33500)):
        stores[name] = folder / f"{name}.memcli"
        Memory(stores[name]).add(conversation(turns, seed=2))
        with Memory(stores[name]).store.reading() as db:
            counts[name] = db.execute("select count(*) from unit where kind = 'sentence'").fetchone()[0]  # type: ignore[index]
    searched, added, peak = {}, {}, {}
    for name, store in stores.items():
        command = [*memcli, "search", "When did we talk about the garden?", "--store", str(store), "--json"]
        searched[name], peak[name] = timed(command, 5)
        added[name] = statistics.median(_added(store, i) for i in range(5))
    return {
        **{f"sentences, {name}": counts[name] for name in stores},
        "search, large / small": round(searched["large"] / searched["small"], 3),
        "search, large, s": round(searched["large"], 3),
        "search, large, peak MB": round(peak["large"] / 1024),
        "add a session, large / small": round(added["large"] / added["small"], 3),
        "add a session, large, s": round(added["large"], 3),
    }


def _added(store: Path, run: int) -> float:
    model = MiniLM()
    messages = list(conversation(20, seed=100 + run))
    start = time.perf_counter()
    Memory(store, embedder=model).add([_renamed(m, f"extra{run}") for m in messages])
    return time.perf_counter() - start


def _renamed(message: Message, session: str) -> Message:
    return Message(message.text, message.speaker, session=session, id=message.id)


def main() -> None:
    """Runs what was asked for and writes benchmarks/results/speed.json."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", required=True, help="an interpreter that has sentence-transformers")
    parser.add_argument("--large", action="store_true", help="also a store of 100,000 sentences")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = {**start_up(options.reference, Path(folder)), **throughput(Path(folder))}
        if options.large:
            figures |= growth(Path(folder))
    print(json.dumps(figures, indent=1))
    (ROOT / "benchmarks/results/speed.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
