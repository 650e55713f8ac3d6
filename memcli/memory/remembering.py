"""One thing, remembered now: a turn of its own, and the earlier ones that it makes untrue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ..errors import NothingFound, UsageError
from ..formats import Message, turn_id
from ..languages.replacing import makes_untrue
from ..model import Filters, Session, Turn
from ..text import is_blank

if TYPE_CHECKING:
    from . import Memory

__all__ = ["Remembered", "remember"]

#: As many earlier turns of the speaker, the nearest, are looked at.
_LOOKED_AT = 20


@dataclass(frozen=True, slots=True)
class Remembered:
    """What was remembered. `is_new`: the store did not have it yet. `replaces`: earlier turns of the same speaker that
    held until it was said, the newest first.
    """

    turn: Turn
    session: Session
    is_new: bool
    replaces: Sequence[Turn]


def remember(memory: Memory, text: str, speaker: str, at: datetime, conversation: str) -> Remembered:
    """Stores one turn; see `Memory.remember`."""
    if is_blank(text):
        raise UsageError("there is nothing to remember", "say something")
    memory.store.keep_open()  # one message is looked at from many sides: the file would be opened for each
    message = Message(text, speaker, said_at=at, conversation=conversation)
    report, id_ = memory.add([message], "memcli add"), turn_id(message)
    if id_ is None or report.forgotten:
        raise NothingFound("nothing was remembered: this was forgotten before, or says nothing")
    turn, session = memory.turns([id_])[id_]
    return Remembered(turn, session, bool(report.added), _replaced(memory, turn))


def _replaced(memory: Memory, turn: Turn) -> list[Turn]:
    near = memory.search(turn.text, k=_LOOKED_AT, filters=Filters(speaker=turn.speaker), at=turn.said_at)
    said = memory.turns([hit.unit.sources[0] for hit in near])
    before = [each for each, _ in said.values() if each.id != turn.id and makes_untrue(turn, each)]
    holding = [each for each in before if not any(makes_untrue(other, each) for other in before)]
    return sorted(holding, key=lambda each: (_since(each), each.id), reverse=True)


def _since(turn: Turn) -> float:
    return turn.said_at.timestamp() if turn.said_at else 0.0
