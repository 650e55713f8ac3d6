"""How large a language model is, by its name or its file: which prompts it can follow depends on it."""

from __future__ import annotations

import re

from ..errors import ModelUnavailable
from .weights import weights

__all__ = ["is_small"]

#: From so many parameters on a model can think before it answers, and follow many rules at once.
_LARGE = 5e9
#: A file of fewer bytes holds fewer parameters, at the four to five bits that each mostly has.
_LARGE_FILE = 3e9
_SAID = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)([bm])(?![a-z\d])")
_UNITS = {"b": 1e9, "m": 1e6}


def is_small(name: str) -> bool:
    """Whether the model called so (`gguf:NAME`, `ollama:NAME:1.5b`, …) has fewer than five billion parameters.

    By its name, else by the size of its file; one of which neither is known counts as large.
    """
    said = [
        float(number) * _UNITS[unit]
        for number, unit in _SAID.findall(re.sub(r"[-_:]", " ", name.lower().rpartition("/")[2]))
    ]
    if said:
        return max(said) < _LARGE
    kind, _, file = name.partition(":")
    if kind != "gguf":
        return False
    try:
        return weights(file).stat().st_size < _LARGE_FILE
    except ModelUnavailable:
        return True
