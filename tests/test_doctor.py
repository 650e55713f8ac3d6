"""The doctor: every kind of damage is found, what can be mended is, and what was said is never touched."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from memcli.cli.options import UNCALIBRATED
from memcli.formats import Message
from memcli.memory import Memory
from memcli.model import Filters
from memcli.store.selection import Selection
from memcli.strategies import STRATEGIES
from tests.conftest import Ran, tried

Cli = Callable[..., Ran]

#: The five signals of a store in which no answer was noted.
_NONE, _NO_ANSWER = {"value": None, "n": 0, "state": "unknown"}, "no answer is noted yet"
_NOT_USEFUL = "no answer was judged useful: memcli feedback last --useful"
DRIFT = [
    {"name": "recall", "unit": "share", "note": _NOT_USEFUL, **_NONE},
    {"name": "cost", "unit": "tokens", "note": _NO_ANSWER, **_NONE},
    {"name": "p95", "unit": "seconds", "note": _NO_ANSWER, **_NONE},
    {"name": "gap", "unit": "nats", "note": _NO_ANSWER, **_NONE},
    {"name": "validator", "value": 0.0, "unit": "share", "n": 1, "state": "fine", "note": ""},
]


@pytest.fixture
def prepared(prepared_store: Path, tmp_path: Path) -> Memory:
    path = tmp_path / "prepared.memcli"
    shutil.copy(prepared_store, path)
    path.chmod(0o600)
    return Memory(path)


def _run(memory: Memory, *statements: str) -> None:
    with memory.store.writing() as db:
        for sql in statements:
            db.execute(sql)


def _said(memory: Memory) -> list[tuple[object, ...]]:
    with memory.store.reading() as db:
        return db.execute("select * from turn order by all").fetchall()


def _found(memory: Memory) -> set[str]:
    return {finding.what for finding in memory.care.examine().left}


def test_a_sound_store(prepared: Memory) -> None:
    assert _found(prepared) == set()


def test_a_store_that_grew_and_forgot_is_sound(prepared: Memory) -> None:
    with prepared.store.reading() as db:
        rows = db.execute(
            "select s.conversation, s.id, t.id from session s join turn t on t.session = s.seq"
        ).fetchall()
    prepared.add([Message("I like Kyoto in autumn.", "Ada", conversation=rows[0][0], session=rows[0][1], id="new")])
    prepared.prepare(STRATEGIES)
    found = prepared.care.examine()
    assert found.is_sound
    assert {finding.what for finding in found.left} <= {"edges without an end"}
    prepared.care.forget([turn for _, _, turn in rows[::7]])
    assert prepared.care.examine().is_sound
    prepared.prepare(STRATEGIES)
    assert prepared.care.examine().is_sound
    prepared.compact()
    assert _found(prepared) == set()


def test_forgetting_a_speaker_leaves_a_sound_store(prepared: Memory) -> None:
    with prepared.store.reading() as db:
        ((speaker,),) = db.execute("select speaker from turn group by 1 order by count(*), 1 limit 1").fetchall()
    prepared.care.forget(prepared.care.select(Selection(filters=Filters(speaker=speaker))))
    assert _found(prepared) == set()


_TURN = "(select min(seq) from turn where session = 3)"
_SENTENCE = "(select min(seq) from unit where kind = 'sentence' and session = 3)"
_VECTOR = "(select min(vector) from unit where kind = 'sentence' and session = 3)"


def _unit(kind: str) -> str:
    return f"(select min(seq) from unit where kind = '{kind}')"


#: What is done to a store, by what the doctor says of it; all of it can be mended.
MENDABLE = {
    "sources without a turn": [f"insert into source values ({_SENTENCE}, 99999)"],
    "units without a source": ["insert into unit values (99999, 'x', 'fact', 3, 'x', null, null)"],
    "sources without a unit": [f"insert into source values (99999, {_TURN})"],
    "edges without an end": ["insert into edge values (0, 99999, 'similar', 1)"],
    "vectors without a sentence": ["insert into vector select 99999, 1, 1, data from vector limit 1"],
    "memories without a unit": ["insert into memory select 99999, * exclude (unit) from memory limit 1"],
    "events without a unit": ["insert into event values (99999, 'x', null)"],
    "roles without an event": [f"insert into role values (99999, {_unit('argument')}, 'x')"],
    "postings without a turn": ["insert into posting values ('ghost', 99999, 1)"],
    "documents without a turn": ["insert into document values (99999, 1, 0)"],
    "digests without a turn": ["insert into digest values (99999, 1)"],
    "ledger entries without a session": ["insert into built values (99999, 'transcript', 1, 1)"],
    "sessions without a turn": ["insert into session values (99999, 's:0123456789abcdef', 'c', '', null, null, '')"],
    "doubled edges": ["insert into edge select * from edge limit 3"],
    "doubled calls": ["insert into call select 'k', 'm', 'q', 'r', now() from range(2)"],
    "units without a session": [f"update unit set session = 99999 where seq = {_unit('fact')}"],
    "doubled sources": [f"insert into source select * from source where unit = {_SENTENCE}"],
    "doubled tombstones": ["insert into tombstone select 'x', now() from range(2)"],
    "edges without a weight": ["insert into edge select src, dst, 'x', 'nan'::float from edge limit 1"],
    "turns without a document": [f"delete from document where turn = {_TURN}"],
    "doubled documents": [f"insert into document select * from document where turn = {_TURN}"],
    "turns whose postings do not add up": [f"delete from posting where turn = {_TURN}"],
    "turns with doubled postings": [f"insert into posting select * from posting where turn = {_TURN}"],
    "turns without one turn unit": ["delete from unit where kind = 'turn' and session = 3"],
    "turns without one round unit": ["delete from unit where kind = 'round' and session = 3"],
    "turns without one session unit": ["delete from unit where kind = 'session' and session = 3"],
    "turns without a sentence": ["delete from unit where kind = 'sentence' and session = 3"],
    "sentences without a vector": [f"delete from vector where seq = {_VECTOR}"],
    "doubled vectors": [f"insert into vector select * from vector where seq = {_VECTOR}"],
    "doubled units": [f"insert into unit select * from unit where seq = {_SENTENCE}"],
    "sessions without a whole index": ["delete from built where session = 3 and producer = 'transcript'"],
    "ledger entries ahead of their session": ["update built set turns = 9999 where producer = 'memories'"],
    "generated units without a memory": [f"delete from memory where unit = {_unit('fact')}"],
    "doubled memories": [f"insert into memory select * from memory where unit = {_unit('fact')}"],
    "events without a type": [f"delete from event where unit = {_unit('edu')}"],
    "arguments of no event": [f"delete from role where argument = {_unit('argument')}"],
    "memories replaced by nothing": [f"update memory set replaced_by = 99999 where unit = {_unit('fact')}"],
    "vectors that are none": [f"update vector set data = 'x'::blob where seq = {_VECTOR}"],
    "vectors of generated memory that are none": [f"update memory set data = 'x'::blob where unit = {_unit('fact')}"],
    "pooled vectors of another length": ["update unit set norm = norm * 2 where kind = 'round'"],
    "broken snapshots": ["insert into snapshot values ('graph', 0, 1, 1, 'wrong', 'x'::blob)"],
    "snapshots ahead of the store": ["insert into snapshot values ('hnsw', 0, 99999, 1, sha256('x'), 'x'::blob)"],
}  # fmt: skip


@pytest.mark.parametrize("what", tried(MENDABLE))
def test_damage_is_found_and_mended(prepared: Memory, what: str) -> None:
    said = _said(prepared)
    _run(prepared, *MENDABLE[what])
    found = {finding.what: finding for finding in prepared.care.examine().left}
    assert what in found
    assert found[what].mend
    assert found[what].example
    mended = prepared.care.examine(repair=True)
    assert what in {finding.what for finding in mended.mended}
    assert [finding for finding in mended.left if not finding.harmless] == []
    assert _said(prepared) == said
    prepared.prepare(STRATEGIES)
    assert [finding for finding in prepared.care.examine().left if not finding.harmless] == []
    for name in STRATEGIES:
        assert prepared.search("What does she like?", strategy=name, k=3), name


#: What nobody can make again.
HOPELESS = {
    "turns that differ from what was stored": [f"update turn set text = text || '!' where seq = {_TURN}"],
    "turns without a digest": [f"delete from digest where turn = {_TURN}"],
    "turns with an id that is none": [f"update turn set id = 'nonsense' where seq = {_TURN}"],
    "sessions with an id that is none": ["update session set id = 'nonsense' where seq = 3"],
    "doubled turns (id)": ["insert into turn select 99999, * exclude (seq) from turn limit 1"],
    "doubled turns (seq)": ["insert into turn select * from turn limit 1"],
    "doubled sessions (id)": ["insert into session select 99999, * exclude (seq) from session limit 1"],
    "doubled sessions (seq)": ["insert into session select * from session limit 1"],
    "turns without a session": ["delete from session where seq = 3"],
    "turns out of place": [f"update turn set position = 9999 where seq = {_TURN}"],
    "turns that were forgotten": ["insert into tombstone select sha256('memcli tombstone ' || id), now() from turn"],
    "migrations that are none of memcli's": ["update migration set name = 'x' where number = 2"],
    "the store does not say which embedder filled it": ["delete from meta where key = 'embedder.id'"],
    "vectors of no known embedder": ["delete from meta where starts_with(key, 'embedder')"],
    "an embedder that memcli does not know": ["update meta set value = 'x' where key = 'embedder.name'"],
}  # fmt: skip


@pytest.mark.parametrize("what", tried(HOPELESS))
def test_what_cannot_be_mended_is_found(prepared: Memory, what: str) -> None:
    _run(prepared, *HOPELESS[what])
    found = {finding.what: finding for finding in prepared.care.examine().left}
    assert what in found
    assert found[what].mend is None
    assert not found[what].harmless


def test_a_flipped_vector_is_made_again(prepared: Memory) -> None:
    best = prepared.search("What does she like?", k=3)
    row = np.full(384, np.nan, dtype=np.float16).tobytes()
    with prepared.store.writing() as db:
        db.execute("update vector set data = ? where seq in (3, 4, 5)", [row])
    (finding,) = [each for each in prepared.care.examine().left if each.what == "vectors that are none"]
    assert finding.count == 3
    assert prepared.care.examine(repair=True).is_sound
    assert [hit.unit.id for hit in prepared.search("What does she like?", k=3)] == [hit.unit.id for hit in best]


def test_nothing_is_changed_without_repair(prepared: Memory) -> None:
    _run(prepared, *MENDABLE["postings without a turn"])
    path = prepared.store.path
    assert path is not None
    path.chmod(0o644)
    before = path.read_bytes()
    assert not prepared.care.examine().is_sound
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (before, 0o644)


def test_the_file_itself(prepared: Memory) -> None:
    path = prepared.store.path
    assert path is not None
    path.chmod(0o640)
    copy = path.with_name(f".{path.name}.compacting")
    copy.write_text("half a copy")
    assert _found(prepared) == {"the file is open to others", "what an interrupted run left"}
    assert prepared.care.examine(repair=True).is_sound
    assert path.stat().st_mode & 0o777 == 0o600
    assert not copy.exists()


def test_a_log_that_was_left_is_harmless(memory: Memory) -> None:
    import duckdb

    memory.add([Message("Hello.")])
    path = memory.store.path
    assert path is not None
    with duckdb.connect(str(path), config={"checkpoint_threshold": "1TB"}) as db:
        db.execute("set checkpoint_threshold = '1TB'")
        db.execute("insert into call values ('k', 'm', 'q', 'r', now())")
        log = path.with_name(path.name + ".wal")
        kept, whole = log.read_bytes(), path.read_bytes()
    path.write_bytes(whole)
    log.write_bytes(kept)
    found = memory.care.examine()
    assert (found.is_sound, [finding.what for finding in found.left]) == (True, ["a log that is not yet in the file"])
    assert memory.care.examine(repair=True).left == []
    assert not log.exists()


# -- the command -----------------------------------------------------------------------------------------------------


@pytest.fixture
def store(memory: Memory) -> str:
    memory.add([Message("I like tea.", "Ada", id="1"), Message("Me too.", "Bo", id="2")])
    return str(memory.store.path)


def test_doctor_golden_json(cli: Cli, memory: Memory, store: str) -> None:
    ran = cli("doctor", "--json", "--store", store)
    assert (ran.code, ran.err) == (0, "")
    assert ran.json == {"store": store, "repair": False, "sound": True, "findings": [], "repaired": [], "drift": DRIFT}
    _run(memory, "insert into posting values ('ghost', 99999, 1)")
    finding = {"what": "postings without a turn", "count": 1, "example": "99999", "repairable": True, "harmless": False}
    ran = cli("doctor", "--json", "--store", store)
    assert ran.code == 3
    broken = {"sound": False, "findings": [finding], "repaired": [], "drift": []}
    assert ran.json == {"store": store, "repair": False, **broken}
    ran = cli("doctor", "--repair", "--json", "--store", store)
    assert ran.code == 0
    mended = {"sound": True, "findings": [], "repaired": [finding], "drift": DRIFT}
    assert ran.json == {"store": store, "repair": True, **mended}


def test_doctor_plain(cli: Cli, memory: Memory, store: str) -> None:
    assert cli("doctor", "--store", store).out == f"the store is sound\nthresholds: {UNCALIBRATED}\n"
    _run(memory, "insert into posting values ('ghost', 99999, 1)", "update turn set text = 'x' where seq = 0",
         "insert into edge values (0, 777, 'similar', 1)")  # fmt: skip
    ran = cli("doctor", "--store", store)
    assert ran.code == 3
    lines = ran.out.splitlines()
    assert lines[0].startswith("damaged: turns that differ from what was stored: 1, such as t:")
    assert lines[0].endswith("(cannot be repaired: restore it from a copy)")
    assert "harmless: edges without an end: 1, such as 0 – 777" in lines
    assert "damaged: postings without a turn: 1, such as 99999 (--repair can mend it)" in lines
    assert lines[-1] == "the store is damaged"


def test_hostile_names_are_one_line(cli: Cli, memory: Memory, store: str) -> None:
    with memory.store.writing() as db:
        db.execute("update turn set id = ? where seq = 0", ["\x1b[31mred\n[bold]x'); drop table turn; --"])
    ran = cli("doctor", "--store", store)
    assert ran.code == 3
    assert "\x1b" not in ran.out
    assert all(line.startswith(("damaged: ", "the store")) for line in ran.out.splitlines())


@pytest.mark.parametrize("content", [b"", b"nonsense", None])
def test_what_is_no_store_is_one_line(cli: Cli, tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "x.memcli"
    if content is not None:
        path.write_bytes(content)
    ran = cli("doctor", "--store", path)
    assert (ran.code, len(ran.err.splitlines()), ran.out) == (3, 1, "")


def test_a_flipped_byte_in_the_file_is_one_line(cli: Cli, store: str) -> None:
    path = Path(store)
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 4096] = bytes(b ^ 0xFF for b in data[middle : middle + 4096])
    path.write_bytes(data)
    ran = cli("doctor", "--store", store)
    assert ran.code in (0, 3)  # free space may have been hit
    assert ran.code == 0 or len(ran.err.splitlines()) == 1
