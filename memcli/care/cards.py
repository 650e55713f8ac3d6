"""The card of a person: what is known, as dated values with their sources, what was before, and correcting it.

A value is noted from a sentence that the person said (`Language.noted`), or from an assertion that is sure enough. Of
some kinds, and of one thing, one holds at a time: a newer value takes the place of the older, which stays as what was
before; what ends something ends what was noted of it, and a plan ends with its day. What a network noted beside that
(`care.noting`) stands apart: it may be so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

from ..errors import NothingFound, UsageError
from ..languages import spoken
from ..model import Turn, TurnId
from ..model.cards import SINGLE, CardKind, Noted, of_one_slot
from ..model.generated import Assertion
from ..model.relations import RelationType
from ..store import cards, names, naming, transcript
from ..store.cards import NotedRow
from ..store.connection import Store
from ..store.excerpts import excerpts
from ..store.ids import Tag, note_id, noted_in
from ..store.rows import transaction
from ..text import content_stems, sentences
from .noting import Watch, note, unwatched

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Card", "Cards", "Note"]

_R = RelationType
#: The kinds that assertions are noted under, and from which confidence on.
_KINDS = {
    _R.LIVES_IN: CardKind.HOME, _R.WORKS_AT: CardKind.WORK, _R.WORKS_AS: CardKind.WORK, _R.STUDIES: CardKind.STUDIES,
    _R.HAS_PET: CardKind.PETS, _R.HEALTH: CardKind.HEALTH, _R.ALLERGY: CardKind.HEALTH, _R.DIET: CardKind.DIET,
    _R.AVOIDS: CardKind.DIET, _R.LIKES: CardKind.LIKES, _R.DISLIKES: CardKind.DISLIKES,
}  # fmt: skip
#: And those that are where a language has no rules for cards either.
_OTHERS = {_R.RELATIVE_OF: CardKind.FAMILY, _R.OWNS: CardKind.OWNS, _R.PLANS: CardKind.PLANS}
_SURE = 0.7
_DAY = timedelta(days=1)
_BY_NAME = {kind.value: kind for kind in CardKind}
#: From which probability on what the network noted may be so.
_POSSIBLE = 0.5
#: Of what it notes under these kinds one in ten is right, and of what it is sure of hardly more (docs/who.md).
_HARDLY = {CardKind.HOME, CardKind.PLANS}
#: A sentence of so few words that begins a turn mostly answers somebody.
_BARE = 4
#: So many digits make a number that somebody is reached by; shorter ones are codes of doors. A word beside a number
#: without a capital that is no longer than that may be what is counted in.
_DIGITS, _UNIT = 7, 5


@dataclass(frozen=True, slots=True)
class Note:
    """A value of a kind, the turn that tells it, and until when it held; None: it holds. `id` is `w:…`.

    `slot`: what it is about, where one value holds at a time; `chance`: how probably it is so, where that is doubtful;
    `asked`: what somebody else asked just before, of a doubtful one in a few words that begin their turn.
    """

    id: str
    kind: CardKind
    value: str
    slot: str
    turn: Turn
    until: datetime | None = None
    over: bool = False
    chance: float = 1.0
    asked: str = ""

    @property
    def told(self) -> str:
        """The value, with what it is about where the value does not say it."""
        about = self.slot if self.kind is CardKind.PLANS or self.kind is CardKind.CONTACT else ""
        return f"{about}: {self.value}" if about and about not in self.value.lower() else self.value

    @property
    def sentence(self) -> str:
        """The sentence of the turn that the value stands in; the value itself, where it stands in none as a whole."""
        return next((each for each in sentences(self.turn.text) if self.value in each), self.value)


@dataclass(frozen=True, slots=True)
class Card:
    """What is known of a person: what holds, by kind and the newest first, what was before, and what may hold."""

    name: str
    turns: int
    first: datetime | None
    last: datetime | None
    holds: Sequence[Note]
    before: Sequence[Note]
    maybe: Sequence[Note]


class Cards:
    """The cards of a store. Everything raises StoreError."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def of(
        self,
        name: str,
        *,
        at: datetime | None = None,
        conversation: str | None = None,
        doubtful: bool = True,
        watch: Watch = unwatched,
    ) -> Card:
        """The card of a speaker, as it was `at` a moment; from one conversation alone where that is given; `doubtful`,
        with what may be so. For that, turns are read that were not read before: `watch` is told how many, and of what.

        Raises UsageError where nobody, or several, are called so; ModelUnavailable.
        """
        with self._store.reading() as db:
            transcript.check_filled(db)
            who = names.person(db, name, [])
        unkept = note(self._store, who, watch) if doubtful else []
        with self._store.reading() as db:
            said = [turn for turn in cards.own_turns(db, who, conversation) if not _is_after(turn.said_at, at)]
            asserted = cards.own_assertions(db, who, [turn.id for turn in said])
            learned = [*cards.notes(db, who), *unkept] if doubtful else []
            wrong = cards.wrong_notes(db)
        ruled = _noted(said, asserted)
        read = [*_learned(said, learned), *(_perhaps(said, asserted) if doubtful else ())]
        holds, before = _standing([each for each in ruled if each.id not in wrong], at)
        maybe = self._answering(_doubtful([each for each in read if each.id not in wrong], [*holds, *before]))
        dated = [turn.said_at for turn in said if turn.said_at]
        return Card(who, len(said), dated[0] if dated else None, dated[-1] if dated else None, holds, before, maybe)

    def _answering(self, notes: Sequence[Note]) -> Sequence[Note]:
        """The notes, those in few words with what these answer: "Plums." tells nothing alone."""
        bare = {note.id: note.turn.id for note in notes if _is_bare(note)}
        if not bare:
            return notes
        with self._store.reading() as db:
            near = [pair for each in excerpts(db, bare.values(), 1) for pair in pairwise(each.turns)]
        asked = {turn.id: _question(before.text) for before, turn in near if before.speaker != turn.speaker}
        return [replace(note, asked=asked.get(note.turn.id, "")) if note.id in bare else note for note in notes]

    def wrong(self, name: str) -> str:
        """Notes that what has this id, or the only id that begins so, is wrong: it is on no card any more. Returns the
        id. Raises NothingFound; UsageError where several begin so.
        """
        return self._decide(name, holds=False)

    def right(self, name: str) -> str:
        """Takes that back. Returns and raises the same."""
        return self._decide(name, holds=True)

    def _decide(self, name: str, *, holds: bool) -> str:
        with self._store.reading() as db:
            found = _called(db, name) if name.startswith(Tag.NOTE.prefix) else {}
        if not found:
            raise NothingFound(f"nothing on a card has the id {name}", "memcli who NAME shows the ids")
        if len(found) > 1:
            raise UsageError(f"several ids begin with {name}", ", ".join(sorted(found)))
        ((id_, turn),) = found.items()
        with self._store.writing() as db, transaction(db):
            cards.decide_note(db, id_, turn, holds=holds)
        return id_


def _called(db: DuckDBPyConnection, name: str) -> dict[str, TurnId]:
    """The ids on cards that begin so, those that were said to be wrong among them, and their turns."""
    turns = transcript.turns_by_id(db, naming.turns(db, naming.whole(db, name)))
    wrong = cards.wrong_notes(db)
    noted = {each: TurnId(noted_in(each)) for each in wrong}
    for turn in turns.values():
        asserted = cards.own_assertions(db, turn.speaker, [turn.id])
        ruled = [note for note in _noted([turn], asserted) if note.id not in wrong]
        read = [*_learned([turn], cards.notes(db, turn.speaker)), *_perhaps([turn], asserted)]
        maybe = _doubtful(read, ruled)
        noted |= {note.id: turn.id for note in (*ruled, *maybe)}
    return {id_: turn for id_, turn in noted.items() if id_.startswith(name) and turn in turns}


def _is_bare(note: Note) -> bool:
    said = note.sentence
    return len(said.split()) <= _BARE and note.turn.text.lstrip().startswith(said)


def _question(text: str) -> str:
    """The last sentence of a text that asks; empty, where none does."""
    said = sentences(text)
    return next((each for each in reversed(said) if spoken([each]).asks(each)), "")


def _is_after(one: datetime | None, other: datetime | None) -> bool:
    if one is None or other is None:
        return False
    if one.tzinfo is None or other.tzinfo is None:
        one, other = one.replace(tzinfo=None), other.replace(tzinfo=None)
    return one > other


# -- what is noted ---------------------------------------------------------------------------------------------------


def _noted(said: Sequence[Turn], asserted: Sequence[Assertion]) -> Iterator[Note]:
    by_turn: dict[str, list[Assertion]] = {}
    for each in asserted:
        by_turn.setdefault(each.turn, []).append(each)
    for turn in said:
        found: list[Noted] = []
        language = spoken([turn.text])
        kinds = _KINDS if language.has_assertions else _KINDS | _OTHERS
        own = [noted for each in by_turn.get(turn.id, ()) if (noted := _of_assertion(each, kinds))]
        for noted in (*language.noted(turn.text), *own):
            if not any(_same(noted, other) for other in found):
                found.append(noted)
        for noted in found:
            note = Note(note_id(turn.id, f"{noted.kind} {noted.value}"), noted.kind, noted.value, noted.slot, turn)
            yield replace(note, until=turn.said_at, over=True) if noted.ends else note


def _learned(said: Sequence[Turn], rows: Sequence[NotedRow]) -> Iterator[Note]:
    """What the network noted of these turns that may be so, in their order; of no kind that it is hardly right in."""
    by_turn: dict[TurnId, list[NotedRow]] = {}
    for row in rows:
        by_turn.setdefault(row[0], []).append(row)
    for turn in said:
        for _, kind, value, chance in by_turn.get(turn.id, ()):
            if chance >= _POSSIBLE and kind in _BY_NAME.keys() - _HARDLY:
                yield Note(note_id(turn.id, f"{kind} {value}"), _BY_NAME[kind], value, "", turn, chance=chance)


def _perhaps(said: Sequence[Turn], asserted: Sequence[Assertion]) -> Iterator[Note]:
    """What is asserted in languages without rules and is not sure, but may be so."""
    turns = {turn.id: turn for turn in said}
    for each in asserted:
        turn, kind = turns[each.turn], (_KINDS | _OTHERS).get(each.relation)
        if kind and each.confidence < _SURE and not spoken([turn.text]).has_assertions:
            yield Note(note_id(turn.id, f"{kind} {each.tail}"), kind, each.tail, "", turn, chance=each.confidence)


def _ended(note: Note, at: datetime | None) -> Note:
    """A note, over with its day if it is of a plan that names one."""
    if note.kind is not CardKind.PLANS or note.over:
        return note
    start, text = note.turn.text.find(note.value), note.turn.text
    times = spoken([text]).times(text, note.turn.said_at) if start >= 0 else []
    ends = [each.span.end for each in times if each.start_offset < start + len(note.value) and each.end_offset > start]
    is_past = bool(ends) and _is_after(at or datetime.now(UTC), max(ends))
    return replace(note, until=max(ends) - _DAY, over=True) if is_past else note


def _of_assertion(each: Assertion, kinds: Mapping[RelationType, CardKind]) -> Noted | None:
    kind = kinds.get(each.relation)
    if kind is None or each.confidence < _SURE or each.negated:
        return None
    value = each.tail.partition(" now,")[0]
    named = {_R.ALLERGY: f"allergic to {value}", _R.AVOIDS: f"no {value}"}.get(each.relation, value)
    return Noted(kind, named, kind.value if kind in SINGLE else "") if value else None


def _same(one: Noted | Note, other: Noted | Note) -> bool:
    return one.kind is other.kind and bool(_stems(one.value) & _stems(other.value))


def _stems(value: str) -> set[str]:
    return set(content_stems(value))


# -- what holds ------------------------------------------------------------------------------------------------------


def _standing(notes: Sequence[Note], at: datetime | None) -> tuple[list[Note], list[Note]]:
    """What holds at that time and what was before, by kind, the newest first. `notes`: in the order of time."""
    holds: list[Note] = []
    before: list[Note] = []
    for new in notes:
        holds = [old for old in holds if not _repeats(new, old)]
        over = [old for old in holds if _replaces(new, old)]
        before += [replace(old, until=new.turn.said_at, over=True) for old in over]
        holds = [old for old in holds if old not in over]
        (before if new.over else holds).append(new)
    ended = [_ended(each, at) for each in holds]
    return _listed(each for each in ended if not each.over), _listed([*before, *(each for each in ended if each.over)])


def _listed(notes: Iterable[Note]) -> list[Note]:
    newest = list(notes)
    newest.reverse()
    newest.sort(key=lambda note: list(CardKind).index(note.kind))
    return newest


def _doubtful(notes: Sequence[Note], known: Sequence[Note]) -> list[Note]:
    """What holds if it is so, by kind, the newest first; not what is known, or said again."""
    found: list[Note] = []
    for each in reversed(notes):
        if not each.over and _tells(each) and not any(_same(each, other) for other in (*known, *found)):
            found.append(each)
    return sorted(found, key=lambda each: list(CardKind).index(each.kind))


def _tells(note: Note) -> bool:
    """Whether a value tells something by itself: not a number or a day alone, unless it is a birthday or somebody can
    be reached by it, and not the name of whose card it is.
    """
    value = note.value
    if note.kind is CardKind.BIRTHDAY or (note.kind is CardKind.CONTACT and _reaches(value)):
        return True
    for time in reversed(spoken([note.turn.text]).times(value, note.turn.said_at)):
        value = f"{value[: time.start_offset]} {value[time.end_offset :]}"
    if any(letter.isdigit() for letter in value):
        value = " ".join(word for word in re.findall(r"[^\W\d_]{2,}", value) if len(word) > _UNIT or word[0].isupper())
    return bool(_stems(value) - _stems(note.turn.speaker or ""))


def _reaches(value: str) -> bool:
    return "@" in value or sum(letter.isdigit() for letter in value) >= _DIGITS


def _repeats(new: Note, old: Note) -> bool:
    """Whether the new one says the same again."""
    return new.kind is old.kind and not new.over and _stems(new.value) == _stems(old.value)


def _replaces(new: Note, old: Note) -> bool:
    """Whether the new one holds, or ends, instead of the old one."""
    if new.over and (new.kind in SINGLE or not new.slot):
        return new.kind is old.kind and bool(_stems(new.value) & _stems(old.value))
    return of_one_slot(new, old)
