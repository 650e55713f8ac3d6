"""The language models that can be fetched: the project's list, and nothing else."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from ..errors import UsageError
from ..fetching import Offer

__all__ = ["ModelOffer", "offer", "offers"]


@dataclass(frozen=True, slots=True)
class ModelOffer(Offer):
    """The weights of a language model with so many parameters."""

    parameters: str


@lru_cache(maxsize=1)
def offers() -> Mapping[str, ModelOffer]:
    """The project's list, by name, the smallest first."""
    text = (resources.files(__package__) / "offers.toml").read_text(encoding="utf-8")
    return {found["name"]: ModelOffer(**found) for found in tomllib.loads(text)["model"]}


def offer(name: str) -> ModelOffer:
    """What is offered under this name, or under `gguf:` and this name. Raises UsageError."""
    found = offers().get(name.removeprefix("gguf:"))
    if found is None:
        raise UsageError(f"the list has no model {name!r}", f"choose one of: {', '.join(offers())}")
    return found
