"""Forgetting a speaker at length: `python benchmarks/forgetting.py [--turns 40000] [--store PATH]`.

A chat of so many turns, of which Ada says 37 of 40, is stored with the fake embedder; some questions are asked and
noted, and one is judged. Then Ada is forgotten. Prints the seconds that it takes, and those for which the store is held
for writing; with --store, keeps the chat's store there and forgets in a copy of it. Writes
benchmarks/results/forgetting.json.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from memcli.formats import Message
from memcli.memory import Memory
from memcli.memory.feedback import Feedback, given, remember
from memcli.model import Filters
from memcli.store.connection import Store
from memcli.store.selection import Selection

RESULTS = Path(__file__).parent / "results" / "forgetting.json"
SESSION = 20
THINGS = (
    "boat cat garden violin harbour letter kitchen winter bicycle museum neighbour ticket recipe window river tea "
    "orchestra mountain bakery library train camera lamp blanket dentist lease passport sauce choir kayak"
).split()
SAID = (
    "I really like the {0}, but the {1} was too loud.",
    "My {0} broke again, so I took the {1} to the {2}.",
    "We could meet by the {0} at {n} and bring the {1}!",
    "I am allergic to the {0} in that {1}. 🙈🙈",
    "Did you see the {0} near the {1}? It cost {n}.",
    "I want to learn about the {0} and the {1} this year.",
)


def chat(turns: int) -> Iterator[Message]:
    """A chat of two, twenty messages an evening; three of forty are Bo's."""
    draw = random.Random(0)
    for i in range(turns):
        at = datetime(1990, 1, 1, 19) + timedelta(hours=5 * (i // SESSION), minutes=i % SESSION)
        things = draw.sample(THINGS, 3)
        text = draw.choice(SAID).format(*things, n=draw.randrange(10_000))
        yield Message(text, "Bo" if i % 40 in (3, 17, 29) else "Ada", said_at=at, conversation="c")


def fill(path: Path, turns: int) -> None:
    """The chat as a store, with answers and a verdict."""
    memory = Memory(path, embedder="fake")
    memory.add(chat(turns))
    for place, thing in enumerate(THINGS):
        question = f"What about the {thing}?"
        answer = memory.ask(question).answer
        noted = given(question, answer, datetime.now().astimezone() + timedelta(seconds=place), 0.1, narrowed=False)
        remember(memory.store, noted)
    Feedback(memory).judge("last", "wrong", "the kayak")


@contextmanager
def held(spans: list[float]) -> Iterator[None]:
    """Notes how long each hold of a store for writing lasts meanwhile."""
    writing = Store.writing

    @contextmanager
    def timed(self: Store, *arguments: Any, **named: Any) -> Iterator[Any]:
        with writing(self, *arguments, **named) as db:
            start = time.perf_counter()
            try:
                yield db
            finally:
                spans.append(time.perf_counter() - start)

    Store.writing = timed  # type: ignore[method-assign]
    try:
        yield
    finally:
        Store.writing = writing  # type: ignore[method-assign]


def measure(path: Path) -> dict[str, float]:
    """Forgets Ada: seconds in all, and of the longest hold of the store."""
    memory, spans = Memory(path, embedder="fake"), list[float]()
    turns = memory.care.select(Selection((), Filters(speaker="Ada")))
    with held(spans):
        start = time.perf_counter()
        done = memory.care.forget(turns)
        seconds = time.perf_counter() - start
    return {
        "forgotten": len(done.turns),
        "answers": len(done.answers),
        "seconds": round(seconds, 1),
        "longest_hold": round(max(spans), 1),
    }


def main() -> None:
    """Prints and writes the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=40_000)
    parser.add_argument("--store", type=Path)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        filled, copy = options.store or Path(folder) / "chat.memcli", Path(folder) / "copy.memcli"
        if not filled.exists():
            fill(filled, options.turns)
        shutil.copy(filled, copy)
        found = {"turns": options.turns, **measure(copy)}
    print(json.dumps(found))
    RESULTS.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
