"""Noting what turns tell of who says them: each is read once, by a network, when a card of that person is asked for.

What is noted is kept in the store, where that takes writes. The network reads English.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..errors import StoreBusy, StoreNotWritable
from ..languages import DEFAULT, tongues
from ..model import Turn, TurnId
from ..reading.noting import noter
from ..reading.windows import FORMER, Window, before, spans
from ..store import cards, transcript
from ..store.cards import NotedRow
from ..store.rows import transaction
from ..text import content_stems, sentences

if TYPE_CHECKING:
    from ..store.connection import Store

__all__ = ["VERSION", "Watch", "note", "unwatched"]

#: What an older network noted is read again.
VERSION = 1
#: Turns that are read before what they tell is written: who interrupts it loses little.
_BATCH = 256
#: What is less probably told of who speaks is not kept.
_LEAST = 0.1
#: Seconds that it waits for who else writes.
_PATIENCE = 1.0


#: Told how many turns are read, and of how many.
Watch = Callable[[int, int], object]


def unwatched(_done: int, _of: int) -> None:
    """Nobody looks on."""


def note(store: Store, speaker: str, watch: Watch) -> list[NotedRow]:
    """Reads what somebody said that was not read yet, in each store that this one is made of; returns what is noted of
    it and could not be kept. Raises StoreError, ModelUnavailable.
    """
    missing = [(part, turns) for part in store.parts if (turns := _unread(part, speaker))]
    of, done = sum(len(turns) for _, turns in missing), 0
    unkept: list[NotedRow] = []
    for part, turns in missing:
        for start in range(0, len(turns), _BATCH):
            watch(done, of)
            rows = _read(part, turns[start : start + _BATCH])
            unkept += () if _kept(part, rows) else rows
            done += len(turns[start : start + _BATCH])
    return unkept


def _unread(store: Store, speaker: str) -> list[tuple[TurnId, int]]:
    with store.reading() as db:
        return cards.unread(db, speaker, VERSION)


def _kept(store: Store, rows: Sequence[NotedRow]) -> bool:
    try:
        with store.writing(_PATIENCE) as db, transaction(db):
            cards.write_notes(db, rows, VERSION)
    except (StoreNotWritable, StoreBusy):
        return False
    return True


def _read(store: Store, turns: Sequence[tuple[TurnId, int]]) -> list[NotedRow]:
    """What these turns tell, each given with the number of its session; of a turn that tells nothing one row, too."""
    with store.reading() as db:
        said = transcript.turns_of(db, [*{session for _, session in turns}])
    english = {
        turn.id for own in said.values() for turn, code in zip(own, tongues(own), strict=True) if code == DEFAULT
    }
    at = {turn.id: place for own in said.values() for place, turn in enumerate(own)}
    rows: list[NotedRow] = []
    for turn, session in turns:
        told = _told(said[session], at[turn]) if turn in english else ()
        rows += [(turn, *each) for each in told or [("", "", 0.0)]]
    return rows


def _told(said: Sequence[Turn], place: int) -> list[tuple[str, str, float]]:
    """The kinds and values that a turn of a session tells of who says it, and how probably."""
    return [
        (each.kind.value, each.value, each.chance * each.own)
        for window in _windows(said, place)
        for each in noter().read(window)
        if each.chance * each.own >= _LEAST and _is_told(each.value, window.text)
    ]


def _is_told(value: str, text: str) -> bool:
    """Whether a value says something, not "my" alone, and is not only asked for."""
    says = bool(content_stems(value)) or any(letter.isdigit() for letter in value)
    return says and any(value in each and not each.rstrip().endswith("?") for each in sentences(text))


def _windows(said: Sequence[Turn], place: int) -> list[Window]:
    """The windows of a turn, each with what stands before it."""
    turn, thread = said[place], [(each.speaker, each.text) for each in said[max(place - FORMER, 0) : place]]
    text = sentences(turn.text) or [turn.text]
    own = [" ".join(text[:start]) for start, _ in spans(text)]
    return [
        Window(
            turn.speaker, " ".join(text[start:end]), before([*thread, *([(turn.speaker, former)] if former else [])])
        )
        for (start, end), former in zip(spans(text), own, strict=True)
    ]
