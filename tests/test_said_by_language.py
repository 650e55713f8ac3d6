"""Answers in the language of the question: dates and lengths by Unicode CLDR, words by the tables."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from memcli.languages import language, spoken
from memcli.model import Question, Seeks, Standing, TurnId
from memcli.reading.extractive import found_in
from memcli.reading.network import Finding
from memcli.reading.passages import Passage
from memcli.reading.quoting import said
from memcli.reading.relevance import Found
from memcli.reading.temporal import dates, lengths
from memcli.reading.windows import Window
from memcli.text.times import Expression, Grain, Span, TimeKind, day, month, season, week, year

#: A Saturday.
SAID = datetime(2026, 3, 7, 14, 5, tzinfo=UTC)
QUESTION_OF_NOW = {
    "ar": "أين يسكن عمر الآن؟",
    "de": "Wo wohnt Jonas jetzt?",
    "es": "¿Dónde vive Ana ahora?",
    "fr": "Où habite Ana maintenant ?",
    "hi": "आना अब कहाँ रहती है?",
    "it": "Dove abita Ana adesso?",
    "ja": "アナは今どこに住んでいますか？",
    "ko": "아나는 지금 어디 살아?",
    "nl": "Waar woont Ana nu?",
    "pl": "Gdzie teraz mieszka Ana?",
    "pt": "Onde mora a Ana agora?",
    "ru": "Где теперь живёт Аня?",
    "tr": "Ana şimdi nerede yaşıyor?",
    "zh": "王芳现在住在哪里？",
}
TABLES = ("ar", "de", "es", "fr", "hi", "it", "ja", "ko", "nl", "pl", "pt", "ru", "tr", "zh")


@pytest.mark.parametrize(
    ("code", "of_day", "of_month", "full"),
    [
        ("en", "7 March 2026", "March 2026", "Saturday 7 March 2026"),
        ("ar", "7 مارس 2026", "مارس 2026", "السبت، 7 مارس 2026"),
        ("de", "7. März 2026", "März 2026", "Samstag, 7. März 2026"),
        ("es", "7 de marzo de 2026", "marzo de 2026", "sábado, 7 de marzo de 2026"),
        ("fr", "7 mars 2026", "mars 2026", "samedi 7 mars 2026"),
        ("hi", "7 मार्च 2026", "मार्च 2026", "शनिवार, 7 मार्च 2026"),
        ("it", "7 marzo 2026", "marzo 2026", "sabato 7 marzo 2026"),
        ("ja", "2026年3月7日", "2026年3月", "2026年3月7日土曜日"),
        ("ko", "2026년 3월 7일", "2026년 3월", "2026년 3월 7일 토요일"),
        ("nl", "7 maart 2026", "maart 2026", "zaterdag 7 maart 2026"),
        ("pl", "7 marca 2026", "marzec 2026", "sobota, 7 marca 2026"),
        ("pt", "7 de março de 2026", "março de 2026", "sábado, 7 de março de 2026"),
        ("ru", "7 марта 2026 г.", "март 2026 г.", "суббота, 7 марта 2026 г."),
        ("tr", "7 Mart 2026", "Mart 2026", "7 Mart 2026 Cumartesi"),
        ("zh", "2026年3月7日", "2026年3月", "2026年3月7日星期六"),
    ],
)
def test_a_day_a_month_and_a_weekday(code: str, of_day: str, of_month: str, full: str) -> None:
    own = language(code)
    assert (own.describe(day(SAID)), own.describe(month(SAID)), own.full_date(SAID)) == (of_day, of_month, full)


@pytest.mark.parametrize(
    ("span", "german", "japanese"),
    [
        (year(SAID), "2026", "2026年"),
        (week(SAID), "2.–8. März 2026", "2026年3月2日～8日"),
        (week(SAID, 8), "27. April 2026 – 3. Mai 2026", "2026年4月27日～2026年5月3日"),
        (season(SAID, "summer", 2026), "Juni–August 2026", "2026年6月～8月"),
        (Span(SAID, SAID + timedelta(minutes=1), Grain.MINUTE), "7. März 2026, 14:05", "2026年3月7日 14:05"),
    ],
)
def test_longer_and_shorter_spans(span: Span, german: str, japanese: str) -> None:
    assert (language("de").describe(span), language("ja").describe(span)) == (german, japanese)


def test_what_hangs_on_another_day_is_said_as_a_date_and_what_goes_on_as_open() -> None:
    friday = Expression("Friday", 0, 6, day(SAID, -1), TimeKind.RELATIVE, SAID, "the Friday before")
    since = Expression("since 2016", 0, 10, year(SAID, -10), TimeKind.SINCE)
    german = language("de").describe
    assert (german(friday), german(since)) == ("Freitag, 6. März 2026", "2016 –")


@pytest.mark.parametrize(
    ("code", "one", "five", "ten"),
    [
        ("de", "1 Woche", "5 Monate", "10 Tage"),
        ("fr", "1 semaine", "5 mois", "10 jours"),
        ("pl", "1 tydzień", "5 miesięcy", "10 dni"),
        ("ru", "1 неделя", "5 месяцев", "10 дней"),
        ("ja", "1 週間", "5 か月", "10 日"),
        ("en", "1 week", "5 months", "10 days"),
    ],
)
def test_lengths_have_the_plural_of_their_number(code: str, one: str, five: str, ten: str) -> None:
    own = language(code)
    assert (own.length(1, "week"), own.length(5, "month"), own.length(10, "day")) == (one, five, ten)


@pytest.mark.parametrize("code", TABLES)
def test_every_table_has_words_of_its_own(code: str) -> None:
    own, english = language(code), language("en")
    assert own.yes() != own.no()
    assert own.yes() != english.yes()
    assert own.before() != english.before()
    assert own.nothing() != english.nothing()
    assert "2026" in own.until(SAID)
    assert "until" not in own.until(SAID)


def test_until_a_month_as_it_stands_in_a_sentence() -> None:
    assert language("ru").until(SAID) == "до марта 2026 г."
    assert language("pl").until(SAID) == "do marca 2026"
    assert language("en").until(SAID) == "until March 2026"


def _question(code: str, seeks: Seeks) -> Question:
    return Question("…", seeks, stems=(), language=code)


#: What is found by the network for other languages, and by the one for English.
NOTHING_FOUND, NOTHING_READ = Finding(0.0, 0.5, 0.5, ()), Finding(0.9, 0.5, 0.5, ())


def _found(text: str, finding: Finding, at: datetime = SAID, trust: float = 1.0) -> Found:
    passage = Passage(Window("Ana", text, ""), TurnId("t0"), at, 0, 1.0, 1.0, 0.0, 0.0, 1.0, False, text)
    return Found(passage, finding, trust, unread=finding is NOTHING_FOUND)


def test_a_time_of_any_text_is_said_as_the_question_is_asked() -> None:
    moved, stayed = _found("I moved yesterday.", NOTHING_READ), _found("I stayed for three weeks.", NOTHING_READ)
    assert dates(_question("es", Seeks.WHEN), moved)[0].text == "6 de marzo de 2026"
    assert lengths(_question("es", Seeks.LENGTH), stayed)[0].text == "3 semanas"
    assert lengths(_question("en", Seeks.LENGTH), stayed)[0].text == "three weeks"
    assert (
        lengths(_question("es", Seeks.LENGTH), _found("I stayed for a weekend.", NOTHING_READ))[0].text == "a weekend"
    )


@pytest.mark.parametrize(("code", "yes", "no"), [("en", "Yes", "No"), ("de", "Ja", "Nein"), ("zh", "是", "不是")])
def test_yes_and_no(code: str, yes: str, no: str) -> None:
    question = _question(code, Seeks.YES_NO)
    assert found_in(question, [_found("I still have it.", Finding(0.9, 0.99, 0.01, ()))], []).text == yes
    assert found_in(question, [_found("I do not have it.", Finding(0.9, 0.01, 0.99, ()))], []).text == no


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I'm allergic to walnuts btw, so no coffee cake for me", ""),  # what it denies is something else
        ("I'm not allergic to walnuts, and I never was", "No"),
        (
            "There were walnuts in the cake, and I'm not allergic",
            "No",
        ),  # the part with the walnuts does not say of what
    ],
)
def test_no_is_not_said_of_what_a_part_affirms(text: str, told: str) -> None:
    question = spoken(["Is"]).question("Is Tom still allergic to walnuts?", ["Tom"])
    assert found_in(question, [_found(text, Finding(0.9, 0.01, 0.99, ()))], []).text == told


def test_a_part_affirms_in_any_form_of_its_words() -> None:
    question = spoken(["Did"]).question("Did the police find Rufus's bike?", ["Rufus"])
    found = _found("police found the bike!! in a skip. no saddle", Finding(0.9, 0.01, 0.99, ()))
    assert found_in(question, [found], []).text == ""


def test_a_part_without_what_is_asked_affirms_nothing() -> None:
    question = spoken(["Are"]).question("Are the students on the ledge hurt?", [])
    found = _found("two students on the ledge, cold, no injuries", Finding(0.9, 0.01, 0.99, ()))
    assert found_in(question, [found], []).text == "No"


@pytest.mark.parametrize(
    ("code", "quoted"),
    [
        ("en", "Ana, 7 March 2026: “Hola”"),
        ("es", "Ana, 7 de marzo de 2026: “Hola”"),
        ("ja", "Ana, 2026年3月7日: “Hola”"),
    ],
)
def test_a_quote_is_dated_in_the_language_of_the_question(code: str, quoted: str) -> None:
    assert said(_question(code, Seeks.WHAT), "Ana", SAID, "Hola") == quoted


@pytest.mark.parametrize(
    ("code", "text", "answer"),
    [
        ("de", "Die Prüfung sollte am 14. März sein, jetzt ist sie auf den 2. April verlegt", "2. April 2026"),
        ("fr", "L'examen devait être le 14 mars, finalement c'est le 2 avril", "2 avril 2026"),
        ("ru", "Экзамен 14 марта перенесли на 2 апреля", "2 апреля 2026 г."),
        ("zh", "考试本来是3月14号，改到4月2号了", "2026年4月2日"),
        ("ar", "كان الامتحان يوم 14 مارس، أجلوه إلى 2 أبريل", "2 أبريل 2026"),
        ("de", "Am 14. März fahren wir hin und am 2. April zurück", "14. März 2026"),
    ],
)
def test_what_was_put_off_is_on_the_later_day_that_is_named(code: str, text: str, answer: str) -> None:
    assert dates(_question(code, Seeks.WHEN), _found(text, NOTHING_FOUND))[0].text == answer


def test_a_later_window_that_says_it_was_put_off_takes_the_place_of_the_first() -> None:
    asked, first = _question("de", Seeks.WHEN), _found("Das Fest ist am 14. März", NOTHING_FOUND)
    later, sooner = SAID + timedelta(days=5), SAID - timedelta(days=5)
    moved = "Das Fest ist jetzt am 2. April"
    said = [(_found(moved, NOTHING_FOUND, later, 0.7), "2. April 2026"), (_found(moved, NOTHING_FOUND, later, 0.5), ""),
            (_found(moved, NOTHING_FOUND, sooner, 0.7), ""),
            (_found("Das andere Fest ist am 2. April", NOTHING_FOUND, later, 0.7), "")]  # fmt: skip
    for other, answer in said:
        assert found_in(asked, [first, other], []).text == (answer or "14. März 2026")


@pytest.mark.parametrize("code", TABLES)
def test_what_holds_now_is_asked_for_in_every_language(code: str) -> None:
    assert language(code).question(QUESTION_OF_NOW[code], ()).standing is Standing.NOW


@pytest.mark.parametrize(
    ("text", "standing"),
    [
        ("Wo hat Jonas früher gewohnt?", Standing.FORMER), ("Wann waren wir zuletzt in Graz?", Standing.LAST),
        ("Wann war Ana zum ersten Mal klettern?", Standing.FIRST), ("Wer hat die alte Dame gespielt?", Standing.ANY),
    ],
)  # fmt: skip
def test_which_statement_is_asked_for(text: str, standing: Standing) -> None:
    assert language("de").question(text, ()).standing is standing


def test_of_what_is_about_as_likely_the_one_that_is_asked_for_is_taken() -> None:
    """Of what no network reads: the newest of what holds now, the oldest of what was so before, as sure as the best."""
    old, new, other = (
        _found(text, NOTHING_FOUND, at, trust)
        for text, trust, at in (
            ("cobra 25 la clase", 0.9, SAID), ("sube a 30 la clase", 0.4, SAID + timedelta(days=90)),
            ("ya voy", 0.1, SAID + timedelta(days=120)),
        )
    )  # fmt: skip

    def cited(standing: Standing) -> Found:
        question = replace(_question("es", Seeks.COUNT), standing=standing)
        return found_in(question, [old, new, other], ()).cited[0]

    assert (cited(Standing.NOW).passage, cited(Standing.NOW).trust) == (new.passage, 0.9)
    assert [cited(each) for each in (Standing.ANY, Standing.FORMER, Standing.FIRST)] == [old, old, old]
