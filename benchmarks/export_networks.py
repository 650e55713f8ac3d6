"""Makes the networks that ship of what `train_reader.py` and `train_notes.py` wrote: ONNX, products in int8.

    python benchmarks/export_networks.py --model BASE --out memcli/reading
        [--reader DIR] [--notes DIR] [--languages DIR]

`BASE` is what they were trained from. Prints the SHA-256 that the modules beside the weights are to know. Weights have
seven bits of their eight, a scale each column, like the encoder's; embeddings of words four, where `reader_base.py` has
rounded them to these. The reader of other languages is given the vectors of its words, and has none itself.
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from reader_base import STEPS
from train_notes import Noter
from train_reader import Reader, through

#: What a reader makes of a window.
READ = ["answers", "place", "polarity"]
#: Two numbers a byte: the high one counts so many times.
RADIX = 16


class Packed(torch.nn.Module):  # type: ignore[misc]  # torch is not among the types that are checked
    """Embeddings of words that were rounded (`reader_base.rounded`), two numbers a byte and a step each row."""

    def __init__(self, rows: torch.Tensor) -> None:
        super().__init__()
        self.step = steps(rows)
        high, low = ((rows / self.step).round() + STEPS).to(torch.uint8).chunk(2, dim=1)
        self.kept = high * RADIX + low

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Of each token its row."""
        bytes_ = self.kept[ids].float()
        high = torch.floor(bytes_ / RADIX)
        return (torch.cat([high, bytes_ - RADIX * high], -1) - STEPS) * self.step[ids]


def steps(rows: torch.Tensor) -> torch.Tensor:
    """What each row would be whole multiples of."""
    largest = rows.abs().amax(1, keepdim=True)
    return torch.where(largest > 0, largest, 1.0) / STEPS


def is_rounded(rows: torch.Tensor) -> bool:
    """Whether four bits hold the rows as they are."""
    step = steps(rows)
    return bool(((rows / step).round() * step - rows).abs().max() < 1e-6)


class Whole(torch.nn.Module):  # type: ignore[misc]
    """A network for one window, of which every token counts."""

    def __init__(self, reader: Reader) -> None:
        super().__init__()
        self.reader = reader
        words = reader.lower.embeddings.word_embeddings
        if is_rounded(words.weight.data):
            reader.lower.embeddings.word_embeddings = Packed(words.weight.data)

    def forward(self, ids: torch.Tensor, kinds: torch.Tensor) -> tuple[torch.Tensor, ...]:
        found: tuple[torch.Tensor, ...] = self.reader(ids, torch.ones_like(ids), kinds)
        return found


class Given(torch.nn.Module):  # type: ignore[misc]
    """The same for words whose embeddings are given."""

    def __init__(self, reader: Reader) -> None:
        super().__init__()
        self.reader = reader

    def forward(self, words: torch.Tensor, kinds: torch.Tensor) -> tuple[torch.Tensor, ...]:
        made = self.reader.lower.embeddings(token_type_ids=kinds, inputs_embeds=words)
        states = through(self.reader.lower.encoder.layer, made, torch.ones_like(kinds))
        found: tuple[torch.Tensor, ...] = self.reader.judged(states)
        return found


def main() -> None:
    """Exports, quantises, says what came out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--reader", type=Path)
    parser.add_argument("--notes", type=Path)
    parser.add_argument("--languages", type=Path)
    options = parser.parse_args()
    if options.reader:
        reader = _loaded(Reader(options.model), options.reader / "reader.pt")
        export(Whole(reader), ids(), READ, options.out / "reader.onnx")
    if options.notes:
        noter = _loaded(Noter(options.model), options.notes / "notes.pt")
        export(Whole(noter), ids(), ["notes", "own"], options.out / "notes.onnx")
    if options.languages:
        reader = _loaded(Reader(options.model), options.languages / "reader.pt")
        words = torch.zeros(1, 12, reader.lower.config.hidden_size)
        export(Given(reader), {"words": words}, READ, options.out / "reader_languages.onnx")


def _loaded(reader: Reader, weights: Path) -> Reader:
    reader.load_state_dict(torch.load(weights))
    reader.eval()
    return reader


def ids() -> dict[str, torch.Tensor]:
    """What a network takes that has words of its own."""
    return {"ids": torch.ones(1, 12, dtype=torch.long)}


def export(network: torch.nn.Module, taken: dict[str, torch.Tensor], made: list[str], out: Path) -> None:
    """Writes a network that takes this and which part each token is of."""
    given = taken | {"kinds": torch.zeros(1, 12, dtype=torch.long)}
    free = {name: {1: "tokens"} for name in [*given, *made] if name not in ("answers", "polarity")}
    with TemporaryDirectory() as scratch:
        whole = Path(scratch) / "float32.onnx"
        torch.onnx.export(
            network, tuple(given.values()), whole, input_names=list(given), output_names=made, dynamic_axes=free,
            opset_version=17, dynamo=False,
        )  # fmt: skip
        quantize_dynamic(whole, out, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
    print(out.name, hashlib.sha256(out.read_bytes()).hexdigest(), out.stat().st_size)


if __name__ == "__main__":
    main()
