"""A disk that is full: one clear line, what was stored stays, and the same command resumes once there is room.

The disk is a small file system in memory that these tests mount, which takes root's rights. MEMCLI_FAULTS says how many
amounts of free space are tried (at least 2, at the most 50).
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from memcli.store.compaction import leftovers

from . import killing
from .conftest import TRIES, Ran, aged
from .killing import SESSIONS, command, content, doubled, ended, lines, recorded

MEGABYTES = 16
LEVELS = max(2, min(TRIES, 50))
FULL = "memcli: no space left to write {} (free some space; what was stored is safe)\n"


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("full") / "chat.jsonl"
    path.write_text("".join(lines("s", SESSIONS)))
    return path


@pytest.fixture(scope="module")
def whole(chat: Path) -> Path:
    """The store of a run that had room."""
    path = chat.with_name("whole.memcli")
    assert _memcli("ingest", chat, "--embedder", "fake", store=path).code == 0
    return path


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A folder that is a file system of its own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(mount, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount here")
    if mounted.returncode:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def _memcli(*arguments: str | Path, store: Path) -> Ran:
    return command(*arguments, "--store", store)


def _fill(disk: Path, leaving: int) -> Path:
    """Writes until so many bytes are free."""
    filler = disk / "filler"
    state = os.statvfs(disk)
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(state.f_bavail * state.f_frsize - leaving, 1))
    return filler


def _levels(most: int) -> Iterator[int]:
    """Amounts of free space, from none to so much less a step, in whole pages."""
    for number in range(LEVELS):
        yield most * number // LEVELS // 4096 * 4096


def _refused(ran: Ran, store: Path) -> bool:
    """Whether there was no room; nothing else may have been wrong."""
    assert (ran.code, ran.err) == (3, FULL.format(store)) if ran.code else True, (ran.code, ran.err)
    return ran.code == 3


def test_an_ingest(chat: Path, whole: Path, disk: Path) -> None:
    expected = content(whole)
    counts: Counter[str] = Counter(refused=0, different=0)
    for leaving in _levels(whole.stat().st_size):
        store = disk / "x.memcli"
        filler = _fill(disk, leaving)
        counts["refused"] += _refused(_memcli("ingest", chat, "--embedder", "fake", store=store), store)
        if store.exists():
            assert doubled(store) == []
            assert set(content(store)["turn"]) <= set(expected["turn"])
        filler.unlink()
        assert _memcli("ingest", chat, "--embedder", "fake", store=store).code == 0
        counts["different"] += content(store) != expected
        # What found no room in the file itself may wait in its log.
        assert {left.name for left in disk.iterdir()} <= {store.name, f"{store.name}.wal"}
        for left in disk.iterdir():
            left.unlink()
    recorded("ingest on a full disk", levels=LEVELS, **counts)
    assert counts["refused"] > 0
    assert counts["different"] == 0


def test_an_ingest_into_a_store_that_is_there(chat: Path, tmp_path: Path, disk: Path) -> None:
    store, more = disk / "x.memcli", tmp_path / "more.jsonl"
    assert _memcli("ingest", chat, "--embedder", "fake", store=store).code == 0
    more.write_text("".join(lines("t", SESSIONS)))
    before = content(store)
    filler = _fill(disk, 0)
    assert _refused(_memcli("ingest", more, store=store), store)
    assert content(store) == before
    assert _memcli("search", "boat", store=store).code == 0  # nothing is written to read
    filler.unlink()
    assert _memcli("ingest", more, store=store).code == 0
    undisturbed = tmp_path / "undisturbed.memcli"
    for each in (chat, more):
        assert _memcli("ingest", each, "--embedder", "fake", store=undisturbed).code == 0
    assert content(store) == content(undisturbed)


def test_a_compaction(whole: Path, disk: Path) -> None:
    store, expected = disk / "x.memcli", content(whole)
    shutil.copy(whole, store)
    counts: Counter[str] = Counter(refused=0, different=0)
    for leaving in _levels(whole.stat().st_size):
        filler = _fill(disk, leaving)
        counts["refused"] += _refused(_memcli("compact", store=store), store)
        counts["different"] += content(store) != expected
        assert not any(left.exists() for left in leftovers(store))
        filler.unlink()
    recorded("compaction on a full disk", levels=LEVELS, **counts)
    assert _memcli("compact", store=store).code == 0
    assert content(store) == expected
    assert counts["refused"] > 0
    assert counts["different"] == 0


def test_a_migration(whole: Path, tmp_path: Path, disk: Path) -> None:
    old, migrated, store = tmp_path / "old.memcli", tmp_path / "migrated.memcli", disk / "x.memcli"
    shutil.copy(whole, old)
    aged(old, 1)
    shutil.copy(old, migrated)
    ended(killing.migration, migrated)
    expected = content(migrated)
    counts: Counter[str] = Counter(refused=0, different=0)
    for leaving in _levels(64 * 1024):
        shutil.copy(old, store)
        filler = _fill(disk, leaving)
        counts["refused"] += _refused(_memcli("search", "boat", store=store), store)
        filler.unlink()
        assert _memcli("search", "boat", store=store).code == 0
        counts["different"] += content(store) != expected
        store.unlink()
    recorded("migration on a full disk", levels=LEVELS, **counts)
    assert counts["refused"] > 0
    assert counts["different"] == 0
