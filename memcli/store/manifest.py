"""The manifest of a memory of many shards: of which stores it is made, and in which of them a conversation lies.

A shard has the conversations whose hash begins with its prefix, in binary digits (extendible hashing: Fagin et al.
1979). To split it makes two with longer prefixes, and moves no conversation of another one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path

from ..errors import StoreDamaged, StoreError, StoreNotWritable, StoreTooNew, UsageError

__all__ = ["MANIFEST", "MOST", "SPLIT_AT", "Manifest", "begun", "file_name", "is_shard_name"]

MANIFEST = "manifest.json"
#: As many shards may be asked for; a memory may grow beyond that.
MOST = 1024
#: Bytes of a store from which on it is split.
SPLIT_AT = 4 << 30

_VERSION = 1
_DIGITS = 32  # of a hash, and of a prefix at the most
_BYTES = 1 << 20  # of a manifest: it may be somebody else's
_RESTORE = "restore it from a copy"


@dataclass(frozen=True, slots=True)
class Manifest:
    """The prefixes of the shards, in order, and the bytes from which on one is split."""

    shards: Sequence[str]
    split_at: int = SPLIT_AT

    def shard_of(self, conversation: str) -> str:
        """The prefix of the shard in which a conversation lies."""
        digits, known = _hashed(conversation), set(self.shards)
        return next(digits[:size] for size in range(_DIGITS + 1) if digits[:size] in known)

    def divided(self, prefix: str) -> Manifest:
        """The same with two shards in place of one. Raises UsageError where it cannot be divided any more."""
        if len(prefix) == _DIGITS:
            raise UsageError(f"the shard {file_name(prefix)} cannot be split further")
        kept = [each for each in self.shards if each != prefix]
        return Manifest(sorted([*kept, f"{prefix}0", f"{prefix}1"]), self.split_at)

    def write(self, folder: Path) -> None:
        """Writes it into the folder, whole or not at all. Raises StoreNotWritable."""
        written = {"memcli": "shards", "version": _VERSION, "split_at": self.split_at, "shards": list(self.shards)}
        beside = folder / f".{MANIFEST}.{os.getpid()}"
        try:
            with beside.open("w", encoding="ascii") as file:
                beside.chmod(0o600)
                file.write(json.dumps(written, indent=1) + "\n")
                file.flush()
                os.fsync(file.fileno())
            beside.replace(folder / MANIFEST)
        except OSError as error:
            raise StoreNotWritable(f"cannot write {folder / MANIFEST}: {error.strerror}", "check the disk") from error
        finally:
            beside.unlink(missing_ok=True)

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """The manifest of a folder. Raises StoreDamaged, StoreTooNew."""
        path = folder / MANIFEST
        try:
            with path.open("rb") as file:
                found = json.loads(file.read(_BYTES))
        except (OSError, ValueError, RecursionError) as error:
            raise StoreDamaged(f"{path} cannot be read as a manifest", _RESTORE) from error
        return _checked(found, path)


def begun(count: int, split_at: int | None = None) -> Manifest:
    """The manifest of a new memory of so many shards. Raises UsageError."""
    if not 1 <= count <= MOST:
        raise UsageError(f"a memory begins with 1 to {MOST} shards, not {count}")
    manifest = Manifest([""], SPLIT_AT if split_at is None else split_at)
    while len(manifest.shards) < count:
        manifest = manifest.divided(min(manifest.shards, key=lambda prefix: (len(prefix), prefix)))
    return manifest


def file_name(prefix: str) -> str:
    """The name of a shard's file in the folder."""
    return f"shard-{prefix}.memcli" if prefix else "shard.memcli"


def is_shard_name(name: str) -> bool:
    """Whether a file of this name can be a shard."""
    prefix = name.removeprefix("shard").removeprefix("-").removesuffix(".memcli")
    return name == file_name(prefix) and _is_prefix(prefix)


def _hashed(conversation: str) -> str:
    digest = blake2b(conversation.encode("utf-8", "surrogatepass"), digest_size=_DIGITS // 8).digest()
    return f"{int.from_bytes(digest, 'big'):0{_DIGITS}b}"


def _is_prefix(text: object) -> bool:
    return isinstance(text, str) and len(text) <= _DIGITS and not set(text) - {"0", "1"}


def _checked(found: object, path: Path) -> Manifest:
    """The manifest that a file says. The names of files follow from prefixes, so that none can lead elsewhere."""
    if not isinstance(found, dict) or found.get("memcli") != "shards":
        raise _damaged(path)
    if isinstance(version := found.get("version"), int) and version > _VERSION:
        raise StoreTooNew(f"{path} was written by a newer memcli", "install that one")
    shards, split_at = found.get("shards"), found.get("split_at")
    if not isinstance(shards, list) or not all(map(_is_prefix, shards)) or not _is_whole(shards):
        raise _damaged(path)
    if not isinstance(split_at, int) or split_at < 1:
        raise _damaged(path)
    return Manifest(sorted(shards), split_at)


def _is_whole(prefixes: Sequence[str]) -> bool:
    """Whether every hash begins with exactly one of these."""
    ordered = sorted(prefixes)
    apart = not any(later.startswith(one) for one, later in pairwise(ordered))
    return apart and sum(1 << _DIGITS - len(prefix) for prefix in ordered) == 1 << _DIGITS


def _damaged(path: Path) -> StoreError:
    return StoreDamaged(f"{path} is no manifest of a memory of shards", _RESTORE)
