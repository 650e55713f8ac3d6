"""How much of what a careful reader would put on cards is there, and how much of what is there is right.

    python benchmarks/cards.py [--of NAME …] [--notes FILE]

The chats are `judge_chats` and `reader_chats`; `card_facts/NAME.txt` has a reader's list of one of their files:
everything that it tells of anybody, written without looking at what memcli says. The network that notes
(`train_notes.py`) learned from all of them: `--notes` takes another that did not learn from these. A line begins a
conversation (`# title`) or is a fact:

    Person | kind | words of the message that tells it | holds, before or also | what ended it

`also` is true, and no matter for a card. Only people who speak have cards.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path

from chats import haystack, named

from memcli.care import noting
from memcli.memory import Memory
from memcli.reading.noting import Noter

HERE = Path(__file__).resolve().parent
OUT = HERE / "results" / "cards.json"


@dataclass(frozen=True)
class Fact:
    """What a reader notes of somebody, or what memcli does, in doubt or not; `when` is holds, before or also."""

    conversation: str
    name: str
    kind: str
    value: str
    when: str
    doubtful: bool = False

    def is_told_by(self, told: Fact) -> bool:
        """Whether what memcli notes is this: of one of two values the words of the other."""
        one, other = self.value.lower(), told.value.lower()
        when = self.when in (told.when, "also")
        same = (self.conversation, self.name, self.kind) == (told.conversation, told.name, told.kind)
        return same and when and (one in other or other in one)


def main() -> None:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--of", nargs="+", default=sorted(path.stem for path in (HERE / "card_facts").glob("*.txt")))
    parser.add_argument("--notes", type=Path)
    options = parser.parse_args()
    if options.notes:
        noting.noter = cache(lambda: Noter(options.notes))  # type: ignore[attr-defined]
    listed, told = list[Fact](), list[Fact]()
    for name in options.of:
        given = haystack(named(name))
        with Memory(None, embedder="fake") as memory:
            memory.add(given.messages)
            speakers = set(_speakers(memory))
            listed += [fact for fact in _listed(name) if (fact.conversation, fact.name) in speakers]
            for speaker in sorted(speakers):
                told += _told(memory, *speaker, given.questions[0].asked_at)
    for each in told:
        mark = "+" if any(fact.is_told_by(each) for fact in listed) else "-"
        print(
            mark, each.name, each.kind, each.value, each.when, "maybe" if each.doubtful else "", "|", each.conversation
        )
    known = [each for each in told if not each.doubtful]
    result = {"known": _result(listed, known), "known and maybe": _result(listed, told)}
    print(json.dumps(result))
    OUT.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


def _listed(name: str) -> Iterator[Fact]:
    conversation = ""
    for line in (HERE / "card_facts" / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            conversation = line.removeprefix("# ").strip()
        elif line.strip():
            person, kind, value, when, *_ = (cell.strip() for cell in line.split("|"))
            yield Fact(conversation, person, kind, value, when)


def _speakers(memory: Memory) -> Sequence[tuple[str, str]]:
    with memory.store.reading() as db:
        said = "select distinct s.conversation, t.speaker from turn t join session s on s.seq = t.session"
        return [(str(conversation), str(name)) for conversation, name in db.execute(said).fetchall() if name]


def _told(memory: Memory, conversation: str, name: str, at: datetime | None) -> Iterator[Fact]:
    card = memory.who(name, conversation=conversation, at=at)
    for when, notes in (("holds", card.holds), ("before", card.before), ("holds", card.maybe)):
        for note in notes:
            yield Fact(conversation, name, note.kind.value, note.value, when, doubtful=notes is card.maybe)


def _result(listed: Sequence[Fact], told: Sequence[Fact]) -> Mapping[str, object]:
    wanted = [fact for fact in listed if fact.when != "also"]
    found = [fact for fact in wanted if any(fact.is_told_by(each) for each in told)]
    right = [each for each in told if any(fact.is_told_by(each) for fact in listed)]
    kinds, of_kind = Counter(fact.kind for fact in wanted), Counter(fact.kind for fact in found)
    return {
        "facts": len(wanted),
        "found": len(found),
        "recall": round(len(found) / len(wanted), 2),
        "told": len(told),
        "right": len(right),
        "precision": round(len(right) / max(len(told), 1), 2),
        "found of each kind": {kind: f"{of_kind[kind]} of {count}" for kind, count in sorted(kinds.items())},
    }


if __name__ == "__main__":
    main()
