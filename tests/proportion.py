"""Whether work grows with its size or with the square of it: in ratios, since machines are busy."""

from __future__ import annotations

import time
from collections.abc import Callable

#: What `growth` is at most of work whose every part costs the same, which is 4; where parts meet each other, it is 16.
LINEAR = 8.0
#: Seconds that say nothing.
_NO_TIME = 0.05
_TRIES = 3


def growth(work: Callable[[int], object], size: int) -> float:
    """By how many times `work(size)` takes more processor time than `work(size // 4)`, of some tries the fastest each,
    with which the machine meddled least.
    """
    work(1)  # what is imported or compiled at first
    tries = [(_seconds(work, size // 4), _seconds(work, size)) for _ in range(_TRIES)]
    quarters, wholes = zip(*tries, strict=True)
    return min(wholes) / max(min(quarters), _NO_TIME)


def _seconds(work: Callable[[int], object], size: int) -> float:
    """Of this process."""
    start = time.process_time()
    work(size)
    return time.process_time() - start
