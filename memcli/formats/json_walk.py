"""A walk through JSON of any size that builds only the values asked for.

The parser (ijson) hands over one event at a time, so memory holds one wanted value, never the document. What is
read before a break in the document has been handed over by then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any, BinaryIO

__all__ = ["END", "BrokenJsonError", "Path", "Want", "walk"]

Path = tuple[str | int, ...]


class Want(Enum):
    """What to do with the value at a path."""

    SKIP = 0
    ENTER = 1  # hand over what it holds, and END after it; a scalar is handed over as it is
    BUILD = 2


class _End:
    """The value handed over when an entered object or array ends."""


END = _End()


class BrokenJsonError(Exception):
    """The document cannot be read any further."""


def walk(stream: BinaryIO, want: Callable[[Path], Want]) -> Iterator[tuple[Path, object]]:
    """Pairs of path and value, in the order of the document.

    A path begins with the index of an item: an element of the outermost array, or an object on its own; several
    such documents one after the other count on.
    """
    import ijson

    walker = _Walker(want)
    events = ijson.basic_parse(stream, multiple_values=True, use_float=True)
    try:
        for event, value in events:
            yield from walker.take(event, value)
    except (ijson.JSONError, ValueError, OverflowError, RecursionError) as error:
        raise BrokenJsonError(_one_line(error)) from error


def _one_line(error: Exception) -> str:
    detail = error.args[0] if error.args else ""
    text = detail.decode("utf-8", "replace") if isinstance(detail, bytes) else str(detail)
    return (text.strip().splitlines() or ["unexpected end"])[0]


class _Walker:
    def __init__(self, want: Callable[[Path], Want]) -> None:
        self._want = want
        # One entry an open container: the index in an array, the key in an object. The first counts the items.
        self._keys: list[str | int] = [-1]
        self._skipped = 0
        self._built = _Builder()

    def take(self, event: str, value: Any) -> Iterator[tuple[Path, object]]:
        if self._skipped:
            self._skipped += _step(event)
        elif self._built.open:
            if self._built.take(event, value):
                yield tuple(self._keys), self._built.result
        elif event == "map_key":
            self._keys[-1] = value
        elif event in ("end_map", "end_array"):
            yield from self._leave()
        else:
            yield from self._meet(event, value)

    def _leave(self) -> Iterator[tuple[Path, object]]:
        if len(self._keys) > 1:  # the outermost array is not on the path
            self._keys.pop()
            yield tuple(self._keys), END

    def _meet(self, event: str, value: Any) -> Iterator[tuple[Path, object]]:
        if event == "start_array" and len(self._keys) == 1:
            return
        last = self._keys[-1]
        if isinstance(last, int):
            self._keys[-1] = last + 1
        path = tuple(self._keys)
        want = self._want(path)
        if event not in ("start_map", "start_array"):
            if want is not Want.SKIP:
                yield path, value
        elif want is Want.ENTER:
            self._keys.append(-1 if event == "start_array" else "")
        elif want is Want.BUILD:
            self._built.take(event, value)
        else:
            self._skipped = 1


def _step(event: str) -> int:
    return {"start_map": 1, "start_array": 1, "end_map": -1, "end_array": -1}.get(event, 0)


class _Builder:
    """One value out of its events."""

    def __init__(self) -> None:
        self.open = 0
        self.result: object = None
        self._builder: Any = None

    def take(self, event: str, value: Any) -> bool:
        """Add an event; true when the value is complete."""
        import ijson

        if not self.open:
            self._builder = ijson.ObjectBuilder()
        self._builder.event(event, value)
        self.open += _step(event)
        if not self.open:
            self.result, self._builder = self._builder.value, None
        return not self.open
