"""A shard that has grown past its size becomes two: copies that each keep their own conversations.

Both are made and compared with the original, the manifest is swapped, and only then the original goes. Whatever stops
it before leaves the memory as it was, and what it leaves beside it is removed by the next one.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from ..errors import StoreDamaged
from ..store.compaction import copied, settled, size_of, synced
from ..store.connection import Store, both
from ..store.folder import Folder
from ..store.forgetting import part_with
from ..store.location import log
from ..store.manifest import Manifest, file_name
from ..store.rows import transaction
from ..store.shard import Said, all_said, conversations, turns_of
from .forgetting import learn_again

__all__ = ["oversized", "split"]


def oversized(folder: Folder) -> list[str]:
    """The prefixes of the shards that are to be split: with a single conversation none can be."""
    manifest = folder.manifest
    large = [prefix for prefix in manifest.shards if size_of(folder.folder / file_name(prefix)) > manifest.split_at]
    return [prefix for prefix in large if len(_conversations(folder.shard(prefix))) > 1]


def split(folder: Folder, prefix: str) -> None:
    """Splits a shard in two. Raises StoreBusy while somebody writes to the folder, StoreError."""
    with folder.held(alone=True):
        _remove_leftovers(folder)
        manifest = folder.manifest.divided(prefix)
        halves = [folder.folder / file_name(f"{prefix}{digit}") for digit in "01"]
        original = folder.folder / file_name(prefix)
        with both(original, halves[0]) as db:  # held until its place is taken: nobody can have added to it
            copied(db, original)
            said = all_said(db, "original")
            settled(db)
            shutil.copyfile(halves[0], halves[1])
            halves[1].chmod(0o600)
            _check([_kept(half, manifest) for half in halves], said, original)
            manifest.write(folder.folder)
        original.unlink()


def _remove_leftovers(folder: Folder) -> None:
    """Removes what was left where a split was interrupted."""
    for path in folder.leftovers:
        path.unlink()


def _kept(half: Path, manifest: Manifest) -> Said:
    """Leaves to a copy its own conversations; returns what it says then."""
    store = Store(half)
    with store.writing() as db:
        own = half.name
        others = [name for name in conversations(db) if file_name(manifest.shard_of(name)) != own]
        with transaction(db):
            part_with(db, turns_of(db, others))
            learn_again(db, topics=True)
    synced(half)
    if log(half).exists():
        raise StoreDamaged(f"{log(half)} is not in its store", "nothing was changed; check the disk")
    with store.reading() as db:
        return all_said(db)


def _conversations(store: Store) -> list[str]:
    with store.reading() as db:
        return conversations(db)


def _check(halves: Sequence[Said], whole: Said, path: Path) -> None:
    (one, left), (other, right) = halves
    if (one + other, left ^ right) != whole:
        raise StoreDamaged(f"the halves of {path} do not match it", "nothing was changed; check the disk")
