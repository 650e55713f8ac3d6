"""What every producer of generated memory is given, and what it makes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

from ...model import Kind, Session, SessionId, Turn, TurnId

__all__ = ["Generated", "SessionText", "Told", "Vectors", "began", "speaker_name"]

Vectors = npt.NDArray[np.float32]

_ROLES = {"user": "the user", "human": "the user", "assistant": "the assistant", "system": "the system"}


@dataclass(frozen=True, slots=True)
class Generated:
    """A unit of generated memory. `sources` are the turns it was made from, at least one.

    `support` counts the sessions behind an insight. `supported` is the verdict of `verify`.
    """

    kind: Kind
    text: str
    sources: tuple[TurnId, ...]
    at: datetime | None
    label: str = ""
    support: int = 1
    supported: bool = True
    unsupported_because: str = ""


@dataclass(frozen=True, slots=True)
class SessionText:
    """One session as a producer reads it: for each of its turns the sentences and their vectors [n, d], unit length.

    Without vectors, which may be zero or left out, producers go by words alone.
    """

    session: Session
    turns: Sequence[Turn]
    sentences: Sequence[tuple[str, ...]]
    vectors: Sequence[Vectors] = ()

    def said(self) -> Iterator[tuple[int, int, str]]:
        """Every sentence with the places of its turn and of itself in the turn."""
        for place, sentences in enumerate(self.sentences):
            for index, sentence in enumerate(sentences):
                yield place, index, sentence

    def people(self) -> tuple[str, ...]:
        """The names of those who speak, in the order in which they first do."""
        return tuple(dict.fromkeys(speaker_name(turn) for turn in self.turns))


def speaker_name(turn: Turn) -> str:
    """What to call who said `turn`: the name, or "the user" and "the assistant" where there is only a role."""
    named = turn.speaker.strip()
    if named and named.lower() not in _ROLES:
        return named
    return _ROLES.get((named or turn.role).lower(), "the speaker")


@dataclass(frozen=True, slots=True)
class Told:
    """A fact with what insights and changes are found by. `vector`: of unit length, or zero where there is none."""

    text: str
    vector: Vectors
    speaker: str
    session: SessionId
    at: datetime | None
    sources: tuple[TurnId, ...]


def began(session: SessionText) -> datetime | None:
    """When a session began: what it says itself, or its first dated turn."""
    stated = session.session.started_at
    return stated or next((turn.said_at for turn in session.turns if turn.said_at is not None), None)
