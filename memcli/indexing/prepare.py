"""Making what strategies need and a store lacks: each producer once, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ..model import Needs, SessionId
from ..providers.embedding import Embedder
from ..store import units
from ..store.connection import Store
from .plan import ASSERTIONS, ASSOCIATIONS, EVENTS, MEMORIES, PRODUCERS, TRANSCRIPT, Producer, by_model, plan

if TYPE_CHECKING:
    from ..providers.language import LanguageModel

__all__ = ["generate", "kept_up", "lacking", "prepare"]

#: Told what is made, how many sessions are done, and of how many.
Watch = Callable[[str, int, int], object]


def lacking(store: Store, needs: Iterable[Needs]) -> list[Producer]:
    """The producers that have work to do before these needs are met. Raises StoreError."""
    with store.reading() as db:
        return [p for p in plan(needs) if units.unbuilt(db, {p.name: p.version})]


def kept_up(store: Store) -> list[Needs]:
    """What the store has had made before, and so keeps up to date as it grows."""
    with store.reading() as db:
        used = {name for (name,) in db.execute("select distinct producer from built").fetchall()}
    return [p.makes for p in PRODUCERS if p.name in used]


def prepare(
    store: Store,
    producers: Sequence[Producer],
    model: Callable[[], Embedder],
    watch: Watch = lambda _what, _done, _of: None,
) -> None:
    """Runs the producers for every session that lacks what they make. Raises StoreError, ModelUnavailable."""
    for producer in producers:
        _RUNS[producer](store, model(), watch)


def _transcript(store: Store, embedder: Embedder, _: Watch) -> None:
    from .indexer import Indexer

    Indexer(store, embedder).resume([TRANSCRIPT])


def _memories(store: Store, embedder: Embedder, watch: Watch) -> None:
    from .generation import Generator

    Generator(store, embedder, partial(watch, "generating memory")).run()


def _associations(store: Store, embedder: Embedder, watch: Watch) -> None:
    from .association import Associator

    Associator(store, embedder.dimension, partial(watch, "associating")).run()


def _events(store: Store, embedder: Embedder, watch: Watch) -> None:
    from .event_graph import Events

    Events(store, embedder, partial(watch, "extracting events")).run()


def _assertions(store: Store, embedder: Embedder, watch: Watch) -> None:
    from .assertions import Assertions

    Assertions(store, embedder, partial(watch, "tagging")).run()


#: How each producer is run. Its patterns and grammar are loaded where it is, and not by every ingest.
_RUNS: Mapping[Producer, Callable[[Store, Embedder, Watch], None]] = {
    TRANSCRIPT: _transcript,
    MEMORIES: _memories,
    ASSOCIATIONS: _associations,
    EVENTS: _events,
    ASSERTIONS: _assertions,
}


def generate(store: Store, needs: Iterable[Needs], embedder: Embedder, model: LanguageModel, watch: Watch) -> int:
    """Has a language model write what `needs` want of generated memory; MEMORIES, where they want none.

    Returns how many sessions it failed for. Raises StoreError, ModelUnavailable, BudgetSpent.
    """
    from .event_graph import Events
    from .events.by_model import ModelEvents
    from .generation import Generator
    from .memories.by_model import ModelMemories

    failed: set[SessionId] = set()
    producers = [p for p in plan(needs) if p in (MEMORIES, EVENTS)] or [MEMORIES]
    if MEMORIES in producers:
        watched = partial(watch, "generating memory")
        Generator(store, embedder, watched, ModelMemories(model), lambda session, _why: failed.add(session)).run()
    if EVENTS in producers:
        writer = ModelEvents(model, by_model(model.id, EVENTS))
        watched = partial(watch, "extracting events")
        Events(store, embedder, watched, writer, lambda session, _why: failed.add(session)).run()
    return len(failed)
