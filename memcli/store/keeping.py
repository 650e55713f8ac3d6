"""Keeping a store open for moments, for whoever asks again and again: opening a file costs more than most questions.

Another process cannot write while the file is open. So it is let go of regularly, for longer than a waiting writer
takes to look again (`connection`), and at once where this process writes.
"""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Keeper"]

#: Seconds for which the file is kept open, and then left to others at least.
HOLD, REST = 2.0, 0.4


class Keeper:
    """Holds one connection besides those that are worked with. Every method is called under `lock`."""

    def __init__(
        self,
        connect: Callable[[], DuckDBPyConnection],
        disconnect: Callable[[DuckDBPyConnection], object],
        lock: threading.Lock,
    ) -> None:
        self._connect, self._disconnect, self._lock = connect, disconnect, lock
        self._kept: DuckDBPyConnection | None = None
        self._timer: threading.Timer | None = None
        self._rests_until = 0.0

    def used(self) -> None:
        """The file is open for reading just now: it stays so for a moment."""
        if self._kept is None and time.monotonic() >= self._rests_until:
            self._kept = self._connect()
            atexit.register(self._time_is_up)  # whoever never closes a memory is not to be told of it by DuckDB
            self._timer = threading.Timer(HOLD, self._time_is_up)
            self._timer.daemon = True
            self._timer.start()

    def let_go(self) -> None:
        """The file is left to others."""
        if self._timer is not None:
            self._timer.cancel()
        if self._kept is not None:
            self._disconnect(self._kept)
            atexit.unregister(self._time_is_up)
            self._rests_until = time.monotonic() + REST
        self._kept = self._timer = None

    def _time_is_up(self) -> None:
        with self._lock:
            self.let_go()
