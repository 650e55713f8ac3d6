"""LoCoMo's JSON: conversations of numbered sessions between two speakers (Maharana et al. 2024).

Only what was said is read. `observation`, `session_summary` and `event_summary` come from a model and `qa` is the
test: none of them is ever a message.
"""

from __future__ import annotations

import re

from .base import Message, text_of
from .collected import Collected, InSchema
from .json_walk import END, Path, Want

__all__ = ["Locomo"]

_SESSION = re.compile(r"session_(\d{1,6})")
_DATE = re.compile(r"session_(\d{1,6})_date_time")
_MARKS = re.compile(rb'"(?:session_\d{1,6}(?:_date_time)?|speaker_a)"\s*:')
_QUESTIONS = (b'"qa"', b'"question"', b'"evidence"')


class Locomo(InSchema):
    """One array of conversations, or one conversation."""

    name = "locomo"
    description = "LoCoMo's JSON: conversations of dated sessions between two speakers"
    recognised = "keys like `session_1` or `speaker_a`, or questions with their evidence"
    marks = _MARKS
    questions = _QUESTIONS

    @staticmethod
    def _want(path: Path) -> Want:
        return _want(path)

    @staticmethod
    def _take(gathered: Collected, path: Path, value: object) -> None:
        _take(gathered, path, value)


def _want(path: Path) -> Want:
    match path:
        case (_,) | (_, "conversation"):
            return Want.ENTER
        case (_, "sample_id"):
            return Want.BUILD
        case (_, "conversation", str(key)):
            return Want.ENTER if _SESSION.fullmatch(key) else Want.BUILD if _DATE.fullmatch(key) else Want.SKIP
        case (_, "conversation", _, _):
            return Want.BUILD
    return Want.SKIP


def _take(open_: Collected, path: Path, value: object) -> None:
    match path:
        case (_,):
            if value is not END:
                open_.report("not an object")
            elif not open_.sessions and not open_.problems:
                open_.report("no session with messages")
        case (_, "sample_id"):
            open_.rename(value)
        case (_, "conversation", str(key)) if m := _DATE.fullmatch(key):
            open_.dates[int(m[1])] = value
        case (_, "conversation", str(key)) if value is not END:
            open_.report("not a list of messages", key)
        case (_, "conversation", str(key), place) if m := _SESSION.fullmatch(key):
            _add(open_, int(m[1]), place, value)


def _add(open_: Collected, session: int, place: str | int, value: object) -> None:
    parts = (f"session_{session}", f"message {place + 1 if isinstance(place, int) else place}")
    if not isinstance(value, dict):
        open_.report("not an object", *parts)
        return
    text = text_of(value.get("text"), value.get("blip_caption"))
    if not text:
        open_.report("no text", *parts)
        return
    speaker, name = value.get("speaker"), value.get("dia_id")
    open_.add(
        session,
        Message(
            text=text,
            speaker=speaker if isinstance(speaker, str) else "",
            session=f"session_{session}",
            id=name if isinstance(name, str) and name else f"{session}:{place}",
        ),
    )
