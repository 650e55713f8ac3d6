"""What a mail passes on of another's: where it begins, and who wrote it. `forwarded.toml` has the words of programs."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

__all__ = ["Forwarded", "is_forward", "parted"]

_TABLE = Path(__file__).with_suffix(".toml")
_QUOTE = re.compile(r"> ?")
_ADDRESS = re.compile(r"\s*[<\[].*")
#: A header that no line announces has so many fields or more; any has no more than this.
_FEWEST, _MOST = 3, 12


class Forwarded(NamedTuple):
    """What was forwarded: who wrote it, as its header says (else empty), and the text without the header."""

    sender: str
    text: str


class _Words(NamedTuple):
    begins: re.Pattern[str]
    field: re.Pattern[str]
    sender: re.Pattern[str]
    subject: re.Pattern[str]


def is_forward(subject: str) -> bool:
    """Whether a mail's subject says that it was forwarded, and not that it replies to what was."""
    return _words().subject.match(subject) is not None


def parted(text: str, *, is_forward: bool) -> tuple[str, Forwarded | None]:
    """What stands above what is forwarded, and that. Where the subject says so, it may be quoted or begin by itself."""
    lines = text.split("\n")
    for place, line in enumerate(lines):
        bare = _unquoted(line) if is_forward else line
        if _words().begins.fullmatch(bare.strip()):
            return "\n".join(lines[:place]), _forwarded(lines[place + 1 :])
        if is_forward and len(header := _header(lines[place : place + _MOST])) >= _FEWEST and any(map(_sender, header)):
            return "\n".join(lines[:place]), _forwarded(lines[place:])
    return text, None


def _forwarded(lines: Sequence[str]) -> Forwarded:
    if all(line.startswith(">") for line in lines if line.strip()):
        lines = [_unquoted(line) for line in lines]
    while lines and not lines[0].strip():
        lines = lines[1:]
    header = _header(lines)
    return Forwarded(next(filter(None, map(_sender, header)), ""), "\n".join(lines[len(header) :]).strip())


def _header(lines: Sequence[str]) -> list[str]:
    """The fields that these lines begin with, each with what of it stands in further lines."""
    return list(takewhile(bool, _fields(lines[:_MOST])))


def _fields(lines: Sequence[str]) -> Iterator[str]:
    is_open = False
    for line in map(_unquoted, lines):
        is_field = _words().field.match(line) is not None
        yield line if is_field or (is_open and line.strip()) else ""
        is_open = line.rstrip().endswith((",", ";", ":"))


def _sender(line: str) -> str:
    found = _words().sender.match(_unquoted(line))
    said = found[1].strip(" *\t") if found else ""
    return _ADDRESS.sub("", said).strip('" ') or said.strip("<>")


def _unquoted(line: str) -> str:
    return _QUOTE.sub("", line, count=1) if line.startswith(">") else line


@lru_cache(maxsize=1)
def _words() -> _Words:
    table = tomllib.loads(_TABLE.read_text(encoding="utf-8")).values()
    begins, sender, fields, subject = (
        "|".join(sorted({re.escape(word) for language in table for word in language.get(kind, ())}))
        for kind in ("begins", "from", "fields", "subject")
    )
    return _Words(
        re.compile(rf"(?:[-_*]+\s*(?:{begins})\s*:?\s*[-_*]+|(?:{begins})\s*:)", re.IGNORECASE),
        re.compile(rf"[ *]*(?:{sender}|{fields})[ *]*:(?:[ *\t]|$)", re.IGNORECASE),
        re.compile(rf"[ *]*(?:{sender})[ *]*:[ *\t]+(\S.*)$", re.IGNORECASE),
        re.compile(rf"\s*(?:{subject})(?:\[\d+\])?\s*:", re.IGNORECASE),
    )
