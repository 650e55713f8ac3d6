"""Who speaks, by which other names they go, what shows it, and correcting that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..model import Turn, TurnId
from ..store import aliases, ledger, names, spoken_of, transcript
from ..store.aliases import Alias, Sighting, folded
from ..store.connection import Store
from ..store.rows import transaction
from ..text import clean

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["People", "Person", "Shown"]


@dataclass(frozen=True, slots=True)
class Person:
    """A speaker with so many turns, or, of none, somebody who is only spoken of, in so many turns of others; the other
    names, the most probable first, and those that are not this person's, as people said; when the first and the last
    dated turn was said.
    """

    name: str
    turns: int
    aliases: Sequence[Alias]
    denied: Sequence[str] = ()
    first: datetime | None = None
    last: datetime | None = None
    named: int = 0


@dataclass(frozen=True, slots=True)
class Shown:
    """A person with the turns that show their other names, by the name, folded, in the order of the store; and, of
    somebody who is only spoken of, the turns that do, the newest first.
    """

    person: Person
    sightings: Mapping[str, Sequence[tuple[Sighting, Turn]]]
    naming: Sequence[Turn] = ()


class People:
    """The people of a store. Everything raises StoreError."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def found(self) -> list[Person]:
        """Everyone who speaks, those who say most first, then whom they tell of as theirs ("my sister Ana")."""
        self._learn()
        with self._store.reading() as db:
            return _people(db)

    def find(self, name: str) -> Shown:
        """Who goes by this name, alias or unique part of a name, and why; else who is spoken of by it. Raises
        UsageError where that is nobody, or where it is several people.
        """
        self._learn()
        with self._store.reading() as db:
            return _shown(db, name)

    def call(self, name: str, speaker: str) -> Person:
        """Notes that `name` is the speaker's, whatever turns show. Raises what `find` does."""
        return self._decide(name, speaker, holds=True)

    def uncall(self, name: str, speaker: str) -> Person:
        """Notes that `name` is not the speaker's, whatever turns show. Raises what `find` does."""
        return self._decide(name, speaker, holds=False)

    def _decide(self, name: str, speaker: str, *, holds: bool) -> Person:
        alias = " ".join(clean(name).split())
        if not alias:
            raise UsageError("a name has to be given", "NAME=SPEAKER")
        with self._store.reading() as db:  # for writing, a store that there is not would be made
            who = names.person(db, speaker, [])
        with self._store.writing() as db, transaction(db):
            aliases.decide(db, alias, who, holds=holds)
            return next(each for each in _people(db) if each.name == who)

    def _learn(self) -> None:
        """Looks for names where nobody did yet: in a store of an older version."""
        from ..indexing.aliases import learn
        from ..indexing.plan import ALIASES

        with self._store.reading() as db:
            missing = ledger.unbuilt(db, {ALIASES.name: ALIASES.version})
        if missing:
            learn(self._store)


def _people(db: DuckDBPyConnection) -> list[Person]:
    known, denied = aliases.aliases(db), aliases.denied(db)
    speakers = [
        Person(
            each.name,
            each.turns,
            [alias for alias in known if alias.speaker == each.name],
            [alias for alias, speaker in denied if speaker == each.name],
            each.first,
            each.last,
        )
        for each in names.speakers(db)
    ]
    return [*speakers, *_told_of(db)]


def _told_of(db: DuckDBPyConnection) -> list[Person]:
    """Whom people tell of as theirs, those who are named most first."""
    relatives = spoken_of.relatives(db)
    named = spoken_of.naming(db, [each.speaker for each in relatives])
    by_name = {name: [each for each in relatives if each.speaker == name] for name in named}
    return [
        _named(name, named[name], by_name[name]) for name in sorted(named, key=lambda each: (-len(named[each]), each))
    ]


def _named(name: str, turns: Sequence[Turn], called: Sequence[Alias] = ()) -> Person:
    dated = [turn.said_at for turn in turns if turn.said_at]
    first, last = (dated[0], dated[-1]) if dated else (None, None)
    return Person(name, 0, called, (), first, last, len(turns))


def _shown(db: DuckDBPyConnection, name: str) -> Shown:
    people = {each.name: each for each in _people(db)}
    try:
        person = people[names.person(db, name, list(people))]
    except UsageError:
        named = _only_named(db, name)
        if named is None:
            raise
        return named
    own = {(folded(each.name), each.whom) for each in person.aliases}
    seen = {
        (each.turn, folded(each.name)): each
        for each in aliases.sightings(db)
        if each.speaker == person.name and (folded(each.name), each.whom) in own
    }
    turns = transcript.turns_by_id(db, [turn for turn, _ in seen])
    by_alias = {alias: _of(alias, seen, turns) for alias in dict.fromkeys(alias for _, alias in seen)}
    return Shown(person, by_alias, [] if person.turns else _newest(db, person.name))


def _only_named(db: DuckDBPyConnection, name: str) -> Shown | None:
    """Somebody of whom nobody tells as theirs, whom turns name all the same."""
    written = spoken_of.spelled(clean(name))
    turns = _newest(db, written)
    is_one = spoken_of.is_named(db, written, turns)
    return Shown(_named(written, turns[::-1]), {}, turns) if is_one else None


def _newest(db: DuckDBPyConnection, name: str) -> list[Turn]:
    return spoken_of.naming(db, [name]).get(name, [])[::-1]


def _of(
    alias: str, seen: Mapping[tuple[TurnId, str], Sighting], turns: Mapping[TurnId, Turn]
) -> list[tuple[Sighting, Turn]]:
    return [(sighting, turns[turn]) for (turn, name), sighting in seen.items() if name == alias]
