"""Benchmarks as haystacks: what was said, as messages, and questions whose evidence is known as turns."""

from __future__ import annotations

import gzip
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from ..errors import InputUnreadable
from ..formats import FORMATS, Message, turn_id
from ..formats.moments import moment
from ..model import TurnId

__all__ = ["Haystack", "Question", "haystacks"]

#: LoCoMo writes evidence as "D1:3", and also as "D8:6; D9:17", "D30:05" or "D:11:26": everything that reads as one.
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its gold answer and evidence. `answerable` is false where to abstain is right.

    `wrong_answer` is LoCoMo's adversarial one; `unresolved` counts pieces of evidence that name no turn.
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


@dataclass(frozen=True, slots=True)
class Haystack:
    """The conversations that some questions are asked over: one store."""

    name: str
    messages: Sequence[Message]
    questions: Sequence[Question]


def haystacks(path: Path) -> Iterator[Haystack]:
    """The haystacks of a file in LoCoMo's or LongMemEval's schema, gzip or not. Raises InputUnreadable."""
    items = _load(path)
    for index, item in enumerate(items):
        if not isinstance(item, dict):
            raise InputUnreadable(f"{path}: item {index} is no object", "give a LoCoMo or LongMemEval file")
        yield _locomo(item) if "qa" in item else _longmemeval(item, path)


def _load(path: Path) -> list[Any]:
    try:
        raw = path.read_bytes()
        found = json.loads(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)
    except (OSError, ValueError, EOFError) as error:
        raise InputUnreadable(f"cannot read {path}: {error}", "give a LoCoMo or LongMemEval file") from error
    return found if isinstance(found, list) else [found]


def _messages(item: Mapping[str, Any], format_name: str) -> list[Message]:
    stream = io.BytesIO(json.dumps([item]).encode())
    return [r for r in FORMATS[format_name].read(stream, format_name) if isinstance(r, Message)]


def _locomo(item: Mapping[str, Any]) -> Haystack:
    messages = _messages(item, "locomo")
    places = {str(message.id): turn_id(message) for message in messages}
    name = str(item.get("sample_id", ""))
    return Haystack(name, messages, [_locomo_question(f"{name}:{i}", q, places) for i, q in enumerate(item["qa"])])


def _locomo_question(id_: str, found: Mapping[str, Any], places: Mapping[str, TurnId | None]) -> Question:
    named = [f"D{int(s)}:{int(t)}" for e in found.get("evidence", []) for s, t in _EVIDENCE.findall(str(e))]
    turns = [places.get(place) for place in named]
    malformed = sum(not _EVIDENCE.search(str(e)) for e in found.get("evidence", []))
    return Question(
        id_,
        str(found["question"]),
        str(found["category"]),
        str(found.get("answer", "")),
        frozenset(turn for turn in turns if turn is not None),
        answerable="answer" in found,
        wrong_answer=str(found.get("adversarial_answer", "")),
        unresolved=malformed + sum(turn is None for turn in turns),
    )


def _longmemeval(item: Mapping[str, Any], path: Path) -> Haystack:
    if "haystack_sessions" not in item or "question" not in item:
        raise InputUnreadable(f"{path} is neither LoCoMo's nor LongMemEval's schema", "see docs/formats.md")
    messages = _messages(item, "longmemeval")
    places = {(str(m.session), str(m.id)): turn_id(m) for m in messages}
    answerable = not str(item["question_id"]).endswith("_abs")
    marked = [
        places.get((str(s), str(t)))
        for s, session in enumerate(item["haystack_sessions"])
        for t, turn in enumerate(session)
        if turn.get("has_answer") and answerable
    ]
    question = Question(
        str(item["question_id"]),
        str(item["question"]),
        str(item["question_type"]),
        str(item.get("answer", "")),
        frozenset(turn for turn in marked if turn is not None),
        moment(item.get("question_date", "")),
        answerable,
        unresolved=sum(turn is None for turn in marked),
    )
    return Haystack(str(item["question_id"]), messages, [question])
