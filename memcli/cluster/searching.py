"""Candidates for a question by a cluster: actors that keep the shards of a memory open, and look through them at once.

What weighs a word is counted over all shards first, so that the candidates are those that one process finds. These
alone are read here, and scored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from ..errors import UsageError
from ..memory import Memory
from ..store import lexical
from ..store.connection import Store
from ..store.folder import Folder
from ..store.transcript import session_ids
from ..store.views.candidates import Gathered, Wanted
from .starting import HERE, TRIES, gotten, library, processors, started

__all__ = ["searching"]

#: The numbers of the sessions of each shard are so far from those of the one before.
_APART = 1 << 40


@contextmanager
def searching(memory: Memory, address: str = HERE) -> Iterator[None]:
    """Meanwhile a cluster looks for candidates in the memory, which is one of shards, and may be asked often.

    A small memory is looked through whole, in this process. Every machine sees its folder at the same path. Raises
    what `started` raises, and UsageError for a memory that is no folder of shards.
    """
    folder = memory.store
    if not isinstance(folder, Folder):
        raise UsageError("a cluster searches a memory of shards", "--store NAME.memcli.d")
    with started(address):
        searchers = _Searchers([part.path for part in folder.parts if part.path])
        folder.gather = searchers.gather
        try:
            yield
        finally:
            folder.gather = None
            searchers.close()


class _Searchers:
    """The actors, each with some of the shards, by their places."""

    def __init__(self, shards: Sequence[Path]) -> None:
        wide = min(processors(), len(shards))
        of_some = (
            library()
            .remote(_Searcher)
            .options(num_cpus=0, max_restarts=TRIES, max_task_retries=TRIES, scheduling_strategy="SPREAD")
        )
        places = list(enumerate(map(str, shards)))
        self._actors = [of_some.remote(dict(places[first::wide])) for first in range(wide)]
        self._count = len(shards)

    def gather(self, wanted: Wanted) -> list[list[str]]:
        """The ids of the sessions for each query of what is wanted, and for its words, best first."""
        counted = gotten([actor.frequencies.remote(wanted) for actor in self._actors])
        frequencies: Counter[str] = Counter()
        for found, _ in counted:
            frequencies.update(found)
        weights = lexical.weights(frequencies, sum(turns for _, turns in counted))
        by_place: dict[int, Gathered] = {}
        for each in gotten([actor.found.remote(wanted, weights) for actor in self._actors]):
            by_place |= each
        together = Gathered.of([by_place[place] for place in range(self._count)], _APART)
        return self._named(together.orders(len(wanted.queries)))

    def _named(self, lists: Sequence[Sequence[int]]) -> list[list[str]]:
        numbers = sorted({number for each in lists for number in each})
        ids: dict[int, str] = {}
        for each in gotten([actor.named.remote(numbers) for actor in self._actors]):
            ids |= each
        return [[ids[number] for number in each if number in ids] for each in lists]

    def close(self) -> None:
        """Ends the actors."""
        for actor in self._actors:
            library().kill(actor)


class _Searcher:
    """Looks through some of the shards of a folder, which it keeps open as a memory does that is asked again."""

    def __init__(self, shards: Mapping[int, str]) -> None:
        self._stores = {place: Store(Path(path)) for place, path in shards.items()}
        for store in self._stores.values():
            store.keep_open()

    def frequencies(self, wanted: Wanted) -> tuple[dict[str, int], int]:
        """See `Wanted.frequencies`."""
        together, turns = Counter[str](), 0
        for store in self._stores.values():
            with store.reading() as db:
                found, more = wanted.frequencies(db)
            together.update(found)
            turns += more
        return dict(together), turns

    def found(self, wanted: Wanted, weights: Mapping[str, float]) -> dict[int, Gathered]:
        """What there is of it in each of its shards."""
        gathered = {}
        for place, store in self._stores.items():
            with store.reading() as db:
                gathered[place] = wanted.found(db, wanted.postings(db), weights)
        return gathered

    def named(self, numbers: Sequence[int]) -> dict[int, str]:
        """The ids of those of these sessions that its shards have."""
        ids: dict[int, str] = {}
        for place, store in self._stores.items():
            own = [number - place * _APART for number in numbers if number // _APART == place]
            with store.reading() as db:
                ids |= {number + place * _APART: id_ for number, id_ in session_ids(db, own).items()}
        return ids
