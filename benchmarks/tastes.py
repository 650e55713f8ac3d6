"""Learns whether what somebody said of his tastes bears on what he asks: makes `memcli/reading/taste_weights.json`.

    python benchmarks/tastes.py --data implicit_preference.json.gz longmemeval_short.json.gz [--cache DIR] [--write]

The first are talks of users with an assistant, and requests of which each rests on a taste that one turn voices. Right
is what quotes that turn. The same requests are asked of the second, others' talks, where nothing bears on them. What is
printed is of what was learned without the user who asks.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import numpy as np
from kinds import stores
from sklearn.linear_model import LogisticRegression

from memcli import Memory
from memcli.evaluation.questions import GoldQuestion, Haystack
from memcli.model import Filters
from memcli.providers.embedding import DEFAULT as DEFAULT_EMBEDDER
from memcli.providers.embedding import embedder_id
from memcli.ranking import learned
from memcli.reading.judge import Judge
from memcli.reading.stored import StoredTranscript
from memcli.reading.tastes import NAMES, quoted, signals, tastes
from memcli.strategies import DEFAULT, strategy

HERE = Path(__file__).resolve().parent
TARGET = HERE.parent / "memcli" / "reading" / "taste_weights.json"
OUT = HERE / "results" / "tastes.json"
SEARCHED = 20
#: Every how-manieth of the others' stores is asked.
APART = 3
#: From which probability on it is quoted: careful, usual, bold.
THRESHOLDS = (0.7, 0.55, 0.25)


@dataclass(frozen=True)
class Case:
    """What was found for a request of a user; whether it holds what the request rests on. `own`: in his own talks."""

    user: int
    row: Sequence[float] | None
    right: bool
    own: bool


def cases(users: Sequence[Haystack], others: Sequence[Haystack], cache: Path) -> Iterator[Case]:
    """Each request, asked of the talks of its user, and of those of somebody else."""
    for number, (user, other) in enumerate(zip(users, others, strict=True)):
        with filled(cache / f"user-{number}.memcli", user) as memory:
            yield from (asked(memory, question, number, own=True) for question in user.questions)
        with filled(cache / f"other-{number}.memcli", other) as memory:
            yield from (asked(memory, replace(each, asked_at=None), number, own=False) for each in user.questions)


def filled(place: Path, haystack: Haystack) -> Memory:
    """A store of these talks."""
    memory = Memory(place)
    if not memory.store.exists:
        memory.add(haystack.messages)
    return memory


def asked(memory: Memory, question: GoldQuestion, user: int, *, own: bool) -> Case:
    """What is found for a request."""
    chosen = strategy(DEFAULT)
    query, view = memory.query(question.text, Filters(), question.asked_at or datetime.now(tz=UTC), chosen)
    with memory.store.reading():
        found = tastes(query, chosen.retrieve(query, view, SEARCHED), StoredTranscript(view))
    gold = {str(each) for each in question.evidence} if own else set()
    row = learned.in_order(signals(found), NAMES) if found else None
    return Case(user, row, bool(found) and any(str(each.turn.id) in gold for each in quoted(found)), own)


def fitted(found: Sequence[Case]) -> Judge:
    """The regression over what was found."""
    rows = np.array([each.row for each in found if each.row is not None])
    right = np.array([each.right for each in found if each.row is not None])
    mean, scale = rows.mean(0), np.maximum(rows.std(0), 1e-6)
    made = LogisticRegression().fit((rows - mean) / scale, right)
    single = np.float32
    return Judge(
        NAMES, mean.astype(single), scale.astype(single), made.coef_[0].astype(single), float(made.intercept_[0])
    )


def sure(case: Case, judge: Judge) -> float:
    """The probability that it bears on the request."""
    return judge(dict(zip(NAMES, case.row, strict=True))) if case.row is not None else 0.0


def figures(found: Sequence[Case]) -> dict[str, object]:
    """Shares by threshold, each user judged by what the others teach."""
    users = sorted({each.user for each in found})
    apart = {user: fitted([each for each in found if each.user != user]) for user in users}
    judged = [(each, sure(each, apart[each.user])) for each in found]
    own = [(each, trust) for each, trust in judged if each.own]
    return {
        "requests": len(own),
        "quoted, if nothing is doubted": _share([each.right for each, _ in own]),
        "by threshold": {
            least: {
                "right": _share([each.right and trust >= least for each, trust in own]),
                "wrong": _share([not each.right and trust >= least for each, trust in own]),
                "silent in others' talks": _share([trust < least for each, trust in judged if not each.own]),
            }
            for least in THRESHOLDS
        },
    }


def _share(of: Sequence[bool]) -> float:
    return round(float(np.mean(of)), 3)


def main() -> None:
    """Learns, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs=2, type=Path, required=True)
    parser.add_argument("--cache", type=Path, help="a folder that keeps the stores for the next run")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    data, apart = options.data
    users = list(stores(data))
    others = list(islice(stores(apart), 0, APART * len(users), APART))
    with tempfile.TemporaryDirectory() as place:
        found = list(cases(users, others, options.cache or Path(place)))
    result = figures(found)
    print(json.dumps(result, indent=2))
    if options.write:
        by = f"python benchmarks/tastes.py --data {data.name} {apart.name} --write"
        past = learned.made(by, options.data, embedder_id(DEFAULT_EMBEDDER))
        TARGET.write_text(learned.written(past, fitted(found).numbers()), encoding="utf-8")
        OUT.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
