"""Learns which windows are read: makes `memcli/reading/shortlist_weights.json`.

    python benchmarks/shortlist.py --data judge_chats [--every N] [--test FILE …] [--write]

A window is right if its turn is of the question's evidence. What is printed is how often one of the windows that are
read is: of the data, each conversation left out in turn with a fifth of the others, and of each file of --test, by what
was learned from the data; by the order of the hits, as it was before, and chosen.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt
from kinds import stores
from sklearn.linear_model import LogisticRegression

from memcli import Memory
from memcli.evaluation.questions import Haystack
from memcli.model import Filters
from memcli.providers.embedding import DEFAULT as DEFAULT_EMBEDDER
from memcli.providers.embedding import embedder_id
from memcli.ranking import learned
from memcli.reading.judge import Judge
from memcli.reading.passages import gather
from memcli.reading.shortlist import NAMES, signals
from memcli.reading.stored import StoredTranscript
from memcli.strategies import DEFAULT, strategy

HERE = Path(__file__).resolve().parent
TARGET = HERE.parent / "memcli" / "reading" / "shortlist_weights.json"
OUT = HERE / "results" / "shortlist.json"
FOLDS, SEARCHED = 5, 20
#: How many windows are read.
SIZES = (6, 8, 10, 12)


@dataclass(frozen=True)
class Case:
    """A question's windows in the order of the hits, [windows, signals], and which of them answer."""

    conversation: str
    rows: npt.NDArray[np.float64]
    right: npt.NDArray[np.bool_]

    @property
    def fold(self) -> int:
        """What it is left out with."""
        return zlib.crc32(self.conversation.encode()) % FOLDS


def cases(haystacks: Iterable[Haystack], every: int) -> Iterator[Case]:
    """The answerable questions of each N-th haystack, each haystack a store."""
    for number, haystack in enumerate(haystacks):
        if number % every == 0:
            with tempfile.TemporaryDirectory() as place, Memory(Path(place) / "chats.memcli") as memory:
                memory.add(haystack.messages)
                yield from _asked(memory, haystack, str(number))


def _asked(memory: Memory, haystack: Haystack, conversation: str) -> Iterator[Case]:
    chosen = strategy(DEFAULT)
    for question in haystack.questions:
        if not question.answerable or not question.evidence:
            continue
        at = question.asked_at or datetime.now(tz=UTC)
        query, view = memory.query(question.text, Filters(), at, chosen)
        with memory.store.reading():
            hits = chosen.retrieve(query, view, SEARCHED)
            found = gather(query.question, query, hits, StoredTranscript(view))
        rows = np.array([[row[name] for name in NAMES] for row in signals(found)]).reshape(len(found), len(NAMES))
        yield Case(conversation, rows, np.array([each.turn in question.evidence for each in found], dtype=bool))


def fitted(found: Sequence[Case]) -> Judge:
    """The regression over all windows of these questions."""
    rows, right = np.concatenate([each.rows for each in found]), np.concatenate([each.right for each in found])
    mean, scale = rows.mean(axis=0), np.maximum(rows.std(axis=0), 1e-6)
    made = LogisticRegression(max_iter=1000).fit((rows - mean) / scale, right)
    single = np.float32
    return Judge(
        NAMES, mean.astype(single), scale.astype(single), made.coef_[0].astype(single), float(made.intercept_[0])
    )


def read(case: Case, most: int, judge: Judge | None) -> bool:
    """Whether something that answers is among the windows that are read."""
    if judge is None:
        return bool(case.right[:most].any())
    order = np.argsort(-((case.rows - judge.mean) / judge.scale @ judge.weights), kind="stable")
    return bool(case.right[order[:most]].any())


def shares(found: Sequence[Case], judges: Sequence[Judge]) -> dict[str, object]:
    """How often, by the order of the hits and chosen; `judges`: one for all, or one a fold."""
    chosen = {most: [read(each, most, judges[each.fold % len(judges)]) for each in found] for most in SIZES}
    return {
        "questions": len(found),
        "by hits": {most: round(float(np.mean([read(each, most, None) for each in found])), 3) for most in SIZES},
        "chosen": {most: round(float(np.mean(right)), 3) for most, right in chosen.items()},
    }


def main() -> None:
    """Learns, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--test", nargs="*", type=Path, default=[])
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    found = list(cases(stores(options.data), options.every))
    apart = [fitted([each for each in found if each.fold != fold]) for fold in range(FOLDS)]
    whole = fitted(found)
    result = {f"{options.data.name}, left out": shares(found, apart)}
    for path in options.test:
        name = path.parent.name if path.name == "questions.jsonl" else path.name.split(".")[0]
        result[name] = shares(list(cases(stores(path), 1)), [whole])
    print(json.dumps(result, indent=2))
    if options.write:
        by = f"python benchmarks/shortlist.py --data {options.data.name} --every {options.every} --write"
        past = learned.made(by, [options.data], embedder_id(DEFAULT_EMBEDDER))
        TARGET.write_text(learned.written(past, whole.numbers()), encoding="utf-8")
        OUT.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
