"""memcli: long-term conversational memory on one portable local file."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .errors import MemcliError
    from .memory import Memory, Reading
    from .model import Answer, Filters, Hit, Session, Turn, Unit

__all__ = ["Answer", "Filters", "Hit", "MemcliError", "Memory", "Reading", "Session", "Turn", "Unit", "__version__"]

__version__ = "0.2.0"

_HOMES = {"MemcliError": "errors", "Memory": "memory", "Reading": "memory"}


def __getattr__(name: str) -> object:
    # Late, so that a command which only prints its help pays for no numpy, no DuckDB and no model.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES.get(name, 'model')}", __name__), name)
