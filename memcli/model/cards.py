"""What is noted on the card of a person: a value of a kind, as one sentence tells it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["SINGLE", "CardKind", "Noted"]


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
