"""A user's own questions over a user's own store: one JSON object a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import orjson

from ..errors import InputUnreadable
from ..memory import Memory
from ..model import TurnId
from ..store import transcript
from .questions import GoldQuestion, Haystack
from .schemas import READERS, own_question

__all__ = ["are_own", "own_questions"]

#: Of so many bytes of a file it is told what it is.
_LOOKED_AT = 1 << 20


def are_own(path: Path) -> bool:
    """Whether a file has questions about a store, a line each, and not a benchmark with its conversations."""
    try:
        with path.open("rb") as stream:
            start = stream.read(_LOOKED_AT).splitlines()
    except OSError:
        return False
    found = (_parsed(line) for line in start if line.strip())
    first = next((each for each in found if isinstance(each, Mapping)), None)
    return first is not None and "question" in first and not any(first.keys() >= set(keys) for keys, _ in READERS)


def own_questions(path: Path, store: Path) -> Haystack:
    """The questions of `path` about `store`; see docs/evaluation.md. Raises InputUnreadable, StoreError."""
    lines = dict(_lines(path))
    places = _places(store, [name for found in lines.values() for name in _evidence(found)])
    questions: list[GoldQuestion] = []
    malformed: list[str] = []
    for number, found in lines.items():
        try:
            questions.append(own_question(f"{number}", found, places))
        except ValueError as error:
            malformed.append(f"{path}:{number}: {error}")
    if not questions:
        raise InputUnreadable(
            f"{path} has no question that can be asked", _first(malformed) or "see docs/evaluation.md"
        )
    return Haystack("store", (), questions, malformed)


def _lines(path: Path) -> Iterator[tuple[int, object]]:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputUnreadable(f"cannot read {path}: {error.strerror}", "give a file of JSON lines") from error
    for number, line in enumerate(content.splitlines(), start=1):
        if line.strip():
            yield number, _parsed(line)


def _parsed(line: bytes) -> object:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        return None  # no object: reported with its line, like any other that is none


def _evidence(found: object) -> list[str]:
    named = found.get("evidence") if isinstance(found, Mapping) else None
    return [str(name) for name in named] if isinstance(named, list) else [] if named is None else [str(named)]


def _places(store: Path, ids: list[str]) -> dict[str, TurnId]:
    with Memory(store).store.reading() as db:
        return {str(turn): turn for turn in transcript.known(db, [TurnId(name) for name in ids])}


def _first(malformed: list[str]) -> str:
    return malformed[0] if malformed else ""
