"""The contract of a language, held by English and by the rules for all; the registry, and who is taken to speak."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli import languages
from memcli.errors import UsageError
from memcli.extensions import Extensible
from memcli.languages import DEFAULT, LANGUAGES, Language, language, spoken
from memcli.languages.base import NAMELESS, PREFERENCE
from memcli.languages.names import in_full, named, without
from memcli.model import Cue, Seeks, Session, SessionId, Spelling, Turn, TurnId
from memcli.model.generated import SessionText, Told

AT = datetime(2024, 5, 8, 13, 0)
EVERY = [Language(), *map(language, ("en", "de", "ja", "tr", "ar", "sv"))]


def session(*said: tuple[str, str]) -> SessionText:
    turns = [Turn(TurnId(f"t:{n}"), SessionId("s:1"), n, who, "", AT, text) for n, (who, text) in enumerate(said)]
    return SessionText(Session(SessionId("s:1"), "chat", "a", AT), turns, [(turn.text,) for turn in turns])


class Tongue(Language):
    """A language that is claimed by one word."""

    code = "xx"

    def claims(self, text: str) -> float:
        return 0.9 if "blorp" in text else 0.0


@pytest.fixture
def tongue(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The same, installed beside English."""
    beside = {**LANGUAGES.built_in, "xx": f"{__name__}:Tongue"}
    monkeypatch.setattr(languages, "LANGUAGES", Extensible(LANGUAGES.group, beside))
    language.cache_clear()
    yield
    language.cache_clear()


@pytest.mark.parametrize("one", EVERY, ids=lambda one: one.code)
@settings(deadline=None)
@given(text=st.text(max_size=80))
def test_it_answers_whatever_it_is_asked(one: Language, text: str) -> None:
    said = session(("Ana", text), ("Ben", "Yes."))
    turn, people = said.turns[0], said.people()
    assert 0 <= one.claims(text) <= 1
    assert isinstance(one.cues(text), Cue)
    assert one.telling_stems(text) >= frozenset()
    assert one.informative(text, 0)
    assert {type(one.is_small_talk(text)), type(one.ends_phrase(text)), type(one.denies(text))} == {bool}
    found = [*one.times(text, AT), *one.asked_times(text, AT)]
    assert all(0 <= e.start_offset < e.end_offset <= len(text) for e in found)
    assert all(length.days >= 0 for length in one.lengths(text))
    assert isinstance(one.dated(text, AT), str)
    assert all(fact.sources for fact in one.facts(said))
    assert all(event.sources for event in one.events(said))
    assert all(fact.strip() for fact in one.retold(text, turn, people))
    assert all(0 < made.confidence <= 1 for made in one.assertions(turn, [text], (), people))
    question = one.question(text, people)
    assert (question.text, question.language) == (text, one.code)
    assert all(isinstance(one.wording(kind, question), str) for kind in (NAMELESS, PREFERENCE))
    assert all(mention.strip() for mention in one.mentions(text, people))


@pytest.mark.parametrize("one", EVERY, ids=lambda one: one.code)
def test_every_event_has_its_turn_and_who_takes_part(one: Language) -> None:
    told = one.events(session(("Ana", "I bought 3 kayaks with Ben in Porto."), ("Ben", "They are red.")))
    assert told[0].sources[0] == "t:0"
    assert {"Ana", "Ben"} & {argument.text for argument in told[0].arguments}
    assert told[0].label == "Ana"


def test_without_rules_what_was_said_stays_as_it_was_said() -> None:
    one = Language()
    said = session(("Ana", "Kawiarnia przy porcie, pokój 12"), ("Ana", "…"))
    assert [event.text for event in one.events(said)] == ["Ana: Kawiarnia przy porcie, pokój 12"]
    assert ("quantity", "12") in {(a.role, a.text) for event in one.events(said) for a in event.arguments}
    assert one.dated("wczoraj", AT) == "wczoraj"
    assert (one.facts(said), one.times("wczoraj", AT), one.retold("a", said.turns[0], ())) == ([], [], [])
    fact = Told("a", np.zeros(2, np.float32), "Ana", SessionId("s:1"), AT, ())
    assert not one.supersedes(fact, fact)
    assert one.question("gdzie mieszka Ana?", ("Ana",)).about == "Ana"
    assert one.question("gdzie?", ()).seeks is Seeks.WHAT
    assert one.cues("gdzie? 7") == Cue.QUESTION | Cue.DIGIT


@pytest.mark.usefixtures("tongue")
def test_english_is_what_no_language_claims() -> None:
    assert spoken(["blorp, she said"]).code == "xx"
    assert spoken(["hello", "blorp"]).code == "xx"
    assert spoken(["hello"]).code == spoken([]).code == DEFAULT
    assert isinstance(language("xx"), Tongue)


def test_a_language_that_is_not_there_is_told_with_those_that_are() -> None:
    with pytest.raises(UsageError, match="unknown language 'tlh'") as error:
        language("tlh")
    assert "en" in str(error.value.hint)


@pytest.mark.parametrize(
    ("text", "speakers", "found"),
    [
        ("Did Mel paint?", ("Melanie",), [("Melanie", "Mel", Spelling.PART)]),
        ("Did Melanie's son paint?", ("Melanie",), [("Melanie", "Melanie", Spelling.NAME)]),
        ("did melanie paint?", ("Melanie",), [("Melanie", "", Spelling.ANY_CASE)]),
        ("Did the user paint?", ("user",), []),
        ("Did Klein paint?", ("Nora Klein",), [("Nora Klein", "Klein", Spelling.PART)]),
        ("أين تسكن ليلى؟", ("ليلى",), [("ليلى", "ليلى", Spelling.NAME)]),
        ("मीना कहाँ रहती है?", ("मीना शर्मा",), [("मीना शर्मा", "मीना", Spelling.NAME)]),
        ("मीनाक्षी कहाँ रहती है?", ("मीना",), []),
        ("Theology?", ("Theo",), []),
    ],
)
def test_how_a_speaker_is_named(text: str, speakers: tuple[str, ...], found: list[tuple[str, str, Spelling]]) -> None:
    assert [(each.speaker, each.word, each.spelling) for each in named(text, speakers)] == found


@pytest.mark.parametrize(
    ("code", "text", "speaker", "word"),
    [
        ("ru", "Что сказано у Ани?", "Аня", "Ани"),
        ("ko", "지수는 어디서 일해?", "지수", "지수는"),
        ("ko", "지수는 어디서 일해?", "김지수", "지수는"),
        ("ko", "김지수가 왔어?", "김지수", "김지수가"),
        ("zh", "小明住在哪里？", "王小明", "小明"),
        ("zh", "王小明住在哪里？", "王小明", "王小明"),
        ("he", "מה אמרתי ללאה?", "לאה", "ללאה"),
        ("ar", "ماذا قلت لليلى؟", "ليلى", "لليلى"),
        ("he", "מה שלי?", "לי", ""),
        ("ko", "오늘은 어디서 일해?", "지수", ""),
    ],
)
def test_how_a_language_bends_a_name(code: str, text: str, speaker: str, word: str) -> None:
    assert [each.word for each in named(text, (speaker,), code)] == ([word] if word else [])


def test_names_in_full_and_without_them() -> None:
    assert list(in_full("ana met Ana Lima; Banana", ["Ana", "Ana Lima", "Ben", ""])) == ["Ana", "Ana Lima"]
    assert without("When did Ana Lima's boat sink?", ["Ana Lima"]) == "When did boat sink?"
