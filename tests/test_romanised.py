"""Names that a text writes in another script than the speaker."""

from __future__ import annotations

import pytest

from memcli.languages import language
from memcli.languages.names import named
from memcli.languages.romanised import sounding_alike
from memcli.model import Spelling

SPEAKERS = ("Глеб", "Полина", "سارة", "كريم", "Tobias", "Friederike", "user")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("How many children does Gleb have?", [("Глеб", "Gleb")]),
        ("What did Polina tell Kareem?", [("Полина", "Polina"), ("كريم", "Kareem")]),
        ("Sarah's aunt", [("سارة", "Sarah")]),
        ("Что сказал Тобиас?", [("Tobias", "Тобиас")]),
        ("أين يعمل توبياس؟", [("Tobias", "توبياس")]),
        ("Where did gleb go?", []),  # no name without a capital, where there are any
        ("What did Galina say?", []),
        ("Did Glenda come by?", []),
        ("Tobias was there", []),  # in the speaker's own script others know it
    ],
)
def test_a_name_is_known_by_its_consonants(text: str, found: list[tuple[str, str]]) -> None:
    assert list(sounding_alike(text, SPEAKERS)) == found


def test_a_word_that_may_be_of_two_is_of_nobody() -> None:
    assert list(sounding_alike("Where is Marina?", ("Марина", "Морана"))) == []
    assert list(sounding_alike("Where is Marina?", ("Марина", "Олег"))) == [("Марина", "Marina")]


def test_too_few_consonants_are_no_name() -> None:
    assert list(sounding_alike("Are Io and Ai there?", ("Ия", "Ао"))) == []


def test_it_is_a_mention_like_any_other() -> None:
    [mention] = named("When does Gleb arrive?", SPEAKERS)
    assert (mention.speaker, mention.word, mention.spelling) == ("Глеб", "Gleb", Spelling.NAME)


def test_a_question_is_about_whom_it_names_so() -> None:
    asked = language("en").question("What does Karim drink?", SPEAKERS)
    assert (asked.about, asked.stems) == ("كريم", ("drink",))
    assert language("ru").question("Где живёт Тобиас?", SPEAKERS).about == "Tobias"
