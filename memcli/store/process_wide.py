"""Settings of a whole process that several of its threads may want at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["ProcessWide"]


class ProcessWide:
    """A setting that the first who wants it makes, and the last who does takes back.

    `make` makes it, and returns what takes it back.
    """

    def __init__(self, make: Callable[[], Callable[[], object]]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._wanted = 0
        self._take_back: Callable[[], object] = lambda: None

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """It holds meanwhile, in every thread."""
        with self._lock:
            if not self._wanted:
                self._take_back = self._make()
            self._wanted += 1
        try:
            yield
        finally:
            with self._lock:
                self._wanted -= 1
                if not self._wanted:
                    self._take_back()
