"""Where a store is: links are followed once, names that none can have are refused in one line by every command."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli.errors import StoreError
from memcli.formats import Message
from memcli.memory import Memory
from memcli.model import TurnId
from memcli.store import location
from memcli.store.compaction import leftovers
from memcli.store.connection import Store
from tests.conftest import SAMPLE, Ran, aged

Cli = Callable[..., Ran]
SECRET = "gribblexnort"


@pytest.fixture
def linked(tmp_path: Path) -> Path:
    """A link to a link to a store in another folder."""
    real, hop, link = tmp_path / "real" / "x.memcli", tmp_path / "hop", tmp_path / "link.memcli"
    Memory(real, embedder="fake").add(
        Message(text, speaker, session="s", id=str(i))
        for i, (speaker, text) in enumerate([("Ada", "Green tea."), ("Bo", f"My word is {SECRET}."), ("Ada", "Yes.")])
    )
    hop.symlink_to(real)
    link.symlink_to(Path("hop"))  # relative to the link's own folder
    return link


def _texts(path: Path) -> list[str]:
    with Store(path).reading() as db:
        return [text for (text,) in db.execute("select text from turn order by seq").fetchall()]


def test_a_linked_store_is_compacted_where_it_is(linked: Path) -> None:
    memory = Memory(linked, embedder="fake")
    memory.care.forget([TurnId(i) for (i,) in _ids(memory, SECRET)])
    memory.compact()
    real = linked.resolve()
    assert linked.is_symlink()
    assert SECRET.encode() not in real.read_bytes()
    Memory(linked, embedder="fake").add([Message("Black tea.", "Bo", session="t", id="9")])
    assert _texts(real) == _texts(linked) == ["Green tea.", "Yes.", "Black tea."]
    assert [left.name for left in real.parent.iterdir()] == [real.name]


def _ids(memory: Memory, like: str) -> list[tuple[str]]:
    with memory.store.reading() as db:
        return db.execute("select id from turn where contains(text, ?)", [like]).fetchall()


def test_a_linked_store_is_repaired_and_upgraded_where_it_is(cli: Cli, linked: Path) -> None:
    real = linked.resolve()
    aged(real, 3)
    real.chmod(0o644)
    left = real.parent / f".{real.name}.compacting"
    left.write_bytes(b"half")
    assert cli("doctor", "--store", linked).code == 3
    assert cli("doctor", "--repair", "--store", linked).code == 0
    assert linked.is_symlink()
    assert (stat.S_IMODE(real.stat().st_mode), left.exists()) == (0o600, False)


def test_a_link_to_nothing_makes_the_store_that_it_names(tmp_path: Path) -> None:
    link, real = tmp_path / "link.memcli", tmp_path / "folder" / "x.memcli"
    link.symlink_to(real)
    assert Memory(link, embedder="fake").add([Message("Tea.")]).added == 1
    assert (link.is_symlink(), _texts(real)) == (True, ["Tea."])


def test_a_store_with_a_second_name_is_not_compacted(cli: Cli, linked: Path, tmp_path: Path) -> None:
    real, second = linked.resolve(), tmp_path / "second.memcli"
    os.link(real, second)
    ran = cli("compact", "--store", real)
    assert (ran.code, ran.err.count("\n"), "hard link" in ran.err) == (3, 1, True)
    assert real.samefile(second)
    second.unlink()
    assert cli("compact", "--store", real).code == 0


COMMANDS = (
    ["search", "tea"],
    ["ask", "tea?"],
    ["compact"],
    ["doctor"],
    ["stats"],
    ["forget", "--speaker", "Ada", "--yes"],
)


def _refusals(cli: Cli, path: Path) -> set[str]:
    """What every command says of a path that can be none of a store; each in one line, with exit code 3."""
    ingest = ["ingest", str(SAMPLE / "chats.jsonl"), "--embedder", "fake"]
    found = set()
    for command in (ingest, *COMMANDS):
        ran = cli(*command, "--store", path)
        assert (ran.code, ran.out, ran.err.count("\n")) == (3, "", 1), (command, ran)
        found.add(ran.err)
    return found


@pytest.mark.parametrize("name", ["what?.memcli", "why?/x.memcli", "back\\slash", "x" * 252, "x" * 300, "x" * 4096])
def test_a_name_that_no_store_can_have(cli: Cli, tmp_path: Path, name: str) -> None:
    (refusal,) = _refusals(cli, tmp_path / name)
    assert "choose another --store PATH" in refusal
    assert list(tmp_path.iterdir()) == []


def test_a_loop_of_links_is_said_in_the_same_way_by_all(cli: Cli, tmp_path: Path) -> None:
    first, second = tmp_path / "a.memcli", tmp_path / "b.memcli"
    first.symlink_to(second)
    second.symlink_to(first)
    for path in (first, first / "x.memcli"):
        (refusal,) = _refusals(cli, path)
        assert "leads back to itself" in refusal


def test_what_is_no_file_is_not_opened(cli: Cli, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")  # to open it would wait for ever
    for path in (tmp_path, tmp_path / "pipe", Path(os.devnull)):
        (refusal,) = _refusals(cli, path)
        assert "not a file" in refusal


@pytest.mark.parametrize("name", ["x" * 240, "x" * 251, "ü" * 120, "a*b[c]{d}", "it's; drop", ":memory:", "md:x", "-"])
def test_a_name_that_serves_one_command_serves_all(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    left = location.beside(tmp_path / name, location.UNFINISHED)
    left.with_name(left.name + "abc").mkdir()
    assert Memory(name, embedder="fake").add([Message("Tea.", "Ada"), Message("Milk.", "Bo")]).added == 2
    (tmp_path / name).chmod(0o600)
    location.beside(tmp_path / name, location.COMPACTING).write_bytes(b"half")
    assert cli("doctor", f"--store={name}").code == 3
    assert cli("doctor", "--repair", f"--store={name}").code == 0
    assert cli("compact", f"--store={name}").code == 0
    assert cli("search", "tea", f"--store={name}").code == 0
    assert [left.name for left in tmp_path.iterdir()] == [name]


def test_the_names_beside_a_store_fit(tmp_path: Path) -> None:
    for size in (1, 200, 231, 232, 251):
        path = tmp_path / ("x" * size)
        for left in leftovers(path):
            left.write_bytes(b"")
        shutil.rmtree(tmp_path)
        tmp_path.mkdir()


def test_a_path_of_the_configuration_may_be_anything(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        Memory(tmp_path / "a\0b").search("x")
