"""What every producer of events makes: elementary discourse units and structured chunks (EMem §3.2)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ...model import Kind, TurnId

__all__ = ["Argument", "Event"]


@dataclass(frozen=True, slots=True)
class Argument:
    """What takes part in an event, normalised: a name, thing, date, place or quantity, and its role in it."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Event:
    """An EDU e = (text(e), src(e), τ(e)), with its event type t(e) and its arguments; or a structured chunk.

    `sources`: the turns that it rests on, at least one, the one that tells it first. `at`: when it was told; when it
    happened is in the text. `label`: who tells it. `body`: of a chunk the whole block, of which `text` is the summary.
    """

    text: str
    sources: tuple[TurnId, ...]
    at: datetime | None
    label: str
    arguments: tuple[Argument, ...] = ()
    type: str = ""
    body: str = ""
    supported: bool = True
    unsupported_because: str = ""

    @property
    def kind(self) -> Kind:
        """EDU, or CHUNK."""
        return Kind.CHUNK if self.body else Kind.EDU
