"""Makes the encoder that ships of the one that `train_encoder.py` wrote: ONNX, products in int8.

    pip install -r benchmarks/train_encoder.txt
    python benchmarks/quantise_encoder.py ENCODER memcli/providers/encoder.onnx

Prints the SHA-256 that `memcli.providers.encoder` is to know; with `--reference` it writes
`tests/encoder_reference.json`: vectors of the weights in float32, which a test holds against those that ship. Weights
have seven bits of their eight, a scale each column: with eight, sums saturate on processors without VNNI, and vectors
would depend on the machine.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from transformers import AutoModel, AutoTokenizer

REFERENCE = Path(__file__).resolve().parents[1] / "tests" / "encoder_reference.json"
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


class Hidden(torch.nn.Module):  # type: ignore[misc]  # torch is not among the types that are checked
    """The network with its last hidden states alone."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model

    @classmethod
    def of(cls, path: Path) -> Hidden:
        """As it was written."""
        return cls(AutoModel.from_pretrained(path, attn_implementation="eager").eval())

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        hidden: torch.Tensor = self.model(**dict(zip(INPUTS, inputs, strict=True))).last_hidden_state
        return hidden


def main() -> None:
    """Exports, quantises, says what came out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("encoder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--reference", action="store_true")
    options = parser.parse_args()
    with TemporaryDirectory() as scratch:
        whole = Path(scratch) / "float32.onnx"
        export(Hidden.of(options.encoder), whole)
        quantize_dynamic(whole, options.out, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
    if options.reference:
        REFERENCE.write_text(json.dumps(reference(options.encoder), ensure_ascii=False) + "\n", encoding="utf-8")
    print(hashlib.sha256(options.out.read_bytes()).hexdigest(), options.out.stat().st_size)


def export(network: Hidden, out: Path, *, alone: bool = False) -> None:
    """The network in float32, for texts of any length: any number of them, or one `alone`."""
    ones = torch.ones(1 if alone else 2, 8, dtype=torch.long)
    axes = {1: "tokens"} if alone else {0: "texts", 1: "tokens"}
    torch.onnx.export(
        network, (ones, ones, ones * 0), out, input_names=[*INPUTS], output_names=["hidden"],
        dynamic_axes=dict.fromkeys((*INPUTS, "hidden"), axes), opset_version=17, dynamo=False,
    )  # fmt: skip


def reference(encoder: Path) -> dict[str, object]:
    """Texts of MiniLM's reference with the vectors that the network gives them in float32."""
    texts = json.loads(REFERENCE.with_name("minilm_reference.json").read_text(encoding="utf-8"))["texts"]
    batch = AutoTokenizer.from_pretrained(encoder)(
        texts, padding=True, truncation=True, max_length=256, return_tensors="pt"
    )
    with torch.inference_mode():
        hidden = AutoModel.from_pretrained(encoder).eval()(**batch).last_hidden_state
    mask = batch["attention_mask"][:, :, None].float()
    rows = torch.nn.functional.normalize((hidden * mask).sum(1) / mask.sum(1), dim=1)
    return {"texts": texts, "vectors": [[round(x, 5) for x in row] for row in rows.tolist()]}


if __name__ == "__main__":
    main()
