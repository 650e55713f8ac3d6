"""Benchmarks as haystacks: what was said, as messages, and questions whose evidence is known as turns.

Files are streamed, an item at a time: LongMemEval's largest has three gigabytes.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, cast

from ..errors import InputUnreadable
from ..formats import Message
from ..formats.json_walk import BrokenJsonError, Want, walk
from ..model import TurnId

__all__ = ["Haystack", "Question", "haystacks"]

_HINT = "give a file in LoCoMo's, LongMemEval's or RealMem's schema, see docs/evaluation.md"


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its gold answer and evidence. `answerable` is false where to abstain is right.

    `answer` is empty where none is known. `wrong_answer` is LoCoMo's adversarial one; `unresolved` counts pieces of
    evidence that name no turn. `session_evidence` has a turn of each session that holds evidence, where only sessions
    are known to. `past_only`: only what was said before `asked_at` may be found.
    """

    id: str
    text: str
    category: str
    answer: str
    evidence: frozenset[TurnId]
    asked_at: datetime | None = None
    answerable: bool = True
    wrong_answer: str = ""
    unresolved: int = 0
    session_evidence: frozenset[TurnId] = frozenset()
    past_only: bool = False

    @property
    def exclusion(self) -> str:
        """Why retrieval cannot be scored with this question; empty where it can."""
        if self.evidence or self.session_evidence:
            return ""
        if self.unresolved:
            return "unresolvable_evidence"
        return "no_evidence" if self.answerable else "abstention"


@dataclass(frozen=True, slots=True)
class Haystack:
    """The conversations that some questions are asked over: one store.

    `malformed` says of each question that could not be read what is wrong with it; `outside` counts the questions that
    a slice has left out.
    """

    name: str
    messages: Sequence[Message]
    questions: Sequence[Question]
    malformed: Sequence[str] = ()
    outside: int = 0


def haystacks(path: Path) -> Iterator[Haystack]:
    """The haystacks of a file in a schema of `schemas.READERS`, gzip or not. Raises InputUnreadable."""
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
    from . import schemas

    reader = next((read for keys, read in schemas.READERS if all(key in item for key in keys)), None)
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
