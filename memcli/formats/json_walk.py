"""A walk through JSON of any size that builds only the values asked for.

The parser (ijson) hands over one event at a time, so memory holds one wanted value, never the document. What is
read before a break in the document has been handed over by then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any, BinaryIO

from .base import Message, Problem

__all__ = ["END", "BrokenJsonError", "Path", "Want", "each_item", "walk", "walked"]

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

    try:
        yield from _Walker(want, ijson.basic_parse(stream, multiple_values=True, use_float=True)).walk()
    except (ijson.JSONError, ValueError, OverflowError, RecursionError) as error:
        raise BrokenJsonError(_one_line(error)) from error


def walked(
    stream: BinaryIO,
    source: str,
    want: Callable[[Path], Want],
    take: Callable[[Path, object], Iterator[Message | Problem]],
) -> Iterator[Message | Problem]:
    """The records that `take` makes of what `want` chose; the last is a problem where the document breaks off."""
    try:
        for path, value in walk(stream, want):
            yield from take(path, value)
    except BrokenJsonError as error:
        yield _rest_unread(source, error)


def each_item(
    stream: BinaryIO, source: str, take: Callable[[str, dict[str, Any]], Iterator[Message | Problem]]
) -> Iterator[Message | Problem]:
    """The records that `take` makes of each whole object, given where it is; one at a time is in memory."""

    def taken(path: Path, item: object) -> Iterator[Message | Problem]:
        where = f"{source}: item {int(path[0]) + 1}"
        return take(where, item) if isinstance(item, dict) else iter([Problem(where, "not an object")])

    return walked(stream, source, lambda _path: Want.BUILD, taken)


def _rest_unread(source: str, error: BrokenJsonError) -> Problem:
    return Problem(source, f"broken JSON, the rest is not read: {error}")


def _one_line(error: Exception) -> str:
    detail = error.args[0] if error.args else ""
    text = detail.decode("utf-8", "replace") if isinstance(detail, bytes) else str(detail)
    return (text.strip().splitlines() or ["unexpected end"])[0]


class _Walker:
    def __init__(self, want: Callable[[Path], Want], events: Iterator[tuple[str, Any]]) -> None:
        self._want = want
        self._events = events
        # One entry an open container: the index in an array, the key in an object. The first counts the items.
        self._keys: list[str | int] = [-1]

    def walk(self) -> Iterator[tuple[Path, object]]:
        for event, value in self._events:
            if event == "map_key":
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
            yield path, _built(self._events, event)
        else:
            _skip(self._events)


def _skip(events: Iterator[tuple[str, Any]]) -> None:
    """Passes over the rest of an object or array that has begun."""
    depth = 1
    for event, _ in events:
        if event in ("start_map", "start_array"):
            depth += 1
        elif event in ("end_map", "end_array"):
            depth -= 1
            if not depth:
                return


def _built(events: Iterator[tuple[str, Any]], begun: str) -> object:
    """An object or array that has begun. Every event of a file passes here, so there is one loop and no calls."""
    at: Any = {} if begun == "start_map" else []
    around = [at]
    key = ""
    for event, value in events:
        if event == "map_key":
            key = value
            continue
        if event in ("end_map", "end_array"):
            done = around.pop()
            if not around:
                return done
            at = around[-1]
            continue
        is_open = event in ("start_map", "start_array")
        made = ({} if event == "start_map" else []) if is_open else value
        if type(at) is dict:
            at[key] = made
        else:
            at.append(made)
        if is_open:
            around.append(made)
            at = made
    return around[0]
