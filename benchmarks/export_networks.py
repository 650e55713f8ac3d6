"""Makes the networks that ship of what `train_reader.py` and `train_notes.py` wrote: ONNX, products in int8.

    python benchmarks/export_networks.py --model BASE --out memcli/reading
        [--reader DIR] [--updates DIR] [--notes DIR] [--languages DIR] [--data FILE]

`BASE` is what they were trained from. Prints the SHA-256 and the size that the modules beside the weights are to
know. Operations are fused beforehand, as ONNX Runtime would at each start: a graph of half as many is loaded and run
faster. Weights have seven bits of their eight, a scale each column, like the encoder's; embeddings of words four,
where `reader_base.py` has rounded them to these. The lower layers of a reader, which stay as they are in training,
are a file of their own (`lower.onnx`), so that what reads updates has its upper ones alone. The reader of other
languages is given the vectors of its words, and has none itself. Some of the channels of the layers are twenty times
as large as the rest, of which eight bits would leave little: those of a reader are evened out first, by what is
largest in them over windows of `FILE`, which `reader_data.py` wrote.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import onnxruntime
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from reader_base import STEPS
from train_notes import Noter
from train_reader import Reader, encoded, through
from transformers import AutoTokenizer

#: What a reader makes of a window.
READ = ["answers", "place", "polarity"]
#: What lower layers make, and upper ones take.
STATES = "states"
#: Numbers of so many bytes stay in the network where others lie apart.
SMALL = 4096
#: Two numbers a byte: the high one counts so many times.
RADIX = 16
#: Questions over whose windows it is seen how large channels are; products whose channels are evened out; how much of
#: the difference between what they take goes into what they multiply by.
SEEN, UNEVEN, SHIFTED = 20, ("intermediate.dense", "output.dense"), 0.8


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


class Upper(torch.nn.Module):  # type: ignore[misc]
    """The upper layers and the heads, of what the lower ones make of one window."""

    def __init__(self, reader: Reader) -> None:
        super().__init__()
        self.reader = reader

    def forward(self, states: torch.Tensor) -> tuple[torch.Tensor, ...]:
        counting = torch.ones(states.shape[:2], dtype=torch.long)
        found: tuple[torch.Tensor, ...] = self.reader.judged(through(self.reader.upper, states, counting))
        return found


class Lower(torch.nn.Module):  # type: ignore[misc]
    """What the lower layers make of one window."""

    def __init__(self, reader: Reader) -> None:
        super().__init__()
        self.reader = reader
        self.reader.lower.embeddings.word_embeddings = Packed(reader.lower.embeddings.word_embeddings.weight.data)

    def forward(self, ids: torch.Tensor, kinds: torch.Tensor) -> torch.Tensor:
        return self.reader.below(ids, torch.ones_like(ids), kinds)


class Evened(torch.nn.Module):  # type: ignore[misc]
    """A product whose channels were made alike, what it multiplies by the other way round: the same result, of which
    rounding leaves more (SmoothQuant, Xiao et al. 2023, equations 3 and 4).
    """

    def __init__(self, product: torch.nn.Linear, largest: torch.Tensor) -> None:
        super().__init__()
        weights = product.weight.data.abs().amax(0).clamp(min=1e-3)
        step = largest.clamp(min=1e-3) ** SHIFTED / weights ** (1 - SHIFTED)
        step = step / step.median()
        product.weight.data *= step
        self.product, self.shrinking = product, 1 / step

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        made: torch.Tensor = self.product(states * self.shrinking)
        return made


def even_out(reader: Reader, tokenizer: Any, windows: Path) -> None:
    """Evens out the products of the layers that take channels of very different size."""
    largest = channels(reader, tokenizer, windows)
    for name, part in list(reader.named_modules()):
        for own, product in list(part.named_children()):
            if f"{name}.{own}" in largest:
                setattr(part, own, Evened(product, largest[f"{name}.{own}"]))


def channels(reader: Reader, tokenizer: Any, windows: Path) -> Mapping[str, torch.Tensor]:
    """By the name of each such product the largest number that each of its channels takes over some windows."""
    found: dict[str, torch.Tensor] = defaultdict(lambda: torch.zeros(()))

    def seen(name: str) -> Callable[[object, tuple[torch.Tensor]], None]:
        def see(_: object, taken: tuple[torch.Tensor]) -> None:
            found[name] = torch.maximum(found[name], taken[0].abs().flatten(0, -2).amax(0))

        return see

    uneven = [(name, part) for name, part in reader.named_modules() if name.endswith(UNEVEN)]
    hooks = [part.register_forward_pre_hook(seen(name)) for name, part in uneven]
    lines = [json.loads(line) for line in windows.read_text(encoding="utf-8").splitlines()]
    for line in random.Random(0).sample(lines, min(SEEN, len(lines))):
        for window in line["windows"]:
            ids = encoded(tokenizer, line["question"], window)[0]
            first = ids.index(tokenizer.sep_token_id) + 1
            kinds = torch.tensor([[0] * first + [1] * (len(ids) - first)])
            with torch.no_grad():
                reader(torch.tensor([ids]), torch.ones_like(kinds), kinds)
    for hook in hooks:
        hook.remove()
    return found


def main() -> None:
    """Exports, quantises, says what came out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--reader", type=Path)
    parser.add_argument("--updates", type=Path, help="a reader that was trained on updates, onto the one that ships")
    parser.add_argument("--notes", type=Path)
    parser.add_argument("--languages", type=Path)
    parser.add_argument("--data", type=Path, help="windows, to even out the channels of a reader")
    options = parser.parse_args()
    if options.reader:
        reader = _evened(options, options.reader)
        export(Upper(reader), states(reader), READ, options.out / "reader.onnx")
        export(Lower(reader), ids(), [STATES], options.out / "lower.onnx")
    if options.updates:
        reader = _evened(options, options.updates)
        export(Upper(reader), states(reader), READ, options.out / "updates.onnx")
    if options.notes:
        noter = _loaded(Noter(options.model), options.notes / "notes.pt")
        export(Whole(noter), ids(), ["notes", "own"], options.out / "notes.onnx", apart=False)
    if options.languages:
        reader = _evened(options, options.languages)
        words = {"words": states(reader)[STATES], "kinds": ids()["kinds"]}
        export(Given(reader), words, READ, options.out / "reader_languages.onnx")


def _evened(options: argparse.Namespace, folder: Path) -> Reader:
    reader = _loaded(Reader(options.model), folder / "reader.pt")
    if options.data:
        even_out(reader, AutoTokenizer.from_pretrained(options.model), options.data)
    return reader


def _loaded(reader: Reader, weights: Path) -> Reader:
    reader.load_state_dict(torch.load(weights))
    reader.eval()
    return reader


def ids() -> dict[str, torch.Tensor]:
    """What a network takes that has words of its own: these, and which part each is of."""
    return {"ids": torch.ones(1, 12, dtype=torch.long), "kinds": torch.zeros(1, 12, dtype=torch.long)}


def states(reader: Reader) -> dict[str, torch.Tensor]:
    """What upper layers take."""
    return {STATES: torch.zeros(1, 12, reader.lower.config.hidden_size)}


def export(
    network: torch.nn.Module, taken: dict[str, torch.Tensor], made: list[str], out: Path, *, apart: bool = True
) -> None:
    """Writes a network that takes this and makes that. `apart`: see `fuse`."""
    free = {name: {1: "tokens"} for name in [*taken, *made] if name not in ("answers", "polarity")}
    with TemporaryDirectory() as scratch:
        whole = Path(scratch) / "float32.onnx"
        torch.onnx.export(
            network, tuple(taken.values()), whole, input_names=list(taken), output_names=made, dynamic_axes=free,
            opset_version=17, dynamo=False,
        )  # fmt: skip
        products = whole.with_name("int8.onnx")
        quantize_dynamic(whole, products, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
        fuse(products, out, apart=apart)
    size = sum(file.stat().st_size for file in out.parent.glob(f"{out.name}*"))
    print(out.name, hashlib.sha256(out.read_bytes()).hexdigest(), size)


def fuse(network: Path, out: Path, *, apart: bool) -> None:
    """Writes the same network with what any processor computes at once as one operation; its numbers in a file beside
    it, if they are to lie `apart`.
    """
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(out)
    if apart:
        beside = "session.optimized_model_external_initializers"
        options.add_session_config_entry(f"{beside}_file_name", f"{out.name}.data")
        options.add_session_config_entry(f"{beside}_min_size_in_bytes", str(SMALL))
    onnxruntime.InferenceSession(str(network), options, providers=["CPUExecutionProvider"])


if __name__ == "__main__":
    main()
