"""Whether a memory of shards is sound: each of its stores, and that they are those of the manifest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ..store.folder import Folder
from ..store.health import Finding
from ..store.schema import Mend
from ..store.shard import conversations

if TYPE_CHECKING:
    from ..store.connection import Store
    from . import Examination

__all__ = ["examine_folder"]


def examine_folder(folder: Folder, examine: Callable[[Store], Examination], *, repair: bool) -> Examination:
    """What `examine` finds in each store, each finding with the store's name, and what is wrong with the folder.

    `repair`: what an interrupted split left is removed. Raises StoreDamaged where a store is missing.
    """
    from . import Examination

    left, mended = [], []
    for part in folder.parts:
        found = examine(part)
        left += [_placed(folder, part, finding) for finding in found.left]
        mended += [_placed(folder, part, finding) for finding in found.mended]
    own = [finding for each in (folder, *folder.users) for finding in _of_folder(each)]
    gone = [finding for finding in own if repair and finding.mend is not None]
    for each in (folder, *folder.users) if gone else ():
        for path in each.leftovers:
            path.unlink()
    return Examination([*left, *(finding for finding in own if finding not in gone)], [*mended, *gone])


def _placed(folder: Folder, part: Store, finding: Finding) -> Finding:
    where = part.path.relative_to(folder.folder) if part.path is not None else part.name
    return replace(finding, what=f"{where}: {finding.what}")


def _of_folder(folder: Folder) -> Iterator[Finding]:
    if left := folder.leftovers:
        yield Finding("what an interrupted split left", len(left), left[0].name, Mend.FILE)
    manifest = folder.manifest
    for prefix in manifest.shards:
        part = folder.shard(prefix)
        with part.reading() as db:
            names = conversations(db)
        strays = [name for name in names if manifest.shard_of(name) != prefix]
        if strays:  # somebody has added to one shard alone
            what = "conversations that are added to in another shard"
            yield _placed(folder, part, Finding(what, len(strays), min(strays), harmless=True))
