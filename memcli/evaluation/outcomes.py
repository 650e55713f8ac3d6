"""What every contender made of every question, kept on disk as it is found: a killed run goes on where it stopped.

One folder for each set of data, code and settings; in it one file of JSON lines for each contender and part of the
questions, each written by one process alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from hashlib import sha256
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, BinaryIO

import orjson

from .asking import Outcome

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

__all__ = ["Outcomes", "append", "code_fingerprint"]

_FIELDS = {f.name for f in fields(Outcome)}


class Outcomes:
    """The outcomes of one set of data, code and settings, in a folder of their own.

    `models`: who is asked by the contenders that ask another model than the embedder, by the contender's name.
    """

    def __init__(
        self, folder: Path, key: Mapping[str, object], models: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        digest = sha256(orjson.dumps(key, option=orjson.OPT_SORT_KEYS)).hexdigest()
        self.folder = folder / digest[:24]
        self._models = models

    def file(self, contender: str, part: str) -> Path:
        """Where one process appends what a contender makes of one part of the questions."""
        return self._folder(contender) / f"{sha256(part.encode()).hexdigest()[:16]}.jsonl"

    def of(self, contender: str) -> dict[str, Outcome]:
        """Everything kept of a contender, by the question's id."""
        files = sorted(self._folder(contender).glob("*.jsonl"))
        return {found.id: found for file in files for found in _read(file)}

    def _folder(self, contender: str) -> Path:
        model = self._models.get(contender, "")
        return self.folder / (f"{contender}@{sha256(model.encode()).hexdigest()[:12]}" if model else contender)


def append(stream: BinaryIO, outcome: Outcome) -> None:
    """Writes one outcome so that a kill loses no earlier one."""
    stream.write(orjson.dumps(outcome) + b"\n")
    stream.flush()


def _read(file: Path) -> Iterator[Outcome]:
    for line in file.read_bytes().splitlines():
        try:
            found = orjson.loads(line)
        except orjson.JSONDecodeError:  # cut off by a kill: the question is asked again
            continue
        if isinstance(found, dict) and set(found) == _FIELDS:
            yield Outcome(**found)


def code_fingerprint() -> str:
    """A hash of memcli's code and constants: what an older version found is never taken for what this one would."""
    digest = sha256()
    for name, content in sorted(_files(resources.files("memcli"), "")):
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def _files(folder: Traversable, prefix: str) -> Iterable[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir() and entry.name != "__pycache__":
            yield from _files(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith((".py", ".json", ".toml", ".txt")) and "cli/" not in prefix:
            yield f"{prefix}{entry.name}", entry.read_bytes()
