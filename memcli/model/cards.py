"""What is noted on the card of a person: a value of a kind, as one sentence tells it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

__all__ = ["SINGLE", "CardKind", "Noted", "Slotted", "of_one_slot"]


class CardKind(StrEnum):
    """The kinds of what is noted, in the order of a card."""

    HOME = "lives in"
    WORK = "works"
    STUDIES = "studies"
    FAMILY = "family"
    PETS = "pets"
    BIRTHDAY = "birthday"
    CONTACT = "contact"
    HEALTH = "health"
    DIET = "diet"
    LIKES = "likes"
    DISLIKES = "dislikes"
    OWNS = "owns"
    PLANS = "plans"
    EVENTS = "events"


#: Of these there is one at a time: a newer one takes the place of the older.
SINGLE = frozenset({CardKind.HOME, CardKind.WORK, CardKind.BIRTHDAY})


@dataclass(frozen=True, slots=True)
class Noted:
    """A value of a kind. `slot`: what it is about, where one value holds at a time; `ends`: it is over from now on."""

    kind: CardKind
    value: str
    slot: str = ""
    ends: bool = False


class Slotted(Protocol):
    """What is of a kind and about something of which one value holds at a time; about nothing such, `slot` is empty."""

    @property
    def kind(self) -> CardKind: ...

    @property
    def slot(self) -> str: ...


def of_one_slot(new: Slotted, old: Slotted) -> bool:
    """Whether the new one takes the place of the old one: of one kind, or what has happened to it."""
    return bool(new.slot) and new.slot == old.slot and new.kind in (old.kind, CardKind.EVENTS)
