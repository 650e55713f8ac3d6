"""LongMemEval's JSON: for each question a haystack of dated sessions with an assistant (Wu et al. 2025).

A question's haystack is one conversation. The sessions' own ids are not read: those of evidence begin with
`answer_` and would give the answer away. A session is named by its place in the haystack instead, which also keeps
apart two sessions with one id. `has_answer` is not read either.
"""

from __future__ import annotations

import re

from .base import Message, text_of
from .collected import Collected, InSchema
from .json_walk import END, Path, Want

__all__ = ["LongMemEval"]

_MARKS = re.compile(rb'"haystack_(?:sessions|dates|session_ids)"\s*:')
_QUESTION = (b'"question_id"', b'"question_type"')


class LongMemEval(InSchema):
    """One array of questions with their haystacks, or one of them."""

    name = "longmemeval"
    description = "LongMemEval's JSON: questions, each with its haystack of dated sessions"
    recognised = "keys like `haystack_sessions`, or `question_type`"
    marks = _MARKS
    questions = _QUESTION

    @staticmethod
    def _want(path: Path) -> Want:
        return _want(path)

    @staticmethod
    def _take(gathered: Collected, path: Path, value: object) -> None:
        _take(gathered, path, value)


def _want(path: Path) -> Want:
    match path:
        case (_,) | (_, "haystack_sessions" | "haystack_dates") | (_, "haystack_sessions", _):
            return Want.ENTER
        case (_, "question_id") | (_, "haystack_dates", _) | (_, "haystack_sessions", _, _):
            return Want.BUILD
    return Want.SKIP


def _take(open_: Collected, path: Path, value: object) -> None:
    match path:
        case (_,):
            if value is not END:
                open_.report("not an object")
            elif not open_.sessions and not open_.problems:
                open_.report("no session with messages")
        case (_, "question_id"):
            open_.rename(value)
        case (_, "haystack_dates", int(number)):
            open_.dates[number] = value
        case (_, "haystack_sessions", number) if value is not END:
            open_.report("not a list of messages", _session(number))
        case (_, "haystack_sessions", int(number), place):
            _add(open_, number, place, value)


def _session(number: str | int) -> str:
    return f"session {number + 1 if isinstance(number, int) else number}"


def _add(open_: Collected, session: int, place: str | int, value: object) -> None:
    parts = (_session(session), f"message {place + 1 if isinstance(place, int) else place}")
    if not isinstance(value, dict):
        open_.report("not an object", *parts)
        return
    text, role = text_of(value.get("content")), value.get("role")
    if not text:
        open_.report("no text", *parts)
        return
    role = role if isinstance(role, str) else ""
    open_.add(session, Message(text=text, speaker=role, role=role, session=str(session), id=str(place)))
