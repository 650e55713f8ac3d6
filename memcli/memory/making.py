"""What goes into a memory, and what is made of it: by every ingest, or because a strategy needs it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from ..errors import StoreBusy
from ..indexing.plan import Producer
from ..model import Needs
from ..store import codes, ledger
from ..store.connection import Store
from ..store.folder import Folder
from ..store.revision import revision
from ..strategies import Strategy, strategy
from .encoders import Encoders

if TYPE_CHECKING:
    from ..formats.redaction import Redactor
    from ..indexing.prepare import Watch
    from ..ingestion import Ingestion, Report, Watcher

__all__ = ["Making", "untold"]

#: Tokens of a session's memory: a rich session's facts need as many.
_LONGEST_REPLY = 4096


@contextmanager
def untold() -> Iterator[Watch]:
    """Nobody is told what is made."""
    yield lambda _what, _done, _of: None


class Making:
    """Fills a store, and makes what it lacks."""

    def __init__(self, store: Store, encoders: Encoders) -> None:
        self._store, self._encoders = store, encoders
        self._met: tuple[int, Sequence[Needs]] | None = None  # the revision at which these needs were met

    @contextmanager
    def writing(self) -> Iterator[None]:
        """The shards of a folder stay the same ones meanwhile; those that have grown past their size are split then."""
        self._encoders.to_write()
        with self._store.held():
            yield
        if isinstance(self._store, Folder):
            _split(self._store)

    def ingestion(
        self,
        watcher: Watcher | None = None,
        redactor: Redactor | None = None,
        *,
        allow_again: bool = False,
        expected: int | None = None,
    ) -> Ingestion:
        """A run that adds to the store; see `Memory.ingest`. `expected`: in bytes, where it is known."""
        from ..indexing.prepare import left_behind, prepare
        from ..ingestion import Watcher, begun

        model = self._encoders.to_write()
        for part, _ in self._parts() if self._store.exists else ():
            prepare(part, left_behind(part), lambda: model, (watcher or Watcher()).making)
        return begun(self._store, model, watcher or Watcher(), redactor, allow_again=allow_again, expected=expected)

    def re_embed(self, watch: Watch = lambda _what, _done, _of: None) -> list[str]:
        """See `Memory.re_embed`."""
        for _, encoders in self._parts():
            encoders.begin_anew()
        self._keep_up(watch)
        with self._store.reading() as db:
            return ledger.outdated_models(db)

    def finished(self, run: Ingestion, watcher: Watcher | None) -> Report:
        """Writes what still waits, and makes of it what every session has."""
        report = run.finish()
        self._keep_up(*([watcher.making] if watcher else ()))
        return report

    def prepare(self, strategies: Iterable[str | Strategy], watch: Watch) -> None:
        """See `Memory.prepare`."""
        self.make([strategy(each).needs for each in strategies], watch)

    def generate(
        self,
        model: str,
        strategies: Iterable[str | Strategy],
        budget: int | None,
        tell: Callable[[str], object],
        watch: Watch,
    ) -> int:
        """See `Memory.generate`."""
        from ..indexing.prepare import generate, kept_up
        from ..providers.language import language_model
        from ..providers.metering import Budget
        from ..providers.sizes import is_small
        from ..store.calls import StoredCalls

        wanted, limit, left = [strategy(each).needs for each in strategies], Budget(tokens=budget), 0
        for part, _ in self._parts():
            needs = [*kept_up(part), *wanted]
            with language_model(model, calls=StoredCalls(part), budget=limit, max_tokens=_LONGEST_REPLY) as asked:
                if part is self._store.parts[0]:
                    tell(f"what was said goes to {asked.id} at {asked.endpoint}; its replies are kept in the store")
                    if is_small(model):
                        tell("a small model notes less than memcli does without one: see docs/models.md")
                left += generate(part, needs, self._encoders.to_write(), asked, watch)
        self._keep_up()
        return left

    def lacking(self, needs: Sequence[Needs]) -> list[Producer]:
        """What has work to do before these needs are met; where they were, nothing has until somebody writes."""
        from ..indexing.prepare import lacking

        with self._store.reading() as db:
            asked = (revision(db), needs)
            found = lacking(self._store, needs) if asked != self._met else []
        self._met = None if found else asked
        return found

    def make(self, needs: Sequence[Needs], watch: Watch = lambda _what, _done, _of: None) -> None:
        """Makes what is missing of it."""
        from ..indexing.prepare import lacking

        self._run(lambda store: lacking(store, needs), watch)

    def _run(self, wanted: Callable[[Store], Sequence[Producer]], watch: Watch) -> None:
        """Runs the producers that are wanted, in each of the stores."""
        from ..indexing.prepare import prepare

        for store, encoders in self._parts():
            if producers := wanted(store):
                prepare(store, producers, encoders.to_write, watch)

    def _parts(self) -> Iterator[tuple[Store, Encoders]]:
        """The store; of several that are searched together each, with its embedder."""
        for store in self._store.parts:
            yield store, self._encoders if store is self._store else self._encoders.over(store)

    def _keep_up(self, watch: Watch = lambda _what, _done, _of: None) -> None:
        """Makes for the sessions that lack it what every session has, and what others have had generated.

        Most of it is there already: that is what an older version, or a run that was interrupted, has left.
        """
        from ..indexing.prepare import unfinished

        if self._store.exists:
            self._run(unfinished, watch)
            for part in self._store.parts:
                codes.fill(part, codes.CODED_FROM if part is self._store else 0)


def _split(folder: Folder) -> None:
    """Splits what has grown too large; while somebody else writes to the folder, it is left to whoever is last."""
    from ..indexing.splitting import oversized, split

    with suppress(StoreBusy):
        while grown := oversized(folder):
            split(folder, grown[0])
