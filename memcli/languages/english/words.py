"""The word lists of English: a file in `lists/` for each module, so that only what is asked for is read."""

from __future__ import annotations

from ..data import table

__all__ = ["listed"]


def listed(module: str, name: str) -> tuple[str, ...]:
    """The words that a module calls `name`, in their order."""
    return tuple(table(__package__, f"lists/{module}")[name].split())
