"""Compounds that are written as one word: found by their parts, and parts by what they are parts of."""

from __future__ import annotations

from pathlib import Path

import pytest

from memcli import Memory, Message
from memcli.languages import asked_in, language
from memcli.store.lexical import akin

SAID = (
    "Mein Zahnarzttermin ist am Montag",
    "Ich habe gestern den Keller aufgeräumt",
    "Der Geburtstagskuchen war großartig",
    "Wir fahren mit dem Rad nach Kassel",
)


@pytest.fixture(scope="module")
def german(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("compounds") / "de.memcli"
    with Memory(path, embedder="fake") as memory:
        memory.add(Message(text, "Uta", conversation="wir") for text in SAID)
    return path


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Termin", SAID[0]),
        ("Wann muss ich zum Zahnarzt?", SAID[0]),
        ("Kuchen", SAID[2]),
        ("Wer war im Vorratskeller?", SAID[1]),  # the other way round
    ],
)
def test_what_no_turn_has_is_looked_for_in_compounds(german: Path, question: str, first: str) -> None:
    with Memory(german) as memory:
        assert memory.search(question, strategy="bm25")[0].unit.text == first


def test_the_rest_is_a_part_too(german: Path) -> None:
    with Memory(german) as memory, memory.store.reading() as db:
        assert akin(db, "termin") == ["zahnarzttermin"]
        assert akin(db, "zahnarztterm") == []  # it leaves two letters
        assert akin(db, "rad") == []  # too short to be told from an ending
        assert akin(db, "vorratskell") == ["kell"]
        assert akin(db, "kassel") == []


def test_only_what_is_nowhere_is_looked_for(german: Path) -> None:
    with Memory(german) as memory:
        assert [hit.unit.text for hit in memory.search("Keller", strategy="bm25")] == [SAID[1]]


def test_of_languages_that_write_words_apart_nothing_is_cut(tmp_path: Path) -> None:
    with Memory(tmp_path / "en.memcli", embedder="fake") as memory:
        memory.add([Message("The housekeeper came late", "Ana"), Message("We walked home", "Ana")])
        assert memory.search("keeper", strategy="bm25") == []
    assert {code for code in ("de", "nl", "sv", "fi", "fr", "es", "en", "ja") if language(code).compounds} == {
        "de", "nl", "sv", "fi",
    }  # fmt: skip


def test_a_question_of_one_word_is_in_what_the_store_mostly_holds() -> None:
    assert asked_in("Kuchen", lambda: {"de": 0.9}).code == "de"
    assert asked_in("Kuchen", lambda: {"de": 0.3}).code == "en"
    assert asked_in("Kuchen", dict).code == "en"
    assert asked_in("Lena's job", lambda: {"de": 0.9}).code == "en"
    assert asked_in("where is the cake", lambda: {"de": 0.9}).code == "en"
