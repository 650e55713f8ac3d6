"""The mean of several readers' weights, as `train_reader.py` left them, whose logits are as large as another's.

    python benchmarks/mean_reader.py --model BASE --readers FIRST.pt*2 SECOND.pt --like FIRST.pt --data FILE --out DIR

A mean of networks that were trained further from one reads better than any of them (model soups, Wortsman et al.
2022), and one that has the first in it forgets less (robust fine-tuning, the same year). `NAME*2` counts twice. Who
trains further is surer of all: the head that says whether a window answers is stretched so that its logits of the
windows of `--data` (as `reader_data.py` wrote them; some questions are enough) have the mean and the spread of
`--like`, for rules are written in these logits.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from train_reader import Reader, examples, masked, padded, shards
from transformers import AutoTokenizer

#: Every how-manieth question of the data is read.
EACH = 8
BATCH = 64

State = Mapping[str, torch.Tensor]


def main() -> None:
    """Reads and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--readers", nargs="+", required=True, metavar="FILE[*WEIGHT]")
    parser.add_argument("--like", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    found, like = Reader(options.model).eval(), Reader(options.model).eval()
    found.load_state_dict(mean([weighted(each) for each in options.readers]))
    like.load_state_dict(torch.load(options.like))
    lines = [json.loads(line) for line in options.data.read_text(encoding="utf-8").splitlines()[::EACH]]
    windows = [w for question in examples(AutoTokenizer.from_pretrained(options.model), lines) for w in question]
    stretch(found, logits(found, windows), logits(like, windows))
    options.out.mkdir(parents=True, exist_ok=True)
    torch.save(found.state_dict(), options.out / "reader.pt")


def weighted(named: str) -> tuple[State, float]:
    """The weights of a file, and what they count."""
    name, _, weight = named.partition("*")
    return torch.load(name), float(weight or 1)


def mean(readers: Sequence[tuple[State, float]]) -> State:
    """The weighted mean of each part."""
    whole = sum(weight for _, weight in readers)
    return {
        name: torch.stack([weight / whole * state[name].float() for state, weight in readers]).sum(0)
        for name in readers[0][0]
    }


def logits(reader: Reader, windows: Sequence[dict[str, object]]) -> np.ndarray:
    """Whether each window answers, those of like length together."""
    return np.concatenate([*_read(reader, windows)])


def _read(reader: Reader, windows: Sequence[dict[str, object]]) -> Iterator[np.ndarray]:
    with torch.no_grad():
        for shard in shards(list(windows)):
            for start in range(0, len(shard), BATCH):
                part = shard[start : start + BATCH]
                yield reader(padded(part, "ids"), masked(part), padded(part, "kinds"))[0].numpy()


def stretch(reader: Reader, own: np.ndarray, others: np.ndarray) -> None:
    """Gives the head that says whether a window answers the mean and the spread of others' logits."""
    factor = float(others.std() / own.std())
    with torch.no_grad():
        reader.answers.weight.mul_(factor)
        reader.answers.bias.mul_(factor).add_(float(others.mean()) - factor * float(own.mean()))
    print(f"logits × {factor:.3f}, of {len(own)} windows: mean {own.mean():.2f}, as {others.mean():.2f}")


if __name__ == "__main__":
    main()
