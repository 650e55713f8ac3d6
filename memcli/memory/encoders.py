"""The embedder of a memory: which one it is, one for writing thousands of texts, one for reading a question."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING

from ..errors import ModelUnavailable, StoreDamaged
from ..providers.embedding import (
    DEFAULT,
    FORMER_DEFAULTS,
    SUCCESSORS,
    Embedder,
    embedder,
    how_to_use,
    is_known,
    is_of,
    name_of,
    usable,
)
from ..providers.encoder import Encoder
from ..providers.minilm import MiniLM
from ..store.connection import Store
from ..store.identity import Identity, another_embedder, begin_anew, identity, set_identity, settle_identity
from .suiting import suited

if TYPE_CHECKING:
    from ..formats import Message

__all__ = ["Encoders", "check_filled_by"]


class Encoders:
    """What embeds for a store. `wanted`: a name, or an embedder that the caller has; empty, the store's own."""

    def __init__(self, store: Store, wanted: str | Embedder) -> None:
        self._store = store
        self._wanted = wanted if isinstance(wanted, str) else name_of(wanted)
        self._given = None if isinstance(wanted, str) else usable(wanted)
        self._suited = ""
        self._seen: Identity | None = None
        self._loading: Future[Embedder] | None = None
        self._executor: ThreadPoolExecutor | None = None
        self._writes_with: tuple[str, Embedder] | None = None

    def stored(self) -> Identity | None:
        """The embedder that filled the store; None where nothing was embedded yet. Raises StoreError."""
        with self._store.reading() as db:
            self._seen = identity(db)
        return self._seen

    def over(self, store: Store) -> Encoders:
        """The same for another store; what is loaded already is not loaded again for it."""
        made = Encoders(store, self._given or self._wanted)
        made._writes_with = self._writes_with
        return made

    def former_default(self) -> str:
        """The embedder that filled the store if it was the default of an earlier version: by name, or by id where
        memcli has another in its place; else empty.

        Empty, too, where it is asked for by name. Raises StoreError.
        """
        if self._wanted or not self._store.exists:
            return ""
        stored = self._seen or self.stored()
        if stored is None:
            return ""
        return stored.id if stored.id in SUCCESSORS else FORMER_DEFAULTS.get(stored.id, "")

    def may_choose(self) -> bool:
        """Whether nobody has named an embedder, and the store is new."""
        return not self._wanted and not self._store.exists

    def suit(self, messages: Iterable[Message]) -> None:
        """Chooses by what comes first."""
        self._suited = suited(messages)

    @property
    def suited(self) -> str:
        """The embedder, by name, that was chosen here for what is not in English; else empty."""
        return self._suited if self._suited != DEFAULT else ""

    def to_write(self) -> Embedder:
        """The embedder for writing; the store knows from then on that it is its own.

        Raises UsageError where another one filled the store, StoreError, ModelUnavailable.
        """
        stored = self.stored() if self._store.exists else None
        name = self._name(stored)
        model = self._bulk(name)
        chosen = Identity(name, model.id, model.dimension)
        if stored is not None and not is_of(stored.id, model):
            raise another_embedder(stored, chosen, how_to_use(stored.name))
        if stored is None:  # a run that stores nothing makes no file
            self._store.begin_with(lambda db: settle_identity(db, chosen))
        elif not is_known(stored.name):
            with self._store.writing() as db:
                set_identity(db, chosen)
        return model

    def begin_anew(self) -> None:
        """Makes the wanted embedder, or else the default one, the store's own: what another one made is dropped.

        Raises StoreError, UsageError, ModelUnavailable.
        """
        stored = None
        with suppress(StoreDamaged):  # it does not say whose it is: this mends it
            stored = self.stored()
        self.close()
        name = self._wanted or DEFAULT
        model = self._bulk(name)
        if stored is None or stored.id != model.id:
            with self._store.writing() as db:
                begin_anew(db, Identity(name, model.id, model.dimension))

    def to_read(self, stored: Identity | None) -> Future[Embedder]:
        """The embedder for questions: it is loaded once, in the background."""
        if self._loading is None:
            self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="memcli-model")
            self._loading = self._executor.submit(lambda: self._given or embedder(self._name(stored)))
            self._executor.shutdown(wait=False)
        return self._loading

    def is_quick(self) -> bool:
        """Whether an encoder of memcli's own embeds questions, which takes milliseconds; to load it takes a hundred."""
        if self._given is not None:
            return isinstance(self._given, (Encoder, MiniLM))
        return self._name(self.stored()) in (DEFAULT, *FORMER_DEFAULTS.values())

    def close(self) -> None:
        """Waits for what is loading, and ends the connections of what was made here."""
        if self._executor is not None:
            self._executor.shutdown()
        loaded = self._loading.result() if self._loading and not self._loading.exception() else None
        written = self._writes_with[1] if self._writes_with else None
        for made in (loaded, written):
            if made is not None and made is not self._given and hasattr(made, "close"):
                made.close()
        self._executor = self._loading = self._writes_with = None

    def _name(self, stored: Identity | None) -> str:
        return self._wanted or (stored.name if stored else self._suited or DEFAULT)

    def _bulk(self, name: str) -> Embedder:
        """Loaded once, whatever stages need it."""
        if self._given is None and (self._writes_with is None or self._writes_with[0] != name):
            self._writes_with = (name, embedder(name, bulk=True))
        return self._given or self._writes_with[1]  # type: ignore[index]


def check_filled_by(stored: Identity | None, model: Embedder) -> None:
    """Raises ModelUnavailable where a store was filled by another embedder than `model`, or the one in its place."""
    if stored is not None and not is_of(stored.id, model):
        raise ModelUnavailable(f"this store was filled with {stored.id}, not {model.id}", how_to_use(stored.name))
