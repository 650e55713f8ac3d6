"""Words of one root: compounds by their parts and the other way round, and other forms of a word."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from memcli import Memory, Message
from memcli.languages import asked_in, language
from memcli.store.connection import Store
from memcli.store.lexical import add_documents, akin, bent

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


@pytest.mark.parametrize(
    ("question", "first", "other"),
    [
        ("Wo wohnt Jonas?", "Ich wohne in der Kaulbachstraße", "Ich arbeite in der Goethestraße"),
        ("Где живёт Аня?", "Я переехала, живу на улице Баумана", "Я опять иду на улицу Баумана"),
        ("أين تسكن ليلى؟", "انتقلت إلى دبي وأسكن في حي المارينا", "وصلت إلى دبي في الصباح"),
        ("王芳住在哪里？", "我搬到杭州了，住在西湖区", "我想到杭州去，西湖很美"),
    ],
)
def test_another_form_of_the_word_is_found(tmp_path: Path, question: str, first: str, other: str) -> None:
    with Memory(tmp_path / "s.memcli", embedder="fake") as memory:
        memory.add([Message(other, "Jonas"), Message(first, "王芳"), Message("…", "Аня"), Message("…", "ليلى")])
        hits = memory.search(question, strategy="bm25")
        assert [hit.unit.text for hit in hits][:1] == [first]


def test_what_speaks_for_a_hit_is_the_form_that_it_has(tmp_path: Path) -> None:
    with Memory(tmp_path / "s.memcli", embedder="fake") as memory:
        memory.add([Message("Ich wohne in der Kaulbachstraße", "Jonas"), Message("Ja", "Jonas")])
        question = "Wo wohnt Jonas?"
        (why, *_) = memory.reasons(question, memory.search(question, strategy="bm25"), datetime(2026, 11, 1))
        assert why[0] == "says *wohne*"


def test_a_form_beside_the_word_itself(tmp_path: Path) -> None:
    said = ("Du verträgst das nicht", "Wer verträgt Milch?", "Heute war es kalt")
    with Memory(tmp_path / "s.memcli", embedder="fake") as memory:
        memory.add(Message(text, "Uta") for text in said)
        assert {hit.unit.text for hit in memory.search("Verträgt Uta das Eis?", strategy="bm25")} == set(said[:2])


@pytest.mark.parametrize(
    ("code", "stem", "found"),
    [
        ("de", "wohnt", ["wohn"]),  # not "wohnung", with an ending of three
        ("de", "wohn", ["wohnt"]),
        ("de", "last", []),  # "lass" has as much in common: too little
        ("ru", "живет", ["жив"]),  # not "живот", of which neither is the beginning
        ("ar", "تعمل", ["عمل"]),
        ("ar", "يكتب", ["كتب", "اكتب", "وتكتبو"]),
        ("ar", "كتاب", []),  # begins with no person
        ("zh", "住", ["住杭", "再住"]),
        ("zh", "住在", []),
        ("de", "ab", []),
    ],
)
def test_which_stems_are_forms_of_one_word(tmp_path: Path, code: str, stem: str, found: list[str]) -> None:
    store = Store(tmp_path / "s.memcli")
    terms = "wohn wohn wohnt wohnung lass жив живот عمل اكتب وتكتبو كتب 住杭 再住 abc".split()
    with store.writing() as db:
        for turn, term in enumerate(terms):
            add_documents(db, [turn], [{term: 1}], [0], [code])
        assert set(bent(db, stem, code)) == set(found)


def test_english_is_asked_for_as_ever(tmp_path: Path) -> None:
    with Memory(tmp_path / "s.memcli", embedder="fake") as memory:
        memory.add([Message("The bakery burned", "Ana"), Message("We walked home", "Ana")])
        assert memory.search("Who is the baker?", strategy="bm25") == []


def test_a_question_of_one_word_is_in_what_the_store_mostly_holds() -> None:
    assert asked_in("Kuchen", lambda: {"de": 0.9}).code == "de"
    assert asked_in("Kuchen", lambda: {"de": 0.3}).code == "en"
    assert asked_in("Kuchen", dict).code == "en"
    assert asked_in("Lena's job", lambda: {"de": 0.9}).code == "en"
    assert asked_in("where is the cake", lambda: {"de": 0.9}).code == "en"


def test_a_question_that_begins_as_in_english_is_in_english() -> None:
    mixed = {"de": 0.2, "es": 0.2}
    assert asked_in("has ada stopped smoking?", lambda: mixed).code == "en"
    assert asked_in("Will Ada attend Bruno's ceremony?", lambda: mixed).code == "en"
    assert asked_in("¿Has visto a Ada?", lambda: mixed).code == "es"
    assert asked_in("Was studiert Lena?", lambda: {"de": 0.9}).code == "de"
