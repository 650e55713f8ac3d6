"""What the reader's network is worth as a reranker: the recall of `fused` with and without `--reranker reader`.

    python benchmarks/rereading.py --data locomo.json friendsqa.json.gz benchmarks/judge_chats ordinary/ ordinary_hard/
        --apart judge_chats ordinary ordinary_hard [--cache DIR] [--unseen …] [--write]

The data are what `reading.py` takes. Of data sets that are not `--apart`, the network was trained on every second
conversation: the others alone are asked. Recall is the share of the evidence turns of a question among the first k
hits; of chats with patterns, whether a turn that matches is among them. Prints JSON; `--write` stores it.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import fmean

import unseen
from kinds import folder
from reading import ASKED_AT, LATER, filled, half_of, is_asked_beside, stored
from unseen import Unseen

from memcli.memory import Memory
from memcli.memory.rereading import scorer
from memcli.model import Filters, Hit
from memcli.reading.rereading import Rereader
from memcli.strategies import DEFAULT, strategy
from memcli.strategies.reranking import CONSIDERED, reranked

RESULTS = Path(__file__).parent / "results" / "rereading.json"
AT = (1, 5, 10, 20)
#: How much of a question's evidence some hits are.
Found = Callable[[Sequence[Hit]], float]


@dataclass(frozen=True)
class Ranked:
    """The hits of a question, as `fused` has them and as the reader mixes them."""

    found: Found
    plain: Sequence[Hit]
    read: Sequence[Hit]


def ranked(path: Path, cache: Path, opened: ExitStack, fair: Unseen, *, whole: bool) -> Iterator[Ranked]:
    """The questions of a file or a folder that can be answered; `whole`: not only those that are held out."""
    if is_asked_beside(path):
        file = path / "questions.jsonl"
        memory = stored(cache / f"{path.name}.memcli", folder(file), fair.of(path)(""), opened)
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        for row in (row for row in rows if row["evidence"] and row["lang"] == "en"):
            yield _ranked(memory, row["question"], ASKED_AT, Filters(), _matches(row["evidence"]))
    else:
        name = path.name.split(".")[0]
        for haystack, memory in filled(path, cache, opened, fair):
            if not whole and half_of(name, haystack.name) != 0:
                continue
            for question in haystack.questions:
                if question.answerable and question.evidence:
                    at = question.asked_at or LATER
                    filters = Filters(until=at if question.past_only else None)
                    yield _ranked(memory, question.text, at, filters, _share(question.evidence))


def _matches(pattern: str) -> Found:
    return lambda hits: float(any(re.search(pattern, hit.unit.text) for hit in hits))


def _share(evidence: Collection[object]) -> Found:
    gold = {str(turn) for turn in evidence}
    return lambda hits: len(gold & {str(hit.unit.sources[0]) for hit in hits}) / len(gold)


def _ranked(memory: Memory, text: str, at: datetime, filters: Filters, found: Found) -> Ranked:
    query, view = memory.query(text, filters, at, strategy(DEFAULT))
    hits = strategy(DEFAULT).retrieve(query, view, CONSIDERED)
    return Ranked(found, hits, reranked(scorer(Rereader(), query, view), hits))


def figures(asked: Sequence[Ranked]) -> dict[str, dict[str, float]]:
    """Recall at each depth, without and with the reader."""
    return {
        "fused": {f"recall@{k}": round(fmean(each.found(each.plain[:k]) for each in asked), 4) for k in AT},
        "with the reader": {f"recall@{k}": round(fmean(each.found(each.read[:k]) for each in asked), 4) for k in AT},
    }


def main() -> None:
    """Prints the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", type=Path, required=True)
    parser.add_argument("--apart", nargs="*", default=[], metavar="DATASET", help="that the network was not trained on")
    parser.add_argument("--cache", type=Path, help="a folder that keeps the stores for the next run")
    parser.add_argument("--write", action="store_true", help="store the figures")
    unseen.add_options(parser)
    options = parser.parse_args()
    made: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as opened:
        for path in options.data:
            whole = path.name in options.apart
            asked = list(ranked(path, options.cache or Path(scratch), opened, unseen.chosen(options), whole=whole))
            made[path.name.split(".")[0]] = {"questions": len(asked), **figures(asked)}
    if options.write:
        RESULTS.write_text(json.dumps(made, indent=2) + "\n")
    print(json.dumps(made, indent=2))


if __name__ == "__main__":
    main()
