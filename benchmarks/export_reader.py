"""Makes the reader that ships of what `train_reader.py` wrote: ONNX, products in int8.

    python benchmarks/export_reader.py DIR MINILM memcli/reading/reader.onnx

Prints the SHA-256 that `memcli.reading.network` is to know. Weights have seven bits of their eight, a scale each
column, like the encoder's.
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from train_reader import Reader


class Alone(torch.nn.Module):  # type: ignore[misc]  # torch is not among the types that are checked
    """The network for one window, of which every token counts."""

    def __init__(self, reader: Reader) -> None:
        super().__init__()
        self.reader = reader

    def forward(self, ids: torch.Tensor, kinds: torch.Tensor) -> tuple[torch.Tensor, ...]:
        found: tuple[torch.Tensor, ...] = self.reader(ids, torch.ones_like(ids), kinds)
        return found


def main() -> None:
    """Exports, quantises, says what came out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reader", type=Path)
    parser.add_argument("minilm", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    reader = Reader(options.minilm)
    reader.load_state_dict(torch.load(options.reader / "reader.pt"))
    ids = torch.ones(1, 12, dtype=torch.long)
    free = {name: {1: "tokens"} for name in ("ids", "kinds", "place")}
    with TemporaryDirectory() as scratch:
        whole = Path(scratch) / "float32.onnx"
        torch.onnx.export(
            Alone(reader.eval()), (ids, ids * 0), whole, input_names=["ids", "kinds"],
            output_names=["answers", "place", "polarity"], dynamic_axes=free, opset_version=17, dynamo=False,
        )  # fmt: skip
        quantize_dynamic(whole, options.out, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
    print(hashlib.sha256(options.out.read_bytes()).hexdigest(), options.out.stat().st_size)


if __name__ == "__main__":
    main()
