"""Following files: what is new is stored as it comes, half-written lines wait, and nothing else is read."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from threading import Event, Thread

import pytest

from memcli.errors import InputUnreadable
from memcli.formats.following import Followed
from memcli.memory import Memory
from memcli.memory.watching import Noticed, Watching

from .conftest import Ran

Cli = Callable[..., Ran]
_PATIENCE = 60  # seconds that a busy machine may take; nothing waits for them otherwise


def said(text: str) -> str:
    return json.dumps({"text": text, "speaker": "Ana"}) + "\n"


@contextmanager
def following(memory: Memory, *paths: Path) -> Iterator[Queue[Noticed]]:
    """What is noticed, while it follows."""
    stop, noticed = Event(), Queue[Noticed]()

    def run() -> None:
        for each in memory.watch(paths, stop):
            noticed.put(each)

    thread = Thread(target=run)
    thread.start()
    try:
        yield noticed
    finally:
        stop.set()
        thread.join(_PATIENCE)
        assert not thread.is_alive()


def test_what_is_there_and_what_is_written_later(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.jsonl").write_text(said("one"), encoding="utf-8")
    (folder / "notes.txt").write_text("milk, eggs", encoding="utf-8")
    memory = Memory(tmp_path / "s.memcli", embedder="fake")
    with following(memory, folder) as noticed:
        assert noticed.get(timeout=_PATIENCE) == Noticed(folder / "a.jsonl", 1, 1)
        with (folder / "a.jsonl").open("a", encoding="utf-8") as file:
            file.write(said("two") + said("three"))
        assert noticed.get(timeout=_PATIENCE) == Noticed(folder / "a.jsonl", 2, 1)
        (folder / "a.jsonl").rename(folder / "a.1.jsonl")  # rotated: the same again under another name
        (folder / "deep" / "b.jsonl").write_text(said("four"), encoding="utf-8")
        assert noticed.get(timeout=_PATIENCE) == Noticed(folder / "deep" / "b.jsonl", 1, 1)
    found = memory.search("one two three four", k=9)
    assert sorted(hit.unit.text for hit in found) == ["four", "one", "three", "two"]


def test_half_a_line_is_no_problem_until_it_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(said("one") + said("two")[:12], encoding="utf-8")
    memory = Memory(tmp_path / "s.memcli", embedder="fake")
    with following(memory, path) as noticed:
        assert noticed.get(timeout=_PATIENCE).added == 1
        path.write_text(said("one") + said("two"), encoding="utf-8")
        assert noticed.get(timeout=_PATIENCE) == Noticed(path, 1, 1)
        path.write_text(said("one") + said("two") + "odd\n", encoding="utf-8")
        told = noticed.get(timeout=_PATIENCE)
    assert (told.added, [each.where for each in told.problems]) == (0, [f"{path}:3"])


def test_half_a_line_that_was_finished_was_no_problem(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(said("one") + said("two")[:12], encoding="utf-8")
    watching = Watching(Memory(tmp_path / "s.memcli", embedder="fake"), [path], None)
    assert [*watching.look()] == [Noticed(path, 1, 1)]
    path.write_text(said("one") + said("two"), encoding="utf-8")
    assert [*watching.look(), *watching.look()] == [Noticed(path, 1, 1)]


def test_a_log_in_a_folder_that_holds_no_message_is_no_problem(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "a.jsonl").write_text('{"type": "summary", "sessionId": "s", "summary": "x"}\n', encoding="utf-8")
    watching = Watching(Memory(tmp_path / "s.memcli", embedder="fake"), [folder], None)
    assert [*watching.look(), *watching.look()] == []


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputUnreadable, match="no such file"):
        Memory(tmp_path / "s.memcli", embedder="fake").watch([tmp_path / "nowhere"])


def test_on_a_terminal_it_says_that_it_follows(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Watching, "look", lambda _: iter(()))
    monkeypatch.setattr("memcli.memory.watching.awake", lambda *_: iter([None]))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert cli("watch", tmp_path).err == f"memcli: following {tmp_path}; Ctrl-C ends it\n"
    monkeypatch.setattr("sys.stderr.isatty", lambda: False)
    assert cli("watch", tmp_path).err == ""


def test_what_changed_is_told_by_size_and_time(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    for path in (second, first):
        path.write_text("x", encoding="utf-8")
    os.utime(second, ns=(1, 1))
    followed = Followed([tmp_path])
    assert followed.changed() == [second, first]  # in the order of their last change
    followed.done(first, followed.state(first))
    assert followed.changed() == [second]
    first.write_text("xy", encoding="utf-8")
    assert followed.changed() == [second, first]


@pytest.mark.parametrize("name", ["chat.txt.part", "chat.txt.crdownload", ".chat.txt.Xk3a9s", "chat.txt~"])
def test_what_has_not_its_name_yet_is_left_until_it_has(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("x", encoding="utf-8")
    followed = Followed([tmp_path])
    assert followed.changed() == []
    assert Followed([tmp_path / name]).changed() == [tmp_path / name], "unless it is named"
    (tmp_path / name).rename(tmp_path / "chat.txt")
    assert followed.changed() == [tmp_path / "chat.txt"]


def test_a_second_process_follows_until_it_is_interrupted(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(said("one"), encoding="utf-8")
    command = [sys.executable, "-m", "memcli", "watch", str(path), "--jsonl", "--embedder", "fake"]
    environment = os.environ | {"MEMCLI_STORE": str(tmp_path / "s.memcli")}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        record = json.loads(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        assert process.wait(_PATIENCE) == 130
    assert (record["path"], record["added"], record["sessions"]) == (str(path), 1, 1)
