"""How long a search takes that an agent asks a warm server for, over standard input and output; written as JSON.

    python benchmarks/mcp_latency.py [--messages 3000] [--rounds 5]

The store is made for it: chat in which no sentence repeats (`speed.conversation`). Every question is new to the server.
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


async def measured(store: Path, asked: list[list[str]]) -> list[list[float]]:
    """The seconds of each call, round by round; the first round warms the server up and is left out."""
    start = StdioServerParameters(
        command=sys.executable, args=["-m", "memcli", "mcp", "--store", str(store)], env=dict(os.environ)
    )
    rounds = []
    async with Client(start) as client:
        for each in asked:
            seconds = []
            for question in each:
                began = time.perf_counter()
                result = await client.call_tool("search", {"query": question})
                seconds.append(time.perf_counter() - began)
                assert not result.is_error
            rounds.append(seconds)
    return rounds[1:]


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
        asked = questions(given.messages, ASKED * (given.rounds + 1))
        parts = [asked[at : at + ASKED] for at in range(0, len(asked), ASKED)]
        rounds = anyio.run(measured, store, parts)
    milliseconds = [[1000 * each for each in seconds] for seconds in rounds]
    every = sorted(each for one in milliseconds for each in one)
    found = {
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "messages": given.messages,
        "calls": len(every),
        "median_ms": round(statistics.median(every), 1),
        "p95_ms": round(every[int(0.95 * len(every))], 1),
        "medians_of_rounds_ms": [round(statistics.median(one), 1) for one in milliseconds],
        "load": [round(each, 1) for each in os.getloadavg()],
        "cores": os.cpu_count(),
    }
    OUT.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
