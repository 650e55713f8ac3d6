"""`benchmarks/million.py` at 2,000 sentences: a store is made once, needles are found, what changes it is measured."""

from __future__ import annotations

import json
from pathlib import Path

import million
import pytest
from million import Mixing, Needles, archive, changed, filled, made, warm

from memcli.providers.fakes import FakeEmbedder
from memcli.text import sentences

from .conftest import SAMPLE

SENTENCES = 2000


@pytest.fixture(scope="module")
def needles(tmp_path_factory: pytest.TempPathFactory) -> Needles:
    """Two conversations of the sample in LoCoMo's schema; each tenth turn is asked for in its own words."""
    lines = (SAMPLE / "chats.jsonl").read_text(encoding="utf-8").splitlines()
    said = [(line.get("text") or line["content"], f"D1:{i}") for i, line in enumerate(map(json.loads, lines[:120]))]
    items = []
    for number, turns in enumerate((said[:60], said[60:])):
        spoken = [{"speaker": "AB"[i % 2], "dia_id": place, "text": text} for i, (text, place) in enumerate(turns)]
        asked = [{"question": text, "answer": text, "evidence": [place], "category": 1} for text, place in turns[::10]]
        conversation = {"speaker_a": "A", "speaker_b": "B", "session_1": spoken}
        conversation |= {"session_1_date_time": f"1:56 pm on {number + 1} May, 2023"}
        items.append({"sample_id": f"c{number}", "conversation": conversation, "qa": asked})
    path = tmp_path_factory.mktemp("million") / "needles.json"
    path.write_text(json.dumps(items), encoding="utf-8")
    return Needles(path)


@pytest.fixture(scope="module")
def model(needles: Needles) -> Mixing:
    return Mixing(needles, needles.data.with_suffix(".npy"), FakeEmbedder())


@pytest.fixture(scope="module")
def folder(needles: Needles, model: Mixing) -> Path:
    """Where the store has been made."""
    filled(needles, SENTENCES, needles.data.parent, model)
    return needles.data.parent


def test_what_is_made_is_the_same_each_time_and_does_not_repeat(needles: Needles) -> None:
    first, second = list(archive(needles, SENTENCES)), list(archive(needles, SENTENCES))
    assert first == second
    said = [sentence for message in first for sentence in sentences(message.text)]
    assert 0.9 * SENTENCES < len(said) < 1.1 * SENTENCES
    assert len(set(said)) > 0.95 * len(said)
    texts = {message.text for message in first}
    assert all(message.text in texts for conversation in needles.messages for message in conversation)
    assert next(made(needles, seed=7)).text != next(made(needles)).text


def test_a_needle_has_the_vector_of_the_encoder(needles: Needles, model: Mixing) -> None:
    said = needles.said[0]
    both = model.embed_passages([said, f"{said} and more"])
    assert both[0] == pytest.approx(FakeEmbedder().embed_passages([said])[0], abs=1e-3)
    assert (both**2).sum(axis=1) == pytest.approx([1, 1], abs=1e-3)


def test_a_store_is_made_once_and_measured_again(
    needles: Needles, model: Mixing, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(million, "archive", None)  # nothing is made again
    took = filled(needles, SENTENCES, folder, model)
    assert took["sentences"] == pytest.approx(SENTENCES, rel=0.1)
    assert took["bytes a sentence"] > 0


def test_needles_are_found_among_what_is_made(needles: Needles, model: Mixing, folder: Path) -> None:
    found = warm(needles, folder / f"{SENTENCES}.memcli", model)
    assert len(needles.questions) == 12
    assert found["recall@10"] > 0.9


def test_what_changes_a_store_is_measured_on_a_copy(needles: Needles, model: Mixing, folder: Path) -> None:
    before = (folder / f"{SENTENCES}.memcli").read_bytes()
    took = changed(needles, folder / f"{SENTENCES}.memcli", model)
    assert took.keys() == {"add a session", "forget a session", "stats", "doctor"}
    assert (folder / f"{SENTENCES}.memcli").read_bytes() == before
    assert not list(folder.glob("copy-*"))
