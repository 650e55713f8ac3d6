"""Care of a store: forgetting, verifying, exporting, counting."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ..errors import ModelUnavailable, NothingFound, StoreDamaged, UsageError
from ..model import Turn, TurnId
from ..store import transcript
from ..store.connection import Store
from ..store.folder import Folder

if TYPE_CHECKING:
    from ..providers.embedding import Embedder
    from ..store.forgetting import Marked
    from ..store.health import Finding
    from ..store.selection import Selection
    from ..store.statistics import Statistics

__all__ = ["Care", "Examination"]

#: What is removed may leave something else behind, which is found then.
_ROUNDS = 4

_Item = TypeVar("_Item")


class Care:
    """What keeps a store in order. `embedder` gives the model that fills it, where something is to be made again."""

    def __init__(self, store: Store, embedder: Callable[[], Embedder]) -> None:
        self._store = store
        self._embedder = embedder

    def select(self, which: Selection) -> list[TurnId]:
        """The turns of a selection. Raises NothingFound for ids that are not in the store, StoreError."""
        from ..store.selection import selected

        with self._store.reading() as db:
            return selected(db, which)

    def turns(self, ids: Iterable[TurnId]) -> dict[TurnId, Turn]:
        """The turns with these ids, by id; one that the store has not is left out."""
        with self._store.reading() as db:
            return transcript.turns_by_id(db, ids)

    def forget(self, turns: Sequence[TurnId], *, dry_run: bool = False) -> Marked:
        """Removes these turns and everything that was made of them, for good; with `dry_run` only says what would go.

        The file has their bytes until it is compacted. Raises StoreError.
        """
        from ..indexing.forgetting import forget
        from ..store.forgetting import mark, together

        with self._store.held():
            marked = []
            for part in self._having(turns):
                if not dry_run:
                    marked.append(forget(part, turns))
                    with suppress(ModelUnavailable, UsageError):  # it is gone: a search makes then what it needs
                        self._make_again(part)
                    continue
                with part.reading() as db:
                    marked.append(mark(db, turns))
        return together(marked)

    def _having(self, turns: Sequence[TurnId]) -> Iterator[Store]:
        """The stores that have any of these turns; the only one, where there is one."""
        for part in self._store.parts:
            with part.reading() as db:
                has = part is self._store or transcript.known(db, turns)
            if has:
                yield part

    def _make_again(self, store: Store) -> None:
        """Makes what every ingest makes for the sessions that lack it now."""
        from ..indexing.plan import EVERY_INGEST
        from ..indexing.prepare import lacking, prepare

        prepare(store, lacking(store, [each.makes for each in EVERY_INGEST[1:]]), self._embedder)

    def export(self, which: Selection, format_name: str, path: Path) -> int:
        """Writes what was said in a selection to a new file: `jsonl`, `markdown` or `parquet`; returns how many turns.

        Raises NothingFound where there are none, UsageError, StoreError.
        """
        from ..store import exporting

        writers = {"jsonl": exporting.jsonl, "markdown": exporting.markdown}
        if format_name not in (*writers, "parquet"):
            raise UsageError(f"cannot export as {format_name!r}", "jsonl, markdown or parquet")
        counted = _PassCounter()
        with self._store.reading() as db:
            turns = counted.each(exporting.said(db, which))
            if format_name == "parquet":
                exporting.parquet(turns, path)
            else:
                with path.open("wb") as file:
                    file.writelines(writers[format_name](turns))
        if not counted.count:
            raise NothingFound("nothing in the store matches", "nothing was exported")
        return counted.count

    def statistics(self) -> Statistics:
        """Counts what the store holds. Raises StoreError."""
        from ..store.statistics import statistics

        return statistics(self._store)

    def is_calibrated(self) -> bool:
        """Whether what counts as alike was found for the store's embedder; of MiniLM it is known. Raises StoreError."""
        from ..indexing.calibration import is_calibrated

        return all(map(is_calibrated, self._store.parts))

    def examine(self, *, repair: bool = False) -> Examination:
        """Verifies everything that must hold of the store; with `repair`, makes again what can be made again.

        Raises StoreError where it cannot be read at all, ModelUnavailable.
        """
        if not isinstance(self._store, Folder):
            return self._examined(self._store, repair=repair)
        from .shards import examine_folder

        with self._store.held():
            return examine_folder(self._store, lambda part: self._examined(part, repair=repair), repair=repair)

    def _examined(self, store: Store, *, repair: bool) -> Examination:
        from ..store.health import examine

        found = left = [*examine(store), *_unknown_embedder(store)]
        for _ in range(_ROUNDS if repair else 0):
            mendable = [finding for finding in left if finding.mend]
            if not mendable:
                break
            self._mend(store, mendable)
            left = [*examine(store), *_unknown_embedder(store)]
        still = {finding.what for finding in left}
        return Examination(left, [finding for finding in found if finding.what not in still])

    def _mend(self, store: Store, findings: Sequence[Finding]) -> None:
        from ..indexing.plan import EVERY_INGEST
        from ..indexing.prepare import prepare
        from ..store import mending
        from ..store.schema import Mend

        mending.clear(store, findings)
        mended = {finding.mend for finding in findings}
        if Mend.INDEX in mended:
            prepare(store, EVERY_INGEST, self._embedder)
        mending.finish(store)


def _unknown_embedder(store: Store) -> Iterator[Finding]:
    """Whether the store was filled by an embedder that there is none of. It is not loaded."""
    from ..providers.embedding import is_known
    from ..store.health import Finding
    from ..store.identity import identity

    with store.reading() as db:
        try:
            filled = identity(db)
        except StoreDamaged:  # found already
            return
    if filled is not None and not is_known(filled.name):
        yield Finding("an embedder that memcli does not know", 1, filled.name)


@dataclass(frozen=True, slots=True)
class Examination:
    """What is wrong with a store, and what was and has been mended."""

    left: Sequence[Finding]
    mended: Sequence[Finding]

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong but what is harmless."""
        return all(finding.harmless for finding in self.left)


class _PassCounter:
    """Counts what passes."""

    def __init__(self) -> None:
        self.count = 0

    def each(self, items: Iterable[_Item]) -> Iterator[_Item]:
        for item in items:
            self.count += 1
            yield item
