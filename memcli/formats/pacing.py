"""A live stream's records as they come, and a sign whenever nothing has come for a while."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from typing import TypeVar

__all__ = ["IDLE", "paced"]

#: Seconds without a record after which a live stream's messages are stored.
IDLE = 1.0

_Record = TypeVar("_Record")
_QUEUE = 1024


def paced(records: Iterator[_Record], idle: float = IDLE) -> Iterator[_Record | None]:
    """The records, and None whenever none has come for `idle` seconds.

    They are read by a thread of their own, so that a stream which stalls keeps nobody from storing what has come.
    """
    waiting: queue.Queue[tuple[_Record | None, BaseException | None, bool]] = queue.Queue(_QUEUE)

    def read() -> None:
        try:
            for record in records:
                waiting.put((record, None, False))
        except BaseException as error:
            waiting.put((None, error, True))
        else:
            waiting.put((None, None, True))

    threading.Thread(target=read, daemon=True, name="memcli-stream").start()
    while True:
        try:
            record, error, done = waiting.get(timeout=idle)
        except queue.Empty:
            yield None
            continue
        if error is not None:
            raise error
        if done:
            return
        yield record
