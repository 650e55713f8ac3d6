"""Makes the networks that ship of what `train_reader.py` and `train_notes.py` wrote: ONNX, products in int8.

    python benchmarks/export_networks.py --model MINILM --out memcli/reading [--reader DIR] [--notes DIR]

`lower.onnx` has the layers that stay as they were in both; `reader.onnx` and `notes.onnx` go on with what it makes of
the tokens. Prints the SHA-256 that the modules beside them are to know. Weights have seven bits of their eight, a scale
each column, like the encoder's.
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from train_notes import Noter
from train_reader import Reader, through


class Lower(torch.nn.Module):  # type: ignore[misc]  # torch is not among the types that are checked
    """The layers that stay as they were, for one window, of which every token counts."""

    def __init__(self, reader: Reader) -> None:
        super().__init__()
        self.reader = reader

    def forward(self, ids: torch.Tensor, kinds: torch.Tensor) -> torch.Tensor:
        below: torch.Tensor = self.reader.below(ids, torch.ones_like(ids), kinds)
        return below


class Upper(torch.nn.Module):  # type: ignore[misc]
    """The layers and heads that were trained, on what the lower ones made."""

    def __init__(self, reader: Reader) -> None:
        super().__init__()
        self.reader = reader

    def forward(self, states: torch.Tensor) -> tuple[torch.Tensor, ...]:
        found: tuple[torch.Tensor, ...] = self.reader.judged(
            through(self.reader.upper, states, torch.ones(states.shape[:2]))
        )
        return found


def main() -> None:
    """Exports, quantises, says what came out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--reader", type=Path)
    parser.add_argument("--notes", type=Path)
    options = parser.parse_args()
    ids = torch.ones(1, 12, dtype=torch.long)
    lower = Lower(Reader(options.model).eval())
    export(lower, {"ids": ids, "kinds": ids * 0}, ["states"], options.out / "lower.onnx")
    states = {"states": lower(ids, ids * 0).detach()}
    if options.reader:
        reader = _loaded(Reader(options.model), options.reader / "reader.pt")
        export(Upper(reader), states, ["answers", "place", "polarity"], options.out / "reader.onnx")
    if options.notes:
        noter = _loaded(Noter(options.model), options.notes / "notes.pt")
        export(Upper(noter), states, ["notes", "own"], options.out / "notes.onnx")


def _loaded(reader: Reader, weights: Path) -> Reader:
    reader.load_state_dict(torch.load(weights))
    reader.eval()
    return reader


def export(part: torch.nn.Module, given: dict[str, torch.Tensor], made: list[str], out: Path) -> None:
    """Writes one part of a network."""
    free = {name: {1: "tokens"} for name in [*given, *made] if name not in ("answers", "polarity")}
    with TemporaryDirectory() as scratch:
        whole = Path(scratch) / "float32.onnx"
        torch.onnx.export(
            part, tuple(given.values()), whole, input_names=list(given), output_names=made, dynamic_axes=free,
            opset_version=17, dynamo=False,
        )  # fmt: skip
        quantize_dynamic(whole, out, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
    print(out.name, hashlib.sha256(out.read_bytes()).hexdigest(), out.stat().st_size)


if __name__ == "__main__":
    main()
