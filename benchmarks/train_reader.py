"""Trains the reader on what `reader_data.py` wrote: a small BERT that reads a question and a window together.

    pip install -r benchmarks/train_encoder.txt
    torchrun --nproc-per-node 2 benchmarks/train_reader.py --data FILE --model BASE --out DIR [--without DATASET …]
        [--half 0|1 [--whole DATASET …]] [--twice DATASET …] [--most DATASET=N …] [--steps N]
        [--tokens N] [--wrong N] [--onto READER.pt [--again FILE] [--passed N]]

`BASE` is the folder of all-MiniLM-L6-v2 (`benchmarks/train_encoder.py` says which), or what `reader_base.py` wrote.
`--without` leaves out whole data sets, `--half` the questions of every second conversation, but of data sets that are
taken `--whole`: a reader is believed on what it did not see. Those `--twice` each pass reads twice, for they are few;
of those with `--most` so many are drawn at random. `--steps` ends within a pass. `--onto` goes on with a reader that
was trained before, at half the rate, and reads half as many questions of `--again`, which it has learned from already,
as of `--data`, others in each pass: else it would forget. Of these it learns what it said before beside what is right
(Li and Hoiem 2016). `--passed` says how many passes it has had, so that other windows are drawn. The lower layers stay
as they are; the upper ones and three heads are trained: whether the window answers, where, and whether it says yes or
no. Layers are computed in bfloat16, which is three times as fast where the processor multiplies so, or in `--float32`,
which is faster where it does not; what is learned is kept in float32. Some of the questions are read as somebody in a
hurry asks them, and of the windows that do not answer others in each pass.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from reading import half_of
from torch import distributed
from torch.nn import functional
from transformers import AutoModel, AutoTokenizer

#: The share of the layers, from the lowest on, that stay as they are.
FROZEN = 0.4
BATCH_TOKENS = 6144
#: How many times as long as the shortest the longest window may be that is read with it.
PADDING = 1.3
EPOCHS = 2
#: Windows of a question that do not answer, a pass: others are drawn in each, so that none is learned by heart.
WRONG = 6
RATE, HEAD_RATE, WARM = 1.2e-4, 1e-3, 0.06
#: How fast a reader that was trained before goes on, in parts of these rates.
ONWARD = 0.5
#: How many of the questions that it has learned from already are read again, in parts of those that are new.
AGAIN = 0.5
#: What the reader said of these before counts for so much beside what is right.
KEPT = 0.7
#: Of what a layer says, this share is left out at random: who learns by heart reads nothing new.
DROPOUT = 0.1
#: So many chances are drawn of leaving out, more than a batch's attention has numbers.
DRAWN = 1 << 25
QUESTION, BEFORE, TEXT = 48, 40, 104  # tokens at most
#: How much the parts of the loss weigh: whether it answers, which of a question's windows does, where, yes or no.
PARTS = (0.5, 0.5, 0.5, 0.5)
#: What a window that answers counts for, beside one that does not: these are more.
SELDOM = 1.5
#: A logit that is as good as nothing.
NONE = -1e4
POLARITY = {"yes": 0, "no": 1}
#: The share of questions that are read as somebody in a hurry asks them: "tom's wedding date".
TERSE = 0.15
#: What is left out by who is in a hurry, and the noun that may stand for what is asked for.
LEFT_OUT = frozenset(
    "a am an and are be been can could did do does had has have her his how i in is it its my of on should that the "
    "their there this to was we were what when where which who whose why will would you your".split()
)
NOUNS = {"when": "date", "where": "place", "who": "who", "what": "", "which": "", "whose": "whose"}
#: Fewer words say nothing.
TERSEST = 2

Line = dict[str, Any]


class Reader(torch.nn.Module):  # type: ignore[misc]  # torch is not among the types that are checked
    """The layers and the heads."""

    def __init__(self, model: Path) -> None:
        super().__init__()
        self.lower = AutoModel.from_pretrained(model, attn_implementation="eager")
        width = self.lower.config.hidden_size
        self.frozen = int(FROZEN * self.lower.config.num_hidden_layers)
        torch.manual_seed(0)
        self.answers, self.place, self.polarity = (torch.nn.Linear(width, n) for n in (1, 2, 2))

    def below(self, ids: torch.Tensor, mask: torch.Tensor, kinds: torch.Tensor) -> torch.Tensor:
        """What the frozen layers make of the tokens."""
        return through(self.lower.encoder.layer[: self.frozen], self.lower.embeddings(ids, kinds), mask)

    def judged(self, states: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Whether it answers [n], where it begins and ends [n, tokens, 2], yes or no [n, 2]."""
        return self.answers(states[:, 0])[:, 0], self.place(states), self.polarity(states[:, 0])

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, kinds: torch.Tensor) -> Any:
        return self.judged(through(self.upper, self.below(ids, mask, kinds), mask))

    @property
    def upper(self) -> Any:
        """The layers that learn."""
        return self.lower.encoder.layer[self.frozen :]

    @property
    def heads(self) -> list[torch.nn.Parameter]:
        return [p for head in (self.answers, self.place, self.polarity) for p in head.parameters()]


def through(layers: Any, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """What the layers make of the tokens that count."""
    bias = (1.0 - mask[:, None, None, :].to(states.dtype)) * NONE
    for layer in layers:
        made = layer(states, bias)
        states = made[0] if isinstance(made, tuple) else made
    return states


class Omitting(torch.nn.Module):  # type: ignore[misc]
    """Dropout whose chances were drawn once for all, and are read from any place on: to draw them anew took a fifth of
    the training.
    """

    def __init__(self, kind: torch.dtype) -> None:
        super().__init__()
        self.kept = torch.bernoulli(torch.full((DRAWN,), 1 - DROPOUT)).to(kind) / (1 - DROPOUT)
        self.drawn = random.Random(0)

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        place = self.drawn.randrange(DRAWN - states.numel())
        return states * self.kept[place : place + states.numel()].view(states.shape)


class Rounded:
    """The network as it is computed while it learns: in numbers of this kind, the upper layers with dropout."""

    def __init__(self, reader: Reader, kind: torch.dtype) -> None:
        self.network = copy.deepcopy(reader).to(kind).eval()
        omitting = Omitting(kind)
        for each in list(self.network.upper.modules()):
            for name, part in each.named_children():
                if isinstance(part, torch.nn.Dropout):
                    setattr(each, name, omitting)
        self.kept, self.ours = list(reader.upper.parameters()), list(self.network.upper.parameters())

    def states(self, shard: list[Line], mask: torch.Tensor) -> torch.Tensor:
        """What its layers make of the windows."""
        with torch.no_grad():
            below = self.network.below(padded(shard, "ids"), mask, padded(shard, "kinds"))
        return through(self.network.upper, below, mask).float()

    def hand_over(self) -> None:
        """What is to be changed, to those that are kept in float32."""
        for kept, our in zip(self.kept, self.ours, strict=True):
            kept.grad, our.grad = None if our.grad is None else our.grad.float(), None

    def renew(self) -> None:
        """Rounds what is kept."""
        with torch.no_grad():
            for kept, our in zip(self.kept, self.ours, strict=True):
                our.copy_(kept)


def encoded(tokenizer: Any, question: str, window: Line) -> tuple[list[int], int, list[tuple[int, int]]]:
    """The tokens, where the window's own begin, and their places in "SPEAKER: text"."""
    asked = tokenizer.encode(question, add_special_tokens=False)[:QUESTION]
    before = tokenizer.encode(window["before"], add_special_tokens=False)[-BEFORE:] if window["before"] else []
    own = tokenizer(f"{window['speaker']}: {window['text']}", add_special_tokens=False, return_offsets_mapping=True)
    first, last = tokenizer.cls_token_id, tokenizer.sep_token_id
    head = [first, *asked, last, *before, last]
    return [*head, *own["input_ids"][:TEXT], last], len(head), own["offset_mapping"][:TEXT]


def example(tokenizer: Any, asked: str, window: Line, question: int) -> Line:
    """A window as the network takes it, with what is right; `question`: whose it is."""
    ids, start, offsets = encoded(tokenizer, asked, window)
    span = None
    if window["span"]:
        a, b = window["span"]
        inside = [i for i, (x, y) in enumerate(offsets) if x < b and y > a]
        span = (start + inside[0], start + inside[-1]) if inside else None
    first = ids.index(tokenizer.sep_token_id) + 1
    return {
        "ids": torch.tensor(ids), "start": start, "question": question,
        "kinds": torch.tensor([0] * first + [1] * (len(ids) - first)),
        "answers": float(window["answers"]), "span": span, "polarity": POLARITY.get(window["polarity"]), "again": False,
    }  # fmt: skip


def batches(questions: list[list[Line]], drawn: random.Random, tokens: int) -> list[list[Line]]:
    """Batches of the windows of questions, in any order, all windows of a question in one batch."""
    order = list(questions)
    drawn.shuffle(order)
    found: list[list[Line]] = [[]]
    for question in order:
        if sum(len(each["ids"]) for each in found[-1]) > tokens:
            found.append([])
        found[-1] += question
    return found


def shards(batch: list[Line]) -> list[list[Line]]:
    """The windows of a batch, those of like length together: what is padded costs as much as what is read."""
    found: list[list[Line]] = [[]]
    for each in sorted(batch, key=lambda each: len(each["ids"])):
        if found[-1] and len(each["ids"]) > PADDING * len(found[-1][0]["ids"]):
            found.append([])
        found[-1].append(each)
    return found


def own_part(batch: list[Line]) -> list[Line]:
    """The windows of every n-th question of a batch, where n processes train together."""
    place, of = distributed.get_rank(), distributed.get_world_size()
    ours = set(list(dict.fromkeys(each["question"] for each in batch))[place::of])
    return [each for each in batch if each["question"] in ours] or batch


def agree(parameters: Sequence[torch.nn.Parameter]) -> None:
    """What is to be changed, as all processes have it in the mean."""
    for each in parameters:
        each.grad = torch.zeros_like(each) if each.grad is None else each.grad
    whole = torch.cat([each.grad.flatten() for each in parameters])
    distributed.all_reduce(whole)
    parts = (whole / distributed.get_world_size()).split([each.numel() for each in parameters])
    for each, part in zip(parameters, parts, strict=True):
        each.grad = part.view_as(each)


def padded(batch: list[Line], name: str) -> torch.Tensor:
    return torch.nn.utils.rnn.pad_sequence([each[name] for each in batch], batch_first=True)


def masked(batch: list[Line]) -> torch.Tensor:
    longest = max(len(each["ids"]) for each in batch)
    return torch.stack([(torch.arange(longest) < len(each["ids"])).long() for each in batch])


def loss(reader: Reader, rounded: Rounded, batch: list[Line], before: Reader) -> torch.Tensor:
    """Whether, which, where, and yes or no: by what is right, and of what was learned from already by what the reader
    said `before`, too.
    """
    new, again = ([each for each in batch if each["again"] is known] for known in (False, True))
    parts = [(part, share) for part, share in ((new, 0.0), (again, KEPT)) if part]
    lost = [len(part) * _lost(reader, rounded, part, before, share) for part, share in parts]
    return torch.stack(lost).sum() / len(batch)


def _lost(reader: Reader, rounded: Rounded, batch: list[Line], before: Reader, share: float) -> torch.Tensor:
    """`share` is what the reader before counts for."""
    read = [_read(reader, rounded, shard, before, share) for shard in shards(batch)]
    answers, said, where, says = (torch.cat(parts) for parts in zip(*read, strict=True))
    ordered = [each for shard in shards(batch) for each in shard]
    right, asked = torch.tensor([each["answers"] for each in ordered]), [each["question"] for each in ordered]
    whether = functional.binary_cross_entropy_with_logits(answers, right, pos_weight=torch.tensor(SELDOM))
    told = (1 - share) * (PARTS[0] * whether + PARTS[1] * which(answers, right, asked))
    told = told + share * alike(answers, said, asked)
    return told + PARTS[2] * where.sum() / len(batch) + PARTS[3] * says.sum() / max(len(says) * len(batch), 1) ** 0.5


def _read(
    reader: Reader, rounded: Rounded, shard: list[Line], before: Reader, share: float
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Whether each window answers, now and before, and what is lost where the place, and yes or no, are known."""
    mask = masked(shard)
    answers, place, polarity = reader.judged(rounded.states(shard, mask))
    with torch.no_grad():
        read = before(padded(shard, "ids"), mask, padded(shard, "kinds")) if share else (answers, place, polarity)
        said, there, side = (each.float() for each in read)
    where = says = torch.zeros(0)
    known = [i for i, each in enumerate(shard) if each["span"]]
    if known:
        own = torch.stack([torch.arange(mask.shape[1]) >= shard[i]["start"] for i in known]) & mask[known].bool()
        places, then = (each[known].masked_fill(~own[:, :, None], NONE) for each in (place, there))
        right = functional.one_hot(torch.tensor([shard[i]["span"] for i in known]), mask.shape[1]).transpose(1, 2)
        where = _unlike(places, right, then, share).sum(1)
    sided = [i for i, each in enumerate(shard) if each["polarity"] is not None]
    if sided:
        right = functional.one_hot(torch.tensor([shard[i]["polarity"] for i in sided]), 2)
        says = _unlike(polarity[sided], right, side[sided], share)
    return answers, said, where, says


def _unlike(logits: torch.Tensor, right: torch.Tensor, then: torch.Tensor, share: float) -> torch.Tensor:
    """How far logits, [n, choices, …], are from what is right, and for this share from what was said then."""
    told = (1 - share) * right + share * torch.softmax(then, 1)
    return functional.cross_entropy(logits, told, reduction="none")


def which(answers: torch.Tensor, right: torch.Tensor, question: Sequence[int]) -> torch.Tensor:
    """How far from even the windows that answer are among those of their question: listwise, a mean over questions."""
    own = owned(question, answers)
    gold = own & (right > 0)
    count = gold.sum(1)
    told = (count > 0) & (count < own.sum(1))
    lost = -(torch.log_softmax(alone(answers, own), 1) * gold).sum(1) / count.clamp(min=1)
    return (lost * told).sum() / told.sum().clamp(min=1)


def owned(question: Sequence[int], answers: torch.Tensor) -> torch.Tensor:
    """Which windows are of each question, [questions, windows]."""
    places = {each: place for place, each in enumerate(dict.fromkeys(question))}
    rows = torch.tensor([places[each] for each in question], device=answers.device)
    return torch.arange(len(places), device=answers.device)[:, None] == rows


def alike(answers: torch.Tensor, say: torch.Tensor, asked: Sequence[int]) -> torch.Tensor:
    """How far from what another network says: of each window, and of those of a question and none of them beside (a
    logit of 0).
    """
    each = functional.binary_cross_entropy_with_logits(answers, torch.sigmoid(say))
    own = owned(asked, answers)
    none = answers.new_zeros(len(own), 1)
    theirs = torch.softmax(torch.cat([alone(say, own), none], 1), 1)
    ours = torch.log_softmax(torch.cat([alone(answers, own), none], 1), 1)
    return PARTS[0] * each - PARTS[1] * (theirs * ours).sum(1).mean()


def alone(answers: torch.Tensor, own: torch.Tensor) -> torch.Tensor:
    """The logits of each question's windows, those of others as good as nothing."""
    return answers[None].masked_fill(~own, NONE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--without", nargs="*", default=[])
    parser.add_argument("--half", type=int, choices=(0, 1))
    parser.add_argument("--whole", nargs="*", default=[], help="data sets of which --half leaves nothing out")
    parser.add_argument("--twice", nargs="*", default=[], help="data sets that are read twice in each pass")
    parser.add_argument("--most", nargs="*", default=[], help="of a data set at most so many, drawn at random")
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--steps", type=int, help="at most so many")
    parser.add_argument("--wrong", type=int, default=WRONG, help="windows of a question that do not answer, a pass")
    parser.add_argument("--tokens", type=int, default=BATCH_TOKENS, help="of a batch, about")
    parser.add_argument("--float32", action="store_true", help="compute the layers in it")
    parser.add_argument("--onto", type=Path, help="the weights of a reader that was trained before")
    parser.add_argument("--again", type=Path, help="what it has learned from already")
    parser.add_argument("--passed", type=int, default=0, help="how many passes it has had")
    options = parser.parse_args()
    torch.set_num_threads(1)
    distributed.init_process_group("gloo")
    tokenizer, reader = AutoTokenizer.from_pretrained(options.model), Reader(options.model).eval()
    if options.onto:
        reader.load_state_dict(torch.load(options.onto))
    new, again = chosen(options.data, options), chosen(options.again, options) if options.again else []
    questions = examples(tokenizer, [*new, *again], options.passed)
    for window in (window for question in questions[len(new) :] for window in question):
        window["again"] = True
    coming = range(options.passed, options.passed + options.epochs)
    steps = passes(questions[: len(new)], questions[len(new) :], coming, (options.tokens, options.wrong))
    kind = torch.float32 if options.float32 else torch.bfloat16
    before = copy.deepcopy(reader).to(kind)
    learn(Rounded(reader, kind), reader, before, steps[: options.steps], ONWARD if options.onto else 1.0)
    if distributed.get_rank() == 0:
        options.out.mkdir(parents=True, exist_ok=True)
        torch.save(reader.state_dict(), options.out / "reader.pt")


def terse(question: str, drawn: random.Random) -> str:
    """The words of a question that bear it: "When is Tom's wedding?" is "tom's wedding", or "tom's wedding date"; a
    question that begins otherwise, or has too few of them, stays.
    """
    first, *words = re.findall(r"[\w'’:.,/-]*\w|£|\$", question)
    kept = [word for word in words if word.lower() not in LEFT_OUT]
    if first.lower() not in NOUNS or len(kept) < TERSEST:
        return question
    noun = NOUNS[first.lower()] if drawn.random() < 0.5 else ""
    return " ".join([noun, *kept] if noun in ("who", "whose") else [*kept, noun]).strip().lower()


def chosen(path: Path, options: argparse.Namespace) -> list[Line]:
    """The questions of a file that are to be learned from."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    apart = [line for line in lines if line["windows"] and line["dataset"] not in options.without]
    taken = [line for line in apart if line["dataset"] in options.whole or not is_held_out(line, options.half)]
    taken = fewer(taken, {name: int(most) for name, _, most in (each.partition("=") for each in options.most)})
    return [*taken, *(line for line in taken if line["dataset"] in options.twice)]


def fewer(lines: list[Line], most: Mapping[str, int]) -> list[Line]:
    """Of some data sets at most so many questions, drawn at random, in their order."""
    left_out = set[int]()
    for dataset, count in most.items():
        places = [place for place, line in enumerate(lines) if line["dataset"] == dataset]
        left_out.update(random.Random(0).sample(places, max(len(places) - count, 0)))
    return [line for place, line in enumerate(lines) if place not in left_out]


def is_held_out(line: Line, half: int | None) -> bool:
    """Whether its group is of this half; what was made is of neither."""
    if half is None or line["dataset"] == "made":
        return False
    return half_of(line["dataset"], line["group"]) == half


def examples(tokenizer: Any, lines: list[Line], passed: int = 0) -> list[list[Line]]:
    """The windows of each question."""
    drawn, questions = random.Random(passed), []
    for number, line in enumerate(lines):
        asked = terse(line["question"], drawn) if drawn.random() < TERSE else line["question"]
        questions.append([example(tokenizer, asked, window, number) for window in line["windows"]])
    windows = [window for question in questions for window in question]
    tokens = sum(len(window["ids"]) for window in windows)
    print(len(questions), "questions", len(windows), "windows", tokens, "tokens", flush=True)
    return questions


def passes(
    new: list[list[Line]], again: list[list[Line]], epochs: Sequence[int], sizes: tuple[int, int]
) -> list[list[Line]]:
    """The batches of all passes: what is new, and as much of what is not, drawn anew for each. `sizes`: the tokens of a
    batch, and the windows of a question that do not answer.
    """
    drawn = [random.Random(epoch) for epoch in epochs]
    more = min(int(AGAIN * len(new)), len(again))
    read = [[*new, *each.sample(again, more)] for each in drawn]
    tokens, wrong = sizes
    passed = list(zip(read, drawn, strict=True))
    shown = [[some(question, each, wrong) for question in questions] for questions, each in passed]
    return [batch for questions, each in zip(shown, drawn, strict=True) for batch in batches(questions, each, tokens)]


def some(question: list[Line], drawn: random.Random, wrong: int) -> list[Line]:
    """The windows that answer, and so many of the others."""
    others = [each for each in question if not each["answers"]]
    return [each for each in question if each["answers"]] + drawn.sample(others, min(wrong, len(others)))


def learn(rounded: Rounded, reader: Reader, before: Reader, steps: list[list[Line]], pace: float) -> None:
    """Trains on these batches; `pace` is the rate in parts of the usual one."""
    heads = reader.heads
    learning = [*rounded.kept, *heads]
    optimizer = torch.optim.AdamW(
        [{"params": rounded.kept, "lr": pace * RATE}, {"params": heads, "lr": pace * HEAD_RATE}], weight_decay=0.01
    )
    rate = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda n: min(1.0, n / (WARM * len(steps))) * max(0.02, 1 - n / len(steps))
    )
    began, mean = time.time(), 0.0
    for n, batch in enumerate(steps):
        optimizer.zero_grad()
        value = loss(reader, rounded, own_part(batch), before)
        value.backward()
        rounded.hand_over()
        agree(learning)
        torch.nn.utils.clip_grad_norm_(learning, 1.0)
        optimizer.step()
        rate.step()
        rounded.renew()
        mean = 0.98 * mean + 0.02 * float(value.detach()) if n else float(value.detach())
        if n % 50 == 0:
            print(f"{n}/{len(steps)} loss {mean:.3f} {time.time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
