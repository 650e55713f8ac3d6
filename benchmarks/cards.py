"""How much of what a careful reader would put on cards is there, and how much of what is there is right.

    python benchmarks/cards.py

The chats are `judge_chats`; the reader's list, `cards.toml`, was written before memcli was asked, and rules after that.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from chats import haystack

from memcli.care.cards import Note
from memcli.memory import Memory

HERE = Path(__file__).resolve().parent
OUT = HERE / "results" / "cards.json"

#: A person's name, what is noted, and whether it holds or was before.
Told = tuple[str, Note, str]


def main() -> None:
    """Measures, prints and writes."""
    listed = tomllib.loads((HERE / "cards.toml").read_text(encoding="utf-8"))
    people = list(dict.fromkeys(fact[0] for fact in listed["facts"]))
    told = list(_told(people))
    found = [fact for fact in listed["facts"] if any(_is(each, fact) for each in told)]
    right = [each for each in told if any(_is(each, fact) for fact in (*listed["facts"], *listed["also"]))]
    for name, note, when in told:
        print("+" if (name, note, when) in right else "-", name, note.kind, note.value, when, "|", note.turn.text)
    for fact in listed["facts"]:
        if fact not in found:
            print("?", *fact)
    result = _result(listed["facts"], told, found, right)
    print(json.dumps(result))
    OUT.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


def _told(people: Sequence[str]) -> Iterator[Told]:
    for path in sorted((HERE / "judge_chats").glob("*.txt")):
        messages = haystack(path).messages
        with Memory(None, embedder="fake") as memory:
            memory.add(messages)
            for name in people:
                if any(message.speaker == name for message in messages):
                    card = memory.who(name)
                    yield from ((name, note, "holds") for note in card.holds)
                    yield from ((name, note, "before") for note in card.before)


def _is(told: Told, fact: Sequence[str]) -> bool:
    name, note, when = told
    return [name, note.kind.value, when] == [fact[0], fact[1], fact[3]] and fact[2].lower() in note.value.lower()


def _result(
    facts: Sequence[Any], told: Sequence[Any], found: Sequence[Any], right: Sequence[Any]
) -> Mapping[str, float]:
    return {
        "facts": len(facts),
        "found": len(found),
        "recall": round(len(found) / len(facts), 2),
        "told": len(told),
        "right": len(right),
        "precision": round(len(right) / max(len(told), 1), 2),
    }


if __name__ == "__main__":
    main()
