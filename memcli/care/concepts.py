"""What has been concluded of people: topics that they keep coming back to, what that rests on, and taking it back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import NothingFound, UsageError
from ..model.relations import restricts
from ..store import lifted, names, naming
from ..store.connection import Store
from ..store.identity import dimension_of
from ..store.ids import Tag, with_tag
from ..store.lifted import TAKEN_BACK, SupportingAssertion, TopicEdge
from ..store.revision import bump_revision
from ..store.rows import transaction
from ..text import clean, content_stems

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Concept", "ConceptList", "Concepts"]

#: So many things name a topic, or what limits somebody, where each counts; each in at most so many characters.
_NAMING = 3
_LIMITING = 8
_LONGEST = 40
#: From this share of assertions on that want a topic, or that do not, the others are taken for exceptions.
_MOSTLY = 2 / 3


@dataclass(frozen=True, slots=True)
class Concept:
    """An edge, or a candidate that was declined, with what it rests on in the order in which that was said."""

    edge: TopicEdge
    members: Sequence[SupportingAssertion]

    @property
    def label(self) -> str:
        """What it is about, in the words of what it rests on: what is most central first, then other things."""
        chosen: list[tuple[SupportingAssertion, set[str]]] = []
        for member in sorted(self._telling(), key=lambda each: -round(each.cosine, 6)):
            stems = set(content_stems(member.tail)) or {member.tail}
            if all(member.thing != each.thing and not (stems <= own or own <= stems) for each, own in chosen):
                chosen.append((member, stems))
        return ", ".join(
            _short(" ".join(member.tail.split())) for member, _ in chosen[: _LIMITING if self.domain else _NAMING]
        )

    def _telling(self) -> Sequence[SupportingAssertion]:
        """What may name it: of limits those that were not taken back, unless all were."""
        if not self.domain:
            return self.members
        last = {member.thing: member for member in self.members}
        limits = {thing for thing, each in last.items() if restricts(each.relation, each.negated)}
        return [member for member in self.members if member.thing in limits] or self.members

    @property
    def domain(self) -> str:
        """What its person is limited in; empty, where it is nothing of that kind."""
        return self.edge.domain

    @property
    def stance(self) -> str:
        """Whether its person `wants` it, `does not want` it, or `both`; or `has limits` in a domain."""
        if self.domain:
            return "has limits"
        liking = self.edge.row.liking
        return "wants" if liking >= _MOSTLY else "does not want" if liking <= 1 - _MOSTLY else "both"


def _folded(name: str) -> str:
    return " ".join(clean(name).split()).casefold()


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1].rstrip() + "…"


@dataclass(frozen=True, slots=True)
class ConceptList:
    """Concepts, out of how many; and how many candidates were left out since they were declined."""

    concepts: Sequence[Concept]
    total: int
    declined: int


class Concepts:
    """What has been concluded in a store. Everything raises StoreError."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def found(self, person: str | None = None, *, declined: bool = False, k: int) -> ConceptList:
        """At most k concepts, of `person` alone where one is named, by a unique part of the name; `declined`: also
        candidates that were. Raises UsageError where nobody, or more than one, is called so.
        """
        with self._store.reading() as db:
            known = lifted.edges(db)
            if person is not None:
                wanted = _folded(names.person(db, person, [edge.row.head for edge in known]))
                known = [edge for edge in known if _folded(edge.row.head) == wanted]
            kept = [edge for edge in known if declined or not edge.row.declined]
            return ConceptList(_told(db, kept[:k]), len(kept), len(known) - len(kept))

    def find(self, name: str) -> Concept:
        """The concept with this id, or the one whose id begins so, with or without its tag; declined or not. Of another
        id that memcli prints, the one that rests on the turns that it stands for.

        Raises NothingFound where there is none, UsageError where there are several.
        """
        with self._store.reading() as db:
            return _told(db, [_named(db, name)])[0]

    def decline(self, name: str) -> Concept:
        """Takes an edge back, however often its topic is learned again. Raises what `find` does."""

        def decline(db: DuckDBPyConnection, edge: TopicEdge) -> None:
            lifted.take_back(db, edge)
            lifted.note_declined(db, edge, TAKEN_BACK)

        return self._decide(name, decline)

    def restore(self, name: str) -> Concept:
        """Leaves an edge that was taken back to the gate again. Raises what `find` does; NothingFound if it was not."""
        from ..indexing.ontology.topics import regated, sensitive

        unwanted = sensitive()

        def restore(db: DuckDBPyConnection, edge: TopicEdge) -> None:
            if edge.row.declined != TAKEN_BACK:
                raise NothingFound(f"{edge.id} is not taken back", "nothing was changed")
            lifted.give_back(db, edge)
            lifted.note_declined(db, edge, regated(db, dimension_of(db), unwanted, edge.row).declined)

        return self._decide(name, restore)

    def _decide(self, name: str, change: Callable[[DuckDBPyConnection, TopicEdge], None]) -> Concept:
        id_ = self.find(name).edge.id  # for writing, a store that there is not would be made
        with self._store.writing() as db, transaction(db):
            change(db, _named(db, id_))
            bump_revision(db)
            return _told(db, [_named(db, id_)])[0]


def _named(db: DuckDBPyConnection, name: str) -> TopicEdge:
    prefix = with_tag(name, Tag.CONCEPT)
    known = lifted.edges(db)
    found = [edge for edge in known if edge.id.startswith(prefix)] or _resting_on(db, known, name)
    if not found:
        raise NothingFound(f"nothing that was concluded has the id {name}", "memcli concepts --all shows the ids")
    if len(found) > 1:
        ids = ", ".join(edge.id for edge in found[:10])
        raise UsageError(f"{name} stands for several: {ids}", "give one of these, or more of its id")
    return found[0]


def _resting_on(db: DuckDBPyConnection, known: Sequence[TopicEdge], name: str) -> list[TopicEdge]:
    """The edges that rest on the turns that some other id stands for."""
    wanted = set(naming.turns(db, name))
    return [edge for edge in known if wanted and not wanted.isdisjoint(lifted.turns(db, edge))]


def _told(db: DuckDBPyConnection, edges: Sequence[TopicEdge]) -> list[Concept]:
    held = lifted.members(db, edges, dimension_of(db)) if edges else {}
    return [Concept(edge, held[edge]) for edge in edges]
