"""Pieces of conversation into a memory of many shards: each goes to the indexer of its conversation's shard."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from threading import Lock

from ...model import Session, SessionId, Turn, TurnId
from ...store.folder import Folder
from .indexer import Indexer

__all__ = ["RoutingIndexer"]

Stored = Callable[[Session, int, int], object]
Counted = Callable[[int], object]
#: Makes the indexer of a shard, which tells these what it has done.
Made = Callable[[str, Stored, Counted, Counted], Indexer]


class RoutingIndexer:
    """What `Indexer` is to a store, to a folder of shards: `made` gives the one of a shard, by its prefix.

    Each writes in a thread of its own; what they tell is told one at a time.
    """

    def __init__(self, folder: Folder, made: Made, stored: Stored, passed: Counted, embedded: Counted) -> None:
        self._manifest = folder.manifest
        self._made = made
        self._told = [_one_at_a_time(tell, Lock()) for tell in (stored, passed, embedded)]
        self._indexers: dict[str, Indexer] = {}

    def _of(self, conversation: str) -> Indexer:
        prefix = self._manifest.shard_of(conversation)
        if prefix not in self._indexers:
            self._indexers[prefix] = self._made(prefix, *self._told)
        return self._indexers[prefix]

    def add(self, session: Session, turns: Sequence[Turn]) -> None:
        """See `Indexer.add`."""
        self._of(session.conversation).add(session, turns)

    def flush(self) -> None:
        """See `Indexer.flush`."""
        for indexer in self._indexers.values():
            indexer.flush()

    def finish(self) -> None:
        """See `Indexer.finish`."""
        for indexer in self._indexers.values():
            indexer.finish()

    def known(self, ids: Mapping[TurnId, str]) -> Mapping[TurnId, SessionId]:
        """See `Indexer.known`; each turn with its conversation, so that one shard alone is asked for it."""
        asked: dict[Indexer, list[TurnId]] = defaultdict(list)
        for turn, conversation in ids.items():
            asked[self._of(conversation)].append(turn)
        return {turn: session for indexer, some in asked.items() for turn, session in indexer.known(some).items()}

    def latest(self, conversation: str) -> tuple[SessionId, datetime | None] | None:
        """See `Indexer.latest`."""
        return self._of(conversation).latest(conversation)


def _one_at_a_time(tell: Callable[..., object], lock: Lock) -> Callable[..., object]:
    def told(*what: object) -> None:
        with lock:
            tell(*what)

    return told
