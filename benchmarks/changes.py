"""What is answered of a thing that somebody said is otherwise now, in three sets of chats that were made up for it.

    python benchmarks/changes.py

Each item is a made-up chat of a few turns, with a question and a text that a right answer has in it. Of those of kind
`changed` the later turn holds, of `control` it is of something else. The sixty of `changed_facts.json` stand between
turns that have nothing to do with them; the rules were written with those at even places at hand, and not those at odd
ones. The ninety of `updated_facts.jsonl` are longer chats, the ninety of `still_facts.jsonl` have questions of yes or
no; of 84 of both it is also asked what was so before (`former`, `was`). Nobody read these before they were asked.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from memcli.formats import Message
from memcli.memory import Memory

HERE = Path(__file__).parent
#: Sets of which each line is an item, and what their items are counted as.
SETS = {"updated_facts": "ninety", "still_facts": "yes or no"}
RESULTS = HERE / "results" / "changes.json"
START, ASKED_AFTER = datetime(2026, 5, 1, 10), timedelta(hours=3500)
SPEAKERS = ("Ana", "Bo", "Cy")
SIDES = ("yes", "no")
#: When, in hours from the start, by whom, and what.
Said = tuple[float, str, str]
#: What is said beside the sixty, every forty hours.
BESIDE = (
    "lol ok", "did you see the match", "raining again here", "who wants soup", "I'm on the bus",
    "can someone feed the fish", "nice one", "the printer is jammed", "back in ten", "haha no", "we need milk",
    "long day", "that film was dull", "ok talk later",
)  # fmt: skip


def beside() -> list[Said]:
    """What is said beside the sixty."""
    return [(40.0 * n - 100, SPEAKERS[n % 3], text) for n, text in enumerate(BESIDE)]


def items() -> Iterator[tuple[str, dict[str, Any]]]:
    """Each item with what it is counted as."""
    for n, item in enumerate(json.loads((HERE / "changed_facts.json").read_text(encoding="utf-8"))):
        yield f"sixty, {item['kind']}, {('even', 'odd')[n % 2]}", {**item, "say": [*map(tuple, item["say"]), *beside()]}
    for name, counted in SETS.items():
        for line in (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            item = json.loads(line)
            item["say"] = [*map(tuple, item["say"])]
            yield f"{counted}, {item['kind']}", item
            if "former" in item:
                yield "before", {**item, "question": item["former"], "want": item["was"]}


def messages(item: dict[str, Any]) -> Iterator[Message]:
    """The chat of an item, in order of time."""
    for hours, speaker, text in sorted(item["say"]):
        yield Message(text, speaker, said_at=START + timedelta(hours=hours), conversation="home")


def outcome(item: dict[str, Any]) -> str:
    """Whether the answer is right, wrong, or none, or words of a turn instead of yes or no; what it says of before does
    not count.
    """
    with Memory(None) as memory:
        memory.add(messages(item))
        answer = memory.ask(item["question"], at=START + ASKED_AFTER).answer
    if answer.abstained:
        return "silent"
    if item["want"] in SIDES:
        said = answer.text.lower().split()[0].strip(".,;:")
        return ("right" if said == item["want"] else "wrong") if said in SIDES else "quoted"
    return "right" if item["want"].lower() in answer.text.lower().split("(before")[0] else "wrong"


def main() -> None:
    """Prints and writes how many of each kind are right, wrong and left open."""
    counts = Counter(f"{name}: {outcome(item)}" for name, item in items())
    text = json.dumps(dict(sorted(counts.items())), indent=1)
    RESULTS.write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
