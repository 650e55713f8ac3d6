"""Programs that are killed, and flipped bytes: nothing that was reported is lost.

MEMCLI_FAULTS says how often each is tried (default 1); `docs/reliability.md` records what came of it.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import duckdb
import pytest

from memcli.memory import Memory
from memcli.store import migrations
from memcli.store.compaction import leftovers
from memcli.store.connection import Store

from . import killing
from .conftest import TRIES, aged
from .killing import SESSIONS, Ended, content, doubled, duration, ended, killed, kills, lines, recorded, removed

DOCUMENTED = set(range(7))


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("faults") / "chat.jsonl"
    path.write_text("".join(lines("s", SESSIONS)))
    return path


@pytest.fixture(scope="module")
def whole(chat: Path) -> Path:
    """The store of a run that nobody disturbed."""
    path = chat.with_name("whole.memcli")
    ended(killing.ingest, path, chat)
    return path


def _is_sound(path: Path) -> bool:
    return Memory(path, embedder="fake").care.examine().is_sound


def _sessions(path: Path) -> set[str]:
    with Store(path).reading() as db:
        return {
            row[0] for row in db.execute("select id from session where seq in (select session from turn)").fetchall()
        }


def test_an_ingest_killed_anywhere_keeps_what_it_reported_and_resumes_to_the_same_store(
    chat: Path, whole: Path, tmp_path: Path
) -> None:
    path = tmp_path / "x.memcli"
    expected = content(whole)
    counts: Counter[str] = Counter(acknowledged=0, lost=0, doubled=0, unsound=0, different=0, left_behind=0)

    def attempt(after: float) -> Ended:
        removed(path)
        return killed(after, killing.ingest, path, chat)

    for run in kills(duration(killing.ingest, path, chat), attempt):
        counts["kills"] += 1
        if run.told:
            acknowledged = set(run.told[-1])
            counts["acknowledged"] += len(acknowledged)
            counts["lost"] += len(acknowledged - _sessions(path))
            counts["doubled"] += len(doubled(path))
            counts["unsound"] += not _is_sound(path)
        ended(killing.ingest, path, chat)
        counts["different"] += content(path) != expected
        beside = set(tmp_path.iterdir()) - {path}
        counts["left_behind"] += len(beside)
        assert beside <= set(leftovers(path))  # which doctor tells of, and compact removes
    recorded("ingest killed", **counts)
    wrong = ("lost", "doubled", "unsound", "different")
    assert {name: counts[name] for name in wrong} == dict.fromkeys(wrong, 0)


def test_a_compaction_killed_anywhere_leaves_the_store_as_it_was(whole: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.memcli"
    shutil.copy(whole, copy)
    expected = content(whole)
    counts: Counter[str] = Counter(half_made_copies=0, different=0)
    for _ in kills(duration(killing.compaction, copy), lambda after: killed(after, killing.compaction, copy)):
        counts["kills"] += 1
        counts["half_made_copies"] += any(left.exists() for left in leftovers(copy))
        counts["different"] += content(copy) != expected
    ended(killing.compaction, copy)
    counts["different"] += content(copy) != expected
    recorded("compaction killed", **counts)
    assert counts["different"] == 0
    assert _is_sound(copy)
    assert [left.name for left in tmp_path.iterdir()] == [copy.name]


def test_a_migration_killed_anywhere_goes_on(chat: Path, tmp_path: Path) -> None:
    old, path = tmp_path / "old.memcli", tmp_path / "x.memcli"
    Memory(old, embedder="fake").ingest([chat])
    aged(old, 1)
    shutil.copy(old, path)
    lasts = duration(killing.migration, path)
    expected = content(path)
    counts: Counter[str] = Counter(half_way=0, different=0)

    def attempt(after: float) -> Ended:
        removed(path)
        shutil.copy(old, path)
        return killed(after, killing.migration, path)

    for _ in kills(lasts, attempt):
        counts["kills"] += 1
        counts["half_way"] += 1 < _schema(path) < len(migrations.MIGRATIONS)
        ended(killing.migration, path)
        counts["different"] += content(path) != expected or _schema(path) != len(migrations.MIGRATIONS)
    recorded("migration killed", **counts)
    assert counts["different"] == 0


def _schema(path: Path) -> int:
    with duckdb.connect(str(path)) as db:
        return migrations.version(db)


def test_flipped_bytes_are_refused_in_one_line_or_do_no_harm(whole: Path, tmp_path: Path) -> None:
    sound = whole.read_bytes()
    drawn = random.Random(5)
    damaged = tmp_path / "damaged.memcli"
    ends: Counter[str] = Counter()
    for _ in range(TRIES):
        broken = bytearray(sound)
        for place in drawn.sample(range(len(broken)), 8):
            broken[place] ^= 1 << drawn.randrange(8)
        damaged.write_bytes(broken)
        for command in (["search", "boat"], ["compact"]):
            arguments = [sys.executable, "-m", "memcli", *command, "--store", str(damaged)]
            ran = subprocess.run(arguments, capture_output=True, text=True, check=False)
            ends[f"{command[0]} {ran.returncode}"] += 1
            assert ran.returncode in DOCUMENTED, (ran.returncode, ran.stderr)
            assert "Traceback" not in ran.stderr
    recorded("flipped bytes", tries=TRIES, exit_codes=dict(ends))
