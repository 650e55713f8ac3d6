"""Export: everything that was said, and back again without a difference."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memcli.formats import Message
from memcli.memory import Memory
from memcli.model import Filters
from memcli.store.selection import Selection
from tests.conftest import SAMPLE, Ran

Cli = Callable[..., Ran]


def _exported(memory: Memory, path: Path, format_name: str = "jsonl") -> bytes:
    memory.care.export(Selection(), format_name, path)
    return path.read_bytes()


@pytest.fixture
def store(memory: Memory) -> str:
    memory.add(
        [
            Message("I moved to Porto.\nIn May!", "Ada", said_at=datetime.fromisoformat("2024-05-20T10:00:00+01:00"),
                    conversation="c", session="s", id="1", title="Moving"),
            Message("# Lovely! <b>", "Bo *", "user", conversation="c", session="s", id="2", title="Moving"),
            Message("Elsewhere.", "Ada", said_at=datetime(2023, 1, 1, 8), conversation="b"),
        ]
    )  # fmt: skip
    return str(memory.store.path)


def test_the_sample_round_trips(tmp_path: Path) -> None:
    one, two = (Memory(tmp_path / f"{name}.memcli", embedder="fake") for name in "ab")
    one.ingest([SAMPLE / "chats.jsonl"])
    first = _exported(one, tmp_path / "one.jsonl")
    report = two.ingest([tmp_path / "one.jsonl"])
    assert (report.added, report.problem_count) == (468, 0)
    assert _exported(two, tmp_path / "two.jsonl") == first
    assert two.ingest([SAMPLE / "chats.jsonl"]).added == 0  # the turns are the same, wherever they came from
    assert one.ingest([tmp_path / "two.jsonl"]).added == 0


def test_sessions_larger_than_a_batch_round_trip(tmp_path: Path) -> None:
    one, two = (Memory(tmp_path / f"{name}.memcli", embedder="fake") for name in "ab")
    sizes = {"a": 3, "b": 1200, "c": 2}
    one.add(
        [Message(f"{name}{i}", conversation="x", session=name, id=str(i)) for name in sizes for i in range(sizes[name])]
    )
    first = _exported(one, tmp_path / "one.jsonl")
    two.ingest([tmp_path / "one.jsonl"])
    assert _exported(two, tmp_path / "two.jsonl") == first


_text = st.text(
    st.characters(exclude_categories=[])
    | st.sampled_from('\x00\x1b\r\n\t\u200f\u202e\u2028\ufeff🎉👩‍👩‍👧é\u0301שלום\ud83d"\\'),
    max_size=30,
)
_zones = st.none() | st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
_times = st.none() | st.builds(
    lambda at, zone: at.replace(tzinfo=zone),
    st.datetimes(datetime(1901, 1, 1), datetime(2198, 12, 31)),
    _zones,
)
_messages = st.builds(
    Message,
    text=_text,
    speaker=_text,
    role=st.sampled_from(["", "user", "assistant", "system"]),
    said_at=_times,
    conversation=_text,
    session=st.none() | _text,
    id=st.none() | _text,
    title=_text,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(_messages, max_size=8))
def test_whatever_is_said_round_trips(tmp_path: Path, messages: list[Message]) -> None:
    one, two = (Memory(None, embedder="fake") for _ in "ab")
    if not one.add(messages).added:
        return
    first = _exported(one, tmp_path / "one.jsonl")
    report = two.ingest([tmp_path / "one.jsonl"], format_name="jsonl")
    assert report.problems == []
    assert _exported(two, tmp_path / "two.jsonl") == first
    sql = "select t.id, s.id, position, speaker, role, said_at, t.utc_offset, text, title, conversation"
    sql += " from turn t join session s on s.seq = t.session order by all"
    with one.store.reading() as a, two.store.reading() as b:
        assert a.execute(sql).fetchall() == b.execute(sql).fetchall()


def test_an_export_is_recognised_for_what_it_is(tmp_path: Path, memory: Memory, store: str) -> None:
    _exported(memory, tmp_path / "one.jsonl")
    other = Memory(tmp_path / "other.memcli", embedder="fake")
    assert other.ingest([tmp_path / "one.jsonl"]).added == 3


def test_jsonl_golden(cli: Cli, store: str) -> None:
    ran = cli("export", "--store", store)
    assert ran.code == 0
    records = [json.loads(line) for line in ran.out.splitlines()]
    sessions = [record.pop("session") for record in records]
    assert all(session.startswith("s:") for session in sessions)
    assert all(record.pop("id").startswith("t:") for record in records)
    assert records == [
        {"conversation": "b", "speaker": "Ada", "timestamp": "2023-01-01T08:00:00", "text": "Elsewhere."},
        {"conversation": "c", "title": "Moving", "speaker": "Ada", "timestamp": "2024-05-20T10:00:00+01:00",
         "text": "I moved to Porto.\nIn May!"},
        {"conversation": "c", "title": "Moving", "speaker": "Bo *", "role": "user", "text": "# Lovely! <b>"},
    ]  # fmt: skip


def test_markdown_golden(cli: Cli, store: str) -> None:
    ran = cli("export", "--format", "markdown", "--store", store)
    assert ran.out == (
        "# b\n\n## 2023-01-01\n\n**Ada** (2023-01-01 08:00:00): Elsewhere.\n\n"
        "# c\n\n## 2024-05-20 – Moving\n\n**Ada** (2024-05-20 10:00:00+01:00): I moved to Porto.\nIn May!\n\n"
        "**Bo \\***: # Lovely! &lt;b>\n\n"
    )


def test_parquet(cli: Cli, store: str, tmp_path: Path) -> None:
    path = tmp_path / "it's.parquet"
    assert cli("export", "-o", path, "--store", store).code == 0
    with duckdb.connect() as db:
        rows = db.execute(
            f"select conversation, speaker, said_at, utc_offset, position, text from {_quoted(path)}"
        ).fetchall()
    assert rows == [
        ("b", "Ada", datetime(2023, 1, 1, 8), None, 0, "Elsewhere."),
        ("c", "Ada", datetime(2024, 5, 20, 9), 60, 0, "I moved to Porto.\nIn May!"),
        ("c", "Bo *", None, None, 1, "# Lovely! <b>"),
    ]


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


def test_parquet_in_many_batches(tmp_path: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memcli.store.exporting._BATCH", 7)
    memory.add([Message(f"Number {i}.", id=str(i)) for i in range(50)])
    path = tmp_path / "x.parquet"
    assert memory.care.export(Selection(), "parquet", path) == 50
    with duckdb.connect() as db:
        assert db.execute(f"select count(distinct id), count(*) from {_quoted(path)}").fetchall() == [(50, 50)]


def test_export_golden_json(cli: Cli, store: str, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    ran = cli("export", "-o", path, "--json", "--store", store)
    assert (ran.code, ran.err) == (0, "")
    assert ran.json == {"file": str(path), "format": "jsonl", "turns": 3, "bytes": path.stat().st_size}
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(("name", "form"), [("a.md", "markdown"), ("a.docx", "jsonl"), ("a", "jsonl")])
def test_it_says_as_what_it_was_written(cli: Cli, store: str, tmp_path: Path, name: str, form: str) -> None:
    assert cli("export", "-o", tmp_path / name, "--store", store).err.endswith(f"{name} as {form}\n")


@pytest.mark.parametrize(
    ("options", "texts"),
    [
        (["--conversation", "B"], ["Elsewhere."]),
        (["--speaker", "ada", "--since", "2024-01-01"], ["I moved to Porto.\nIn May!"]),
        (["--until", "2023-12-31"], ["Elsewhere."]),
    ],
)
def test_filters(cli: Cli, store: str, options: list[str], texts: list[str]) -> None:
    ran = cli("export", *options, "--store", store)
    assert [json.loads(line)["text"] for line in ran.out.splitlines()] == texts


def test_a_file_is_never_overwritten_unasked(cli: Cli, store: str, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("mine")
    ran = cli("export", "-o", path, "--store", store)
    assert (ran.code, len(ran.err.splitlines()), path.read_text()) == (2, 1, "mine")
    assert cli("export", "-o", path, "--force", "--store", store).code == 0
    assert len(path.read_text().splitlines()) == 3


def test_a_failed_export_leaves_nothing(cli: Cli, store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "folder" / "out.jsonl"
    path.parent.mkdir()
    monkeypatch.setattr(os, "fsync", full)
    ran = cli("export", "-o", path, "--store", store)
    assert (ran.code, len(ran.err.splitlines())) == (2, 1)
    assert "No space left" in ran.err
    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--format", "parquet"], 2),
        (["--json"], 2),
        (["--format", "xml"], 2),
        (["-o", "{tmp}"], 2),
        (["-o", "{tmp}/no/such/folder/x.jsonl"], 2),
        (["--speaker", "Nobody"], 2),
        (["--since", "the day of days"], 2),
    ],
)
def test_bad_input_is_one_line(cli: Cli, store: str, tmp_path: Path, arguments: list[str], code: int) -> None:
    ran = cli("export", *(a.replace("{tmp}", str(tmp_path)) for a in arguments), "--store", store)
    assert (ran.code, len(ran.err.splitlines()), ran.out) == (code, 1, "")


def test_an_unknown_format_is_refused(memory: Memory, tmp_path: Path) -> None:
    from memcli.errors import UsageError

    with pytest.raises(UsageError, match="cannot export as 'xml'"):
        memory.care.export(Selection(filters=Filters()), "xml", tmp_path / "x")


def test_there_must_be_a_store(cli: Cli, tmp_path: Path) -> None:
    ran = cli("export", "--store", tmp_path / "none.memcli")
    assert (ran.code, len(ran.err.splitlines())) == (3, 1)
