"""How the strategies hold up as a history grows: 1, 2, 4 and 8 times its sessions, over the questions of each user.

    python benchmarks/history.py --data implicit.json.gz --filler longmemeval.json.gz --cache DIR

A user's history is made longer by sessions of others that ask for other things, said by the same two speakers. Recall,
the time from a question's words to its hits, one question at a time, and the size of the file; written to
`benchmarks/results/history.json`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np

from memcli.evaluation.datasets import haystacks
from memcli.evaluation.metrics import ndcg, recall
from memcli.evaluation.questions import Haystack
from memcli.formats import Message
from memcli.memory import Memory
from memcli.providers.embedding import Embedder, embedder

ROOT = Path(__file__).resolve().parents[1]
STRATEGIES = ("dense", "ontology", "fused")
TIMES = (1, 2, 4, 8)
REPEATS = 3


def filler(path: Path) -> Iterator[list[Message]]:
    """Sessions of a benchmark, each once, in the order of the file."""
    seen: set[str] = set()
    for haystack in haystacks(path):
        sessions: dict[str, list[Message]] = {}
        for message in haystack.messages:
            sessions.setdefault(str(message.session), []).append(message)
        for name, messages in sessions.items():
            words = "\n".join(message.text for message in messages)
            if words not in seen:
                seen.add(words)
                yield [replace(message, session=f"{haystack.name} {name}") for message in messages]


def grown(cache: Path, path: Path, sessions: int, model: Embedder) -> dict[int, Path]:
    """A store of filler alone for each factor: as many sessions as the history lacks to be so many times as long."""
    made: dict[int, Path] = {}
    source, held = filler(path), 0
    for factor in TIMES[1:]:
        target = cache / f"filler-{factor}.memcli"
        wanted = (factor - 1) * sessions
        fresh = list(islice(source, wanted - held))
        held = wanted
        if not target.exists():
            if factor > TIMES[1]:
                shutil.copy(made[factor // 2], target)
            Memory(target, embedder=model).add([message for session in fresh for message in session], "filler")
        made[factor] = target
        print("filler", factor, file=sys.stderr, flush=True)
    return made


def measured(memory: Memory, haystack: Haystack) -> dict[str, dict[str, list[float]]]:
    """For each strategy the recall@10, the reciprocal log rank and the milliseconds of each question."""
    found: dict[str, dict[str, list[float]]] = {name: {"recall": [], "ndcg": [], "ms": []} for name in STRATEGIES}
    for name in STRATEGIES:
        memory.search("warm up", strategy=name)
    for question in haystack.questions:
        for name in STRATEGIES:
            times = []
            for _ in range(REPEATS):
                start = time.perf_counter()
                hits = memory.search(question.text, k=10, strategy=name, at=question.asked_at)
                times.append(1000 * (time.perf_counter() - start))
            ranking = [hit.unit.sources[0] for hit in hits]
            quality = recall(ranking, question.evidence, 10), ndcg(ranking, question.evidence, 10)
            for key, value in zip(("recall", "ndcg", "ms"), (*quality, min(times)), strict=True):
                found[name][key].append(value)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--filler", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--users", type=int, default=10)
    options = parser.parse_args(arguments)
    options.cache.mkdir(parents=True, exist_ok=True)
    model = embedder(bulk=True)
    users = list(islice(haystacks(options.data), options.users))
    sessions = len({message.session for message in users[0].messages})
    longer = grown(options.cache, options.filler, sessions, model)
    record: dict[str, object] = {"users": len(users), "sessions": sessions}
    for factor in TIMES:
        rows, sizes = [], []
        for number, haystack in enumerate(users):
            path = options.cache / f"user-{number}-{factor}.memcli"
            if not path.exists():
                if factor > 1:
                    shutil.copy(longer[factor], path)
                Memory(path, embedder=model).add(haystack.messages, "history")
            asked = Memory(path, embedder=embedder())  # that of somebody who asks, not of somebody who writes
            rows.append(measured(asked, haystack))
            sizes.append(path.stat().st_size / 2**20)
            print(factor, haystack.name, file=sys.stderr, flush=True)
        record[f"{factor}x"] = _summed(rows) | {"megabytes": round(float(np.mean(sizes)), 1)}
        print(json.dumps(record[f"{factor}x"]), flush=True)
    (ROOT / "benchmarks/results/history.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def _summed(rows: Sequence[dict[str, dict[str, list[float]]]]) -> dict[str, object]:
    all_of = {
        name: {key: np.concatenate([row[name][key] for row in rows]) for key in rows[0][name]} for name in STRATEGIES
    }
    base = float(np.percentile(all_of["dense"]["ms"], 95))
    return {
        name: {
            "recall@10": round(float(found["recall"].mean()), 4),
            "ndcg@10": round(float(found["ndcg"].mean()), 4),
            "p95 over dense": round(float(np.percentile(found["ms"], 95)) / base, 2),
            "median over dense": round(float(np.median(found["ms"]) / np.median(all_of["dense"]["ms"])), 2),
        }
        for name, found in all_of.items()
    }


if __name__ == "__main__":
    main()
