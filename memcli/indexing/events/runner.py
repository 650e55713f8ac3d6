"""The event graph for the sessions that lack it: events made, checked, embedded, joined, a few sessions a transaction.

A session costs what it adds: its events, the arguments that nothing took part in before, and one product of these with
the arguments of memory. A language model may be the writer; where it fails, a session's events are made without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from ...languages import spoken
from ...model import Kind
from ...model.generated import Event, Vectors
from ...store import events as stored
from ...store.events import Arguments, EventRow, SessionEvents
from ...store.ids import TAGS, Tag, tagged
from ...store.memories import MemoryRow
from ...store.rows import transaction
from ...store.sharing import in_turns
from ..calibration import profile
from ..plan import EVENTS, Producer
from ..producer.asking import MemoryWriter
from ..producer.runner import Runner
from ..producer.stored import StoredSession, record
from .checking import checked

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["MOST_SYNONYMS", "Events"]

#: At most so many synonyms a node (EMem §3.2).
MOST_SYNONYMS = 100
_TOGETHER = 4  # sessions that are written in one transaction: it costs more than what is written
_COVERAGE = 0.5  # an event may be completed from another turn, whose words it then has


@dataclass(frozen=True, slots=True)
class _Draft:
    """What was made of a session, each event with the verdict on it, and by whom."""

    read: StoredSession
    events: list[Event]
    by: Producer

    def texts(self) -> Iterator[str]:
        """All that is to be embedded."""
        for event in self.events:
            yield event.text
            yield from (argument.text for argument in event.arguments)


class Events(Runner[MemoryWriter[Event], _Draft]):
    """Runs the producer of events."""

    of = EVENTS
    _arguments: Arguments | None = None

    def _offline(self, db: DuckDBPyConnection, reads: Sequence[StoredSession]) -> Callable[[StoredSession], _Draft]:  # noqa: ARG002
        return _offline

    def _by_model(self, read: StoredSession, made: list[Event], writer: MemoryWriter[Event]) -> _Draft:
        return _by_model(read, made, writer)

    def _write(self, drafts: Sequence[_Draft]) -> None:
        texts = list(dict.fromkeys(text for draft in drafts for text in draft.texts()))
        vectors = dict(zip(texts, self._embedder.embed_passages(texts), strict=True)) if texts else {}
        together = [drafts[start : start + _TOGETHER] for start in range(0, len(drafts), _TOGETHER)]
        in_turns(self._store, together, lambda db, some: self._write_some(db, some, vectors))

    def _write_some(self, db: DuckDBPyConnection, drafts: Sequence[_Draft], vectors: Mapping[str, Vectors]) -> None:
        rows = [
            SessionEvents(
                draft.read.seq,
                [_row(draft.read, event, vectors) for event in draft.events],
                _argument_rows(draft.read, draft.events, vectors),
            )
            for draft in drafts
        ]
        with transaction(db):
            stored.drop_events(db, [d.read.seq for d in drafts if d.by.name != EVENTS.name or not d.read.kept])
            stored.write_events(db, rows, partial(self._synonyms, db))
            record(db, EVENTS, [(draft.read, draft.by, draft.by.version) for draft in drafts])

    def _synonyms(self, db: DuckDBPyConnection, new: Mapping[int, Vectors]) -> list[tuple[int, int, float]]:
        """E_syn (EMem §3.2). The arguments are read once, before the first that this run adds."""
        if not new:
            return []
        if self._arguments is None:
            self._arguments = stored.load_arguments(db, self._embedder.dimension, before=min(new))
        return self._arguments.synonyms(new, profile(db).synonym, MOST_SYNONYMS)


def _offline(read: StoredSession) -> _Draft:
    rest = read.rest()
    made = spoken(turn.text for turn in rest.turns).events(rest)
    return _Draft(read, [checked(event, read.text, _COVERAGE) for event in made], EVENTS)


def _by_model(read: StoredSession, made: Sequence[Event], writer: MemoryWriter[Event]) -> _Draft:
    """What a model wrote, with arguments also for the events that it named none of."""
    people = read.text.people()
    language = spoken(turn.text for turn in read.text.turns)
    whole = [e if e.arguments else replace(e, arguments=language.arguments(e.text, e.label, people)) for e in made]
    return _Draft(read, [checked(event, read.text, writer.coverage) for event in whole], writer.producer)


def _row(read: StoredSession, event: Event, vectors: Mapping[str, Vectors]) -> EventRow:
    content = "\0".join((event.kind, event.text, *event.sources))
    memory = MemoryRow(
        tagged(TAGS[event.kind], content),
        event.kind,
        event.text,
        [read.numbers[turn] for turn in event.sources],
        event.at,
        event.label,
        vectors[event.text],
        supported=event.supported,
        reason=event.unsupported_because,
    )
    return EventRow(memory, event.type, event.body, [(a.role, _argument_id(a.text)) for a in event.arguments])


def _argument_rows(read: StoredSession, made: Sequence[Event], vectors: Mapping[str, Vectors]) -> dict[str, MemoryRow]:
    """The arguments of a session's events, by id, with the turns of all these events as their sources."""
    texts: dict[str, str] = {}
    turns: dict[str, dict[int, None]] = {}
    for event in made:
        for argument in event.arguments:
            id_ = _argument_id(argument.text)
            texts.setdefault(id_, argument.text)
            turns.setdefault(id_, {}).update(dict.fromkeys(read.numbers[turn] for turn in event.sources))
    return {
        id_: MemoryRow(id_, Kind.ARGUMENT, text, list(turns[id_]), None, "", vectors[text])
        for id_, text in texts.items()
    }


def _argument_id(text: str) -> str:
    return tagged(Tag.ARGUMENT, text.casefold())
