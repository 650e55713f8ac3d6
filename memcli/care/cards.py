"""The card of a person: what is known, as dated values with their sources, what was before, and correcting it.

A value is noted from a sentence that the person said (`Language.noted`), or from an assertion that is sure enough. Of
some kinds, and of one thing, one holds at a time: a newer value takes the place of the older, which stays as what was
before; what ends something ends what was noted of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ..errors import NothingFound
from ..languages import spoken
from ..model import Turn
from ..model.cards import SINGLE, CardKind, Noted, of_one_slot
from ..model.generated import Assertion
from ..model.relations import RelationType
from ..store import cards, names, naming, transcript
from ..store.connection import Store
from ..store.ids import Tag, note_id
from ..store.rows import transaction
from ..text import content_stems

__all__ = ["Card", "Cards", "Note"]

_R = RelationType
#: The kinds that assertions are noted under, and from which confidence on.
_KINDS = {
    _R.LIVES_IN: CardKind.HOME, _R.WORKS_AT: CardKind.WORK, _R.WORKS_AS: CardKind.WORK, _R.STUDIES: CardKind.STUDIES,
    _R.HAS_PET: CardKind.PETS, _R.HEALTH: CardKind.HEALTH, _R.ALLERGY: CardKind.HEALTH, _R.DIET: CardKind.DIET,
    _R.AVOIDS: CardKind.DIET, _R.LIKES: CardKind.LIKES, _R.DISLIKES: CardKind.DISLIKES,
}  # fmt: skip
_SURE = 0.7


@dataclass(frozen=True, slots=True)
class Note:
    """A value of a kind, the turn that tells it, and until when it held; None: it holds. `id` is `w:…`.

    `slot`: what it is about, where one value holds at a time.
    """

    id: str
    kind: CardKind
    value: str
    slot: str
    turn: Turn
    until: datetime | None = None
    over: bool = False

    @property
    def told(self) -> str:
        """The value, with what it is about where the value does not say it."""
        about = self.slot if self.kind is CardKind.PLANS or self.kind is CardKind.CONTACT else ""
        return f"{about}: {self.value}" if about and about not in self.value.lower() else self.value


@dataclass(frozen=True, slots=True)
class Card:
    """What is known of a person: what holds, by kind and the newest first, and what was before."""

    name: str
    turns: int
    first: datetime | None
    last: datetime | None
    holds: Sequence[Note]
    before: Sequence[Note]


class Cards:
    """The cards of a store. Everything raises StoreError."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def of(self, name: str, *, at: datetime | None = None, conversation: str | None = None) -> Card:
        """The card of a speaker, as it was `at` a moment; from one conversation alone where that is given.

        Raises UsageError where nobody, or several, are called so.
        """
        with self._store.reading() as db:
            transcript.check_filled(db)
            who = names.person(db, name, [])
            said = [turn for turn in cards.own_turns(db, who, conversation) if not _is_after(turn.said_at, at)]
            asserted = cards.own_assertions(db, who, [turn.id for turn in said])
            wrong = cards.wrong_notes(db)
        notes = [note for note in _noted(said, asserted) if note.id not in wrong]
        holds, before = _standing(notes)
        dated = [turn.said_at for turn in said if turn.said_at]
        return Card(who, len(said), dated[0] if dated else None, dated[-1] if dated else None, holds, before)

    def wrong(self, name: str) -> None:
        """Notes that what has this id is wrong: it is on no card any more. Raises NothingFound."""
        self._decide(name, holds=False)

    def right(self, name: str) -> None:
        """Takes that back. Raises NothingFound."""
        self._decide(name, holds=True)

    def _decide(self, name: str, *, holds: bool) -> None:
        with self._store.reading() as db:
            turns = naming.turns(db, name) if name.startswith(Tag.NOTE.prefix) else []
        if not turns:
            raise NothingFound(f"nothing on a card has the id {name}", "memcli who NAME shows the ids")
        with self._store.writing() as db, transaction(db):
            cards.decide_note(db, name, turns[0], holds=holds)


def _is_after(one: datetime | None, other: datetime | None) -> bool:
    if one is None or other is None:
        return False
    if one.tzinfo is None or other.tzinfo is None:
        one, other = one.replace(tzinfo=None), other.replace(tzinfo=None)
    return one > other


# -- what is noted ---------------------------------------------------------------------------------------------------


def _noted(said: Sequence[Turn], asserted: Sequence[Assertion]) -> Iterator[Note]:
    by_turn: dict[str, list[Noted]] = {}
    for each in asserted:
        if noted := _of_assertion(each):
            by_turn.setdefault(each.turn, []).append(noted)
    for turn in said:
        found: list[Noted] = []
        for noted in (*spoken([turn.text]).noted(turn.text), *by_turn.get(turn.id, ())):
            if not any(_same(noted, other) for other in found):
                found.append(noted)
        for noted in found:
            note = Note(note_id(turn.id, f"{noted.kind} {noted.value}"), noted.kind, noted.value, noted.slot, turn)
            yield replace(note, until=turn.said_at, over=True) if noted.ends else note


def _of_assertion(each: Assertion) -> Noted | None:
    kind = _KINDS.get(each.relation)
    if kind is None or each.confidence < _SURE or each.negated:
        return None
    value = each.tail.partition(" now,")[0]
    named = {_R.ALLERGY: f"allergic to {value}", _R.AVOIDS: f"no {value}"}.get(each.relation, value)
    return Noted(kind, named, kind.value if kind in SINGLE else "") if value else None


def _same(one: Noted, other: Noted) -> bool:
    return one.kind is other.kind and bool(_stems(one.value) & _stems(other.value))


def _stems(value: str) -> set[str]:
    return set(content_stems(value))


# -- what holds ------------------------------------------------------------------------------------------------------


def _standing(notes: Sequence[Note]) -> tuple[list[Note], list[Note]]:
    """What holds and what was before, by kind, the newest first. `notes`: in the order of time."""
    holds: list[Note] = []
    before: list[Note] = []
    for note in notes:
        holds = [old for old in holds if not _repeats(note, old)]
        over = [old for old in holds if _replaces(note, old)]
        before += [replace(old, until=note.turn.said_at, over=True) for old in over]
        holds = [old for old in holds if old not in over]
        (before if note.over else holds).append(note)
    order = list(CardKind)
    for part in (holds, before):
        part.reverse()
        part.sort(key=lambda note: order.index(note.kind))
    return holds, before


def _repeats(new: Note, old: Note) -> bool:
    """Whether the new one says the same again."""
    return new.kind is old.kind and not new.over and _stems(new.value) == _stems(old.value)


def _replaces(new: Note, old: Note) -> bool:
    """Whether the new one holds, or ends, instead of the old one."""
    if new.over and (new.kind in SINGLE or not new.slot):
        return new.kind is old.kind and bool(_stems(new.value) & _stems(old.value))
    return of_one_slot(new, old)
