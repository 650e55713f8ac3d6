"""A memory of many shards: a folder of ordinary stores and a manifest, read as one (`federation`).

What is written goes into the store of its conversation. Memories of several users lie in folders of their own within
it, each again a memory of shards: whoever asks for one opens that alone, and whoever asks for all reads all together.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ..errors import StoreBusy, StoreDamaged, StoreError, StoreMissing, StoreNotWritable, UsageError
from .connection import READ_WAIT, WRITE_WAIT, Store
from .federation import Federation
from .identity import identity
from .manifest import MANIFEST, Manifest, begun, file_name, is_shard_name
from .shard import begin_shard

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["ENDING", "Folder", "is_folder"]

#: What the name of a new memory of shards ends in.
ENDING = ".memcli.d"

_USERS = "users"
_LOCK = ".lock"
_LONGEST = 200  # bytes of a user's name in a file's


def is_folder(path: Path) -> bool:
    """Whether this is, or by its name is to be, a memory of shards."""
    # A name that is too long for any file is none of a folder, and `Path.is_file` would raise.
    return path.name.endswith(ENDING) or os.path.isfile(path / MANIFEST)


class Folder(Federation):
    """The memory of shards at `path`; with `user`, the memory of that user in it.

    `count`: how many shards it begins with, where it is not there yet; `split_at`: of how many bytes on one is split.
    Raises UsageError where it is there, and has another number.
    """

    def __init__(self, path: Path, user: str = "", count: int | None = None, split_at: int | None = None) -> None:
        Store.__init__(self, None)
        self._checked = set()
        self._known: dict[Path, Store] = {}
        self._begins = begun(1 if count is None else count, split_at)
        self._above = Folder(path) if user else None
        #: What gathers candidates for it elsewhere, if anything does (`cluster.searching`).
        self.gather: Callable[[Any], Sequence[Sequence[str]]] | None = None
        self.folder = path / _USERS / _quoted(user) if user else path
        if count is not None and self.exists and len(self.manifest.shards) != count:
            has = len(self.manifest.shards)
            raise UsageError(f"{self.folder} has {has} shards already", "--shards says with how many a memory begins")

    @property
    def name(self) -> str:
        """See `Store.name`."""
        return str(self.folder)

    @property
    def exists(self) -> bool:
        """Whether it was begun."""
        self._check_open()
        return (self.folder / MANIFEST).is_file()

    @property
    def manifest(self) -> Manifest:
        """Its own shards, without those of its users. Raises StoreMissing, StoreDamaged, StoreTooNew."""
        if not self.exists:
            raise StoreMissing(f"no store at {self.folder}", "make one with: memcli ingest FILE")
        return Manifest.read(self.folder)

    @property
    def own(self) -> Sequence[Store]:
        """Its own shards, without those of its users. Raises what `manifest` does."""
        return [self.shard(prefix) for prefix in self.manifest.shards]

    @property
    def parts(self) -> Sequence[Store]:
        """All its shards, and those of its users."""
        return [*self.own, *(part for user in self.users for part in user.parts)]

    @property
    def users(self) -> Sequence[Folder]:
        """The memories of its users."""
        found = sorted((self.folder / _USERS).glob(f"*{ENDING}"))
        return [user for user in (self._of(path) for path in found) if user.exists]

    def _of(self, path: Path) -> Folder:
        if path.is_symlink():
            raise StoreDamaged(f"{path} is a link, not a folder", "put the folder in its place")
        return Folder(path)

    def shard(self, prefix: str) -> Store:
        """The shard of this prefix. Raises StoreDamaged where there is none."""
        path = self.folder / file_name(prefix)
        if path.is_symlink() or not path.is_file():  # a folder may come from somebody else: a link leads anywhere
            raise StoreDamaged(f"{path} is no file, and the manifest names it", "restore it from a copy")
        if path not in self._known:
            self._known[path] = Store(path)
        return self._known[path]

    @property
    def leftovers(self) -> list[Path]:
        """What a split that was interrupted left: stores that the manifest does not name."""
        named = {file_name(prefix) for prefix in self.manifest.shards}
        files = sorted(self.folder.iterdir())
        return [path for path in files if path.name not in named and is_shard_name(path.name.removesuffix(".wal"))]

    @property
    def embedder(self) -> str:
        """The name of the embedder that filled the whole of it, its users' included; empty where nothing did yet."""
        whole = self._above or self
        if not whole.exists:
            return ""
        with whole.own[0].reading() as db:
            found = identity(db)
        return found.name if found else ""

    def close(self) -> None:
        """See `Store.close`."""
        Store.close(self)
        for store in self._known.values():
            store.close()

    def begin_with(self, first: Callable[[DuckDBPyConnection], object]) -> None:
        """Makes the folder with its shards, each with `first` done to it; the manifest last. Raises StoreError."""
        if self._above is not None and not self._above.exists:
            self._above.begin_with(first)
        if self.exists:
            return
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StoreNotWritable(f"cannot write {self.folder}: {error.strerror}", "choose another --store") from error
        with self.held(alone=True):
            if not self.exists:  # nobody else was faster
                self._begin_shards(first)

    def _begin_shards(self, first: Callable[[DuckDBPyConnection], object]) -> None:
        for prefix in self._begins.shards:
            shard = Store(self.folder / file_name(prefix))
            shard.begin_with(first)
            with shard.writing() as db:
                begin_shard(db)
        self._begins.write(self.folder)

    @contextmanager
    def writing(self, wait: float = WRITE_WAIT) -> Iterator[DuckDBPyConnection]:  # noqa: ARG002
        """Raises UsageError: what is written goes into one store."""
        raise UsageError(f"{self.folder} is a memory of shards, and this is written to one of them", "name its store")
        yield

    @contextmanager
    def reading(self, wait: float = READ_WAIT) -> Iterator[DuckDBPyConnection]:
        """See `Federation.reading`. Where a shard is split just then, it looks again."""
        with ExitStack() as opened:
            before = self.manifest
            try:
                db = opened.enter_context(super().reading(wait))
            except StoreError:
                if self.manifest == before:
                    raise
                db = opened.enter_context(super().reading(wait))
            yield db

    @contextmanager
    def held(self, *, alone: bool = False) -> Iterator[None]:
        """The shards stay those that they are meanwhile: who writes holds it, and `alone`, who splits.

        Raises StoreBusy where somebody splits, or, `alone`, writes; StoreNotWritable.
        """
        try:
            file = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise StoreNotWritable(f"cannot write {self.folder}: {error.strerror}", "check who may write") from error
        try:
            self._lock(file, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
            yield
        finally:
            os.close(file)

    def _lock(self, file: int, kind: int) -> None:
        try:
            fcntl.flock(file, kind | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise StoreBusy(f"{self.folder} is being written to, or split", "try again when that is done") from error


def _quoted(user: str) -> str:
    """The name of a user's folder: the user's own, as far as a file can be called so."""
    name = quote(user, safe=" @+")
    return f"{name if len(name) <= _LONGEST else sha256(user.encode('utf-8', 'replace')).hexdigest()}{ENDING}"
