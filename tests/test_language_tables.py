"""Languages by tables: when something was, and what a question asks for. Every date here was counted by hand."""

from __future__ import annotations

from datetime import datetime

import pytest

from memcli.languages import language
from memcli.languages.recognition import CODES
from memcli.model import Seeks
from memcli.text.times import describe

#: A Wednesday.
SAID = datetime(2026, 3, 18, 10, 30)
BEFORE, LAST_WEEK, FRIDAY = "16 March 2026", "9–15 March 2026", "13 March 2026"
TABLES = ("ar", "de", "es", "fr", "hi", "it", "ja", "ko", "nl", "pl", "pt", "ru", "tr", "zh")

TIMES = [
    ("de", "am Sonntag, den 29. um drei", "29 March 2026"),
    ("de", "Freitag 9 Uhr", "20 March 2026"),
    ("de", "wir waren am Sonntag, den 15. dort", "15 March 2026"),
    ("de", "am Sonntag, 5. April", "5 April 2026"),
    ("fr", "dimanche 29 au soir", "29 March 2026"),
    ("es", "la comida es el domingo, día 29", "29 March 2026"),
    ("es", "nos vemos el viernes 13 horas", "20 March 2026"),  # and not last Friday, the 13th
    ("fr", "vendredi 13 heures", "20 March 2026"),
    ("pt", "sexta-feira 13 horas", "20 March 2026"),
    ("ru", "пятница 13 часов", "20 March 2026"),
    ("es", "el domingo 30", "22 March 2026"),  # no 30th near is on a Sunday
    ("it", "domenica 5 aprile", "5 April 2026"),
    ("nl", "zondag de 29e", "29 March 2026"),
    ("pl", "w niedzielę 29", "29 March 2026"),
    ("pt", "domingo, dia 29", "29 March 2026"),
    ("ru", "в воскресенье 29-го", "29 March 2026"),
    ("zh", "29号（周日）", "29 March 2026"),
    ("ja", "29日の日曜日", "29 March 2026"),
    ("ko", "29일 일요일에", "29 March 2026"),
    ("de", "Vorgestern war ich da", BEFORE),
    ("de", "letzte Woche", LAST_WEEK),
    ("de", "letzten Freitag", FRIDAY),
    ("de", "vor drei Tagen", "15 March 2026"),
    ("de", "in zwei Wochen", "30 March – 5 April 2026"),
    ("de", "am 20. Juni", "20 June 2026"),
    ("de", "am 4.6.", "4 June 2026"),
    ("de", "am 24. Mai 2025", "24 May 2025"),
    ("de", "im Mai fange ich an", "May 2026"),
    ("de", "am Freitag waren wir im Kino", FRIDAY),
    ("de", "am Freitag komme ich", "20 March 2026"),
    ("fr", "avant-hier", BEFORE),
    ("fr", "la semaine dernière", LAST_WEEK),
    ("fr", "vendredi dernier", FRIDAY),
    ("fr", "il y a deux ans", "2024"),
    ("fr", "le 12 septembre", "12 September 2026"),
    ("fr", "le 1er mai", "1 May 2026"),
    ("es", "anteayer", BEFORE),
    ("es", "la semana pasada", LAST_WEEK),
    ("es", "el viernes pasado", FRIDAY),
    ("es", "hace dos meses", "January 2026"),
    ("es", "el 3 de julio de 2025", "3 July 2025"),
    ("es", "mañana por la mañana", "19 March 2026"),
    ("es", "por la mañana", None),
    ("pt", "anteontem", BEFORE),
    ("pt", "na semana passada", LAST_WEEK),
    ("pt", "há três dias", "15 March 2026"),
    ("it", "l'altro ieri", BEFORE),
    ("it", "la settimana scorsa", LAST_WEEK),
    ("it", "due giorni fa", BEFORE),
    ("it", "l'8 marzo", "8 March 2026"),
    ("nl", "eergisteren", BEFORE),
    ("nl", "vorige week", LAST_WEEK),
    ("nl", "drie dagen geleden", "15 March 2026"),
    ("pl", "przedwczoraj", BEFORE),
    ("pl", "w zeszłym tygodniu", LAST_WEEK),
    ("pl", "w zeszły piątek byliśmy w kinie", FRIDAY),
    ("pl", "22 sierpnia", "22 August 2026"),
    ("ru", "позавчера", BEFORE),
    ("ru", "на прошлой неделе", LAST_WEEK),
    ("ru", "в прошлую пятницу", FRIDAY),
    ("ru", "три дня назад", "15 March 2026"),
    ("ru", "27 июня", "27 June 2026"),
    ("tr", "evvelsi gün", BEFORE),
    ("tr", "geçen hafta", LAST_WEEK),
    ("tr", "8 Ağustos'ta", "8 August 2026"),
    ("tr", "İki gün önce", BEFORE),
    ("ar", "أول أمس", BEFORE),
    ("ar", "الأسبوع الماضي", LAST_WEEK),
    ("ar", "٩ أبريل", "9 April 2026"),
    ("hi", "तीन दिन पहले", "15 March 2026"),
    ("hi", "पिछले हफ्ते", LAST_WEEK),
    ("zh", "前天", BEFORE),
    ("zh", "上周", LAST_WEEK),
    ("zh", "上周五", FRIDAY),
    ("zh", "三天前", "15 March 2026"),
    ("zh", "六月十八号", "18 June 2026"),
    ("ja", "おととい", BEFORE),
    ("ja", "先週", LAST_WEEK),
    ("ja", "先週の金曜日", FRIDAY),
    ("ja", "八月二十七日から", "27 August 2026"),
    ("ko", "그저께", BEFORE),
    ("ko", "지난주", LAST_WEEK),
    ("ko", "지난 금요일에", FRIDAY),
    ("ko", "2025년 5월 20일", "20 May 2025"),
    ("de", "vom 28. bis 31. Mai", "28–31 May 2026"),
    ("de", "vom 28. bis 31. Juni", "28 June 2026"),
    ("ja", "2026/02/27", "27 February 2026"),
    ("fr", "le 24/06", "24 June 2026"),
    ("fr", "24/06", None),
    ("es", "el verano pasado", "summer 2025"),
    ("de", "diesen Sommer", "summer 2026"),
    ("de", "letzten Winter", "winter 2025"),
    ("de", "nächsten Winter", "winter 2026"),
    ("ja", "去年の冬", "winter 2025"),
    ("ja", "昨冬", "winter 2025"),
    ("hi", "कल मिलेंगे", "19 March 2026"),
    ("hi", "कल गए थे", "17 March 2026"),
    ("nl", "Kerst 2024", "25 December 2024"),
    ("de", "2019 waren wir im Zimmer 2024", "2019"),
]


@pytest.mark.parametrize(("code", "text", "meant"), TIMES)
def test_times_are_counted_from_the_day_of_saying(code: str, text: str, meant: str | None) -> None:
    found = language(code).times(text, SAID)
    assert [describe(each.span) for each in found] == ([meant] if meant else [])
    assert all(text[each.start_offset : each.end_offset] == each.text for each in found)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("de", "Das kostet 3.500 Euro, so ein Mist"),
        ("es", "El mar está tranquilo"),
        ("it", "mar è una parola corta"),
        ("fr", "Il faut que je parte"),
        ("zh", "我喜欢吃面"),
        ("ru", "Мама мыла раму"),
    ],
)
def test_other_words_are_no_times(code: str, text: str) -> None:
    """ "so", "mar" and "mar è" are what a search for dates in any language takes for days."""
    assert not language(code).times(text, SAID)


def test_a_date_that_does_not_exist_is_none() -> None:
    assert not [each for each in language("de").times("am 31.2.", SAID) if each.span.start.month == 2]


def test_without_a_day_of_saying_only_whole_dates_are_found() -> None:
    found = language("de").times("gestern, am 20. Juni und am 24. Mai 2025", None)
    assert [describe(each.span) for each in found] == ["24 May 2025"]


def test_lengths_are_counted_in_days() -> None:
    assert [each.days for each in language("de").lengths("zwei Wochen und drei Tage")] == [14.0, 3.0]


@pytest.mark.parametrize(
    ("code", "asked", "seeks"),
    [
        ("de", "Wo wohnt sie?", Seeks.WHERE),
        ("de", "Wie viele Kinder hat er?", Seeks.COUNT),
        ("de", "Wie lange bleibt ihr?", Seeks.LENGTH),
        ("de", "Hat Katrin einen Hund?", Seeks.YES_NO),
        ("fr", "Quand part-il ?", Seeks.WHEN),
        ("fr", "À qui est ce vélo ?", Seeks.WHO),
        ("es", "¿Cuántos hijos tiene Diego?", Seeks.COUNT),
        ("es", "¿Por qué se fue?", Seeks.WHY),
        ("pt", "Onde mora a Rita?", Seeks.WHERE),
        ("it", "Chi ha le chiavi?", Seeks.WHO),
        ("it", "Dov'è la chiave?", Seeks.WHERE),
        ("nl", "Hoeveel kost de huur?", Seeks.COUNT),
        ("nl", "Wie heeft de sleutel?", Seeks.WHO),
        ("pl", "Kiedy jest ślub?", Seeks.WHEN),
        ("pl", "Czy Marek ma psa?", Seeks.YES_NO),
        ("ru", "Сколько стоит ремонт?", Seeks.COUNT),
        ("ru", "Где ключи?", Seeks.WHERE),
        ("tr", "Düğün ne zaman?", Seeks.WHEN),
        ("zh", "婚礼在哪一天？", Seeks.WHEN),
        ("zh", "他几号回来？", Seeks.WHEN),
        ("zh", "她住几号楼？", Seeks.COUNT),
        ("fr", "À quelle date ont-ils déménagé ?", Seeks.WHEN),
        ("tr", "Anahtar kimde?", Seeks.WHO),
        ("tr", "Kerem'in kedisi var mı?", Seeks.YES_NO),
        ("ar", "متى العرس؟", Seeks.WHEN),
        ("ar", "كم عدد الأطفال؟", Seeks.COUNT),
        ("ar", "هل عندها قطة؟", Seeks.YES_NO),
        ("hi", "शादी कब है?", Seeks.WHEN),
        ("hi", "किराया कितना है?", Seeks.COUNT),
        ("zh", "你什么时候来？", Seeks.WHEN),
        ("zh", "房租多少？", Seeks.COUNT),
        ("zh", "谁有钥匙？", Seeks.WHO),
        ("ja", "結婚式はいつですか？", Seeks.WHEN),
        ("ja", "どこに住んでいますか？", Seeks.WHERE),
        ("ja", "猫がいますか？", Seeks.YES_NO),
        ("ko", "결혼식이 언제예요?", Seeks.WHEN),
        ("ko", "열쇠는 누구한테 있어요?", Seeks.WHO),
    ],
)
def test_what_a_question_asks_for(code: str, asked: str, seeks: Seeks) -> None:
    assert language(code).question(asked, ()).seeks is seeks


@pytest.mark.parametrize(
    ("code", "asked", "grain"),
    [
        ("ar", "أي ساعة الموعد؟", "minute"),
        ("ar", "ما الشهر الذي سافروا فيه؟", "month"),
        ("de", "Um wie viel Uhr fängt die Probe an?", "minute"),
        ("de", "In welchem Jahr hat Ana geheiratet?", "year"),
        ("es", "¿A qué hora sale el tren?", "minute"),
        ("es", "¿En qué mes nació Leo?", "month"),
        ("fr", "Vers quelle heure arrive-t-il ?", "minute"),
        ("hi", "ट्रेन कितने बजे है?", "minute"),
        ("it", "In che anno si è laureata?", "year"),
        ("ja", "何時に会いますか？", "minute"),
        ("ja", "結婚式は何月何日ですか？", ""),
        ("ko", "몇 시에 만나요?", "minute"),
        ("ko", "몇 시간 걸려요?", ""),
        ("nl", "In welke maand verhuist Bo?", "month"),
        ("pl", "O której zaczyna się koncert?", "minute"),
        ("pt", "A que horas abre a loja?", "minute"),
        ("ru", "Во сколько начинается урок?", "minute"),
        ("ru", "Во сколько обошлась крыша?", ""),
        ("tr", "Tren saat kaçta kalkıyor?", "minute"),
        ("zh", "几点开会？", "minute"),
        ("zh", "生日是几月几号？", ""),
    ],
)
def test_how_exact_a_time_is_asked_for(code: str, asked: str, grain: str) -> None:
    question = language(code).question(asked, ())
    assert question.grain == grain
    assert not grain or question.seeks is Seeks.WHEN


@pytest.mark.parametrize(
    ("code", "asked", "speakers", "about"),
    [
        ("ru", "Как зовут собаку Полины?", ["Глеб", "Полина"], "Полина"),
        ("tr", "Kerem'in dedesi nerede?", ["Elif", "Kerem"], "Kerem"),
        ("zh", "陈浩然的手机在哪里？", ["林悦", "陈浩然"], "陈浩然"),
        ("pl", "Jaki jest ulubiony kolor Marka?", ["Agnieszka", "Marek"], None),
        ("de", "Was mag Jonas?", ["Jonas", "Katrin"], "Jonas"),
        ("de", "Was kostet das?", ["user", "assistant"], None),
    ],
)
def test_a_name_is_known_as_the_language_bends_it(
    code: str, asked: str, speakers: list[str], about: str | None
) -> None:
    """Polish drops the vowel of Marek: that no stem tells."""
    assert language(code).question(asked, speakers).about == about


def test_every_table_is_of_a_language_that_is_recognised() -> None:
    assert set(TABLES) <= CODES
    for code in TABLES:
        assert language(code).times("2024", SAID)


def test_a_language_without_a_table_has_words_and_no_rules() -> None:
    swedish = language("sv")
    assert swedish.question("Var bor hon nu?", ()).stems == ("bor",)
    assert not swedish.times("igår", SAID)


def test_the_last_day_of_a_leap_february_is_the_nearest_that_there_is() -> None:
    assert [describe(each.span) for each in language("de").times("am 29. Februar", datetime(2027, 1, 5))] == [
        "29 February 2028"
    ]


PORTRAITS = [
    ("ar", "ماذا تعرف عن سارة؟", "سارة"),
    ("de", "Was weißt du über Jana Petersen?", "Jana Petersen"),
    ("es", "¿Qué sabes de Lucía?", "Lucía"),
    ("fr", "Que sais-tu d’Inès ?", "Inès"),
    ("hi", "रिया कौन है?", "रिया"),
    ("it", "Chi è Matteo?", "Matteo"),
    ("ja", "結衣について何を知っていますか？", "結衣"),
    ("ko", "지훈에 대해 뭘 알아?", "지훈"),
    ("nl", "Vertel me iets over Sanne", "Sanne"),
    ("pl", "Kim jest Agnieszka?", "Agnieszka"),
    ("pt", "O que você sabe sobre a Thaís?", "Thaís"),
    ("ru", "Что ты знаешь о Полине?", "Полине"),
    ("tr", "Elif hakkında ne biliyorsun?", "Elif"),
    ("zh", "林悦是谁？", "林悦"),
]


@pytest.mark.parametrize(("code", "question", "who"), PORTRAITS)
def test_who_asks_everything_of_somebody(code: str, question: str, who: str) -> None:
    assert language(code).asks_of(question) == (who, False)
    assert {code for code, *_ in PORTRAITS} == set(TABLES)


@pytest.mark.parametrize(
    ("code", "question"), [("de", "Wer kommt morgen?"), ("es", "¿Dónde vive Lucía?"), ("sv", "Vem är Bo?")]
)
def test_who_asks_one_thing_or_without_a_table_asks_everything_of_nobody(code: str, question: str) -> None:
    assert language(code).asks_of(question) == ("", False)
