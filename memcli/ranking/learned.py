"""What `benchmarks/train_ontology.py` has learned for the strategy `ontology`: one small JSON file, read once."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources
from typing import Any

__all__ = ["section", "use"]

_used: dict[str, dict[str, Any]] = {}


def use(sections: dict[str, dict[str, Any]]) -> None:
    """Takes these sections in place of the packaged ones, from now on: for training."""
    _used.update(sections)


@lru_cache(maxsize=1)
def _packaged() -> dict[str, Any]:
    text = resources.files(__package__).joinpath("ontology_weights.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def section(name: str) -> dict[str, Any]:
    """One section of what was learned: `lifting`, `views`, `router`."""
    found: dict[str, Any] = _used[name] if name in _used else _packaged()[name]
    return found
