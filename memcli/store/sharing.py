"""Writing much without keeping others out: the store is held for a moment at a time, and let go of in between."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from .connection import Store

__all__ = ["give_way", "in_turns"]

#: Seconds for which the store is held before somebody else has a turn; what is begun is finished.
HOLD = 0.1
#: The least share of the time between two turns in which others may have the store, of how long it was held.
_OTHERS = 0.25

_Item = TypeVar("_Item")


def give_way(held: float) -> None:
    """Waits for a moment after the store was held for `held` seconds."""
    time.sleep(_OTHERS * held)


def in_turns(
    store: Store,
    items: Iterable[_Item],
    write: Callable[[DuckDBPyConnection, _Item], object],
    pause: Callable[[float], object] = give_way,
) -> None:
    """Calls `write` with the open store and each of the items in order, in one holding of the store or several.

    `pause` is told after each but the last for how long the store was held. Raises StoreError.
    """
    left = iter(items)
    held = 0.0
    for item in left:
        if held:
            pause(held)
        with store.writing() as db:
            started = time.monotonic()
            for each in chain([item], left):
                write(db, each)
                if time.monotonic() - started > HOLD:
                    break
        held = time.monotonic() - started
