"""What a producer is given, a session, and what it makes of it: generated memory, events, assertions.

What is turned down is a `negated` assertion where only the wish is denied ("not the second one": negated PREFERS) and
a relation of its own where there is an aversion ("I can't stand it": DISLIKES); `Assertion.favours` tells both alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

from . import Kind, Session, SessionId, Turn, TurnId
from .relations import AVERSIONS, RelationType

__all__ = ["Argument", "Assertion", "Event", "Generated", "SessionText", "Told", "Vectors", "began", "speaker_name"]

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


@dataclass(frozen=True, slots=True)
class Assertion:
    """What a turn says of `head`: that it stands in `relation` to `tail`, or does not (`negated`).

    `tail`: a short phrase without determiners and possessives. `at`: when it was said. `confidence`: about the
    probability that it is so, in [0, 1]; under `SHAPING` it is for search alone. `strength`: of the feeling, in (0, 1].
    `clause`: the clause it was read from, with contractions written out.
    """

    head: str
    relation: RelationType
    tail: str
    at: datetime | None
    turn: TurnId
    confidence: float
    negated: bool = False
    strength: float = 0.6
    clause: str = ""

    @property
    def favours(self) -> bool:
        """Whether it speaks for its tail: "doesn't fear heights" does, "avoids crowds" and "not the second" do not."""
        return (self.relation in AVERSIONS) == self.negated
