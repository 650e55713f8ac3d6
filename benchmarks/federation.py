"""What several stores find together, beside one store of it all: `python benchmarks/federation.py FILE`.

FILE is a benchmark in LoCoMo's schema with several conversations. They are put into one store, and in turns into two;
every question is asked over the one and over the two together. Writes benchmarks/results/federation.json.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from memcli.evaluation.datasets import haystacks
from memcli.evaluation.questions import GoldQuestion
from memcli.memory import Memory

RESULTS = Path(__file__).parent / "results" / "federation.json"
STRATEGIES = ("fused", "dense", "bm25")
K = 20


def filled(data: Path, folder: Path) -> tuple[Memory, Memory, list[GoldQuestion]]:
    """One memory of all, one of two stores, and the questions that have evidence."""
    whole, halves = folder / "whole.memcli", [folder / "a.memcli", folder / "b.memcli"]
    questions = []
    for number, haystack in enumerate(haystacks(data)):
        for path in (whole, halves[number % 2]):
            with Memory(path) as memory:
                memory.add(haystack.messages)
        questions += [question for question in haystack.questions if question.evidence]
    return Memory(whole), Memory(halves), questions


def compared(whole: Memory, halves: Memory, questions: Sequence[GoldQuestion], strategy: str) -> dict[str, float]:
    """How much of the first ten and twenty is the same, and how much of the evidence is among the first ten."""
    same = {"the same first 10": 0.0, "the same first 20": 0.0, "recall@10, one store": 0.0, "recall@10, two": 0.0}
    for question in questions:
        one, two = (
            [hit.unit.id for hit in memory.search(question.text, k=K, strategy=strategy, at=question.asked_at)]
            for memory in (whole, halves)
        )
        found = [len(question.evidence & {*ids[:10]}) / len(question.evidence) for ids in (one, two)]
        shared = [len({*one[:k]} & {*two[:k]}) / max(len(one[:k]), 1) for k in (10, 20)]
        for name, value in zip(same, [*shared, *found], strict=True):
            same[name] += value / len(questions)
    return {name: round(value, 4) for name, value in same.items()}


def main() -> None:
    """Prints and writes the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--every", type=int, default=1, help="ask every so manieth question alone")
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        whole, halves, questions = filled(given.data, Path(folder))
        asked = list(islice(questions, 0, None, given.every))
        figures = {name: compared(whole, halves, asked, name) for name in STRATEGIES}
    document = {"data": given.data.name, "questions": len(asked), **figures}
    RESULTS.write_text(json.dumps(document, indent=1) + "\n")
    print(json.dumps(document, indent=1))


if __name__ == "__main__":
    main()
