"""A fault of memcli's own: one line, a file without a word of the store, and the whole of it for whoever asks."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli.formats import Message
from memcli.memory import Memory
from memcli.store import transcript
from tests.conftest import Ran

Cli = Callable[..., Ran]
SECRET = "gribblexnort"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "x.memcli"
    Memory(path, embedder="fake").add([Message(f"My word is {SECRET}.", "Ada")])
    return path


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch, store: Path) -> Path:
    """A store over which every search fails with its text in the messages of two exceptions."""

    def fail(db: object) -> None:
        try:
            raise KeyError(SECRET)
        except KeyError as error:
            raise ZeroDivisionError(f"not of {SECRET}") from error

    monkeypatch.setattr(transcript, "check_filled", fail)
    return store


def _log(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "memcli" / "last-error.log"


def test_it_is_one_line_and_a_file_without_what_was_said(cli: Cli, faulty: Path, tmp_path: Path) -> None:
    ran = cli("search", SECRET, "--store", faulty)
    assert (ran.code, ran.out, ran.err.count("\n")) == (70, "", 1)
    assert "memcli's own (ZeroDivisionError)" in ran.err
    assert "--debug" in ran.err
    assert str(_log(tmp_path)) in ran.err
    written = _log(tmp_path).read_text()
    assert SECRET not in ran.err + written
    kinds = [line for line in written.splitlines()[1:] if not line.startswith(" ")]
    assert kinds == ["builtins.ZeroDivisionError", "builtins.KeyError"]
    assert any(line.partition(":")[0].endswith("memcli/memory/asking.py") for line in written.splitlines())
    assert _log(tmp_path).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_debug_shows_all_of_it_wherever_it_stands(cli: Cli, faulty: Path, tmp_path: Path, place: int) -> None:
    _log(tmp_path).parent.mkdir(parents=True)
    _log(tmp_path).write_text("the one before")
    arguments = ["search", "word?", "--store=" + str(faulty)]
    ran = cli(*arguments[:place], "--debug", *arguments[place:])
    assert ran.code == 70
    for text in (ran.err, _log(tmp_path).read_text()):
        assert text.count("Traceback (most recent call last)") == 2
        assert f"ZeroDivisionError: not of {SECRET}" in text
    assert _log(tmp_path).stat().st_mode & 0o777 == 0o600


def test_debug_changes_nothing_else(cli: Cli, store: Path) -> None:
    plain, debugging = (cli("search", "word", "--store", store, *more) for more in ([], ["--debug"]))
    assert plain == debugging
    assert cli("search", "--store", store, "--", "--debug").code in (0, 1)  # a question may be called so


def test_where_nothing_can_be_written_it_is_one_line_all_the_same(cli: Cli, faulty: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("")
    ran = cli("search", "word", "--store", faulty)
    assert (ran.code, ran.err.count("\n"), "written" in ran.err) == (70, 1, False)


def test_what_the_system_refuses_is_no_fault_and_no_empty_answer(
    cli: Cli, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(db: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/somewhere/disk")

    monkeypatch.setattr(transcript, "check_filled", full)
    ran = cli("search", "word", "--store", store)
    assert (ran.code, ran.out) == (3, "")
    assert ran.err == "memcli: No space left on device: /somewhere/disk (check the disk and the permissions)\n"
    assert not _log(tmp_path).exists()


def test_a_library_gets_it_as_it_is(faulty: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        Memory(faulty).search("word")


def test_a_command_that_cannot_even_be_loaded(tmp_path: Path) -> None:
    """A process of its own, in which a part of the command line is missing."""
    program = "import sys; sys.modules['memcli.cli.stats'] = None; from memcli.__main__ import main; main()"
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    ran = subprocess.run(
        [sys.executable, "-c", program, "stats"], capture_output=True, text=True, env=environment, check=False
    )
    assert (ran.returncode, ran.stderr.count("\n"), "ModuleNotFoundError" in ran.stderr) == (70, 1, True)
