"""Languages of turns, and words by language and script."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memcli import Memory
from memcli.cli.app import app
from memcli.formats import Message
from memcli.indexing.plan import WORDS
from memcli.indexing.transcript.words import index_words
from memcli.languages import asked_in, recognition, spoken, tongues
from memcli.model import SessionId, Turn, TurnId
from memcli.store import ledger, lexical
from memcli.text import content_stems, indexed_stems, stems, words

CHATS = Path(__file__).parent / "languages" / "chats"


def turn(text: str, speaker: str = "Ana", place: int = 0) -> Turn:
    return Turn(TurnId(f"t{place}"), SessionId("s"), place, speaker, "", None, text)


@pytest.mark.parametrize(
    ("question", "home", "code"),
    [
        ("Was studiert Lena?", "de", "de"),
        ("Was isst Oma am liebsten?", "de", "de"),
        ("Was studiert Lena?", "en", "en"),
        ("Was studiert Lena?", "ru", "en"),  # which has no such word
        ("What does Lena study?", "de", "en"),
        ("Who took it?", "de", "en"),
        ("Lena's job?", "de", "en"),
        ("Wo wohnt sie jetzt?", "en", "de"),
    ],
)
def test_a_question_that_may_be_english_is_in_what_the_store_mostly_holds(question: str, home: str, code: str) -> None:
    assert asked_in(question, lambda: {} if home == "en" else {home: 0.6}).code == code


@pytest.mark.parametrize(
    ("question", "shares", "code"),
    [
        ("Em que dia a Rute tirou o gesso?", {"pt": 0.07}, "pt"),
        ("Em que dia a Rute tirou o gesso?", {"pt": 0.01, "id": 0.02}, "id"),  # one in a hundred may be misheard
        ("Was studiert Lena?", {"de": 0.07}, "en"),  # such words are of what a store is mostly in alone
        ("When did Rute have her cast taken off?", {"pt": 0.07}, "en"),
        ("Where does Аня live?", {"ru": 0.4}, "en"),  # a name tells of its bearer
        ("Did 林悦 call?", {"zh": 0.4}, "en"),
        ("Quando é que a Rute volta?", {"fr": 0.4, "es": 0.4}, "pt"),  # one may ask in another language than the chats'
    ],
)
def test_a_question_is_likelier_in_a_language_of_the_store(question: str, shares: dict[str, float], code: str) -> None:
    assert asked_in(question, lambda: shares).code == code


def test_a_plainly_english_question_asks_for_no_shares() -> None:
    def shares() -> dict[str, float]:
        raise AssertionError("read for nothing")

    assert asked_in("What did they say about the boiler?", shares).code == "en"


def test_what_share_of_a_store_is_in_other_languages(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "mostly.memcli", embedder="fake")
    memory.add([Message("Wir ziehen im Mai nach Rostock um", "Ana"), Message("Ich habe die Zusage aus Kiel", "Ana")])
    assert memory.view().shares() == {"de": 1.0}
    memory.add([Message(f"I have a new flat and {word} like it", "Bo") for word in ("you", "we", "they")])
    assert memory.view().shares() == {"de": 0.4}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Where does she live now?", "en"),
        ("Wo wohnt sie jetzt?", "de"),
        ("Où est-ce qu'elle habite maintenant ?", "fr"),
        ("¿Dónde vive ahora?", "es"),
        ("Onde é que ela mora agora?", "pt"),
        ("Dove abita adesso mia sorella?", "it"),
        ("Waar woont ze nu met haar man?", "nl"),
        ("Gdzie ona teraz mieszka?", "pl"),
        ("Şimdi nerede oturuyor?", "tr"),
        ("Где она сейчас живёт?", "ru"),
        ("Де вона зараз живе?", "uk"),
        ("أين تسكن الآن؟", "ar"),
        ("الان کجا زندگی می‌کند؟", "fa"),
        ("איפה היא גרה עכשיו?", "he"),
        ("वह अब कहाँ रहती है?", "hi"),
        ("她现在住在哪里？", "zh"),
        ("彼女は今どこに住んでいますか？", "ja"),
        ("그녀는 지금 어디에 살아요?", "ko"),
        ("ตอนนี้เธออยู่ที่ไหน", "th"),
        ("Πού μένει τώρα;", "el"),
        ("Where does 王芳 live?", "en"),
        ("ok", "en"),
        ("https://example.org/wo-wohnt-sie-und-er", "en"),
        ("", "en"),
    ],
)
def test_a_sentence_is_in_its_language(text: str, code: str) -> None:
    assert spoken([text]).code == code


def test_what_says_nothing_takes_the_language_of_its_neighbours_and_another_sentence_keeps_its_own() -> None:
    said = ["Wo seid ihr denn?", "ok", "👍", "I think we should go there together", "Ja, ich komme mit dem Rad"]
    assert tongues([turn(text, place=i) for i, text in enumerate(said)]) == ["de", "de", "de", "en", "de"]


def test_an_english_session_stays_english() -> None:
    said = ["Bye Joanna! Take care!", "Ha ha!", "No me gusta, as they say", "Nice"]
    assert set(tongues([turn(text, place=i) for i, text in enumerate(said)])) == {"en"}


def test_turns_of_chats_are_recognised() -> None:
    """Ten chats of ten languages: counted over all of their turns, each chat as one session."""
    right = total = 0
    for path in sorted(CHATS.glob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        found = tongues([turn(row["text"], row["speaker"], i) for i, row in enumerate(rows)])
        right, total = right + found.count(path.stem), total + len(found)
    assert total == 612
    assert right / total > 0.97


def test_plain_english_reads_no_list_of_another_language() -> None:
    recognition.evidence.cache_clear()
    recognition._owners.cache_clear()
    assert recognition.recognized("I was at the market with my sister") == "en"
    assert recognition._owners.cache_info().misses == 0


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("de", "die Häuser", ["haus"]),
        ("ru", "в Казани", ["казан"]),
        ("fr", "l'école", ["écol"]),
        ("ko", "학교에서는 책을", ["학교", "책"]),
        ("ar", "المَدْرَسَة", ["مدرس"]),
        ("he", "שָׁלוֹם", ["שלום"]),
        ("tr", "Kerem'in", ["kere"]),
        ("hi", "दिल्ली में", ["दिल्ल"]),
        ("zh", "住在西湖区", ["住", "西湖", "湖区"]),
        ("ja", "京都に住んでいます", ["京都", "住"]),
        ("en", "ＨＥＬＬＯ　ﾓﾓ", ["hello", "モモ"]),
        ("en", "Where is 王芳?", ["王芳"]),
    ],
)
def test_content_words_by_language(language: str, text: str, found: list[str]) -> None:
    assert content_stems(text, language) == found


def test_a_turn_is_found_by_its_language_and_by_words_written_alike() -> None:
    """Snowball's Spanish stem of the name is "luc": who asks in English looks for "lucía"."""
    assert indexed_stems("Lucía vive aquí", "es") == ["luc", "lucía", "viv", "vive"]


def test_one_character_is_no_match_for_a_word_of_two() -> None:
    assert not set(content_stems("西湖", "zh")) & set(content_stems("湖南", "zh"))


def test_english_words_are_what_they_were() -> None:
    assert words("Don’t stop, café at 9!") == ["don't", "stop", "café", "at", "9"]
    assert stems("The runners' wives ran") == ["the", "runner", "wive", "ran"]


# -- the store -------------------------------------------------------------------------------------------------------

SAID = [
    ("Ben", "Where shall we meet on Friday?"),
    ("Ana", "At the station, I think"),
    ("Jan", "Ich bringe die Fahrräder mit"),
    ("Jan", "und wir fahren dann zusammen an den See"),
]


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    made = Memory(tmp_path_factory.mktemp("languages") / "mixed.memcli", embedder="fake")
    made.add(
        [Message(text=text, speaker=who, said_at=datetime(2026, 5, 1, 9, i)) for i, (who, text) in enumerate(SAID)]
    )
    yield made
    made.close()


def test_the_store_knows_each_turns_language(memory: Memory) -> None:
    assert memory.care.statistics().languages == {"de": 2}
    with memory.store.reading() as db:
        found = lexical.postings(db, ["fahrrad"])
    assert len(found["fahrrad"][0]) == 1


def test_stats_show_the_shares(memory: Memory) -> None:
    shown = CliRunner().invoke(app, ["stats", "--store", str(memory.store.path)]).stdout
    assert "languages      en 50%, de 50%" in shown
    told = json.loads(CliRunner().invoke(app, ["stats", "--json", "--store", str(memory.store.path)]).stdout)
    assert told["languages"] == {"en": 2, "de": 2}


def test_words_of_an_older_store_are_indexed_again_and_english_ones_stay(memory: Memory) -> None:
    def index() -> list[tuple[object, ...]]:
        with memory.store.reading() as db:
            return sorted(
                db.execute(
                    "select term, turn, frequency from posting union all select language, turn, 0 from spoken"
                ).fetchall()
            )

    before = index()
    with memory.store.writing() as db:
        db.execute("delete from spoken")
        db.execute("delete from posting where turn in (select turn from document order by turn desc limit 2)")
        db.execute("delete from built where producer = ?", [WORDS.name])
    heard: list[tuple[int, int]] = []
    index_words(memory.store, lambda done, of: heard.append((done, of)))
    assert index() == before
    assert heard == [(0, 1)]
    with memory.store.reading() as db:
        assert not ledger.unbuilt(db, {WORDS.name: WORDS.version})
