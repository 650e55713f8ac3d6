"""How much of what was said in made-up chats (`judge_chats/`) a strategy finds: no ranking was learned from them.

    python benchmarks/chats_recall.py [--strategies fused,bm25,dense]

Prints for each strategy the share of the questions whose turn is first, among 5, 10 and 20.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import chats
from kinds import stores

from memcli.evaluation.questions import Haystack
from memcli.memory import Memory
from memcli.model import Filters
from memcli.strategies import strategy

CHATS = Path(chats.__file__).with_name("judge_chats")
DEPTHS = (1, 5, 10, 20)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strategies", default="fused,bm25,dense")
    names = parser.parse_args().strategies.split(",")
    ranks: dict[str, list[int]] = {name: [] for name in names}
    with TemporaryDirectory() as folder:
        for haystack in stores(CHATS):
            with Memory(Path(folder) / f"{haystack.name}.memcli") as memory:
                memory.add(haystack.messages)
                for name in names:
                    ranks[name] += list(_ranks(haystack, memory, name))
    shares = {name: [sum(r < k for r in found) / len(found) for k in DEPTHS] for name, found in ranks.items()}
    print(json.dumps({"questions": len(ranks[names[0]]), "depths": DEPTHS, "recall": shares}, indent=2))


def _ranks(haystack: Haystack, memory: Memory, name: str) -> Iterator[int]:
    """The place of each question's turn among the hits, from 0."""
    chosen = strategy(name)
    for question in haystack.questions:
        if question.answerable and question.asked_at:
            query, view = memory.query(question.text, Filters(), question.asked_at, chosen)
            hits = [hit.unit.sources[0] for hit in chosen.retrieve(query, view, DEPTHS[-1])]
            yield next((place for place, turn in enumerate(hits) if turn in question.evidence), len(hits) + DEPTHS[-1])


if __name__ == "__main__":
    main()
