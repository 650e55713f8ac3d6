"""The types that every stage of memcli hands to the next: frozen dataclasses, hardly any behaviour.

What was said is `Session` and `Turn`; everything that can be retrieved is a `Unit`, whatever made it; `Edge`
joins units; a `Query` is answered by ranked `Hit`s, which a reader turns into a `Context` and an `Answer`.

Times: an aware `datetime` keeps the offset that was said; a naive one is local time of an unknown zone and stays so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import NewType

import numpy as np
import numpy.typing as npt

__all__ = [
    "Answer",
    "Context",
    "Edge",
    "Filters",
    "Hit",
    "Kind",
    "Needs",
    "Query",
    "Relation",
    "Session",
    "SessionId",
    "Turn",
    "TurnId",
    "Unit",
    "UnitId",
]

SessionId = NewType("SessionId", str)
TurnId = NewType("TurnId", str)
UnitId = NewType("UnitId", str)


def _nothing() -> Mapping[str, float]:
    return MappingProxyType({})


class Kind(StrEnum):
    """What a unit is. Kinds differ by who makes them, not by shape."""

    SESSION = "session"
    ROUND = "round"
    TURN = "turn"
    SENTENCE = "sentence"
    EDU = "edu"
    CHUNK = "chunk"
    ARGUMENT = "argument"
    SUMMARY = "summary"
    FACT = "fact"
    INSIGHT = "insight"
    KEYWORD = "keyword"
    ENTITY = "entity"
    ASSERTION = "assertion"


class Relation(StrEnum):
    """How two units are joined."""

    MEMBERSHIP = "membership"  # src is part of dst
    SIMILAR = "similar"  # weight: cosine
    HAS_ARGUMENT = "has_argument"
    SYNONYM = "synonym"
    ASSOCIATED = "associated"


@dataclass(frozen=True, slots=True)
class Needs:
    """The kinds of units and the relations that a strategy retrieves from."""

    kinds: frozenset[Kind] = frozenset()
    relations: frozenset[Relation] = frozenset()

    def __or__(self, other: Needs) -> Needs:
        return Needs(self.kinds | other.kinds, self.relations | other.relations)

    def __le__(self, other: Needs) -> bool:
        """Whether all of it is in `other`."""
        return self.kinds <= other.kinds and self.relations <= other.relations


@dataclass(frozen=True, slots=True)
class Session:
    """A stretch of conversation without a long break, in one conversation."""

    id: SessionId
    conversation: str
    source: str
    started_at: datetime | None
    title: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message: the smallest thing that somebody said, and what every citation points to."""

    id: TurnId
    session: SessionId
    position: int
    speaker: str
    role: str
    said_at: datetime | None
    text: str


@dataclass(frozen=True, slots=True)
class Unit:
    """Anything that can be retrieved. `sources` are the turns it was made from; `label` is its speaker or title."""

    id: UnitId
    kind: Kind
    text: str
    sources: tuple[TurnId, ...]
    at: datetime | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """A weighted relation between two units; `relation` is a `Relation` or a strategy's own typed relation."""

    src: UnitId
    dst: UnitId
    relation: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Filters:
    """What a query may look at. `since` is inclusive, `until` exclusive; of names a unique part is enough, in any case.

    `unsupported`: also generated memory that its sources do not support.
    """

    since: datetime | None = None
    until: datetime | None = None
    speaker: str | None = None
    conversation: str | None = None
    unsupported: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A question, the moment it is asked, and its vector (float32 [d], unit length).

    `phrasings` holds the vectors of the question's other wordings that the strategy asked for, by name. `missed` and
    `wrong`: turns of which people said that answers to this question missed them (by id their number in the store), or
    that rested on them and were wrong.
    """

    text: str
    vector: npt.NDArray[np.float32]
    asked_at: datetime
    filters: Filters = field(default_factory=Filters)
    phrasings: Mapping[str, npt.NDArray[np.float32]] = field(default_factory=dict)
    missed: Mapping[TurnId, int] = field(default_factory=dict)
    wrong: frozenset[TurnId] = frozenset()


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved unit. `trace` holds the score of each stage by name: what `--explain` shows."""

    unit: Unit
    score: float
    trace: Mapping[str, float] = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True)
class Context:
    """The hits that fit a reader's token budget, and their rendering."""

    hits: tuple[Hit, ...]
    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reader found. `citations` are turns; `confidence` is a probability of being right, in [0, 1].

    `usage`: what it cost, by name, where a language model was asked. `unsupported`: nothing in memory was cited for it.
    """

    text: str
    citations: tuple[TurnId, ...]
    confidence: float
    abstained: bool
    usage: Mapping[str, float] = field(default_factory=_nothing)
    unsupported: bool = False
