"""`memcli concepts`: what was concluded of whom, on what it rests, and taking it back for good."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memcli.care.concepts import Concept
from memcli.formats import Message
from memcli.indexing.ontology import lifting
from memcli.indexing.ontology import topics as learning
from memcli.memory import Memory
from memcli.model import TurnId
from memcli.store.lifted import SupportingAssertion, TopicEdge, edges
from memcli.store.rows import transaction
from memcli.store.topics import LiftedRow, drop_concepts
from memcli.store.views.assertions import assertion_index
from tests.conftest import Ran
from tests.test_concepts import EVEN, Axes

Cli = Callable[..., Ran]
NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
WORDS = ("film", "boat", "noir", "festivals", "music", "noise", "posters")
FILMS = ("I love film noir.", "I love film festivals.", "I like film music.", "I love film posters.")
HOSTILE = "[red]An\x1b[31ma\u202e'; drop table lifted;--"


@pytest.fixture(scope="module", autouse=True)
def _even() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lifting, "packaged", lambda: EVEN)
        yield


def at(path: str | Path, id_: str = "axes") -> Memory:
    """A store with an embedder to which what is said of films is near, but not the same."""
    return Memory(path, embedder=Axes(WORDS, id_, len(WORDS) + 1))


def said(*texts: str, speaker: str = "Ana", first: int = 0) -> list[Message]:
    """Each in a session of its own, on a day of its own."""
    return [
        Message(text, speaker, said_at=NOON + timedelta(days=day), conversation=speaker, session=f"s{day}", id="1")
        for day, text in enumerate(texts, start=first)
    ]


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Ana of films; not to be written to."""
    path = tmp_path_factory.mktemp("films") / "films.memcli"
    at(path).add(said(*FILMS))
    return str(path)


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Several people, of several minds; not to be written to."""
    path = tmp_path_factory.mktemp("people") / "people.memcli"
    at(path).add(
        [
            *said("I hate film noir.", "I hate film festivals.", "I avoid film music."),
            *said("I love boat noise.", "I love boat music.", "I hate boat festivals.", "I hate boats.", first=9),
            *said(*FILMS, "I love film.", speaker="Bo"),
            *said("I love film noir.", "I hate film noir.", "I love film noir.", speaker="Cy"),
            *said("I love film [bold]noir\x07[/bold].", "I love film\u202e festivals.", *FILMS[2:], speaker=HOSTILE),
        ]
    )
    return str(path)


@pytest.fixture
def store(films: str, tmp_path: Path) -> str:
    """Ana of films; to be written to."""
    return shutil.copy(films, str(tmp_path / "test.memcli"))


def ids(store: str | Path) -> dict[str, str]:
    """Each edge and candidate with why it was declined."""
    with at(store).store.reading() as db:
        return {edge.id: edge.row.declined for edge in edges(db)}


def shown(cli: Cli, store: str | Path, *arguments: str) -> list[dict[str, Any]]:
    found = cli("concepts", *arguments, "--json", "--store", store).json
    assert isinstance(found, dict)
    return list(found["concepts"])


def turn(store: str, words: str) -> TurnId:
    with at(store).store.reading() as db:
        ((found,),) = db.execute("select id from turn where contains(text, ?)", [words]).fetchall()
    return TurnId(found)


# -- showing -------------------------------------------------------------------------------------------------------


def test_concepts_golden_json(cli: Cli, films: str) -> None:
    edge = {
        "id": "c:89efd1ad", "person": "Ana", "stance": "wants", "label": "film noir, film festivals, film music",
        "domain": None, "liking": 1.0, "support": 4, "probability": 0.8044, "declined": None,
    }  # fmt: skip
    tails = ("film noir", "film festivals", "film music", "film posters")
    evidence = [
        {"turn": turn(films, tail), "said_at": f"2026-01-0{day}T12:00:00+00:00", "relation": "likes",
         "negated": False, "tail": tail, "confidence": 0.8}
        for day, tail in enumerate(tails, start=5)
    ]  # fmt: skip
    ran = cli("concepts", "--json", "--store", films)
    assert (ran.code, ran.err, ran.json) == (0, "", {"concepts": [edge], "total": 1})
    assert shown(cli, films, "--explain") == [edge | {"evidence": evidence}]
    for begin in ("c:89efd1ad", "c:89e", "89ef", "c:"):
        assert cli("concepts", begin, "--json", "--store", films).json == edge | {"evidence": evidence}


def test_concepts_plain(cli: Cli, films: str) -> None:
    line = "c:89efd1ad  Ana keeps coming back to: film noir, film festivals, film music  support 4, probability 0.80"
    assert cli("concepts", "--store", films) == Ran(0, line + "\n", "")
    lines = cli("concepts", "c:", "--store", films).out.splitlines()
    assert lines[:2] == [line, f"     2026-01-05 12:00  likes: film noir  {turn(films, 'film noir')}"]
    assert len(lines) == 5


def test_a_label_names_different_things_the_most_central_first() -> None:
    tails = (("noir", 0.7, 1), ("film noir", 0.9, 1), ("noir films", 0.8, 2), ("  the\n sea " + "x" * 60, 0.6, 3),
             ("!", 0.5, 4), ("boats", 0.4, 5))  # fmt: skip
    members = [
        SupportingAssertion(TurnId("t:1"), None, "likes", tail, False, 0.8, thing, near) for tail, near, thing in tails
    ]
    concept = Concept(TopicEdge("c:1", LiftedRow(1, "Ana", 1.0, 6, 0.9, "")), members)
    assert concept.label == f"film noir, the sea {'x' * 31}…, !"


def test_several_people(cli: Cli, people: str) -> None:
    found = shown(cli, people)
    assert [(each["person"], each["stance"], each["support"]) for each in found[1:]] == [
        ("Ana", "both", 4), (found[2]["person"], "wants", 4), ("Ana", "does not want", 3),
    ]  # fmt: skip
    assert (found[0]["person"], found[0]["support"]) == ("Bo", 5)
    assert shown(cli, people, "--person", "bo") == found[:1]
    ran = cli("concepts", "-k", "1", "--store", people)
    assert (ran.code, len(ran.out.splitlines()), ran.err) == (0, 1, "and 3 more: -k N\n")
    out = cli("concepts", "--person", "Ana", "--explain", "--store", people).out
    assert "Ana keeps away from: film" in out
    assert "Ana is of two minds about: boat" in out
    assert "  dislikes: film noir  t:" in out
    ran = cli("concepts", "c:", "--store", people)
    assert (ran.code, len(ran.err.splitlines())) == (2, 1)
    assert all(each["id"] in ran.err for each in found)


def test_a_candidate_that_was_declined(cli: Cli, people: str) -> None:
    ran = cli("concepts", "--person", "Cy", "--store", people)
    assert ran == Ran(1, "", "nothing has been concluded of Cy; --all shows 1 that was declined\n")
    ran = cli("concepts", "--person", "Cy", "--all", "--store", people)
    assert (ran.code, ran.out.rstrip().rpartition("  ")[2]) == (0, "declined: contradictory")
    assert [each["declined"] for each in shown(cli, people, "--all")] == [None] * 4 + ["contradictory"]


def test_nothing_has_been_concluded(cli: Cli, tmp_path: Path) -> None:
    store = str(tmp_path / "empty.memcli")
    with at(store).store.writing():
        pass
    assert cli("concepts", "--store", store) == Ran(1, "", "nothing has been concluded\n")
    ran = cli("concepts", "--person", "\x1b[31mBo\n[b]", "--store", store)
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1)
    assert "no person is called" in ran.err
    at(store).add([Message("Hello.", "\x1b[31mBo\n[b]")])
    ran = cli("concepts", "--person", "\x1b[31mBo\n[b]", "--store", store)
    assert ran == Ran(1, "", "nothing has been concluded of [31mBo [b]\n")
    ran = cli("concepts", "--json", "--store", store)
    assert (ran.code, ran.json) == (1, {"concepts": [], "total": 0})


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("c:zz",), 1, "memcli: nothing that was concluded has the id c:zz"),
        (("--decline", "%"), 1, "memcli: nothing that was concluded has the id %"),
        (("--restore", "c:"), 1, "memcli: c:89efd1ad is not taken back"),
        (("c:", "--decline", "c:"), 2, "memcli: one at a time"),
    ],
)
def test_ids_of_nothing(cli: Cli, films: str, arguments: tuple[str, ...], code: int, told: str) -> None:
    ran = cli("concepts", *arguments, "--store", films)
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (code, "", 1)
    assert ran.err.startswith(told)


@pytest.mark.parametrize("arguments", [(), ("c:1",), ("--decline", "c:1")])
def test_there_must_be_a_store(cli: Cli, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    ran = cli("concepts", *arguments, "--store", tmp_path / "none.memcli")
    assert (ran.code, len(ran.err.splitlines())) == (3, 1)
    assert not (tmp_path / "none.memcli").exists()


def test_hostile_names_and_words(cli: Cli, people: str, tmp_path: Path) -> None:
    store = shutil.copy(people, tmp_path / "test.memcli")
    (name,) = (each["id"] for each in shown(cli, store, "--person", HOSTILE))
    for arguments in ((name,), ("--decline", name), ("--restore", name), ("--explain", "--person", HOSTILE)):
        ran = cli("concepts", *arguments, "--store", store)
        assert (ran.code, ran.err) == (0, ""), arguments
        assert not {"\x1b", "\x07", "\u202e"} & set(ran.out)
        assert "[red]An[31ma'; drop table lifted;-- keeps coming back to: " in ran.out


# -- taking back ---------------------------------------------------------------------------------------------------


def test_what_is_taken_back_shapes_no_ranking(cli: Cli, store: str) -> None:
    memory = at(store)
    before = assertion_index(memory.view())
    assert (before.topic >= 0).all()
    ran = cli("concepts", "--decline", "c:", "--json", "--store", store)
    assert isinstance(ran.json, dict)
    assert (ran.code, ran.json["declined"]) == (0, "taken back")
    index = assertion_index(memory.view())
    assert (index.topic == -1).all()
    assert not index.lifted.any()
    assert cli("concepts", "--store", store).code == 1
    assert cli("concepts", "--decline", "c:", "--store", store).code == 0  # once more changes nothing
    assert cli("concepts", "--restore", "c:", "--store", store).code == 0
    after = assertion_index(memory.view())
    assert np.array_equal(before.topic, after.topic)
    assert np.array_equal(before.lifted, after.lifted)
    ran = cli("concepts", "--restore", "c:", "--store", store)
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (1, "", 1)


def test_a_decision_survives_what_is_said_later(cli: Cli, store: str) -> None:
    (name,) = ids(store)
    cli("concepts", "--decline", name, "--store", store)
    at(store).add(said(*FILMS, "I love film sets."))  # four of them are known
    at(store).add([Message("I love film scores.", "Ana", conversation="Ana", session="s0", id="2")])  # a session grows
    assert ids(store) == {name: "taken back"}
    assert [each["support"] for each in shown(cli, store, "--all")] == [6]
    cli("concepts", "--restore", name, "--store", store)
    assert ids(store) == {name: ""}
    at(store).add(said("I love film premieres.", first=9))
    assert ids(store) == {name: ""}


def test_a_decision_survives_learning_again(cli: Cli, people: str, tmp_path: Path) -> None:
    store = shutil.copy(people, tmp_path / "test.memcli")
    (name,) = (each["id"] for each in shown(cli, store, "--person", "Bo"))
    cli("concepts", "--decline", name, "--store", store)
    expected = ids(store)
    assert expected[name] == "taken back"
    with at(store).store.writing() as db, transaction(db):
        drop_concepts(db)
        learning.grow(db, len(WORDS) + 1, learning.sensitive())
    assert ids(store) == expected
    at(store, "other axes").ingest([], re_embed=True)
    assert ids(store) == expected


def test_ids_are_the_same_in_every_store(films: str, tmp_path: Path) -> None:
    again = str(tmp_path / "again.memcli")
    at(again).add(said(*FILMS[:2]))
    at(again).add(said(*FILMS))
    assert ids(again) == ids(films)


def test_what_is_given_back_is_judged_as_it_is_now(cli: Cli, store: str) -> None:
    cli("concepts", "--decline", "c:", "--store", store)
    at(store).add(said("I hate film noir.", "I hate film festivals.", first=9))
    assert list(ids(store).values()) == ["taken back"]
    ran = cli("concepts", "--restore", "c:", "--store", store)
    assert (ran.code, list(ids(store).values())) == (0, ["contradictory"])
    assert ran.out.splitlines()[0].endswith("declined: contradictory")


def test_what_is_taken_back_makes_room(cli: Cli, store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "QUOTA", 1)
    (films,) = ids(store)
    at(store).add(said("I love boat noise.", "I love boat music.", "I love boats.", first=9))
    assert [each["declined"] for each in shown(cli, store, "--all")] == [None, "quota"]
    cli("concepts", "--decline", films, "--store", store)
    at(store).add(said("I love boat races.", first=20))
    assert sorted(ids(store).values()) == ["", "taken back"]
    cli("concepts", "--restore", films, "--store", store)
    assert sorted(ids(store).values()) == ["", "quota"]


def test_forgetting_leaves_nothing_of_a_decision(cli: Cli, store: str) -> None:
    cli("concepts", "--decline", "c:", "--store", store)
    memory = at(store)
    memory.care.forget([turn(store, "film noir")])  # the first of them: what is left stays taken back
    assert list(ids(store).values()) == ["taken back"]
    left = [turn(store, each) for each in ("film festivals", "film music", "film posters")]
    with memory.store.reading() as db:
        held = db.execute("select turn from decision").fetchall()
    assert {each for (each,) in held} == set(left)
    memory.care.forget(left)
    with memory.store.reading() as db:
        assert db.execute("select * from decision").fetchall() == []


# -- what limits people in a domain ----------------------------------------------------------------------------------

#: With the default embedder: what Rosa cannot eat, in words that lie far apart.
FOOD = ("I'm pescatarian.", "No aubergine for me please!", "I have IBS.", "I don't eat pork.", "I love cooking.")


@pytest.fixture(scope="module")
def rosas(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Rosa of food; not to be written to."""
    path = tmp_path_factory.mktemp("food") / "food.memcli"
    Memory(path).add(said(*FOOD, speaker="Rosa"))
    return str(path)


@pytest.fixture
def food(rosas: str, tmp_path: Path) -> str:
    """Rosa of food; to be written to."""
    return shutil.copy(rosas, str(tmp_path / "test.memcli"))


def test_limits_golden(cli: Cli, rosas: str) -> None:
    (found,) = shown(cli, rosas)
    assert found == {
        "id": found["id"], "person": "Rosa", "stance": "has limits", "domain": "food",
        "label": "pescatarian, pork, IBS, aubergine", "liking": 0.0, "support": 4,
        "probability": found["probability"], "declined": None,
    }  # fmt: skip
    line = f"{found['id']}  Rosa has limits on food: pescatarian, pork, IBS, aubergine  support 4, probability "
    head, *evidence = cli("concepts", "--explain", "--store", rosas).out.splitlines()
    assert head == f"{line}{found['probability']:.2f}"
    assert [each.split("  ")[-2] for each in evidence] == [
        "diet: pescatarian", "avoids: aubergine", "health: IBS", "avoids: pork",
    ]  # fmt: skip


def test_a_label_of_limits_names_each_that_was_not_taken_back() -> None:
    tails = "eggs", "fish", "milk", "nuts", "okra", "peas", "rice", "soy", "tea"
    members = [
        SupportingAssertion(TurnId("t:1"), None, "allergy", tail, False, 0.8, thing, 0.9 - thing / 100)
        for thing, tail in enumerate(tails)
    ]
    edge = TopicEdge("c:1", LiftedRow(1, "Rosa", 0.0, 9, 0.9, ""), "food")
    assert Concept(edge, members).label == "eggs, fish, milk, nuts, okra, peas, rice, soy"
    back = [
        SupportingAssertion(TurnId("t:2"), None, "allergy", tail, True, 0.8, thing, 0.9)
        for thing, tail in enumerate(tails)
    ]
    assert Concept(edge, [*members, *back[:3]]).label == "nuts, okra, peas, rice, soy, tea"
    assert Concept(edge, [*members[:2], *back[:2]]).label == "eggs, fish"


def test_limits_are_taken_back_and_restored(cli: Cli, food: str) -> None:
    (found,) = shown(cli, food)
    name = found["id"]
    before = assertion_index(Memory(food).view())
    assert (before.topic >= 0).sum() == 4
    assert cli("concepts", "--decline", name, "--store", food).out.splitlines()[0].endswith("declined: taken back")
    assert not assertion_index(Memory(food).view()).lifted.any()
    Memory(food).add(said("No beetroot for me please!", "I avoid gluten.", speaker="Rosa", first=20))
    Memory(food).care.forget([turn(food, "aubergine")])  # topics are learned again, without an embedder
    assert [(each["declined"], each["support"]) for each in shown(cli, food, "--all")] == [("taken back", 4)]
    assert cli("compact", "--store", food).code == 0
    assert cli("doctor", "--store", food).code == 0
    ran = cli("concepts", "--restore", name, "--store", food)
    assert (ran.code, "Rosa has limits on food: " in ran.out, "declined" in ran.out) == (0, True, False)
    assert Memory(food).care.statistics().topics[1] == 1


def test_limits_outlive_neither_their_words_nor_another_embedder(cli: Cli, food: str, tmp_path: Path) -> None:
    expected = shown(cli, food, "--explain")
    again = str(tmp_path / "again.memcli")
    assert cli("ingest", "-", "--store", again, stdin=cli("export", "--store", food).out).code == 0
    assert [each["label"] for each in shown(cli, again)] == [each["label"] for each in expected]
    at(food, "other axes").ingest([], re_embed=True)  # to which no word is of food
    assert {each["domain"] for each in shown(cli, food, "--all")} <= {None}
    Memory(food, embedder="memcli").ingest([], re_embed=True)
    assert shown(cli, food, "--explain") == expected
    Memory(food).care.forget([turn(food, each) for each in FOOD])
    assert shown(cli, food, "--all") == []
    assert cli("doctor", "--store", food).code == 0


def test_who_says_four_times_what_he_cannot_eat(cli: Cli, tmp_path: Path) -> None:
    store = str(tmp_path / "theo.memcli")
    days = {
        "2025-01-14T19:00:00": "I've gone vegan since New Year, still going strong",
        "2025-02-10T20:10:00": "no mushrooms for me please, the texture makes me gag",
        "2025-02-10T20:27:05": "I'm so into mushroom hunting lately",
        "2025-09-25T18:00:00": "I've been diagnosed coeliac, so no gluten from now on",
        "2026-06-12T17:43:17": "I'm so into mushroom hunting lately",
    }
    Memory(store).add(
        [Message(text, "Theo", said_at=datetime.fromisoformat(at), conversation="flat") for at, text in days.items()]
    )
    (found,) = shown(cli, store)
    assert (found["stance"], found["domain"], found["support"]) == ("has limits", "food", 4)
    assert set(found["label"].split(", ")) == {"vegan", "mushrooms", "coeliac", "gluten"}
