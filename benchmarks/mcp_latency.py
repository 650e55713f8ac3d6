"""How long a search takes that an agent asks a warm server for, over standard input and output; written as JSON.

    python benchmarks/mcp_latency.py [--messages 3000] [--rounds 5]

The store is made for it: chat in which no sentence repeats (`speed.conversation`). Every question is new to the server.
Round by round other questions are put to a `Memory` in this process, which is kept open as the server's is: the ratio
says what the server adds, however busy the machine is.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters
from speed import conversation

from memcli.memory import Memory

OUT = Path(__file__).resolve().parent / "results" / "mcp.json"
ASKED = 30


def questions(messages: int, count: int) -> list[str]:
    """Questions of words that were said, none twice."""
    rng = random.Random(1)
    said = [message.text.split() for message in conversation(messages)]
    return [f"What about {' '.join(rng.sample(words, min(4, len(words))))}?" for words in rng.sample(said, count)]


async def measured(store: Path, rounds: list[list[str]]) -> tuple[list[list[float]], list[list[float]]]:
    """The milliseconds of each search, round by round, by the server and without; the first round warms up."""
    start = StdioServerParameters(
        command=sys.executable, args=["-m", "memcli", "mcp", "--store", str(store)], env=dict(os.environ)
    )
    served, plain = [], []
    with Memory(store) as memory:
        memory.store.keep_open()
        async with Client(start) as client:
            for asked in rounds:
                half = len(asked) // 2
                served.append([await _served(client, question) for question in asked[:half]])
                plain.append([_plain(memory, question) for question in asked[half:]])
    return served[1:], plain[1:]


async def _served(client: Client, question: str) -> float:
    began = time.perf_counter()
    result = await client.call_tool("search", {"query": question})
    assert not result.is_error
    return 1000 * (time.perf_counter() - began)


def _plain(memory: Memory, question: str) -> float:
    began = time.perf_counter()
    memory.search(question)
    return 1000 * (time.perf_counter() - began)


def median(rounds: list[list[float]]) -> float:
    """Of all that was measured."""
    return statistics.median(each for one in rounds for each in one)


def main() -> None:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--store", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = given.store or Path(folder) / "chat.memcli"
        if not store.exists():
            Memory(store).add(conversation(given.messages))
        asked = questions(given.messages, 2 * ASKED * (given.rounds + 1))
        parts = [asked[at : at + 2 * ASKED] for at in range(0, len(asked), 2 * ASKED)]
        served, plain = anyio.run(measured, store, parts)
    every = sorted(each for one in served for each in one)
    found = {
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "messages": given.messages,
        "calls": len(every),
        "median_ms": round(median(served), 1),
        "p95_ms": round(every[int(0.95 * len(every))], 1),
        "medians_of_rounds_ms": [round(statistics.median(one), 1) for one in served],
        "plain_median_ms": round(median(plain), 1),
        "ratio": round(median(served) / median(plain), 2),
        "load": [round(each, 1) for each in os.getloadavg()],
        "cores": os.cpu_count(),
    }
    OUT.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
