"""A question's words in the other languages of a store: the table, and how a store is asked by it."""

from __future__ import annotations

import math
from datetime import datetime
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from memcli import Memory, Message
from memcli.languages import asked_in
from memcli.languages.translations import Word, translations
from memcli.memory.understanding import understood
from memcli.model import Filters, Question, Translation
from memcli.ranking.bm25 import bm25
from memcli.reading.passages import translated
from memcli.store import lexical
from memcli.strategies import strategy
from memcli.strategies.base import known_of_all

SAID = {
    "Jonas": "Ich wohne jetzt in der Kaulbachstraße und es ist ruhig",
    "Paco": "Me he mudado, ahora vivo en la calle Mayor con mi hermana",
    "Ana": "I live above the bakery and it is a bad room for sleeping",
    "王芳": "我搬到杭州了，现在住在西湖区，我的工作很忙",
}


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mixed") / "s.memcli"
    with Memory(path, embedder="fake") as memory:
        memory.add(Message(text, who, conversation=who) for who, text in SAID.items())
    return path


def asked(path: Path, text: str) -> Question:
    with Memory(path) as memory:
        query, _ = memory.query(text, Filters(), datetime(2026, 11, 1), strategy("bm25"))
        return query.question


def test_the_table_has_a_column_for_each_language_with_a_table_and_a_row_for_each_meaning() -> None:
    text = resources.files("memcli.languages").joinpath("translations.tsv").read_text(encoding="utf-8")
    head, *rows = (line.split("\t") for line in text.splitlines())
    assert head[0] == "en"
    assert head[1:] == sorted(head[1:])
    assert {code for code in head if code != "en"} == {
        each.name.removesuffix(".toml")
        for each in resources.files("memcli.languages.tables").iterdir()
        if each.name.endswith(".toml")
    }
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)
    assert len({frozenset(row[0].split()) for row in rows}) == len(rows)
    for row in rows:
        assert row[0]
        assert len(row) == len(head)
        assert all(cell == " ".join(dict.fromkeys(cell.split())) for cell in row), row[0]


def test_a_word_is_found_by_any_of_its_forms_and_synonyms() -> None:
    found = translations("Wo wohnte Jonas?", "de", ["en", "zh"])
    assert Word("wohnt", "en", ("live",)) in found
    assert Word("wohnt", "zh", ("住",)) in found
    assert {word.language for word in found} == {"en", "zh"}


def test_what_is_written_without_spaces_is_found_by_all_its_pairs() -> None:
    assert Word("誕生", "en", ("birthday",)) in translations("妹の誕生日はいつ？", "ja", ["en"])
    assert not any("birthday" in word.terms for word in translations("誕生はいつ？", "ja", ["en"]))


def test_a_word_alone_is_english_where_the_stores_own_language_has_it_not() -> None:
    shares = {"tr": 0.9}
    assert asked_in("dog", lambda: shares).code == "en"
    assert asked_in("köpek", lambda: shares).code == "tr"
    assert asked_in("Pasta", lambda: shares).code == "tr"  # a cake
    assert asked_in("Vestel", lambda: shares).code == "tr"  # no word of either


def test_of_a_language_without_a_column_nothing_is_known() -> None:
    assert translations("Wo wohnt Jonas?", "de", ["hu"]) == []
    assert translations("Hol lakik Jonas?", "hu", ["en"]) == []


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Where does Jonas live?", "Jonas"),
        ("¿Dónde vive Jonas?", "Jonas"),
        ("Where does 王芳 work?", "王芳"),
        ("Wo wohnt Ana?", "Ana"),
        ("王芳住在哪里？", "王芳"),
        ("Dove abita Paco?", "Paco"),
    ],
)
def test_who_asks_in_another_language_finds_the_turn(mixed: Path, question: str, first: str) -> None:
    with Memory(mixed) as memory:
        hits = memory.search(question, strategy="bm25", filters=Filters(speaker=first))
        assert [hit.unit.text for hit in hits] == [SAID[first]]


def test_a_word_of_another_language_counts_in_its_own_turns_alone(mixed: Path) -> None:
    """German "Bad" is a bathroom, and "a bad room" is none."""
    question = Question("bathroom", stems=("bathroom",), translations=(Translation("bathroom", "de", "bad"),))
    with Memory(mixed) as memory, memory.store.reading() as db:
        assert "bad" in lexical.frequencies(db, ["bad"])
        (found,) = lexical.translated(db, question.translations).values()
        assert [part.tolist() for part in found] == [[], []]


def test_a_word_and_its_translations_are_one_word(tmp_path: Path) -> None:
    """Four turns of one stem each but the second, of two: "live" and what stands for it fill three of four."""
    with Memory(tmp_path / "s.memcli", embedder="fake") as memory:
        memory.add(Message(text, "Ana") for text in ("live", "wohne", "garden", "piano"))
        with memory.store.writing() as db:
            db.execute("delete from posting")
            db.execute("insert into posting values ('live', 0, 1), ('wohn', 1, 2), ('wohnt', 1, 1), ('garden', 2, 1)")
            db.execute("update document set length = 1")
            db.execute("insert into spoken values (1, 'de')")
        question = Question(
            "live", translations=tuple(Translation("live", "de", term) for term in ("wohn", "wohnt", "garden"))
        )
        _, view = memory.query("live", Filters(), datetime(2026, 11, 1), strategy("bm25"))
        found = view.postings(["live", "piano"], question.translations)
        assert {stem: [part.tolist() for part in each] for stem, each in found.items()} == {"live": [[0, 1], [1, 3]]}
        scores = bm25(["live"], found, np.ones(4, dtype=np.int64), np.arange(4)).scores
        weight = math.log(1 + (4 - 2 + 0.5) / (2 + 0.5))
        assert scores.tolist() == pytest.approx([weight * 1.9 / 1.9, weight * 3 * 1.9 / 3.9, 0, 0])
        assert known_of_all(view, question, ["live"]) is None


def test_a_text_covers_what_it_says_in_its_own_language(mixed: Path) -> None:
    question = asked(mixed, "Where does Jonas live now, and with which sister?")
    assert "live" in translated(question, SAID["Jonas"])
    assert {"live", "sister"} <= translated(question, SAID["Paco"])
    assert translated(question, SAID["Ana"]) == set()


def test_what_the_store_has_not_is_no_translation(mixed: Path) -> None:
    found = asked(mixed, "Where does Jonas live?").translations
    assert {(each.language, each.term) for each in found} >= {("de", "wohn"), ("es", "viv"), ("zh", "住")}
    assert all(each.stem == "live" for each in found)
    assert ("de", "gewohnt") not in {(each.language, each.term) for each in found}


def test_a_name_is_not_translated(tmp_path: Path) -> None:
    with Memory(tmp_path / "s.memcli", embedder="fake") as memory:
        memory.add([Message("Ich mag die Rose sehr gern hier", "Uta"), Message("I am here again", "Rose")])
        with memory.store.reading() as db:
            _, view = memory.query("When did Rose call?", Filters(), datetime(2026, 11, 1), strategy("bm25"))
            assert "rose" not in {each.stem for each in understood(db, view, "When did Rose call?").translations}


@pytest.mark.parametrize(
    ("question", "said"), [("Where do you live?", "I live in York."), ("Wo wohnt er?", "Er wohnt dort in dem Haus.")]
)
def test_in_a_store_of_one_language_nothing_is_translated(tmp_path: Path, question: str, said: str) -> None:
    with Memory(tmp_path / "s.memcli", embedder="fake") as memory:
        memory.add([Message(said, "Ana")])
    assert asked(tmp_path / "s.memcli", question).translations == ()


def test_what_speaks_for_a_hit_is_its_own_word(mixed: Path) -> None:
    with Memory(mixed) as memory:
        question = "Where does Jonas live?"
        (why, *_) = memory.reasons(
            question, memory.search(question, strategy="bm25", filters=Filters(speaker="Jonas")), datetime(2026, 11, 1)
        )
        assert why[0] == "says *wohne*"


def test_a_short_turn_says_by_which_of_its_words_it_was_found(tmp_path: Path) -> None:
    """Of four words nobody can tell the language but by what the store is in."""
    short = "Bellissimo! E il gatto?"
    said = ("Ciao a tutti, ho una bella notizia per voi oggi", short, "Sta bene, dorme sul divano tutto il giorno")
    with Memory(tmp_path / "s.memcli", embedder="fake") as memory:
        memory.add(Message(text, "Giulia") for text in said)
        hits = memory.search("Is the cat well?", strategy="bm25")
        reasons = memory.reasons("Is the cat well?", hits, datetime(2026, 11, 1))
        assert {hit.unit.text: why for hit, (why, *_) in zip(hits, reasons, strict=True)}[short] == "says *gatto*"
