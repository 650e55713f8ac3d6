"""Trains the half of memcli's encoder that reads questions, for the vectors that passages are stored by.

    pip install -r benchmarks/train_encoder.txt
    python benchmarks/encoder_data.py --data … --out pairs
    python benchmarks/train_questions.py --conversations pairs --train NAME … --out questions [--tastes NAME …]

Passages stay where they are, so that no store is embedded anew, and a step costs what its questions do: each moves
towards what answers it (query-side fine-tuning, Lee et al. 2021), among all else that was said in its conversation:
every sentence, every turn, and every turn with those beside it, a softmax each. Statements of taste, which strategies
embed like questions, are held where they were.

Two networks are trained side by side, each without one half of the conversations: `OUT/0` and `OUT/1`. What ships is
made of both (`export_questions.py`), and what is learned from an encoder's vectors is given those of the one that has
not seen the conversation (`unseen.py`).
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import torch
from regain_encoder import regained
from train_encoder import SHORTEST, TEMPERATURE, Encoder, by_length, original_weights, part, shares, trained

from memcli.providers.embedding import embedder

BATCH = 64
RATE = 5e-5
HALVES = 2
WHOLE = 0.4  # how often a question is asked with the names in it, which it is embedded without for the most part
TASTES, HELD = 3000, 12  # statements that are held where they were: of all conversations, in a batch


@dataclass(frozen=True)
class Said:
    """What was said in a conversation, [units, 384] of unit length: sentences, turns, turns with those beside them.

    `of`: the turn of each sentence. `means`: whether a turn says enough to mean something by itself.
    """

    sentences: torch.Tensor
    of: torch.Tensor
    turns: torch.Tensor
    windows: torch.Tensor
    means: torch.Tensor


@dataclass(frozen=True)
class Asked:
    """A question: with and without names, as a statement of taste, and the turns of its evidence."""

    dataset: str
    conversation: str
    text: str
    whole: str
    taste: str
    gold: Sequence[int]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conversations", type=Path, required=True)
    parser.add_argument("--train", nargs="+", required=True, help="what the files' names begin with")
    parser.add_argument("--tastes", nargs="*", default=[], help="files whose questions are asked as tastes, too")
    parser.add_argument("--steps", type=int, default=700)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    with ProcessPoolExecutor(HALVES) as pool:
        list(pool.map(half, range(HALVES), [options] * HALVES))


def half(k: int, options: argparse.Namespace) -> None:
    """Trains and writes the network that does not see the k-th half."""
    torch.set_num_threads(1)
    said: dict[str, Said] = {}
    asked: list[Asked] = []
    for path in sorted(options.conversations.glob("*.conversations.jsonl")):
        if path.name.startswith(tuple(options.train)):
            asked += _read(path, k, said)
    print(f"{len(asked)} questions to {len(said)} conversations", file=sys.stderr, flush=True)
    encoder = Encoder(original_weights())
    encoder.model.load_state_dict(regained().state_dict())
    trained(encoder, Loss(encoder, asked, said, options.tastes), options.steps, k, RATE)
    encoder.model.save_pretrained(options.out / str(k))
    encoder.tokenizer.save_pretrained(options.out / str(k))


def _read(path: Path, k: int, said: dict[str, Said]) -> Iterator[Asked]:
    """The questions of a file but those of the k-th half of its conversations, where it has several."""
    dataset = path.name.split(".")[0]
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        name = f"{dataset}:{line['name']}"
        if len(lines) == 1 or part(name, HALVES) != k:
            said[name] = units(line["turns"], line["sessions"])
            for each in line["questions"]:
                if each["gold"]:
                    yield Asked(dataset, name, each["text"], each["whole"], each["taste"], each["gold"])


def units(turns: Sequence[Sequence[str]], sessions: Sequence[int]) -> Said:
    """The vectors of a conversation as they are stored, and as strategies pool them: by the words of each sentence."""
    sentences = [sentence for turn in turns for sentence in turn]
    vectors = torch.as_tensor(embedder(bulk=True).embed_passages(sentences))
    of = torch.tensor([place for place, turn in enumerate(turns) for _ in turn])
    words = torch.tensor([float(max(len(sentence.split()), 1)) for sentence in sentences])
    sums = torch.zeros(len(turns), vectors.shape[1]).index_add_(0, of, vectors * words[:, None])
    told = torch.zeros(len(turns)).index_add_(0, of, words)
    with_beside, same = sums.clone(), torch.tensor(sessions[1:]) == torch.tensor(sessions[:-1])
    with_beside[1:] += sums[:-1] * same[:, None]
    with_beside[:-1] += sums[1:] * same[:, None]
    normalised = torch.nn.functional.normalize
    return Said(vectors, of, normalised(sums, dim=1), normalised(with_beside, dim=1), told >= SHORTEST)


class Loss:
    """The mean loss of a batch, and how far its statements of taste are from where they were."""

    def __init__(self, encoder: Encoder, asked: Sequence[Asked], said: dict[str, Said], tastes: Sequence[str]) -> None:
        self.encoder, self.asked, self.said = encoder, asked, said
        self.share, self.as_tastes = shares([each.dataset for each in asked]), tuple(tastes)
        statements = sorted({each.taste for each in asked})
        self.statements = random.Random(0).sample(statements, min(TASTES, len(statements)))
        self.held = torch.as_tensor(encoder.embed(self.statements))

    def __call__(self, rng: random.Random) -> torch.Tensor:
        batch = rng.choices(self.asked, self.share, k=BATCH)
        rows = by_length(self.encoder, [self._wording(each, rng) for each in batch])
        lost = [_lost(row, self.said[each.conversation], each.gold) for row, each in zip(rows, batch, strict=True)]
        places = rng.sample(range(len(self.statements)), HELD)
        moved = 1 - (self.encoder([self.statements[i] for i in places]) * self.held[places]).sum(1)
        return torch.stack(lost).mean() + moved.mean()

    def _wording(self, asked: Asked, rng: random.Random) -> str:
        if asked.dataset.startswith(self.as_tastes) and rng.random() < 0.5:
            return asked.taste
        return asked.whole if rng.random() < WHOLE else asked.text


def _lost(question: torch.Tensor, said: Said, turns: Sequence[int]) -> torch.Tensor:
    """−log of the softmax share of the evidence, the mean over sentences, turns and windows: a bare reply ("Postman.")
    means nothing by itself, and is looked for by what stands beside it alone. What stands beside evidence is nothing
    to be told from it.
    """
    gold = torch.zeros(len(said.turns), dtype=torch.bool)
    gold[list(turns)] = True
    beside = gold.clone()
    beside[1:] |= gold[:-1]
    beside[:-1] |= gold[1:]
    lost = [_share(question, said.windows, gold, beside & ~gold)]
    if (meant := gold & said.means).any():
        lost.append(_share(question, said.turns, meant, gold & ~meant))
        lost.append(_share(question, said.sentences, meant[said.of], (gold & ~meant)[said.of]))
    return torch.stack(lost).mean()


def _share(question: torch.Tensor, vectors: torch.Tensor, gold: torch.Tensor, neither: torch.Tensor) -> torch.Tensor:
    logits = (vectors @ question / TEMPERATURE).masked_fill(neither, -torch.inf)
    return torch.logsumexp(logits, 0) - torch.logsumexp(logits[gold], 0)


if __name__ == "__main__":
    main()
