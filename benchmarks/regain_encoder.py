"""The float weights of memcli's encoder, of what ships: those that it was exported from are kept nowhere.

Products are whole numbers with a step each column, from which floats follow (`regain_reader.py`), half a step from
what was exported at most; embeddings of words are the original's, which stayed as they are in training.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import onnx
import torch
from onnx import numpy_helper
from regain_reader import PRODUCT, floats, taken
from train_encoder import original_weights
from transformers import AutoModel

from memcli.providers import encoder

PASSAGES = Path(encoder.__file__).with_name("encoder.onnx")
_OWN, _TABLES = "model.", ("position", "token_type")


def regained() -> Any:
    """The network for passages, as transformers have it."""
    model = AutoModel.from_pretrained(original_weights(), attn_implementation="eager")
    found = dict(weights(onnx.load(PASSAGES).graph))
    model.load_state_dict({**model.state_dict(), **found})
    return model.eval()


def weights(graph: Any) -> Iterator[tuple[str, torch.Tensor]]:
    """Every part but the embeddings of words, by its name there."""
    held = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    for name, values in held.items():
        if name.startswith(_OWN) and name.endswith((".weight", ".bias")):
            yield name.removeprefix(_OWN), torch.tensor(values)
    for node in graph.node:
        if node.name.endswith(PRODUCT):
            path = [part for part in node.name.split("/")[:-1] if part not in ("", "model")]
            yield f"{'.'.join(path)}.weight", floats(held, taken(held, node))
    yield from ((f"embeddings.{kind}_embeddings.weight", _table(held, kind)) for kind in _TABLES)


def _table(held: Mapping[str, Any], kind: str) -> torch.Tensor:
    name = f"{_OWN}embeddings.{kind}_embeddings.weight"
    kept = held[f"{name}_quantized"].astype("float32") - float(held[f"{name}_zero_point"])
    return torch.tensor(kept * float(held[f"{name}_scale"]))
