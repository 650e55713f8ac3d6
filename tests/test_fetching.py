"""Fetching a published file: whole, once, and only what was promised; from a server on this machine."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from memcli.cli.boundary import run
from memcli.errors import NotFetched
from memcli.evaluation import sources
from memcli.evaluation.sources import BENCHMARKS, Benchmark
from memcli.fetching import Offer, fetch
from tests.conftest import SAMPLE, Ran
from tests.file_server import served

WHOLE = bytes(range(256)) * 8
#: The first of the sample's conversations, and one question about it.
QUESTIONS = json.dumps(
    [{**found, "qa": found["qa"][:1]} for found in json.loads((SAMPLE / "questions.json").read_text())[:1]]
).encode()


def offered(url: str, whole: bytes = WHOLE) -> Offer:
    return Offer("toy", "MIT", len(whole), sha256(whole).hexdigest(), f"{url}/toy")


def test_a_file_is_fetched_whole_and_once(tmp_path: Path) -> None:
    heard: list[tuple[int, int]] = []
    path = tmp_path / "new" / "file"
    with served({"/toy": WHOLE}) as (url, ranges):
        for _ in range(2):
            fetch(offered(url), path, lambda done, of: heard.append((done, of)))
    assert path.read_bytes() == WHOLE
    assert ranges == [None]
    assert heard[-1] == (len(WHOLE), len(WHOLE))
    assert list(path.parent.iterdir()) == [path]


def test_what_broke_off_goes_on(tmp_path: Path) -> None:
    with served({"/toy": WHOLE}, breaks=1000) as (url, ranges):
        with pytest.raises(NotFetched, match="cannot fetch toy") as raised:
            fetch(offered(url), tmp_path / "toy")
        assert raised.value.hint == "1,000 of 2,048 bytes are there: try again, it goes on from there"
        fetch(offered(url), tmp_path / "toy")
    assert (tmp_path / "toy").read_bytes() == WHOLE
    assert ranges == [None, "bytes=1000-"]


@pytest.mark.parametrize("sent", [WHOLE[:-1] + b"?", WHOLE + b"more"])
def test_what_was_not_promised_is_thrown_away(tmp_path: Path, sent: bytes) -> None:
    with served({"/toy": sent}) as (url, _), pytest.raises(NotFetched, match="is not toy"):
        fetch(offered(url), tmp_path / "toy")
    assert list(tmp_path.iterdir()) == []


def test_nobody_is_there(tmp_path: Path) -> None:
    with pytest.raises(NotFetched, match=r"cannot fetch toy from 127\.0\.0\.1") as raised:
        fetch(offered("http://127.0.0.1:9"), tmp_path / "toy")
    assert (raised.value.exit_code, raised.value.hint) == (5, "")


# A benchmark that is missing


@pytest.fixture
def ranges(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str | None]]:
    """The sample's questions are published as LoCoMo, at a server on this machine that breaks off once."""
    with served({"/toy": QUESTIONS}, breaks=5000) as (url, ranges):
        published = Benchmark("LoCoMo", "https://example.org/locomo", offered(url, QUESTIONS), ())
        monkeypatch.setitem(sources.BENCHMARKS, "locomo", published)
        yield ranges


ASKED = ("eval", "locomo", "--strategy", "none", "--embedder", "fake", "--workers", "1", "--json")


def test_a_benchmark_is_fetched_once_where_that_was_said(
    cli: Callable[..., Ran], ranges: list[str | None], tmp_path: Path
) -> None:
    folder = tmp_path / "data" / "memcli" / "benchmarks"
    unasked = cli(*ASKED)
    assert (unasked.code, unasked.err.count("\n"), ranges) == (6, 1, [])
    assert "--fetch fetches it" in unasked.err
    broken = cli(*ASKED, "--fetch")
    assert (broken.code, broken.out) == (5, "")
    assert "try again" in broken.err
    done = cli(*ASKED, "--fetch")
    assert (done.code, done.json["n"]) == (0, 1)
    for told in ("LoCoMo, https://example.org/locomo, MIT, ", sha256(QUESTIONS).hexdigest(), str(folder)):
        assert told in done.err
    assert ranges == [None, "bytes=5000-"]
    assert [path.name for path in folder.iterdir()] == ["toy"]


class Terminal(io.StringIO):
    """Somebody who types this."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("typed", "code", "asked"), [("n\n", 6, []), ("y\n", 5, [None])])
def test_somebody_at_a_terminal_is_asked(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    ranges: list[str | None],
    typed: str,
    code: int,
    asked: list[str | None],
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert run(list(ASKED)) == code
    assert "Fetch it?" in capsys.readouterr().err
    assert ranges == asked


def test_a_file_that_is_named_is_never_fetched(
    cli: Callable[..., Ran], ranges: list[str | None], tmp_path: Path
) -> None:
    assert cli(*ASKED, "--fetch", "--data", tmp_path / "gone.json").code == 6
    assert ranges == []


def test_what_is_offered_is_sound() -> None:
    for each in BENCHMARKS.values():
        assert each.offer.host in ("raw.githubusercontent.com", "huggingface.co")
        assert each.offer.url.startswith("https://")
        assert each.offer.url.endswith(each.offer.name)
        assert "/main/" not in each.offer.url
        assert len(each.offer.sha256) == 64
        assert each.offer.licence in ("CC BY-NC 4.0", "MIT")
