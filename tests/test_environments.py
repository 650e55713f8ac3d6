"""Locales, encodings, time zones and clocks: the same answers, and no traceback, whatever the machine is set to.

One encoding and one locale in every run, all of them with MEMCLI_FAULTS=200.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from memcli.memory import Memory

from .conftest import Ran, tried
from .killing import content

SAID = "I moved to İstanbul with Irmak – ılık bir gün 😀, 東京 was next."
QUESTION = "Where did Zoë move with Irmak?"
AT = "2024-05-20T12:00:00+02:00"
ENCODINGS: Mapping[str, Mapping[str, str]] = {
    "C": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "ascii": {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    "latin-1": {"PYTHONIOENCODING": "latin-1"},
}
#: Turkish has another lower case of I; German writes a decimal comma.
LOCALES = ("tr_TR", "de_DE")
#: A clock that goes back a day each time it is read, for all that memcli does in Python.
BACKWARDS = """
import datetime
class Backwards(datetime.datetime):
    read = 0
    @classmethod
    def now(cls, tz=None):
        cls.read += 1
        return super().now(tz) - datetime.timedelta(days=cls.read)
datetime.datetime = Backwards
"""


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("environments") / "chat.jsonl"
    lines = [
        {"text": SAID, "speaker": "Zoë", "id": "1", "session": "1", "timestamp": "2024-03-02T23:20:00+01:00"},
        {"text": "INGRID LIKES ICE IN TITISEE, 1,5 kilos.", "speaker": "Ingrid", "id": "2", "session": "1",
         "timestamp": "2024-03-02T23:21:00+01:00"},
        {"text": "Yesterday I lost my keys.", "speaker": "Zoë", "id": "3", "session": "2", "timestamp": "2024-03-31"},
    ]  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def store(chat: Path) -> Path:
    """Filled in this process's environment."""
    path = chat.with_name("store.memcli")
    Memory(path, embedder="fake").ingest([chat])
    return path


@pytest.fixture(scope="module")
def answer(store: Path) -> Any:
    """What is answered in this process's environment."""
    return _asked(store, {})


def _memcli(environment: Mapping[str, str], *arguments: str | Path, before: tuple[str, ...] = ()) -> Ran:
    command = [*before, sys.executable, "-m", "memcli", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, check=False, env={**os.environ, **environment})
    return Ran(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))


def _found(ran: Ran) -> Any:
    """A document less what depends on when it was asked."""
    assert isinstance(ran.json, dict), ran.err
    return {key: value for key, value in ran.json.items() if key not in ("asked_at", "confidence", "id")}


def _asked(store: Path, environment: Mapping[str, str], before: tuple[str, ...] = ()) -> Any:
    ran = _memcli(environment, "ask", QUESTION, "--store", store, "--at", AT, "--json", before=before)
    assert (ran.code, ran.err) == (0, "")
    return _found(ran)


@pytest.mark.parametrize("name", tried(ENCODINGS))
def test_an_encoding_that_has_not_every_character(
    name: str, chat: Path, store: Path, answer: Any, tmp_path: Path
) -> None:
    own = tmp_path / "öwn.memcli"
    assert _memcli(ENCODINGS[name], "ingest", chat, "--store", own, "--embedder", "fake").code == 0
    assert content(own) == content(store)
    assert _asked(own, ENCODINGS[name]) == answer
    assert _memcli(ENCODINGS[name], "stats", "--json", "--store", own).code == 0  # tells the path
    shown = _memcli(ENCODINGS[name], "search", "İstanbul", "--speaker", "Zoë", "--explain", "--store", own)
    assert (shown.code, shown.err) == (0, "")
    assert "Irmak" in shown.out


@pytest.mark.parametrize("name", tried(LOCALES))
def test_a_locale(name: str, chat: Path, answer: Any, tmp_path: Path) -> None:
    made = ["localedef", "-i", name, "-f", "UTF-8", str(tmp_path / f"{name}.UTF-8")]
    if shutil.which("localedef") is None or subprocess.run(made, capture_output=True, check=False).returncode > 1:
        pytest.skip(f"the locale {name} cannot be made here")
    spoken = {"LC_ALL": f"{name}.UTF-8", "LOCPATH": str(tmp_path)}
    # As a library, memcli may find itself in a program that has set its locale.
    program = """if True:
        import locale, sys
        assert locale.setlocale(locale.LC_ALL, "")
        assert locale.localeconv()["decimal_point"] == ","
        from memcli.cli.boundary import run
        sys.exit(run(sys.argv[1:]))"""
    own = tmp_path / "own.memcli"
    for arguments in (("ingest", str(chat), "--embedder", "fake"), ("search", "İstanbul", "--strategy", "memgas")):
        command = [sys.executable, "-c", program, *arguments, "--store", str(own)]
        ran = subprocess.run(command, capture_output=True, check=False, env={**os.environ, **spoken})
        assert ran.returncode == 0, ran.stderr
    undisturbed = Memory(tmp_path / "undisturbed.memcli", embedder="fake")
    undisturbed.ingest([chat])
    undisturbed.prepare(["memgas"])
    assert content(own) == content(tmp_path / "undisturbed.memcli")
    assert _asked(own, spoken) == answer


def test_time_zones(chat: Path, store: Path, answer: Any, tmp_path: Path) -> None:
    here, there = {"TZ": "Pacific/Kiritimati"}, {"TZ": "America/Adak"}
    own = tmp_path / "own.memcli"
    assert _memcli(here, "ingest", chat, "--store", own, "--embedder", "fake").code == 0
    assert content(own) == content(store)
    assert _asked(own, there) == _asked(own, here) == answer
    lost = [_memcli(zone, "ask", "When did Zoë lose her keys?", "--store", own) for zone in (here, there)]
    assert lost[0].out == lost[1].out
    assert "30 March 2024" in lost[0].out


def test_a_clock_that_goes_backwards(chat: Path, store: Path, answer: Any, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(BACKWARDS)
    _ingested_in_halves(chat, tmp_path, {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}, ((), ()))
    assert content(tmp_path / "own.memcli") == content(store)
    assert _asked(tmp_path / "own.memcli", {}) == answer


@pytest.mark.skipif(shutil.which("faketime") is None, reason="there is no faketime here")
def test_a_whole_machine_whose_clock_goes_backwards(chat: Path, store: Path, answer: Any, tmp_path: Path) -> None:
    _ingested_in_halves(chat, tmp_path, {}, (("faketime", "2031-01-01"), ("faketime", "1999-12-31")))
    own = tmp_path / "own.memcli"
    assert content(own) == content(store)
    assert _asked(own, {}, before=("faketime", "1985-01-01")) == answer
    assert _memcli({}, "doctor", "--store", own, before=("faketime", "1985-01-01")).code == 0


def _ingested_in_halves(
    chat: Path, folder: Path, environment: Mapping[str, str], clocks: tuple[tuple[str, ...], tuple[str, ...]]
) -> None:
    first = folder / chat.name
    lines = chat.read_text(encoding="utf-8").splitlines(keepends=True)
    for count, clock in zip((1, len(lines)), clocks, strict=True):
        first.write_text("".join(lines[:count]), encoding="utf-8")
        own = folder / "own.memcli"
        ran = _memcli(environment, "ingest", first, "--store", own, "--embedder", "fake", before=clock)
        assert ran.code == 0, ran.err
