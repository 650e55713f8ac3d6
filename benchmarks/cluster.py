"""What shards and workers cost and give: `python benchmarks/cluster.py FILE`.

FILE is a benchmark in LoCoMo's schema. Its messages, each session a conversation of its own, are ingested into memories
of several numbers of shards by this process, and by a Ray cluster of several numbers of processors; every memory is
then asked the same questions. What this process does is told in processor seconds, what a cluster does in seconds;
throughput as a share of that of one shard, or of one worker. Writes benchmarks/results/cluster.json.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson

from memcli.cluster.ingesting import Reading, ingest
from memcli.cluster.starting import started
from memcli.evaluation.datasets import haystacks
from memcli.formats import Message
from memcli.memory import Memory

RESULTS = Path(__file__).parent / "results" / "cluster.json"
SHARDS = (1, 4, 16)
WORKERS = (1, 2, 4)
K = 20


def said(data: Path, most: int) -> Iterator[Message]:
    """The first messages, each session a conversation."""
    messages = (message for haystack in haystacks(data) for message in haystack.messages)
    return (replace(each, conversation=f"{each.conversation} {each.session}") for each in islice(messages, most))


def written(messages: Sequence[Message], file: Path) -> None:
    """The messages as memcli's JSON lines."""
    names = ("text", "speaker", "conversation", "session", "id")
    with file.open("wb") as out:
        for each in messages:
            record = {name: getattr(each, name) for name in names}
            at = each.said_at.isoformat() if each.said_at else ""
            out.write(orjson.dumps({**record, "timestamp": at}) + b"\n")


def questions(data: Path, most: int) -> list[str]:
    """Questions that are asked of it."""
    return [q.text for q in islice((q for haystack in haystacks(data) for q in haystack.questions), most)]


def seconds(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """How long it takes, by the clock of this process, which others on the machine do not move."""
    began = clock()
    work()
    return clock() - began


def asked(path: Path, texts: Sequence[str]) -> tuple[list[list[tuple[str, float]]], float, float]:
    """What is found, and the seconds of the first search and of each further one."""
    with Memory(path) as memory:
        first = seconds(lambda: memory.search(texts[0], k=K))
        found: list[list[tuple[str, float]]] = []
        rest = seconds(lambda: found.extend([(h.unit.id, h.score) for h in memory.search(t, k=K)] for t in texts))
    return found, first, rest / len(texts)


def of_shards(file: Path, folder: Path, texts: Sequence[str]) -> dict[str, Any]:
    """Memories that this process fills, by their number of shards; and whether they rank the same."""
    figures: dict[str, Any] = {}
    rankings = []
    for shards in SHARDS:
        path = folder / f"here{shards}.memcli.d"
        with Memory(path, shards=shards) as memory:
            took = seconds(lambda memory=memory: memory.ingest([file]))  # type: ignore[misc]
            size = sum(part.path.stat().st_size for part in memory.store.parts if part.path)
        found, cold, warm = asked(path, texts)
        rankings.append(found)
        figures[str(shards)] = {"seconds": took, "bytes": size, "first_search": cold, "search": warm}
    base = figures[str(SHARDS[0])]
    for each in figures.values():
        each["throughput"] = base["seconds"] / each["seconds"]
    same = [all([i for i, _ in a] == [i for i, _ in b] for a, b in zip(rankings[0], r, strict=True)) for r in rankings]
    return {
        "shards": figures,
        "identical_top_20": all(same),
        "identical_scores": all(r == rankings[0] for r in rankings),
    }


@contextmanager
def cluster(processors: int) -> Iterator[str]:
    """A cluster of this machine that counts so many processors; its address."""
    head = {"num_cpus": processors, "include_dashboard": False}
    made = import_module("ray.cluster_utils").Cluster(initialize_head=True, head_node_args=head)
    try:
        yield made.address
    finally:
        made.shutdown()


def of_workers(file: Path, folder: Path) -> dict[str, Any]:
    """Memories of four shards that a cluster fills, by its processors."""
    figures: dict[str, Any] = {}
    for workers in WORKERS:
        with cluster(workers) as address:
            began = time.perf_counter()
            with started(address), Memory(folder / f"there{workers}.memcli.d", shards=4) as memory:
                joined = time.perf_counter() - began
                took = seconds(lambda memory=memory: ingest(memory, [file], Reading(block=20_000)), time.perf_counter)  # type: ignore[misc]
                with memory.store.reading() as db:
                    turns = db.execute("select count(*) from turn").fetchall()[0][0]
        figures[str(workers)] = {"seconds": took, "joining": joined, "turns": turns}
    base = figures[str(WORKERS[0])]["seconds"]
    for each in figures.values():
        each["throughput"] = base / each["seconds"]
    return figures


def starting() -> float:
    """The seconds that it takes to start Ray on this machine, and to end it."""

    def work() -> None:
        with started():
            pass

    return seconds(work, time.perf_counter)


def rounded(value: Any) -> Any:
    """Figures as they are told."""
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items()}
    return round(value, 3) if isinstance(value, float) else value


def main() -> None:
    """Prints and writes the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--messages", type=int, default=2000)
    parser.add_argument("--questions", type=int, default=20)
    given = parser.parse_args()
    messages, texts = list(said(given.data, given.messages)), questions(given.data, given.questions)
    document: dict[str, Any] = {"data": given.data.name, "messages": len(messages), "questions": len(texts)}
    with TemporaryDirectory() as name:
        file = Path(name) / "said.jsonl"
        written(messages, file)
        document |= of_shards(file, Path(name), texts)
        document |= {"starting_ray": starting(), "workers": of_workers(file, Path(name))}
    RESULTS.write_text(json.dumps(rounded(document), indent=1) + "\n", encoding="utf-8")
    print(json.dumps(rounded(document), indent=1))


if __name__ == "__main__":
    main()
