"""Trains what notes the facts of cards: MiniLM that reads a window and says of each word whether it is of a value.

    pip install -r benchmarks/train_encoder.txt
    python benchmarks/train_notes.py --model MINILM --out DIR [--onto READER.pt] [--without NAME …]

It learns from `card_facts/NAME.txt`, a reader's lists of what files of `judge_chats` and `reader_chats` tell of
anybody (`benchmarks/cards.py` has their form): where the words of a fact stand, its kind, and whether it is told of
who speaks. What is listed under `also` is neither right nor wrong. `--onto` begins with the layers of the reader;
`--without` leaves files out, for `cards.py` to judge by.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from chats import haystack, named
from torch.nn import functional
from train_reader import Reader, Rounded, encoded, masked, shards
from transformers import AutoTokenizer

from memcli.formats import Message
from memcli.model.cards import CardKind
from memcli.reading.windows import FORMER, Window, before, spans
from memcli.text import sentences

HERE = Path(__file__).resolve().parent
KINDS = [kind.value for kind in CardKind]
EPOCHS, BATCH = 6, 24  # passes; windows at once
RATE, HEAD_RATE, WARM = 2e-4, 1e-3, 0.1
OWN = 0.3  # what it weighs whose a value is
#: What is no part of a value; what says nothing, and is not learned.
NOTHING, UNKNOWN = 0, -100

Line = dict[str, Any]


@dataclass(frozen=True)
class Told:
    """A fact as a window tells it: `start` and `end` are places in "SPEAKER: text"; `sure`: it is no `also`."""

    start: int
    end: int
    kind: str
    own: bool
    sure: bool


class Noter(Reader):
    """MiniLM with two heads: of each token whether a value of a kind begins or goes on; whether it is the speaker's."""

    def __init__(self, model: Path) -> None:
        super().__init__(model)
        width = self.lower.config.hidden_size
        self.notes, self.own = torch.nn.Linear(width, 1 + 2 * len(KINDS)), torch.nn.Linear(width, 1)

    def judged(self, states: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:  # type: ignore[override]
        """What each token is [n, tokens, 1 + 2 * kinds], and whether it is of who speaks [n, tokens]."""
        return self.notes(states), self.own(states)[:, :, 0]

    @property
    def heads(self) -> list[torch.nn.Parameter]:
        return [*self.notes.parameters(), *self.own.parameters()]


# -- what is learned from --------------------------------------------------------------------------------------------


def listed() -> list[str]:
    """The names of the lists."""
    return sorted(path.stem for path in (HERE / "card_facts").glob("*.txt"))


def windows(name: str) -> Iterator[tuple[Window, list[Told]]]:
    """Each window of these chats, and what it tells."""
    messages = haystack(named(name)).messages
    facts = _placed(name, messages)
    for place, message in enumerate(messages):
        text = sentences(message.text) or [message.text]
        for start, end in spans(text):
            window = Window(_name(message), " ".join(text[start:end]), _before(messages, place, text[:start]))
            yield window, [told for fact in facts.get(place, ()) if (told := _told(window, fact))]


def _name(message: Message) -> str:
    return message.speaker or message.role


def _before(messages: Sequence[Message], place: int, own: Sequence[str]) -> str:
    former = [each for each in messages[max(place - FORMER, 0) : place] if each.session == messages[place].session]
    thread = [(_name(each), each.text) for each in former]
    return before([*thread, *([(_name(messages[place]), " ".join(own))] if own else [])])


def _placed(name: str, messages: Sequence[Message]) -> dict[int, list[list[str]]]:
    """The facts by the message that tells them: of those with these words the first of the one whom they are of, or
    the first.
    """
    placed: dict[int, list[list[str]]] = {}
    title = ""
    for line in (HERE / "card_facts" / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            title = line[2:].strip()
        elif line.strip():
            person, kind, value, when, *_ = (cell.strip() for cell in line.split("|"))
            telling = [i for i, each in enumerate(messages) if each.conversation == title and value in each.text]
            own = [i for i in telling if _name(messages[i]) == person]
            if telling:
                placed.setdefault((own or telling)[0], []).append([person, kind, value, when])
    return placed


def _told(window: Window, fact: Sequence[str]) -> Told | None:
    person, kind, value, when = fact
    start = window.shown.find(value, len(window.speaker))
    own = person == window.speaker
    return Told(start, start + len(value), kind, own, when != "also") if start >= 0 else None


def example(tokenizer: Any, window: Window, facts: Sequence[Told], number: int) -> Line:
    """A window as the network takes it, with what is right of each token."""
    said = {"speaker": window.speaker, "text": window.text, "before": window.before}
    ids, start, offsets = encoded(tokenizer, "", said)
    notes, own = [UNKNOWN] * start + [NOTHING] * len(offsets) + [UNKNOWN], [UNKNOWN] * len(ids)
    for fact in sorted(facts, key=lambda fact: fact.sure):
        inside = [start + i for i, (a, b) in enumerate(offsets) if a < fact.end and b > fact.start]
        for nth, token in enumerate(inside):
            notes[token] = 1 + 2 * KINDS.index(fact.kind) + (nth > 0)
            own[token] = int(fact.own)
    kinds = [0, 0] + [1] * (len(ids) - 2)
    return {"ids": torch.tensor(ids), "kinds": torch.tensor(kinds), "start": start, "question": number,
            "notes": torch.tensor(notes), "own": torch.tensor(own)}  # fmt: skip


def padded(shard: list[Line], name: str, value: int = 0) -> torch.Tensor:
    return torch.nn.utils.rnn.pad_sequence([each[name] for each in shard], batch_first=True, padding_value=value)


# -- learning --------------------------------------------------------------------------------------------------------


def learn(noter: Noter, lines: list[Line], epochs: int) -> None:
    """Trains on these windows."""
    rounded = Rounded(noter, torch.bfloat16)
    optimizer = torch.optim.AdamW(
        [{"params": rounded.kept, "lr": RATE}, {"params": noter.heads, "lr": HEAD_RATE}], weight_decay=0.01
    )
    drawn = random.Random(0)
    steps = [batch for _ in range(epochs) for batch in _batches(lines, drawn)]
    rate = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda n: min(1.0, n / (WARM * len(steps))) * max(0.02, 1 - n / len(steps))
    )
    began = time.time()
    for n, batch in enumerate(steps):
        optimizer.zero_grad()
        lost = loss(noter, rounded, batch)
        lost.backward()
        rounded.hand_over()
        torch.nn.utils.clip_grad_norm_([*rounded.kept, *noter.heads], 1.0)
        optimizer.step()
        rate.step()
        rounded.renew()
        if n % 100 == 0:
            print(f"{n}/{len(steps)} loss {float(lost):.3f} {time.time() - began:.0f} s", flush=True)


def _batches(lines: list[Line], drawn: random.Random) -> list[list[Line]]:
    order = drawn.sample(lines, len(lines))
    return [order[i : i + BATCH] for i in range(0, len(order), BATCH)]


def loss(noter: Noter, rounded: Rounded, batch: list[Line]) -> torch.Tensor:
    """What each token is, and whose the values are: a mean over tokens."""
    lost = torch.zeros(())
    for shard in shards(batch):
        notes, own = noter.judged(rounded.states(shard, masked(shard)))
        right, whose = padded(shard, "notes", UNKNOWN).flatten(), padded(shard, "own", UNKNOWN)
        lost = lost + functional.cross_entropy(notes.flatten(0, 1), right, ignore_index=UNKNOWN, reduction="sum")
        known = whose != UNKNOWN
        sides = functional.binary_cross_entropy_with_logits(own[known], whose[known].float(), reduction="sum")
        lost = lost + OWN * sides
    return lost / sum(len(each["ids"]) - each["start"] for each in batch)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--onto", type=Path, help="the weights of the reader")
    parser.add_argument("--without", nargs="*", default=[], help="files that are not learned from")
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    options = parser.parse_args()
    torch.manual_seed(0)
    tokenizer, noter = AutoTokenizer.from_pretrained(options.model), Noter(options.model).eval()
    if options.onto:
        noter.load_state_dict(torch.load(options.onto), strict=False)
    found = [each for name in listed() if name not in options.without for each in windows(name)]
    print(len(found), "windows", sum(len(facts) for _, facts in found), "facts", flush=True)
    lines = [example(tokenizer, window, facts, n) for n, (window, facts) in enumerate(found)]
    learn(noter, lines, options.epochs)
    options.out.mkdir(parents=True, exist_ok=True)
    torch.save(noter.state_dict(), options.out / "notes.pt")


if __name__ == "__main__":
    main()
