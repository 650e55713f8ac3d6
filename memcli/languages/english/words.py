"""The word lists of English, from `words.toml`."""

from __future__ import annotations

from ..data import table

__all__ = ["listed"]


def listed(module: str, name: str) -> tuple[str, ...]:
    """The words that a module calls `name`, in their order."""
    return tuple(table(__package__, "words")[module][name].split())
