"""How each benchmark writes down its questions: LoCoMo, LongMemEval, and everything that borrows their schemas."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import orjson

from ..formats import FORMATS, Message, turn_id
from ..formats.moments import moment
from ..model import TurnId
from .datasets import Haystack, Question

__all__ = ["READERS", "locomo", "longmemeval", "own_question"]

#: LoCoMo writes evidence as "D1:3", and also as "D8:6; D9:17", "D30:05" or "D:11:26": everything that reads as one.
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")


class _Malformed(ValueError):
    """A question that cannot be asked."""


def locomo(item: Mapping[str, Any]) -> Haystack:
    """One conversation of LoCoMo's with its questions (Maharana et al. 2024)."""
    messages = _messages(item, "locomo")
    places = {str(message.id): turn_id(message) for message in messages}
    name = str(item.get("sample_id") or "conversation")
    asked = item["qa"] if isinstance(item["qa"], list) else []
    made = [_made(lambda q, i=i: _locomo_question(f"{name}:{i}", q, places), q) for i, q in enumerate(asked)]  # type: ignore[misc]
    return _haystack(name, messages, made)


def longmemeval(item: Mapping[str, Any]) -> Haystack:
    """One question of LongMemEval's with its haystack (Wu et al. 2025)."""
    messages = _messages(item, "longmemeval")
    made = _made(lambda q: _longmemeval_question(q, messages), item)
    return _haystack(str(item.get("question_id") or "question"), messages, [made])


#: The keys that tell a schema, and its reader.
READERS: Sequence[tuple[Sequence[str], Callable[[Mapping[str, Any]], Haystack]]] = (
    (("conversation", "qa"), locomo),
    (("haystack_sessions", "question"), longmemeval),
)


def own_question(id_: str, found: object, places: Mapping[str, TurnId]) -> Question:
    """A user's own question about a store, as one line of JSON says it; see docs/evaluation.md.

    `places`: the turns that evidence may name. Raises ValueError, saying what is wrong, for what cannot be asked.
    """
    if not isinstance(found, Mapping):
        raise _Malformed("it is not an object")
    named = _listed(found.get("evidence"))
    turns = [places.get(str(name)) for name in named]
    asked_at = found.get("asked_at")
    if asked_at is not None and moment(asked_at) is None:
        raise _Malformed("its asked_at is not a date")
    return Question(
        str(found.get("id") or id_),
        _text(found, "question"),
        _category(found.get("category")),
        _answer(found.get("answer")),
        frozenset(turn for turn in turns if turn is not None),
        moment(asked_at),
        answerable=found.get("answerable", True) is not False,
        wrong_answer=_answer(found.get("wrong_answer")),
        unresolved=sum(turn is None for turn in turns),
    )


def _made(make: Callable[[Any], Question], found: object) -> Question | str:
    """The question, or what is wrong with it."""
    try:
        return make(found)
    except (_Malformed, TypeError, AttributeError, ValueError) as error:
        return str(error) if isinstance(error, _Malformed) else "it is not written as its schema says"


def _haystack(name: str, messages: Sequence[Message], made: Iterable[Question | str]) -> Haystack:
    numbered = list(enumerate(made, start=1))
    return Haystack(
        name,
        messages,
        [question for _, question in numbered if isinstance(question, Question)],
        [f"{name}, question {number}: {reason}" for number, reason in numbered if isinstance(reason, str)],
    )


def _messages(item: Mapping[str, Any], format_name: str) -> list[Message]:
    stream = io.BytesIO(orjson.dumps([item]))
    return [r for r in FORMATS[format_name].read(stream, format_name) if isinstance(r, Message)]


def _locomo_question(id_: str, found: Mapping[str, Any], places: Mapping[str, TurnId | None]) -> Question:
    evidence = [str(e) for e in _listed(found.get("evidence"))]
    turns = [places.get(f"D{int(s)}:{int(t)}") for e in evidence for s, t in _EVIDENCE.findall(e)]
    malformed = sum(not _EVIDENCE.search(e) for e in evidence)
    return Question(
        id_,
        _text(found, "question"),
        _category(found.get("category")),
        _answer(found.get("answer")),
        frozenset(turn for turn in turns if turn is not None),
        answerable="adversarial_answer" not in found,
        wrong_answer=_answer(found.get("adversarial_answer")),
        unresolved=malformed + sum(turn is None for turn in turns),
    )


def _longmemeval_question(item: Mapping[str, Any], messages: Sequence[Message]) -> Question:
    places = {(str(m.session), str(m.id)): turn_id(m) for m in messages}
    answerable = not str(item["question_id"]).endswith("_abs")
    marked = [places.get(place) for place in _marked(item)] if answerable else []
    asked_at = moment(item.get("question_date", ""))
    return Question(
        str(item["question_id"]),
        _text(item, "question"),
        _category(item.get("question_type")),
        _answer(item.get("answer")),
        frozenset(turn for turn in marked if turn is not None),
        asked_at,
        answerable,
        unresolved=sum(turn is None for turn in marked),
    )


def _marked(item: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The places (session, turn) of the turns that hold the answer."""
    return [
        (str(s), str(t))
        for s, session in enumerate(item["haystack_sessions"])
        for t, turn in enumerate(session)
        if isinstance(turn, Mapping) and turn.get("has_answer")
    ]


def _text(found: Mapping[str, Any], key: str) -> str:
    text = found.get(key)
    if not isinstance(text, str) or not text.strip():
        raise _Malformed(f"it has no {key}")
    return text


def _category(value: object) -> str:
    return "none" if value is None or value == "" else str(value)


def _answer(value: object) -> str:
    return "" if value is None else str(value)


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [] if value is None else [value]
