"""How each benchmark writes down its questions: LoCoMo, LongMemEval, and everything that borrows their schemas.

RealMem's, whose questions are messages among others, has a module of its own.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import orjson

from ..formats import Message, named, turn_id
from ..formats.moments import moment
from ..model import TurnId
from .questions import (
    GoldQuestion,
    Haystack,
    MalformedQuestion,
    answer,
    category,
    haystack_of,
    listed,
    question_or_reason,
    text_in,
)
from .realmem import realmem

__all__ = ["READERS", "locomo", "longmemeval", "own_question"]

#: LoCoMo writes evidence as "D1:3", and also as "D8:6; D9:17", "D30:05" or "D:11:26": everything that reads as one.
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")


def locomo(item: Mapping[str, Any]) -> Haystack:
    """One conversation of LoCoMo's with its questions (Maharana et al. 2024)."""
    messages = _messages(item, "locomo")
    places = {str(message.id): turn_id(message) for message in messages}
    name = str(item.get("sample_id") or "conversation")
    asked = item["qa"] if isinstance(item["qa"], list) else []
    made = [
        question_or_reason(lambda q, i=i: _locomo_question(f"{name}:{i}", q, places), q)  # type: ignore[misc]
        for i, q in enumerate(asked)
    ]
    return haystack_of(name, messages, made)


def longmemeval(item: Mapping[str, Any]) -> Haystack:
    """One question of LongMemEval's with its haystack (Wu et al. 2025)."""
    messages = _messages(item, "longmemeval")
    made = question_or_reason(lambda q: _longmemeval_question(q, messages), item)
    return haystack_of(str(item.get("question_id") or "question"), messages, [made])


#: The keys that tell a schema, and its reader.
READERS: Sequence[tuple[Sequence[str], Callable[[Mapping[str, Any]], Haystack]]] = (
    (("conversation", "qa"), locomo),
    (("haystack_sessions", "question"), longmemeval),
    (("dialogues",), realmem),
)


def own_question(id_: str, found: object, places: Mapping[str, TurnId]) -> GoldQuestion:
    """A user's own question about a store, as one line of JSON says it; see docs/evaluation.md.

    `places`: the turns that evidence may name. Raises ValueError, saying what is wrong, for what cannot be asked.
    """
    if not isinstance(found, Mapping):
        raise MalformedQuestion("it is not an object")
    named = listed(found.get("evidence"))
    turns = [places.get(str(name)) for name in named]
    asked_at = found.get("asked_at")
    if asked_at is not None and moment(asked_at) is None:
        raise MalformedQuestion("its asked_at is not a date")
    return GoldQuestion(
        str(found.get("id") or id_),
        text_in(found, "question"),
        category(found.get("category")),
        answer(found.get("answer")),
        frozenset(turn for turn in turns if turn is not None),
        moment(asked_at),
        answerable=found.get("answerable", True) is not False,
        wrong_answer=answer(found.get("wrong_answer")),
        unresolved=sum(turn is None for turn in turns),
    )


def _messages(item: Mapping[str, Any], format_name: str) -> list[Message]:
    stream = io.BytesIO(orjson.dumps([item]))
    return [r for r in named(format_name).read(stream, format_name) if isinstance(r, Message)]


def _locomo_question(id_: str, found: Mapping[str, Any], places: Mapping[str, TurnId | None]) -> GoldQuestion:
    evidence = [str(e) for e in listed(found.get("evidence"))]
    turns = [places.get(f"D{int(s)}:{int(t)}") for e in evidence for s, t in _EVIDENCE.findall(e)]
    malformed = sum(not _EVIDENCE.search(e) for e in evidence)
    return GoldQuestion(
        id_,
        text_in(found, "question"),
        category(found.get("category")),
        answer(found.get("answer")),
        frozenset(turn for turn in turns if turn is not None),
        answerable="adversarial_answer" not in found,
        wrong_answer=answer(found.get("adversarial_answer")),
        unresolved=malformed + sum(turn is None for turn in turns),
    )


def _longmemeval_question(item: Mapping[str, Any], messages: Sequence[Message]) -> GoldQuestion:
    places = {(str(m.session), str(m.id)): turn_id(m) for m in messages}
    answerable = not str(item["question_id"]).endswith("_abs")
    marked = [places.get(place) for place in _marked(item)] if answerable else []
    asked_at = moment(item.get("question_date", ""))
    return GoldQuestion(
        str(item["question_id"]),
        text_in(item, "question"),
        category(item.get("question_type")),
        answer(item.get("answer")),
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
