"""Messages → sessions and turns.

A turn's id is a hash of what identifies the message, so the same message is one turn, whatever file brings it and
however often: its conversation, its session's name if the transcript gives one, and its own id if it has one, else
who said what, when. A message that comes again under its own id with another text is still the same turn: the
store keeps the first. Undated messages without an id that are equal in all of this are one message, too.

Where the transcript names no session, a conversation is split where two messages are more than `GAP` apart.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import blake2b

from memcli.model import Session, SessionId, Turn, TurnId
from memcli.store.ids import Tag, pattern
from memcli.text import clean

from .base import Message

__all__ = ["DEFAULT_CONVERSATION", "GAP", "Piece", "SessionSplitter", "turn_id"]

#: A longer silence than this ends a session that has no name.
GAP = timedelta(hours=2)

#: The conversation of messages that name none.
DEFAULT_CONVERSATION = "default"

#: What is handed over to be stored in one transaction: a session and some of its turns.
Piece = tuple[Session, list[Turn]]

#: The ids that an export gives a turn and its session: they stay what they are.
_EXPORTED_TURN = re.compile(pattern(Tag.TURN))
_EXPORTED_SESSION = re.compile(pattern(Tag.SESSION))

_BATCH = 256
_PIECE_TURNS = 500
_PIECE_CHARACTERS = 2 * 1024 * 1024
_OPEN_SESSIONS = 64
_OPEN_CHARACTERS = 8 * 1024 * 1024
_CONVERSATIONS = 4096


@dataclass(slots=True)
class _OpenSession:
    """A session whose latest turns have not been handed over."""

    session: Session
    turns: list[Turn] = field(default_factory=list)
    ids: set[TurnId] = field(default_factory=set)
    characters: int = 0
    seen: int = 0

    def add(self, said: _Ready) -> bool:
        """One more turn; false if it is here already."""
        if said.turn in self.ids:
            return False
        self.turns.append(
            Turn(said.turn, self.session.id, self.seen, said.speaker, said.role, said.said_at, said.text),
        )
        self.ids.add(said.turn)
        self.characters += len(said.text)
        self.seen += 1
        return True

    def is_full(self) -> bool:
        """Whether the turns should not wait for more."""
        return len(self.turns) >= _PIECE_TURNS or self.characters >= _PIECE_CHARACTERS

    def hand_over(self) -> list[Turn]:
        """The turns; the session stays open for more."""
        turns, self.turns = self.turns, []
        self.ids.clear()
        self.characters = 0
        return turns


@dataclass(slots=True)
class _Thread:
    """Where a conversation stands: the session that it is in, and when something was last said."""

    session: SessionId
    last: datetime | None


@dataclass(frozen=True, slots=True)
class _Ready:
    """A message made ready: clean, with its defaults and its id."""

    turn: TurnId
    conversation: str
    session: str
    text: str
    speaker: str
    role: str
    said_at: datetime | None
    title: str
    started_at: datetime | None


class SessionSplitter:
    """Gathers the messages of one source into pieces of sessions, in bounded memory.

    `known` says in which session the store has each of the turns that it has, which it is given with the
    conversations that they are of; `latest` is the newest session of a
    conversation in the store, and the time of its last message. Every piece must be stored before the next call of
    `feed` or `flush`. Pieces hold known turns as well; `position` counts a session's turns in this run.
    """

    def __init__(
        self,
        source: str,
        known: Callable[[Mapping[TurnId, str]], Mapping[TurnId, SessionId]],
        latest: Callable[[str], tuple[SessionId, datetime | None] | None],
        gap: timedelta = GAP,
    ) -> None:
        self.ignored = 0  # messages with nothing but white space and control characters
        self._source = source
        self._known = known
        self._latest = latest
        self._gap = gap
        self._waiting: list[_Ready] = []
        self._waiting_characters = 0
        self._open: OrderedDict[SessionId, _OpenSession] = OrderedDict()
        self._open_characters = 0
        self._threads: OrderedDict[str, _Thread | None] = OrderedDict()
        self._homes: dict[TurnId, SessionId] = {}  # of turns that the store may not have yet

    def feed(self, message: Message) -> Iterator[Piece]:
        """Take one more message; hand over what is ready to be stored."""
        said = _said(message)
        if said is None:
            self.ignored += 1
            return iter(())
        self._waiting.append(said)
        self._waiting_characters += len(said.text)
        if len(self._waiting) < _BATCH and self._waiting_characters < _PIECE_CHARACTERS:
            return iter(())
        return iter(self._place_waiting())

    def flush(self) -> Iterator[Piece]:
        """Hand over everything; what follows still continues the sessions that are open."""
        pieces = self._place_waiting()
        pieces.extend(self._cut(session) for session in self._open)
        self._homes.clear()
        return iter([piece for piece in pieces if piece[1]])

    def _place_waiting(self) -> list[Piece]:
        waiting, self._waiting, self._waiting_characters = self._waiting, [], 0
        if not waiting:
            return []
        unsettled = {said.turn: said.conversation for said in waiting if said.turn not in self._homes}
        known = self._known(unsettled) if unsettled else {}
        self._homes.update(known)
        pieces: list[Piece] = []
        for said in waiting:
            self._place(said)
            pieces.extend(self._overflow())
        self._homes = {turn.id: turn.session for each in self._open.values() for turn in each.turns}
        return pieces

    def _place(self, said: _Ready) -> None:
        again = said.turn in self._homes
        session = self._homes[said.turn] if again else self._session_of(said)
        if not said.session:
            self._go_on(session, said)
        elif said.conversation not in self._threads:
            # What is said in a session of its own, such as a reply, interrupts nothing: nor may it later, when the
            # store knows it, be taken for what was said last.
            self._threads[said.conversation] = self._stored_thread(said)
        self._homes[said.turn] = session
        self._add(session, said)

    def _go_on(self, session: SessionId, said: _Ready) -> None:
        thread = self._threads.get(said.conversation)
        last = said.said_at or (thread.last if thread and thread.session == session else None)
        self._threads[said.conversation] = _Thread(session, last)
        self._threads.move_to_end(said.conversation)

    def _session_of(self, said: _Ready) -> SessionId:
        if _EXPORTED_SESSION.fullmatch(said.session):
            return SessionId(said.session)
        if said.session:
            return SessionId(_hash(Tag.SESSION, said.conversation, "named", said.session))
        known = said.conversation in self._threads
        thread = self._threads[said.conversation] if known else self._stored_thread(said)
        if thread is not None and not self._apart(thread.last, said.said_at):
            return thread.session
        return SessionId(_hash(Tag.SESSION, said.conversation, "begins", said.turn))

    def _stored_thread(self, said: _Ready) -> _Thread | None:
        """The stored session that a message of a conversation first met in this run may continue."""
        if said.said_at is None:
            return None
        stored = self._latest(said.conversation)
        return _Thread(*stored) if stored is not None and stored[1] is not None else None

    def _apart(self, one: datetime | None, other: datetime | None) -> bool:
        return one is not None and other is not None and _distance(one, other) > self._gap

    def _add(self, session: SessionId, said: _Ready) -> None:
        if session not in self._open:
            self._open[session] = _OpenSession(
                Session(session, said.conversation, self._source, said.started_at, said.title)
            )
        self._open.move_to_end(session)
        if self._open[session].add(said):
            self._open_characters += len(said.text)

    def _overflow(self) -> list[Piece]:
        """The newest session's piece if it has grown large; the oldest ones' while too much is open."""
        newest = next(reversed(self._open))
        pieces = [self._cut(newest)] if self._open[newest].is_full() else []
        while len(self._open) > _OPEN_SESSIONS or self._open_characters > _OPEN_CHARACTERS:
            oldest = next(iter(self._open))
            pieces.append(self._cut(oldest))
            del self._open[oldest]
        if len(self._threads) > _CONVERSATIONS:
            # Its sessions were handed over long ago, being older than the open ones; the store knows the latest.
            self._threads.popitem(last=False)
        return [piece for piece in pieces if piece[1]]

    def _cut(self, session: SessionId) -> Piece:
        open_ = self._open[session]
        self._open_characters -= open_.characters
        return open_.session, open_.hand_over()


def _distance(one: datetime, other: datetime) -> timedelta:
    """The time between two moments; by the clock on the wall where one of them has no zone."""
    if one.tzinfo is None or other.tzinfo is None:
        one, other = one.replace(tzinfo=None), other.replace(tzinfo=None)
    return abs(one - other)


def turn_id(message: Message) -> TurnId | None:
    """The id that the message's turn has in every store; None if the message says nothing."""
    said = _said(message)
    return None if said is None else said.turn


def _said(message: Message) -> _Ready | None:
    """The message made ready, or None if it says nothing."""
    text = _valid(message.text).strip()
    if not text:
        return None
    conversation = _line(message.conversation) or DEFAULT_CONVERSATION
    session = _line(message.session or "")
    speaker = _line(message.speaker) or _line(message.role) or "unknown"
    said = (speaker, _instant(message.said_at), text)
    own = ("id", message.id) if message.id else ("said", *said)
    exported = _EXPORTED_SESSION.fullmatch(session) and _EXPORTED_TURN.fullmatch(message.id or "")
    said_at = message.said_at or (None if exported else message.arrived_at)
    return _Ready(
        turn=TurnId(message.id if exported and message.id else _hash(Tag.TURN, conversation, session, *own)),
        conversation=conversation,
        session=session,
        text=text,
        speaker=speaker,
        role=_line(message.role) or (speaker.lower() if speaker.lower() in ("user", "assistant") else ""),
        said_at=said_at,
        title=_line(message.title),
        started_at=message.session_started_at or said_at,
    )


def _instant(moment: datetime | None) -> str:
    """One writing for one instant, whatever offset it was given with."""
    if moment is None:
        return ""
    return (moment if moment.tzinfo is None else moment.astimezone(UTC)).isoformat()


def _valid(text: str) -> str:
    """Clean text that can be stored: half of a surrogate pair, which JSON can spell, is no character."""
    return clean(text).encode("utf-8", "replace").decode()


def _line(name: str) -> str:
    return " ".join(_valid(name).split())


def _hash(tag: Tag, *parts: str) -> str:
    """`tag` and 16 hex digits; each part is preceded by its length, so that no two lists of parts read the same."""
    digest = blake2b(digest_size=8)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return tag.prefix + digest.hexdigest()
