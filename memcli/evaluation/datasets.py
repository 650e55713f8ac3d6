"""Files of benchmarks, read as haystacks.

They are streamed, an item at a time: LongMemEval's largest has three gigabytes.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, cast

from ..errors import InputUnreadable
from ..formats.json_walk import BrokenJsonError, Want, walk
from .questions import Haystack
from .schemas import READERS

__all__ = ["haystacks"]

_HINT = "give a file in LoCoMo's, LongMemEval's or RealMem's schema, see docs/evaluation.md"


def haystacks(path: Path) -> Iterator[Haystack]:
    """The haystacks of a file in a schema of `READERS`, gzip or not. Raises InputUnreadable."""
    found = False
    for index, item in enumerate(_items(path), start=1):
        found = True
        where = f"{path}: item {index}"
        if not isinstance(item, dict):
            raise InputUnreadable(f"{where} is not an object", _HINT)
        haystack = _reader(item, where)(item)
        if not haystack.messages:
            raise InputUnreadable(f"{where} has no conversation", _HINT)
        yield haystack
    if not found:
        raise InputUnreadable(f"{path} holds no conversations", _HINT)


def _reader(item: Mapping[str, Any], where: str) -> Callable[[Mapping[str, Any]], Haystack]:
    reader = next((read for keys, read in READERS if all(key in item for key in keys)), None)
    if reader is None:
        raise InputUnreadable(f"{where} is in none of the schemas of LoCoMo, LongMemEval and RealMem", _HINT)
    return reader


def _items(path: Path) -> Iterator[object]:
    """The elements of the file's outermost array, or the one object that it is."""
    try:
        with _opened(path) as stream:
            for place, value in walk(stream, lambda _: Want.BUILD):
                if len(place) == 1:
                    yield value
    except BrokenJsonError as error:
        raise InputUnreadable(f"cannot read {path}: broken JSON, {error}", _HINT) from error
    except (OSError, EOFError) as error:
        raise InputUnreadable(f"cannot read {path}: {_reason(error)}", _HINT) from error


def _opened(path: Path) -> BinaryIO:
    with path.open("rb") as raw:
        zipped = raw.read(2) == b"\x1f\x8b"
    return cast(BinaryIO, gzip.open(path, "rb")) if zipped else path.open("rb")


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or "it breaks off"
