"""The types of the documents that agents are handed: what they may count on. docs/json.md says what every key means."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict  # pydantic, which reads these, wants it before Python 3.12

__all__ = [
    "AnswerDocument", "CardRecord", "ExcerptRecord", "ForgottenDocument", "FoundDocument", "HitRecord", "ItemRecord",
    "NoteRecord", "PartRecord", "PersonDocument", "RecapDocument", "RememberedDocument", "ShownDocument", "ShownRecord",
    "SpeakerRecord", "ToldRecord", "TurnRecord", "WrittenRecord",
]  # fmt: skip


class TurnRecord(TypedDict):
    """A turn."""

    id: str
    said_at: str | None
    speaker: str
    role: str
    text: str
    session: str
    position: int
    conversation: NotRequired[str]
    source: NotRequired[str]
    meant: NotRequired[bool]


class HitRecord(TypedDict):
    """A hit: a turn, or what a strategy hands out instead."""

    rank: int
    id: str
    kind: str
    score: float
    said_at: str | None
    speaker: str
    role: str
    text: str
    turns: list[str]
    conversation: str
    session: str
    position: int
    source: str
    context: NotRequired[list[TurnRecord]]
    trace: NotRequired[dict[str, float]]


class FoundDocument(TypedDict):
    """What a search found."""

    query: str
    strategy: str
    asked_at: str
    hits: list[HitRecord]
    left_out: NotRequired[int]


class ItemRecord(TypedDict):
    """One of several things that an answer lists."""

    text: str
    said_at: str | None
    turn: str


class AnswerDocument(TypedDict):
    """An answer with its evidence."""

    question: str
    strategy: str
    asked_at: str
    answer: str | None
    form: str
    quote: str | None
    items: list[ItemRecord]
    abstained: bool
    confidence: float
    citations: list[str]
    unsupported: bool
    model: str | None
    fallback: str | None
    reasoning: str | None
    usage: dict[str, float] | None
    id: str | None
    evidence: list[HitRecord]
    left_out: NotRequired[int]


class RememberedDocument(TurnRecord):
    """What was remembered."""

    new: bool
    replaces: list[TurnRecord]


class ExcerptRecord(TypedDict):
    """Turns of one session that follow one another."""

    session: str
    conversation: str
    source: str
    title: str | None
    turns: list[TurnRecord]


class ShownRecord(TypedDict):
    """What an id stands for."""

    id: str
    text: str | None
    excerpts: list[ExcerptRecord]


class ShownDocument(TypedDict):
    """What ids stand for."""

    shown: list[ShownRecord]
    left_out: NotRequired[int]


class ForgottenDocument(TypedDict):
    """What was forgotten, or would be; `confirm` is what has to be sent to have it forgotten."""

    dry_run: bool
    turns: list[str]
    sessions: int
    units: int
    calls: int
    feedback: int
    answers: int
    confirm: NotRequired[str]


class NoteRecord(TypedDict):
    """A value on a card."""

    id: str
    kind: str
    value: str
    said_at: str | None
    until: str | None
    probability: float
    turn: str
    text: str


class CardRecord(TypedDict):
    """A card: what holds, what was before, and what may be so."""

    name: str
    turns: int
    first: str | None
    last: str | None
    holds: list[NoteRecord]
    before: list[NoteRecord]
    maybe: list[NoteRecord]


class SpeakerRecord(TypedDict):
    """Somebody who speaks."""

    name: str
    turns: int
    sessions: int
    conversations: int
    first: str | None
    last: str | None


class PersonDocument(TypedDict):
    """The card of a person, the turns that name somebody who is only spoken of, or everybody who speaks."""

    card: CardRecord | None
    speakers: list[SpeakerRecord]
    naming: list[TurnRecord]
    left_out: NotRequired[int]


class ToldRecord(TypedDict):
    """A telling sentence."""

    id: str
    said_at: str | None
    speaker: str
    text: str
    conversation: str
    session: str
    score: float


class WrittenRecord(TypedDict):
    """What a language model wrote, and the turns that support it."""

    text: str
    turns: list[str]


class PartRecord(TypedDict):
    """A part of a recap."""

    name: str
    told: list[ToldRecord]
    written: list[WrittenRecord]


class RecapDocument(TypedDict):
    """What was talked about."""

    since: str | None
    until: str | None
    by: str
    turns: int
    parts: list[PartRecord]
    fallback: str | None
    left_out: NotRequired[int]
