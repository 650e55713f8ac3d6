"""Makes the network for questions that ships: what it adds to the one for passages, whose numbers stay where they are.

    pip install -r benchmarks/train_encoder.txt
    python benchmarks/export_questions.py ENCODER … --out memcli/providers/questions.onnx [--share S] [--rank R]

Of several encoders that `train_questions.py` wrote the mean is taken. What was learned of each product is cut to a
product of two narrow ones, by its largest singular values (LoRA's form, Hu et al. 2022; its size by `--rank`), and
counts `--share` times. All else that is large is the passages' own, to the byte: it is not written again, but found in
`encoder.onnx`, which has to lie beside the file. Prints the size of both, which
`memcli.providers.encoder` is to know.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import onnx
import torch
from export_networks import fuse
from onnx import TensorProto, external_data_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from quantise_encoder import Hidden, export
from regain_encoder import PASSAGES, regained

#: Numbers of so many bytes are looked for in the passages' file.
LARGE = 4096


class Widened(torch.nn.Module):  # type: ignore[misc]  # torch is not among the types that are checked
    """A product, and what a narrow one adds to it."""

    def __init__(self, product: torch.nn.Linear, added: torch.Tensor, rank: int) -> None:
        super().__init__()
        left, values, right = torch.linalg.svd(added, full_matrices=False)
        self.product = product
        self.down = torch.nn.Linear(added.shape[1], rank, bias=False)
        self.up = torch.nn.Linear(rank, added.shape[0], bias=False)
        even = values[:rank].sqrt()
        self.down.weight.data = even[:, None] * right[:rank]
        self.up.weight.data = left[:, :rank] * even

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        made: torch.Tensor = self.product(states) + self.up(self.down(states))
        return made


def main() -> None:
    """Reads, adds, writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("encoders", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--rank", type=int, default=64)
    options = parser.parse_args()
    network = widened(options.encoders, options.share, options.rank)
    with TemporaryDirectory() as scratch:
        whole = Path(scratch) / "float32.onnx"
        export(network, whole, alone=True)
        products, fused = whole.with_name("int8.onnx"), whole.with_name("fused.onnx")
        quantize_dynamic(whole, products, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
        fuse(products, fused, apart=False)
        found = onnx.load(fused)
    shared(found, PASSAGES)
    options.out.write_bytes(found.SerializeToString())
    print(sum(each.stat().st_size for each in (options.out, PASSAGES)))


def widened(encoders: Sequence[Path], share: float, rank: int) -> Hidden:
    """The passages' network with what these learned beside it; embeddings of words and places are the passages'."""
    network = Hidden(regained())
    own = network.model.state_dict()
    learned = [Hidden.of(path).model.state_dict() for path in encoders]
    added = {name: share * (torch.stack([each[name] for each in learned]).mean(0) - values)
             for name, values in own.items() if values.is_floating_point() and "_embeddings" not in name}  # fmt: skip
    small = {name: own[name] + values for name, values in added.items() if values.ndim == 1}
    network.model.load_state_dict({**own, **small})
    for name, part in list(network.model.named_modules()):
        for child, product in list(part.named_children()):
            if isinstance(product, torch.nn.Linear) and (change := added.get(f"{name}.{child}.weight")) is not None:
                setattr(part, child, Widened(product, change, rank))
    return network


def shared(network: onnx.ModelProto, passages: Path) -> None:
    """Leaves out, in place, what the passages' file has: where it lies there is said instead."""
    held = passages.read_bytes()
    for each in network.graph.initializer:
        if len(each.raw_data) >= LARGE and (place := held.find(each.raw_data)) >= 0:
            external_data_helper.set_external_data(each, passages.name, place, len(each.raw_data))
            each.ClearField("raw_data")
            each.data_location = TensorProto.EXTERNAL


if __name__ == "__main__":
    main()
