"""Lines of any input, in bounded memory, and the JSON objects that they hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import orjson

from .base import Problem

__all__ = ["LONGEST_LINE", "lines", "objects"]

#: A longer line is no message: it is reported and passed over without being held in memory.
LONGEST_LINE = 16 * 1024 * 1024

_CHUNK = 64 * 1024


def lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """The lines of `stream`, None in place of one that is too long."""
    first = True
    while line := stream.readline(LONGEST_LINE + 1):
        if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            del line
            _skip_line(stream)
            yield None
        else:
            yield line.removeprefix(b"\xef\xbb\xbf") if first else line
        first = False


def objects(stream: BinaryIO, source: str) -> Iterator[tuple[str, dict[str, object]] | Problem]:
    """Each line's JSON object, as soon as the line is complete, with where it is; a problem for another line."""
    for number, line in enumerate(lines(stream), start=1):
        where = f"{source}:{number}"
        if line is None:
            yield Problem(where, f"line longer than {LONGEST_LINE // 2**20} MB")
        elif line.strip():
            yield _parsed(line, where)


def _parsed(line: bytes, where: str) -> tuple[str, dict[str, object]] | Problem:
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return Problem(where, _why_invalid(line, error))
    return (where, record) if isinstance(record, dict) else Problem(where, "not a JSON object")


def _skip_line(stream: BinaryIO) -> None:
    while (chunk := stream.readline(_CHUNK)) and not chunk.endswith(b"\n"):
        pass


def _why_invalid(line: bytes, error: ValueError) -> str:
    if b"\x00" in line:
        return "NUL bytes"
    try:
        line.decode()
    except UnicodeDecodeError:
        return "invalid UTF-8"
    return f"invalid JSON: {str(error).splitlines()[0]}"
