"""Messages → sessions and turns, against a store of a few lines."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.formats import Message, SessionSplitter, sessions
from memcli.model import Session, SessionId, Turn, TurnId

_NOON = datetime(2024, 3, 1, 12)


@dataclass
class _Store:
    """Keeps the first of what it is given, as the real one does."""

    turns: dict[TurnId, Turn] = field(default_factory=dict)
    sessions: dict[SessionId, Session] = field(default_factory=dict)
    pieces: list[tuple[Session, list[Turn]]] = field(default_factory=list)
    lookups: list[int] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def known(self, ids: Mapping[TurnId, str]) -> Mapping[TurnId, SessionId]:
        self.lookups.append(len(ids))
        return {each: self.turns[each].session for each in ids if each in self.turns}

    def latest(self, conversation: str) -> tuple[SessionId, datetime | None] | None:
        self.asked.append(conversation)
        mine = [t for t in self.turns.values() if self.sessions[t.session].conversation == conversation]
        timed = [t for t in mine if t.said_at]
        newest = max(timed, key=lambda t: str(t.said_at)) if timed else (mine[-1] if mine else None)
        return (newest.session, newest.said_at) if newest else None

    def splitter(self) -> SessionSplitter:
        return SessionSplitter("chat.jsonl", self.known, self.latest)

    def take(self, pieces: Iterable[tuple[Session, list[Turn]]]) -> None:
        for session, turns in pieces:
            assert turns
            assert all(turn.session == session.id for turn in turns)
            self.pieces.append((session, turns))
            self.sessions.setdefault(session.id, session)
            for turn in turns:
                self.turns.setdefault(turn.id, turn)

    def ingest(self, messages: Iterable[Message]) -> None:
        splitter = self.splitter()
        for message in messages:
            self.take(splitter.feed(message))
        self.take(splitter.flush())

    def texts(self) -> list[list[str]]:
        """The texts of each session, sorted by the first."""
        found: dict[SessionId, list[str]] = {}
        for turn in self.turns.values():
            found.setdefault(turn.session, []).append(turn.text)
        return sorted(found.values())


def _at(minutes: float, text: str, conversation: str = "c", **more: Any) -> Message:
    return Message(text, "Ana", said_at=_NOON + timedelta(minutes=minutes), conversation=conversation, **more)


def _stored(*messages: Message) -> _Store:
    store = _Store()
    store.ingest(messages)
    return store


def _only(message: Message) -> Turn:
    [turn] = _stored(message).turns.values()
    return turn


@pytest.mark.parametrize(
    ("minutes", "expected"),
    [
        ([0, 120], [["0", "1"]]),
        ([0, 120.1], [["0"], ["1"]]),
        ([0, 100, 200, 300], [["0", "1", "2", "3"]]),
        ([300, 0], [["0"], ["1"]]),  # either way
        ([120, 0], [["0", "1"]]),
        ([0, None, 10], [["0", "1", "2"]]),
        ([0, None, 300], [["0", "1"], ["2"]]),
        ([None, None], [["0", "1"]]),
        ([None, 0, 300], [["0", "1"], ["2"]]),
    ],
)
def test_a_session_ends_with_a_long_gap(minutes: list[float | None], expected: list[list[str]]) -> None:
    messages = [replace(_at(m or 0, str(n)), said_at=None if m is None else _NOON + timedelta(minutes=m))
                for n, m in enumerate(minutes)]  # fmt: skip
    assert _stored(*messages).texts() == expected


@pytest.mark.parametrize(
    ("other", "sessions_"),
    [
        (datetime(2024, 3, 1, 13, tzinfo=timezone(timedelta(hours=1))), 1),  # the same instant
        (datetime(2024, 3, 1, 12, tzinfo=timezone(timedelta(hours=9))), 2),  # nine hours before
        (datetime(2024, 3, 1, 13), 1),  # without a zone: the clock on the wall
    ],
)
def test_gaps_across_time_zones(other: datetime, sessions_: int) -> None:
    first = Message("a", said_at=_NOON.replace(tzinfo=UTC))
    assert len(_stored(first, Message("b", said_at=other)).sessions) == sessions_


def test_interleaved_conversations_do_not_disturb_each_other() -> None:
    store = _stored(_at(0, "a1"), _at(300, "b1", "d"), _at(5, "a2"), _at(305, "b2", "d"), _at(200, "a3"))
    assert store.texts() == [["a1", "a2"], ["a3"], ["b1", "b2"]]


def test_named_sessions_are_whole_whatever_the_gap_and_the_order() -> None:
    store = _stored(_at(0, "a", session="1"), _at(1, "b", session="2"), _at(9999, "c", session="1"))
    assert store.texts() == [["a", "c"], ["b"]]
    assert {turn.text: turn.position for turn in store.turns.values()} == {"a": 0, "b": 0, "c": 1}


def test_the_same_message_twice_is_one_message() -> None:
    store = _stored(_at(0, "a"), _at(1, "b"), _at(0, "a"), _at(500, "c"), _at(0, "a"))
    assert store.texts() == [["a", "b"], ["c"]]
    before = dict(store.turns)
    store.ingest([_at(0, "a"), _at(1, "b")])
    assert store.turns == before


def test_a_message_with_an_id_is_the_same_whatever_it_says_and_the_first_text_stays() -> None:
    store = _stored(_at(0, "first", id="1"), _at(1, "edited", id="1"), _at(1, "other", id="2"))
    assert store.texts() == [["first", "other"]]


@pytest.mark.parametrize(
    "other",
    [
        _at(0, "b"),
        _at(1, "a"),
        replace(_at(0, "a"), speaker="Ben"),
        _at(0, "a", "d"),
        _at(0, "a", session="1"),
        _at(0, "a", id="1"),
        replace(_at(0, "a"), said_at=None),
        replace(_at(0, "a"), said_at=_NOON.replace(tzinfo=UTC)),
    ],
)
def test_what_tells_messages_apart(other: Message) -> None:
    assert _only(other).id != _only(_at(0, "a")).id


@pytest.mark.parametrize(
    "same",
    [
        replace(_at(0, " a\r\n"), speaker=" Ana "),
        replace(_at(0, "a"), role="user", title="T"),
        replace(_at(0, "a\x00"), session=""),
    ],
)
def test_what_does_not(same: Message) -> None:
    assert _only(same).id == _only(_at(0, "a")).id


def test_one_instant_is_one_instant_in_any_offset() -> None:
    here = Message("a", said_at=datetime(2024, 3, 1, 13, tzinfo=timezone(timedelta(hours=1))))
    there = Message("a", said_at=datetime(2024, 3, 1, 12, tzinfo=UTC))
    assert _only(here).id == _only(there).id
    assert _only(here).said_at == here.said_at


def test_ids_do_not_collide_where_the_parts_run_together() -> None:
    pairs = [("ab", "c"), ("a", "bc"), ("abc", ""), ("", "abc")]
    found = {_only(Message("x", conversation=c, session=s, id="1")).id for c, s in pairs}
    assert len(found) == len(pairs)


def test_ids_are_tagged_and_stay_what_they_are() -> None:
    turn = _only(Message("hi", "Ana", conversation="c", session="s", id="1"))
    assert (turn.id, turn.session) == ("t:1948dc0a7819b49a", "s:e16f7ed0205a8f4d")


@pytest.mark.parametrize(
    ("message", "speaker", "role"),
    [
        (Message("a", "Ana", "user"), "Ana", "user"),
        (Message("a", "Ana"), "Ana", ""),
        (Message("a", "", "assistant"), "assistant", "assistant"),
        (Message("a", "Assistant"), "Assistant", "assistant"),
        (Message("a", "USER"), "USER", "user"),
        (Message("a"), "unknown", ""),
        (Message("a", "A\x1b[31m\nB"), "A[31m B", ""),
    ],
)
def test_speaker_and_role(message: Message, speaker: str, role: str) -> None:
    turn = _only(message)
    assert (turn.speaker, turn.role) == (speaker, role)


def test_the_session_carries_what_the_message_says_of_it() -> None:
    [session] = _stored(_at(5, "a", title="Tea"), _at(6, "b", title="no")).sessions.values()
    assert (session.conversation, session.source, session.title) == ("c", "chat.jsonl", "Tea")
    assert session.started_at == _NOON + timedelta(minutes=5)
    [session] = _stored(Message("a", said_at=_NOON, session_started_at=_NOON - timedelta(hours=1))).sessions.values()
    assert (session.conversation, session.started_at) == ("default", _NOON - timedelta(hours=1))


def test_text_is_clean_and_nothing_is_ignored() -> None:
    assert _only(Message(" cafe\u0301\x07\r\n\ud83d ")).text == "café\n?"
    splitter = _Store().splitter()
    assert list(splitter.feed(Message(" \x00\x1b\n"))) == []
    assert splitter.ignored == 1
    assert list(splitter.flush()) == []


def test_a_longer_version_of_a_file_extends_its_sessions() -> None:
    short = [_at(0, "a"), _at(5, "b"), _at(300, "c")]
    longer = [_at(0, "a"), _at(2, "new"), _at(5, "b"), _at(300, "c"), _at(310, "d"), _at(900, "e")]
    store = _stored(*short)
    before = dict(store.turns)
    store.ingest(longer)
    assert {each: store.turns[each] for each in before} == before
    assert [sorted(texts) for texts in store.texts()] == [["a", "b", "new"], ["c", "d"], ["e"]]


def test_a_known_message_stays_where_it_is_and_what_follows_it_joins_it() -> None:
    store = _stored(_at(5, "b"), _at(500, "c"))
    store.ingest([_at(0, "a"), _at(5, "b"), _at(10, "d")])
    assert store.texts() == [["a"], ["b", "d"], ["c"]]


def test_so_does_one_that_was_said_in_this_run_and_is_not_stored_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_BATCH", 1)
    store = _stored(_at(0, "a"), _at(5, "b"), _at(500, "x"), _at(5, "b"), _at(6, "c"))
    assert store.texts() == [["a", "b", "c"], ["x"]]
    assert len(store.pieces) == 2


def test_a_restarted_stream_continues_the_latest_session() -> None:
    store = _stored(_at(0, "a"), _at(300, "b"))
    store.ingest([_at(400, "c"), _at(410, "d")])
    store.ingest([_at(900, "e")])
    assert store.texts() == [["a"], ["b", "c", "d"], ["e"]]


def test_the_latest_session_is_asked_for_once_and_only_by_a_message_with_a_time() -> None:
    store = _stored(_at(0, "a"))
    store.asked.clear()
    store.ingest([replace(_at(0, "undated"), said_at=None), _at(1, "b"), _at(2, "c"), _at(1, "x", "new")])
    assert store.asked == ["new"]
    assert [sorted(texts) for texts in store.texts()] == [["a"], ["b", "c", "undated"], ["x"]]


def test_flush_stores_what_a_live_stream_has_said_and_the_session_goes_on() -> None:
    store, stream = _Store(), [_at(n, str(n)) for n in range(4)]
    splitter = store.splitter()
    for message in stream:
        store.take(splitter.feed(message))
        store.take(splitter.flush())
        assert message.text in [turn.text for turn in store.turns.values()]
    assert len(store.pieces) == 4
    assert [turn.position for turn in store.turns.values()] == [0, 1, 2, 3]
    assert len(store.sessions) == 1
    assert list(splitter.flush()) == []


def test_lookups_are_batched_and_pieces_are_bounded() -> None:
    store = _stored(*[_at(n / 60, f"{n}") for n in range(1300)])
    assert store.lookups == [256] * 5 + [20]
    assert [len(turns) for _, turns in store.pieces] == [500, 500, 300]
    assert [turn.position for turn in store.turns.values()] == list(range(1300))


def test_large_messages_do_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_PIECE_CHARACTERS", 1000)
    splitter = _Store().splitter()
    sizes = [len(list(splitter.feed(_at(n, str(n) * 400)))) for n in range(6)]
    assert sizes == [0, 0, 1, 0, 0, 1]


def test_old_open_sessions_are_handed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_BATCH", 1)
    store = _Store()
    splitter = store.splitter()
    for n in range(200):
        store.take(splitter.feed(_at(0, str(n), session=str(n))))
    assert len(store.pieces) == 200 - 64
    store.take(splitter.feed(_at(1, "again", session="0")))
    store.take(splitter.flush())
    assert ["0", "again"] in store.texts()


def test_the_session_handed_over_is_the_one_that_was_silent_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_OPEN_SESSIONS", 2)
    store = _stored(*[_at(n, str(n), session=name) for n, name in enumerate("ABACA")])
    assert [[turn.text for turn in turns] for _, turns in store.pieces] == [["1"], ["3"], ["0", "2", "4"]]


def test_the_conversation_forgotten_is_the_one_that_was_silent_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_CONVERSATIONS", 2)
    store = _stored(*[_at(n, str(n), name) for n, name in enumerate("ABACA")])
    assert store.asked == ["A", "B", "C"]


def test_too_much_open_text_is_handed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_BATCH", 1)
    monkeypatch.setattr(sessions, "_OPEN_CHARACTERS", 50)
    store = _Store()
    splitter = store.splitter()
    for n in range(10):
        store.take(splitter.feed(_at(0, str(n) * 20, session=str(n))))
        assert sum(len(t.text) for t in store.turns.values()) >= 20 * (n + 1) - 50


def test_a_forgotten_conversation_is_taken_up_from_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_BATCH", 1)
    monkeypatch.setattr(sessions, "_OPEN_SESSIONS", 2)
    monkeypatch.setattr(sessions, "_CONVERSATIONS", 5)
    store = _stored(*[_at(0, f"{n}", f"c{n}") for n in range(20)], _at(60, "on", "c0"))
    assert ["0", "on"] in store.texts()


_MESSAGES = st.lists(
    st.builds(
        Message,
        text=st.sampled_from(["a", "b", "c", " ", "\x00"]),
        speaker=st.sampled_from(["", "Ana", "Ben"]),
        said_at=st.none() | st.integers(0, 1000).map(lambda m: _NOON + timedelta(minutes=m)),
        conversation=st.sampled_from(["", "c", "d"]),
        session=st.none() | st.sampled_from(["1", "2"]),
        id=st.none() | st.sampled_from(["1", "2"]),
    ),
    max_size=30,
)


@given(_MESSAGES, st.data())
def test_split_anywhere_and_ingested_again_the_turns_are_the_same(messages: list[Message], data: st.DataObject) -> None:
    whole = _stored(*messages)
    cut = data.draw(st.integers(0, len(messages)))
    parts = _stored(*messages[:cut])
    parts.ingest(messages)
    assert parts.turns.keys() == whole.turns.keys()
    assert {t.id: t.text for t in parts.turns.values()} == {t.id: t.text for t in whole.turns.values()}
    before = dict(parts.turns)
    parts.ingest(messages)
    parts.ingest(messages[cut:])
    assert parts.turns == before


@given(_MESSAGES, st.randoms(use_true_random=False))
def test_turn_ids_and_named_sessions_do_not_depend_on_the_order(messages: list[Message], chance: random.Random) -> None:
    shuffled = [*messages]
    chance.shuffle(shuffled)

    def homes(store: _Store) -> dict[TurnId, SessionId]:
        return {each.id: each.session for each in store.turns.values()}

    one, other = homes(_stored(*messages)), homes(_stored(*shuffled))
    assert one.keys() == other.keys()
    named = [replace(m, session=m.session or "1") for m in messages]
    chance.shuffle(shuffled := [*named])
    assert homes(_stored(*named)) == homes(_stored(*shuffled))


@given(_MESSAGES, st.integers(1, 5))
def test_pieces_hold_every_turn_once_and_in_order(messages: list[Message], batch: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sessions, "_BATCH", batch)
        patch.setattr(sessions, "_OPEN_SESSIONS", 2)
        store = _stored(*messages)
    plain = _stored(*messages)
    assert {t.id: t.session for t in store.turns.values()} == {t.id: t.session for t in plain.turns.values()}
    for _, turns in store.pieces:
        assert [turn.position for turn in turns] == list(range(turns[0].position, turns[0].position + len(turns)))
