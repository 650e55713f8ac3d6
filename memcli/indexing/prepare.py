"""Making what strategies need and a store lacks: each producer once, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ..model import Needs, SessionId
from ..providers.embedding import Embedder
from ..store import ledger
from ..store.connection import Store
from .calibration import calibrate, profile
from .plan import (
    ALIASES,
    ASSERTIONS,
    ASSOCIATIONS,
    EVENTS,
    EVERY_INGEST,
    MEMORIES,
    PRODUCERS,
    TRANSCRIPT,
    WORDS,
    Producer,
    by_model,
    plan,
)

if TYPE_CHECKING:
    from ..providers.language import LanguageModel
    from .producer.asking import Failed

__all__ = ["generate", "kept_up", "lacking", "left_behind", "prepare", "tag", "unfinished"]

#: Told what is made, how many sessions are done, and of how many.
Watch = Callable[[str, int, int], object]


def lacking(store: Store, needs: Iterable[Needs]) -> list[Producer]:
    """The producers that have work to do before these needs are met. Raises StoreError."""
    return _undone(store, plan(needs))


def left_behind(store: Store) -> list[Producer]:
    """Those whose work an interrupted change of embedder, or an older version, has left undone. Raises StoreError."""
    return _undone(store, (TRANSCRIPT, WORDS))


def _undone(store: Store, producers: Sequence[Producer]) -> list[Producer]:
    with store.reading() as db:
        left = ledger.undone(db, {p.name: p.version for p in producers})
    return [p for p in producers if p.name in left]


def kept_up(store: Store) -> list[Needs]:
    """What the store has had made before, and so keeps up to date as it grows."""
    with store.reading() as db:
        used = ledger.producers(db)
    return [p.makes for p in PRODUCERS if p.name in used]


def unfinished(store: Store) -> list[Producer]:
    """The producers that have work to do on what every ingest makes, and on what is kept up. Raises StoreError."""
    with store.reading():
        return lacking(store, [*(producer.makes for producer in EVERY_INGEST), *kept_up(store)])


def prepare(
    store: Store,
    producers: Sequence[Producer],
    model: Callable[[], Embedder],
    watch: Watch = lambda _what, _done, _of: None,
) -> None:
    """Runs the producers for every session that lacks what they make. Raises StoreError, ModelUnavailable."""
    if not producers:
        return
    embedder = model()
    for producer in producers:
        calibrate(store, embedder)  # what an earlier one has just embedded may be the first to suffice
        _RUNS[producer](store, embedder, watch)


def tag(store: Store, embedder: Embedder, sessions: Sequence[SessionId]) -> None:
    """Makes the assertions of these sessions and learns names in them, as far as they lack it.

    While an ingest is at work on the next: one that is interrupted leaves little to do.
    """
    from .aliases import learn
    from .ontology.runner import Assertions

    if sessions:
        calibrate(store, embedder)
        Assertions(store, embedder).run(sessions)
        learn(store, among=sessions)


def _transcript(store: Store, embedder: Embedder, watch: Watch) -> None:
    from .transcript.indexer import Indexer

    indexer = Indexer(store, embedder)
    indexer.resume([TRANSCRIPT], partial(watch, "indexing"))
    indexer.finish()


def _words(store: Store, _embedder: Embedder, watch: Watch) -> None:
    from .transcript.words import index_words

    index_words(store, partial(watch, "looking at languages"))


def _memories(store: Store, embedder: Embedder, watch: Watch) -> None:
    from .memories.runner import Generator

    Generator(store, embedder, partial(watch, "generating memory")).run()


def _associations(store: Store, embedder: Embedder, watch: Watch) -> None:
    from .association import Associator

    Associator(store, embedder.dimension, partial(watch, "associating")).run()


def _events(store: Store, embedder: Embedder, watch: Watch) -> None:
    from .events.runner import Events

    Events(store, embedder, partial(watch, "extracting events")).run()


def _assertions(store: Store, embedder: Embedder, watch: Watch) -> None:
    from .ontology.runner import Assertions

    Assertions(store, embedder, partial(watch, "tagging")).run()


def _aliases(store: Store, _embedder: Embedder, watch: Watch) -> None:
    from .aliases import learn

    learn(store, partial(watch, "learning names"))


#: How each producer is run. Its patterns and grammar are loaded where it is, and not by every ingest.
_RUNS: Mapping[Producer, Callable[[Store, Embedder, Watch], None]] = {
    TRANSCRIPT: _transcript,
    WORDS: _words,
    MEMORIES: _memories,
    ASSOCIATIONS: _associations,
    EVENTS: _events,
    ASSERTIONS: _assertions,
    ALIASES: _aliases,
}


def generate(store: Store, needs: Iterable[Needs], embedder: Embedder, model: LanguageModel, watch: Watch) -> int:
    """Has a language model write what `needs` want of generated memory, and validate assertions; MEMORIES, where they
    want none of it.

    Returns how many sessions it failed for. Raises StoreError, ModelUnavailable, BudgetSpent.
    """
    failed: set[SessionId] = set()

    def fail(session: SessionId, _why: object) -> None:
        failed.add(session)

    for producer in _written(store, needs):
        _BY_MODEL[producer](store, embedder, model, watch, fail)
    return len(failed)


def _written(store: Store, needs: Iterable[Needs]) -> list[Producer]:
    """What a language model is to make. Assertions are tagged without being asked for: that they are kept up is no wish
    to pay for verdicts on them, but a strategy that needs them is, and so are verdicts that were paid for before.
    """
    wanted = plan(each for each in needs if each != ASSERTIONS.makes)
    with store.reading() as db:
        if ledger.is_model_used(db, ASSERTIONS.name):
            wanted.append(ASSERTIONS)
    return [producer for producer in _BY_MODEL if producer in wanted] or [MEMORIES]


def _model_memories(store: Store, embedder: Embedder, model: LanguageModel, watch: Watch, failed: Failed) -> None:
    from .memories.by_model import ModelMemories
    from .memories.runner import Generator

    with store.reading() as db:
        writer = ModelMemories(model, profile=profile(db))
    Generator(store, embedder, partial(watch, "generating memory"), writer, failed).run()


def _model_events(store: Store, embedder: Embedder, model: LanguageModel, watch: Watch, failed: Failed) -> None:
    from .events.by_model import ModelEvents
    from .events.runner import Events

    writer = ModelEvents(model, by_model(model.id, EVENTS))
    Events(store, embedder, partial(watch, "extracting events"), writer, failed).run()


def _model_assertions(store: Store, embedder: Embedder, model: LanguageModel, watch: Watch, failed: Failed) -> None:
    from .ontology.relating import of_embedder
    from .ontology.runner import Assertions
    from .ontology.validation import ModelValidator

    validator = ModelValidator(model, by_model(model.id, ASSERTIONS), classifier=of_embedder(embedder.id))
    Assertions(store, embedder, partial(watch, "validating assertions"), validator, failed).run()


#: How a language model is asked for what a producer makes.
_BY_MODEL: Mapping[Producer, Callable[[Store, Embedder, LanguageModel, Watch, Failed], None]] = {
    MEMORIES: _model_memories,
    EVENTS: _model_events,
    ASSERTIONS: _model_assertions,
}
