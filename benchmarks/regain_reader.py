"""The float weights of a network that ships, as `train_reader.py --onto` takes them, where those are lost that it
was exported from.

    python benchmarks/regain_reader.py --model BASE [--network memcli/reading/reader_languages.onnx] --out reader.pt

Products are whole numbers with a step each column (`export_networks.py`), from which floats follow; channels that were
evened out are as they were before; what ships in full is taken as it is; embeddings are those of `BASE`, which the
network was trained from. What comes out differs from what was exported by half a step at most.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import onnx
import torch
from onnx import numpy_helper
from train_reader import Reader

from memcli.reading import network

#: Products are called "/layer.3/output/dense/MatMul_quant", "/reader/answers/Gemm_MatMul_quant", and where channels
#: were evened out "/layer.3/output/dense/product/MatMul_quant", by the constant of "/layer.3/output/dense/Mul".
_HEADS = {"answers", "place", "polarity"}
PRODUCT, _EVENED, _KEPT = "MatMul_quant", "product", "_quantized"


def main() -> None:
    """Reads and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--network", type=Path, default=Path(network.__file__).with_name("reader_languages.onnx"))
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    reader = Reader(options.model)
    found = dict(weights(onnx.load(options.network).graph))
    reader.load_state_dict({**reader.state_dict(), **found})
    print(f"{len(found)} of {len(reader.state_dict())} parts regained, the rest are the base's")
    torch.save(reader.state_dict(), options.out)


def weights(graph: Any) -> Iterator[tuple[str, torch.Tensor]]:
    """Every part of the layers and the heads, by its name in `Reader`."""
    held = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    held |= {
        node.output[0]: numpy_helper.to_array(node.attribute[0].t) for node in graph.node if node.op_type == "Constant"
    }
    shrinking = {node.name: held[node.input[1]] for node in graph.node if node.name.endswith("/dense/Mul")}
    for name, values in held.items():
        if name.startswith("reader.") and name.endswith((".weight", ".bias")):
            yield name.removeprefix("reader.").replace(f".{_EVENED}.", "."), torch.tensor(values)
    for node in graph.node:
        if node.name.endswith(PRODUCT):
            path = node.name.split("/")[:-1]
            shrunk = shrinking.get("/".join([*path[:-1], "Mul"]), 1.0) if path[-1] == _EVENED else 1.0
            yield f"{_place(path)}.weight", floats(held, taken(held, node)) * torch.as_tensor(shrunk)


def _place(path: Sequence[str]) -> str:
    first, *rest = [part for part in path if part not in ("", "reader", _EVENED)]
    return first if first in _HEADS else ".".join(["lower.encoder", first, *rest])


def taken(held: Mapping[str, Any], node: Any) -> str:
    """What a product multiplies by, whatever it was fused with."""
    return next(str(name) for name in node.input if name in held and name.endswith(_KEPT))


def floats(held: Mapping[str, Any], name: str) -> torch.Tensor:
    """The numbers times their steps, as `torch.nn.Linear` has them: what is made × what is taken."""
    steps = held[name.removesuffix(_KEPT) + "_scale"]
    return torch.tensor((held[name].astype("float32") * steps).T.copy())


if __name__ == "__main__":
    main()
