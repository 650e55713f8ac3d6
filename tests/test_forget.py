"""Forgetting: what goes is gone from every table, from the search, from the file; what stays is whole."""

from __future__ import annotations

import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memcli.formats import Message
from memcli.indexing.forgetting import forget_within
from memcli.memory import Memory
from memcli.model import Filters, TurnId
from memcli.store import topics
from memcli.store.quoting import Gone
from memcli.store.rows import transaction
from memcli.store.selection import Selection
from memcli.strategies import STRATEGIES
from tests.conftest import Ran
from tests.proportion import LINEAR, growth

Cli = Callable[..., Ran]

#: Words that nothing else in the sample has, as they are said, and as they are stemmed.
SECRET = "I moved to Zanzoukwe with my sister Quorvexa. She flimmered a passphrase: gribblexnort."
TRACES = ("zanzoukw", "quorvexa", "flimmer", "gribblexnort")


def _chat() -> list[Message]:
    said = [
        ("Ada", "I like green tea. Lisbon is lovely in May."),
        ("Bo", "Me too! My cat is called Miso."),
        ("Ada", SECRET),
        ("Bo", "How exciting. I like green tea."),
        ("Ada", "I play the cello in an orchestra."),
    ]
    return [
        Message(text, speaker, said_at=None, conversation="c", session="s", id=str(i))
        for i, (speaker, text) in enumerate(said)
    ]


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.add(_chat())
    return memory


@pytest.fixture
def prepared(prepared_store: Path, tmp_path: Path) -> Memory:
    """The sample with every kind of generated memory, and a session with a secret in it."""
    path = tmp_path / "store" / "prepared.memcli"
    path.parent.mkdir()
    shutil.copy(prepared_store, path)
    memory = Memory(path)
    memory.add(_chat())
    memory.prepare(STRATEGIES)
    return memory


def _id(memory: Memory, like: str) -> TurnId:
    with memory.store.reading() as db:
        ((turn,),) = db.execute("select id from turn where contains(text, ?)", [like]).fetchall()
    return TurnId(turn)


def _all(memory: Memory, sql: str) -> list[tuple[object, ...]]:
    with memory.store.reading() as db:
        return db.execute(sql).fetchall()


def _in_tables(memory: Memory, traces: tuple[str, ...] = TRACES) -> list[str]:
    """Where a trace is, by table, in any column."""
    found = []
    with memory.store.reading() as db:
        for (table,) in db.execute("select table_name from duckdb_tables()").fetchall():
            rows = db.execute(f"select lower(t::varchar) from {table} t").fetchall()
            found += [f"{table}: {trace}" for trace in traces if any(trace in row for (row,) in rows)]
    return found


def _in_files(folder: Path, traces: tuple[str, ...] = TRACES) -> list[str]:
    """Where a trace is, by file, in its bytes."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [f"{f.name}: {trace}" for f in files for trace in traces if trace.encode() in f.read_bytes().lower()]


def _without(memory: Memory, turn: str) -> None:
    """Checks that nothing refers to a turn that is gone, and that nothing is left of nothing."""
    for table, column in (("source", "turn"), ("posting", "turn"), ("document", "turn"), ("digest", "turn")):
        assert _all(memory, f"select * from {table} where {column} not in (select seq from turn)") == [], table
    for table, column in (
        ("memory", "unit"), ("event", "unit"), ("role", "event"), ("role", "argument"), ("edge", "src"),
        ("edge", "dst"), ("source", "unit"), ("assertion", "unit"),
    ):  # fmt: skip
        assert _all(memory, f"select * from {table} where {column} not in (select seq from unit)") == [], table
    assert _all(memory, "select * from unit where seq not in (select unit from source)") == []
    assert _all(memory, "select * from unit where session not in (select seq from session)") == []
    assert _all(memory, "select * from vector where seq not in (select vector from unit where vector >= 0)") == []
    assert _all(memory, f"select id from turn where id = '{turn}'") == []


def test_nothing_is_left_in_any_table(prepared: Memory) -> None:
    places = _in_tables(prepared)
    assert {place.split(":")[0] for place in places} >= {"turn", "unit", "posting"}
    turn = _id(prepared, "Zanzoukwe")
    done = prepared.care.forget([turn])
    assert (list(done.turns), done.sessions) == ([turn], 0)
    assert _in_tables(prepared) == []
    _without(prepared, turn)
    assert _all(prepared, "select count(*) from tombstone") == [(1,)]
    assert _all(prepared, "select count(*) from snapshot") == [(0,)]


def test_no_byte_is_left_in_any_file(prepared: Memory) -> None:
    path = prepared.store.path
    assert path is not None
    assert {line.split(": ")[1] for line in _in_files(path.parent)} == set(
        TRACES
    )  # else the search would prove nothing
    prepared.care.forget([_id(prepared, "Zanzoukwe")])
    prepared.compact()
    assert _in_files(path.parent) == []
    assert [f.name for f in path.parent.iterdir()] == [path.name]  # no log, no copy
    assert prepared.search("green tea", k=1)


def test_no_byte_is_left_after_an_interrupted_compaction(filled: Memory, tmp_path: Path) -> None:
    path = filled.store.path
    assert path is not None
    copy = path.with_name(f".{path.name}.compacting")
    shutil.copy(path, copy)
    shutil.copy(path, copy.with_name(copy.name + ".wal"))
    filled.care.forget([_id(filled, "Zanzoukwe")])
    filled.compact()
    assert _in_files(path.parent) == []


def test_a_search_never_finds_it(prepared: Memory) -> None:
    assert any("Zanzoukwe" in hit.unit.text for hit in prepared.search("Who lives in Zanzoukwe?"))
    prepared.care.forget([_id(prepared, "Zanzoukwe")])
    for name in STRATEGIES:
        hits = prepared.search("Who lives in Zanzoukwe with a sister?", strategy=name, k=30)
        assert hits
        assert not [hit for hit in hits if any(trace in hit.unit.text.lower() for trace in TRACES)], name
    assert _in_tables(prepared) == []  # what a strategy has made again is made without it


def test_the_rest_of_the_session_is_as_if_it_had_never_been_said(filled: Memory, tmp_path: Path) -> None:
    filled.care.forget([_id(filled, "Zanzoukwe")])
    never = Memory(tmp_path / "never.memcli", embedder="fake")
    never.add([message for message in _chat() if message.text != SECRET])
    for sql in (
        "select id, position, speaker, text from turn order by position",
        """select u.kind, u.id, round(u.norm, 4), list(t.id order by t.position) from unit u
           join source o on o.unit = u.seq join turn t on t.seq = o.turn group by all order by all""",
        "select d.length, d.cues, t.id from document d join turn t on t.seq = d.turn order by t.id",
        "select hash, weight from vector order by hash",
        """select a.id, b.id from edge e join unit a on a.seq = e.src join unit b on b.seq = e.dst
           where e.relation = 'membership' order by all""",
        "select producer, version, turns from built",
    ):
        assert _all(filled, sql) == _all(never, sql)


def test_a_sentence_that_was_said_again_inherits_the_neighbours(memory: Memory) -> None:
    memory.add([Message("Tea is fine.", session="a", id="1"), Message("Tea is nice.", session="a", id="2")])
    memory.add([Message("Tea is fine.", session="b", id="3"), Message("Tea is fine.", session="c", id="4")])
    memory.care.forget([_all(memory, "select id from turn where position = 0 order by seq")[0][0]])  # type: ignore[list-item]
    pairs = _all(
        memory,
        """select dst, src from edge e join unit a on a.seq = src join unit b on b.seq = dst
           where relation = 'similar' order by all""",
    )
    units = _all(memory, "select seq from unit where kind = 'sentence' order by seq")
    nice, second, third = (seq for (seq,) in units)
    assert (second, third) in pairs  # later to earlier: dst, src
    assert (nice, second) in pairs
    assert len(set(pairs)) == len(pairs)


def test_ingesting_again_does_not_bring_it_back(filled: Memory) -> None:
    turn = _id(filled, "Zanzoukwe")
    filled.care.forget([turn])
    report = filled.add(_chat())
    assert (report.added, report.forgotten) == (0, 1)
    assert _in_tables(filled) == []


def test_a_forgotten_session_stays_forgotten(filled: Memory) -> None:
    done = filled.care.forget(filled.care.select(Selection(filters=Filters(conversation="c"))))
    assert (len(done.turns), done.sessions) == (5, 1)
    assert filled.add(_chat()).forgotten == 5
    assert _all(filled, "select count(*) from session") == [(0,)]


def test_a_writer_that_has_not_heard_of_it_does_not_bring_it_back(filled: Memory) -> None:
    from memcli.indexing.transcript.indexer import Indexer
    from memcli.providers.fakes import FakeEmbedder
    from memcli.store import transcript

    with filled.store.reading() as db:
        turns = transcript.turns_of(db, [0])[0]
        session = transcript.sessions_of(db, [turns[0].session])[turns[0].session]
    filled.care.forget([turn.id for turn in turns])
    indexer = Indexer(filled.store, FakeEmbedder())
    indexer.add(session, turns)
    indexer.finish()
    assert _all(filled, "select count(*) from turn, session") == [(0,)]


def test_allow_again_brings_it_back(filled: Memory, cli: Cli, write: Callable[..., Path]) -> None:
    path = write("again.jsonl", {"text": SECRET, "speaker": "Ada", "conversation": "c", "session": "s", "id": "2"})
    turn = _id(filled, "Zanzoukwe")
    filled.care.forget([turn])
    store = str(filled.store.path)
    ran = cli("ingest", path, "--store", store)
    assert (ran.code, ran.err) == (0, "0 new messages in 0 sessions; 1 left out: forgotten before\n")
    ran = cli("ingest", path, "--store", store, "--allow-again", "--json")
    assert isinstance(ran.json, dict)
    assert (ran.json["added"], ran.json.get("forgotten")) == (1, None)
    assert _id(filled, "Zanzoukwe") == turn
    assert _all(filled, "select count(*) from tombstone") == [(0,)]
    assert _all(filled, "select position from turn order by position") == [(i,) for i in range(5)]


def test_cached_calls_and_remarks_that_quote_it_go(filled: Memory) -> None:
    calls = {
        "transcript": json.dumps({"messages": [{"content": f"1 Ada: {SECRET[:30]} …"}]}),
        "nested": json.dumps({"choices": [{"message": {"content": json.dumps({"fact": "Ada lives in zanzoukwe"})}}]}),
        "other": json.dumps({"messages": [{"content": "2 Bo: Me too! My cat is called Miso."}]}),
        "common words": json.dumps({"messages": [{"content": "I like green tea. How exciting."}]}),
    }
    with filled.store.writing() as db:
        for key, request in calls.items():
            db.execute("insert into call values (?, 'm', ?, '{}', now())", [key, request])
        db.execute(
            "insert into feedback values ('1', 'wrong', 'It is Gribblexnort!', now()), ('2', 'right', '', now())"
        )
    done = filled.care.forget([_id(filled, "Zanzoukwe")])
    assert set(done.calls) == {"transcript", "nested"}
    assert _all(filled, "select key from call order by key") == [("common words",), ("other",)]
    assert _all(filled, "select answer from feedback") == [("2",)]
    assert _in_tables(filled) == []


@pytest.mark.parametrize(
    ("gone", "stays", "quotes", "text"),
    [
        ("I would like to buy a red car.", "I would like to buy a house. A red car!", True, "like to buy a red car"),
        (
            "I would like to buy a red car.",
            "I would like to buy a house. A red car!",
            False,
            "would like to buy a house",
        ),
        ("Yes.", "Yes.", False, "Yes."),
        ("Yes.", "No.", True, '"Ada: yes"'),
        ("🎉🎉", "No.", True, '["party 🎉🎉"]'),
        ("Żółć!", "No.", True, '{"a": "\\u017b\\u00f3\\u0142\\u0107"}'),
        ("Now. Or never again, my friend.", "Or, now", True, '{"x": ["[1] or never again"'),
    ],
)
def test_what_counts_as_a_quotation(gone: str, stays: str, quotes: bool, text: str) -> None:
    assert Gone([gone], [stays], [text]).is_quoted(text) is quotes


@pytest.mark.parametrize(
    ("gone", "stays", "quotes", "text"),
    [
        ("🎉🎉", "Hurray 🎉🎉🎉!", False, "party 🎉🎉"),
        ("🎉🎉", "Hurray 🎉!", True, "party (🎉🎉🎉)"),
        ("... ?!", "What? !... !", True, "what... ?! yes"),
        ("... ?!", "What... ?!?", False, "what... ?! yes"),
    ],
)
def test_signs_are_quoted_wherever_they_stand(gone: str, stays: str, quotes: bool, text: str) -> None:
    assert Gone([gone], [stays], [text]).is_quoted(text) is quotes


def test_what_stays_is_read_no_further_than_it_decides_anything() -> None:
    def stays() -> Iterator[str]:
        yield "Mine is the red car."
        pytest.fail("all words of what may quote it are said in this one")

    assert not Gone(["The red car is old."], stays(), ["Whose is the car?", "red"]).is_quoted("The red car")


def test_topics_are_learned_again_where_something_that_goes_asserts_something(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.add([Message("I like tea.", "Ada", session="a", id="1"), Message("Hm.", "Bo", session="b", id="2")])
    learned = list[object]()
    monkeypatch.setattr(topics, "drop_concepts", learned.append)
    with memory.store.writing() as db:
        known = dict(db.execute("select text, id from turn").fetchall())
        forget_within(db, [known["Hm."]])
        assert learned == []
        forget_within(db, [known["I like tea."]])
        assert learned != []


def test_what_is_gone_is_learned_in_linear_time() -> None:
    def texts(count: int, who: str) -> list[str]:
        return [f"{who}{i} brought the {i % 97} boat to harbour {i}. {'🙈' * (i % 40 + 1)}" for i in range(count)]

    def learn(count: int) -> Gone:
        return Gone(texts(count, "a"), texts(count, "b"), texts(count, "a"))

    assert growth(learn, 4000) < LINEAR


def test_forgetting_asks_the_store_as_often_for_many_sessions_as_for_few(tmp_path: Path) -> None:
    assert _statements(tmp_path / "few.memcli", 3) == _statements(tmp_path / "many.memcli", 30)


def _statements(path: Path, sessions: int) -> int:
    """How many statements it takes to forget one of two who speak in every session, of places that both speak of."""
    memory = Memory(path, embedder="fake")
    chat = [(f"{which} {i}", who) for which in ("first", "later") for i in range(sessions) for who in ("Ada", "Bo")]
    memory.add(
        Message(f"I visited Harbour{session.split()[1]} in June.", who, session=session, id=str(i))
        for i, (session, who) in enumerate(chat)
        if (session.split()[0], who) != ("later", "Ada")
    )
    memory.prepare(["emem"])
    turns = memory.care.select(Selection(filters=Filters(speaker="Ada")))
    with memory.store.writing() as db:
        counted = _Counting(db)
        with transaction(db):
            forget_within(counted, turns)  # type: ignore[arg-type]
    return counted.statements


class _Counting:
    """An open store that counts what is asked of it."""

    def __init__(self, db: object) -> None:
        self._db = db
        self.statements = 0

    def __getattr__(self, name: str) -> object:
        self.statements += name == "execute"
        return getattr(self._db, name)


def test_an_argument_is_written_as_it_is_in_what_stays(prepared: Memory) -> None:
    prepared.add([Message("I visited QUIXWORTHY in June.", "Ada", conversation="d", session="1", id="1")])
    prepared.prepare(STRATEGIES)
    prepared.add([Message("I visited Quixworthy in July.", "Bo", conversation="d", session="2", id="2")])
    prepared.prepare(STRATEGIES)
    assert _all(prepared, "select text from unit where kind = 'argument' and lower(text) = 'quixworthy'")
    prepared.care.forget([_id(prepared, "QUIXWORTHY")])
    assert _all(prepared, "select text from unit where kind = 'argument' and lower(text) = 'quixworthy'") == [
        ("Quixworthy",)
    ]
    _without(prepared, "")


def test_forgetting_speaker_by_speaker_leaves_nothing(prepared: Memory) -> None:
    speakers = [str(name) for (name,) in _all(prepared, "select distinct speaker from turn order by 1")]
    for speaker in speakers:
        turns = prepared.care.select(Selection(filters=Filters(speaker=speaker.upper())))
        assert prepared.care.forget(turns).turns
        _without(prepared, turns[0])
    counts = "select (select count(*) from turn), (select count(*) from unit), (select count(*) from edge), "
    counts += "(select count(*) from vector), (select count(*) from session), (select count(*) from built)"
    assert _all(prepared, counts) == [(0, 0, 0, 0, 0, 0)]


def test_a_session_can_go_on_afterwards(filled: Memory) -> None:
    filled.care.forget([_id(filled, "Zanzoukwe")])
    filled.add([Message("And another thing.", "Bo", conversation="c", session="s", id="9")])
    positions = _all(filled, "select position from turn order by position")
    assert positions == [(i,) for i in range(5)]
    assert filled.search("another thing", k=1)[0].unit.text == "And another thing."


def test_nothing_changes_when_it_fails_on_the_way(filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    from memcli.indexing import forgetting

    before = {
        table: _all(filled, f"select * from {table} order by all") for table in ("turn", "unit", "edge", "posting")
    }
    monkeypatch.setattr(forgetting, "coarse_units", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        filled.care.forget([_id(filled, "Zanzoukwe")])
    assert {table: _all(filled, f"select * from {table} order by all") for table in before} == before
    assert _all(filled, "select count(*) from tombstone") == [(0,)]


def test_a_kill_leaves_all_or_nothing(prepared: Memory, tmp_path: Path) -> None:
    path, turn = prepared.store.path, _id(prepared, "Zanzoukwe")
    assert path is not None
    whole = path.read_bytes()
    program = (
        "import sys\nfrom memcli.memory import Memory\n"
        "import memcli.indexing.forgetting, memcli.store.forgetting\n"
        f"memory = Memory({str(path)!r})\nprint('go', flush=True)\nmemory.care.forget([{turn!r}])\n"
        "print('done', flush=True)\nsys.stdin.read()"
    )
    outcomes = set()
    for delay in (0.0, 0.02, 0.05, 0.08, 0.11, 0.14, 0.18, 0.25):
        path.write_bytes(whole)
        path.with_name(path.name + ".wal").unlink(missing_ok=True)
        child = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert child.stdout is not None
        assert child.stdin is not None
        child.stdout.readline()
        time.sleep(delay)
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        child.stdin.close()
        left = _in_tables(prepared)
        outcomes.add(bool(left))
        if left:
            assert _id(prepared, "Zanzoukwe") == turn
            assert _all(prepared, "select count(*) from tombstone") == [(0,)]
        else:
            _without(prepared, turn)
            assert _all(prepared, "select count(*) from tombstone") == [(1,)]
    assert outcomes


# -- the command -----------------------------------------------------------------------------------------------------


@pytest.fixture
def store(filled: Memory) -> str:
    return str(filled.store.path)


def test_forget_golden_json(cli: Cli, filled: Memory, store: str) -> None:
    turn = _id(filled, "Zanzoukwe")
    expected = {"dry_run": True, "turns": [turn], "sessions": 0, "units": 14, "calls": 0, "feedback": 0, "answers": 0}
    ran = cli("forget", turn, "--dry-run", "--json", "--store", store)
    assert (ran.code, ran.json) == (0, expected)
    assert "Zanzoukwe" in ran.err
    assert _id(filled, "Zanzoukwe") == turn
    ran = cli("forget", turn, "--yes", "--json", "--store", store)
    assert (ran.code, ran.json, ran.err) == (0, {**expected, "dry_run": False}, "")


def test_forget_plain(cli: Cli, filled: Memory, store: str) -> None:
    (session,) = {session for (session,) in _all(filled, "select id from session")}
    ran = cli("forget", str(session), "--yes", "--store", store)
    assert ran.code == 0
    assert ran.out.startswith("forgot 5 turns, 1 session with all its turns, ")
    assert ran.out.endswith("memcli compact takes their bytes out of the file\n")


@pytest.mark.parametrize(
    ("options", "left"),
    [
        (["--speaker", "ada"], 2),
        (["--conversation", "C"], 0),
        (["--speaker", "Bo", "--conversation", "c"], 3),
        (["--since", "2024-01-01"], None),  # none has a date
        (["--query", "the cello in an orchestra", "--pick", "1"], 4),
        (["--query", "the cello in an orchestra", "--pick", "1, 3,1"], 3),
        (["--query", "the cello in an orchestra", "-k", "1", "--speaker", "Bo", "--pick", "1"], 4),
    ],
)
def test_what_is_chosen(cli: Cli, filled: Memory, store: str, options: list[str], left: int | None) -> None:
    ran = cli("forget", *options, "--yes", "--store", store)
    assert ran.code == (1 if left is None else 0)
    assert _all(filled, "select count(*) from turn") == [(5 if left is None else left,)]


def test_dates_choose_whole_days(cli: Cli, memory: Memory, write: Callable[..., Path]) -> None:
    days = [{"text": f"Day {day}.", "timestamp": f"2024-03-{day:02}T23:30:00+00:00"} for day in range(1, 6)]
    memory.ingest([write("days.jsonl", *days)])
    store = str(memory.store.path)
    assert cli("forget", "--since", "2024-03-02", "--until", "2024-03-03", "--yes", "--store", store).code == 0
    said = [text for (text,) in _all(memory, "select text from turn order by said_at")]
    assert "Day 1." in said
    assert "Day 5." in said
    assert len(said) == 3


def test_a_query_shows_what_it_found_numbered_and_forgets_what_is_picked(cli: Cli, filled: Memory, store: str) -> None:
    looked = cli("forget", "--query", "cello", "-k", "3", "--dry-run", "--store", store)
    *shown, hint = looked.err.splitlines()
    assert [line.split()[0] for line in shown] == ["1", "2", "3"]
    assert "I play the cello in an orchestra." in shown[0]
    assert "--pick 1,2" in hint
    assert _all(filled, "select count(*) from turn") == [(5,)]
    picked = [line.split()[-1] for line in (shown[0], shown[2])]
    ran = cli("forget", "--query", "cello", "-k", "3", "--pick", "1,3", "--yes", "--json", "--store", store)
    assert ran.code == 0
    assert isinstance(ran.json, dict)
    assert sorted(ran.json["turns"]) == sorted(picked)
    assert [line.split()[-1] for line in ran.err.splitlines()] == picked
    assert _all(filled, "select count(*) from turn") == [(3,)]


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--speaker", "Ada"], 2, "no terminal to ask on"),
        ([], 2, "nothing was said to be forgotten"),
        (["--yes"], 2, "nothing was said to be forgotten"),
        (["t:nonsense", "--yes"], 1, "nothing in the store has the id t:nonsense"),
        (["'; drop table turn; --", "--yes"], 1, "nothing in the store has the id"),
        (["--since", "never ever", "--yes"], 2, "never ever"),
        (["--query", "x", "-k", "0", "--yes"], 2, ""),
        (["--query", "x", "--yes"], 2, "--yes alone"),
        (["--query", "x", "--speaker", "Ada", "--yes"], 2, "--yes alone"),
        (["--query", "x"], 2, "--pick"),
        (["--query", "x", "--pick", "1"], 2, "no terminal to ask on"),
        (["--query", "tea", "--pick", "0", "--yes"], 2, "not '0'"),
        (["--query", "tea", "--pick", "1,99", "--yes"], 2, "not '99'"),
        (["--query", "tea", "--pick", "1,,2", "--yes"], 2, "not ''"),
        (["--query", "tea", "--pick", "one", "--yes"], 2, "not 'one'"),
        (["--speaker", "Ada", "--pick", "1", "--yes"], 2, "--query"),
    ],
)
def test_bad_input_is_one_line(
    cli: Cli, filled: Memory, store: str, arguments: list[str], code: int, says: str
) -> None:
    ran = cli("forget", *arguments, "--store", store)
    assert (ran.code, len(ran.err.splitlines()), ran.out) == (code, 1, "")
    assert says in ran.err
    assert _all(filled, "select count(*) from turn") == [(5,)]


def test_there_must_be_a_store(cli: Cli, tmp_path: Path) -> None:
    ran = cli("forget", "--speaker", "Ada", "--yes", "--store", tmp_path / "none.memcli")
    assert (ran.code, len(ran.err.splitlines())) == (3, 1)


def _on_a_terminal(arguments: list[str], answers: list[tuple[bytes, bytes]]) -> bytes:
    """What memcli forget shows on a terminal; each answer is given once its question is there."""
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "memcli", "forget", *arguments]
    shown = b""
    with subprocess.Popen(command, stdin=follower, stderr=follower, stdout=subprocess.PIPE) as child:
        os.close(follower)
        for question, answer in answers:
            while question not in shown:
                shown += os.read(leader, 4096)
            os.write(leader, answer)
        child.wait(30)
    os.close(leader)
    return shown


@pytest.mark.parametrize(("answer", "left"), [(b"n\n", 5), (b"y\n", 2)])
def test_on_a_terminal_it_asks(filled: Memory, store: str, answer: bytes, left: int) -> None:
    shown = _on_a_terminal(["--speaker", "Ada", "--store", store], [(b"for good?", answer)])
    assert b"Zanzoukwe" in shown
    assert _all(filled, "select count(*) from turn") == [(left,)]


@pytest.mark.parametrize(("answers", "left"), [("nny", 4), ("yny", 3), ("nnn", 5)])
def test_on_a_terminal_what_a_query_found_is_asked_about_one_by_one(
    filled: Memory, store: str, answers: str, left: int
) -> None:
    questions = [(f"Forget {i} of 3".encode(), f"{answer}\n".encode()) for i, answer in enumerate(answers, start=1)]
    _on_a_terminal(["--query", "cello", "-k", "3", "--store", store], questions)
    assert _all(filled, "select count(*) from turn") == [(left,)]
    cello = _all(filled, "select count(*) from turn where contains(text, 'cello')")
    assert cello == [(0 if answers[0] == "y" else 1,)]
