"""RealMem: a user's sessions with an assistant, whose queries are messages among the others.

A query may find only earlier sessions. There is no gold answer; what the reply to a query rests on is known as
sessions. Memories that a model has extracted (`extracted_memory`, `memory_used`) are never read, and neither are the
sessions' identifiers, which name the topic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from ..formats import Message, turn_id
from ..formats.moments import moment
from ..model import TurnId
from .questions import GoldQuestion, Haystack, category, listed, question_or_reason, text_in

__all__ = ["realmem"]

#: When a file without any date begins.
_UNDATED = datetime(2000, 1, 1)
#: How far apart sessions of one day are put, in the order of the file: only dates are known.
_APART = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class _FileSession:
    """A session by its place in the file; `turns` is empty where it is not written as the schema says."""

    number: int
    uuid: str
    started_at: datetime
    turns: Sequence[Any]

    def message(self, position: int) -> Message | None:
        """The message there, if anything was said."""
        turn = self.turns[position]
        text = turn.get("content") if isinstance(turn, Mapping) else None
        if not isinstance(text, str):
            return None
        name, speaker = str(self.number), str(turn.get("speaker") or "")
        return Message(text, speaker, said_at=self.started_at, session=name, id=str(position))

    def queries(self) -> list[int]:
        """Where somebody asks for what was said before."""
        return [p for p, turn in enumerate(self.turns) if isinstance(turn, Mapping) and turn.get("is_query")]

    def first_turn(self) -> TurnId | None:
        """The first turn that says anything, as stores name it."""
        messages = (self.message(position) for position in range(len(self.turns)))
        return next((turn for message in messages if message and (turn := turn_id(message))), None)

    def reply(self, position: int) -> Mapping[str, Any]:
        """The turn after the one there; empty where there is none."""
        found = self.turns[position + 1] if position + 1 < len(self.turns) else None
        return found if isinstance(found, Mapping) else {}


def realmem(item: Mapping[str, Any]) -> Haystack:
    """One user's sessions with the queries in them, in the schema of RealMem (see docs/evaluation.md)."""
    about = item.get("_metadata")
    name = str((about.get("person_name") if isinstance(about, Mapping) else None) or "user")
    sessions = _sessions(listed(item["dialogues"]))
    messages = [m for s in sessions for place in range(len(s.turns)) if (m := s.message(place)) is not None]
    found = list(_questions(name, sessions))
    return Haystack(
        name,
        messages,
        [question for question in found if isinstance(question, GoldQuestion)],
        [reason for reason in found if isinstance(reason, str)],
    )


def _sessions(found: Sequence[object]) -> list[_FileSession]:
    given = [each if isinstance(each, Mapping) else {} for each in found]
    times = _times([moment(str(each.get("current_time") or "")) for each in given])
    return [
        _FileSession(number, str(each.get("session_uuid") or ""), at, turns if isinstance(turns, list) else [])
        for number, (each, at) in enumerate(zip(given, times, strict=True))
        for turns in [each.get("dialogue_turns")]
    ]


def _times(dates: Sequence[datetime | None]) -> list[datetime]:
    """When each session began: on its date, and after all before it in the file.

    The file is in the order in which things were said: what a reply rests on always stands before it, and dates that
    run back are placeholders, which would put sessions before those that they speak of.
    """
    local = [None if date is None else date.replace(tzinfo=None) for date in dates]
    times, at = list[datetime](), next((date for date in local if date), _UNDATED) - _APART
    for date in local:
        at = max(date or at, at + _APART)
        times.append(at)
    return times


def _questions(name: str, sessions: Sequence[_FileSession]) -> Iterator[GoldQuestion | str]:
    """The queries in order; for a query, or a session, that cannot be read, what is wrong with it."""
    earlier: dict[str, TurnId] = {}
    for session in sessions:
        if not session.turns:
            yield f"{name}, session {session.number + 1}: it has no dialogue_turns"
        for position in session.queries():
            found = question_or_reason(partial(_question, name, session, earlier), position)
            yield found if isinstance(found, GoldQuestion) else f"{name}, session {session.number + 1}: {found}"
        if session.uuid and (turn := session.first_turn()) is not None:
            earlier.setdefault(session.uuid, turn)


def _question(name: str, session: _FileSession, earlier: Mapping[str, TurnId], position: int) -> GoldQuestion:
    """The query there. `earlier`: a turn of each session before; evidence in any other cannot be found, and counts."""
    turn = session.turns[position]
    named = dict.fromkeys(str(uuid) for uuid in listed(session.reply(position).get("memory_session_uuids")))
    turns = [earlier.get(uuid) for uuid in named]
    return GoldQuestion(
        f"{name}:{session.number}:{position}",
        text_in(turn, "content"),
        category(turn.get("category_name")),
        "",
        frozenset(),
        session.started_at,
        unresolved=sum(found is None for found in turns),
        session_evidence=frozenset(found for found in turns if found is not None),
        past_only=True,
    )
