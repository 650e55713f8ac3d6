"""Whether an event is supported by what was said: by its sources, and by what they speak of."""

from __future__ import annotations

from dataclasses import replace

from ...model import Kind
from ...model.generated import Event, Generated, SessionText
from ..memories.verification import verify

__all__ = ["checked"]

#: Turns before the sources that a pronoun or an ellipsis of theirs is completed from.
_BEFORE = 3


def checked(event: Event, session: SessionText, coverage: float) -> Event:
    """The event with the verdict on it, see `verify`; it is completed from the turns before, so these count as well.

    `coverage`: the share of its content words that these turns must hold.
    """
    places = [place for place, turn in enumerate(session.turns) if turn.id in event.sources]
    turns = session.turns[max(min(places) - _BEFORE, 0) : max(places) + 1]
    kind = Kind.FACT if event.kind is Kind.EDU else Kind.SUMMARY
    unit = Generated(kind, event.text, event.sources, event.at, event.label)
    supported, because = verify(unit, turns, session.people(), coverage=coverage)
    return replace(event, supported=supported, unsupported_because=because)
