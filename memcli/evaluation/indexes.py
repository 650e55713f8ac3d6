"""Filled stores, kept by what is in them: the same conversations are embedded once, whichever evaluation asks.

A store is named by a hash of every message, the embedder and the version of the index. It is filled under another name
and renamed when it is complete, so that a killed run leaves nothing that looks finished; the next one goes on with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path

from ..formats import Message
from ..indexing.plan import EVERY_INGEST, TRANSCRIPT
from ..indexing.prepare import lacking, prepare
from ..memory import Memory
from ..model import Needs, TurnId
from ..providers.embedding import Embedder, embedder
from ..store import transcript
from ..store.connection import Store

__all__ = ["fill", "filled", "index_path", "session_of"]


def index_path(folder: Path, messages: Sequence[Message], embedder_id: str) -> Path:
    """Where the store of these messages is, or will be."""
    digest = sha256(repr((embedder_id, TRANSCRIPT.version)).encode())
    for message in messages:
        digest.update(repr(message).encode())
    return folder / f"{digest.hexdigest()[:24]}.memcli"


def filled(path: Path, messages: Sequence[Message], needs: Sequence[Needs], model: Callable[[], Embedder]) -> None:
    """Makes the store at `path`, of these messages and with all that `needs` ask for.

    Raises StoreError, ModelUnavailable.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        Memory(partial, embedder=model()).add(messages, "evaluation")
        partial.rename(path)
    store = Store(path)
    prepare(store, lacking(store, [*(producer.makes for producer in EVERY_INGEST), *needs]), model)


def fill(path: Path, messages: Sequence[Message], needs: Sequence[Needs], embedder_name: str) -> None:
    """The same in a process of its own, with one thread: such as there is one for each processor."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        filled(path, messages, needs, lambda: embedder(embedder_name, bulk=True))


def session_of(path: Path, turns: Sequence[TurnId]) -> dict[str, str]:
    """For each of these turns that the store has: its session."""
    with Memory(path).store.reading() as db:
        return {str(turn): str(session) for turn, session in transcript.known(db, turns).items()}
