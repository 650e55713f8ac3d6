"""People and their other names: what shows them, what follows from it, correcting it, and where they are used."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.errors import UsageError
from memcli.formats import Message
from memcli.indexing.aliases import learn
from memcli.languages import Language, language
from memcli.languages.base import NAMELESS
from memcli.languages.names import with_aliases
from memcli.memory import Memory
from memcli.model import Filters, Spelling, TurnId
from memcli.model.names import NameUse, Sign
from memcli.store.aliases import Sighting, concluded, probability, sightings
from memcli.store.revision import bump_revision
from memcli.store.selection import Selection

from .conftest import Ran

Cli = Callable[..., Ran]
ENGLISH = language("en")
FORMS = tomllib.loads((resources.files("memcli.languages.english") / "calling.toml").read_text(encoding="utf-8"))[
    "form"
]
#: Two people who call each other otherwise than their messages do.
TWO = [
    ("tom88", "Hey Em, is the flat still free?"), ("emily_r", "Yes! The flat has two rooms and a balcony."),
    ("tom88", "Thanks Em!"), ("emily_r", "You should ring the landlord. – Em"),
    ("emily_r", "Thanks dad, you are the best"), ("emily_r", "Are you around, dad?"), ("tom88", "Always."),
    ("tom88", "Hey guys"), ("tom88", "Wow, what a day!"), ("emily_r", "Wow, what a day!"),
]  # fmt: skip


def said(*turns: tuple[str, str], conversation: str = "chat", session: str = "1") -> list[Message]:
    return [
        Message(text, who, conversation=conversation, session=session, id=f"{conversation}{session}-{n}")
        for n, (who, text) in enumerate(turns)
    ]


def known(memory: Memory) -> set[tuple[str, str, str]]:
    return {(alias.name, alias.speaker, alias.whom) for person in memory.people.found() for alias in person.aliases}


@pytest.fixture
def flat(memory: Memory) -> Memory:
    memory.add(said(*TWO))
    return memory


# -- what a turn shows ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form["example"])
def test_each_form_is_found_in_its_example(form: dict[str, str]) -> None:
    found = ENGLISH.name_uses(form["example"])
    assert any(use.sign == form["sign"] and form["finds"] in (use.name, use.of) for use in found)


@pytest.mark.parametrize(
    ("text", "uses"),
    [
        ("Hey mum, are you in?", [NameUse("mum", Sign.KINSHIP)]),
        ("That is great, Mel! How are you?", [NameUse("Mel", Sign.VOCATIVE)]),
        ("Happy birthday Zoë!", [NameUse("Zoë", Sign.VOCATIVE)]),
        ("My sister Ana is here", [NameUse("sister", Sign.RELATIVE, "Ana")]),
        ("Call me ASAP", []), ("It's Monday", []), ("Thanks God", []), ("Have you been to Porto, Portugal?", []),
        ("Hey everyone", []), ("Hi Mel's friend", []), ("Wow, what a day!", []), ("I like bread, Kate.", []),
    ],
)  # fmt: skip
def test_what_calls_somebody(text: str, uses: list[NameUse]) -> None:
    assert ENGLISH.name_uses(text) == uses


@pytest.mark.parametrize(
    ("text", "uses"),
    [
        ("Kommst du heute, Jonas?", [NameUse("Jonas", Sign.VOCATIVE)]),
        ("Danke, Anna!", [NameUse("Anna", Sign.VOCATIVE)]),
        ("Bis morgen.\n– Jonas", [NameUse("Jonas", Sign.SIGNATURE)]),
        ("Ja, gern", []), ("今日は、太郎？", []),
    ],
)  # fmt: skip
def test_position_and_punctuation_are_enough_without_words(text: str, uses: list[NameUse]) -> None:
    assert Language().name_uses(text) == uses


@settings(deadline=None)
@given(text=st.text(max_size=200))
@pytest.mark.parametrize("one", [Language(), ENGLISH], ids=lambda one: one.code)
def test_any_text_is_read(one: Language, text: str) -> None:
    for use in one.name_uses(text):
        assert use.name
        assert re.search(re.escape(use.name), text.replace("’", "'"), re.IGNORECASE)


# -- what follows from it ------------------------------------------------------------------------------------------


def sighting(turn: int, speaker: str, *, people: int = 2, where: str = "a", sign: Sign = Sign.VOCATIVE) -> Sighting:
    return Sighting("Em", speaker, "", sign, TurnId(f"t:{turn}"), where, people)


def test_the_probability_is_laplaces() -> None:
    assert probability(2, 0) == 3 / 4
    assert probability(1.5, 0.5) == 2.5 / 4
    assert probability(0, 0) == 1 / 2


def test_one_sighting_is_not_enough() -> None:
    assert concluded([sighting(1, "emily_r")]) == []
    (alias,) = concluded([sighting(1, "emily_r"), sighting(2, "emily_r")])
    assert (alias.name, alias.speaker, alias.sightings, alias.probability, alias.turn) == (
        "Em",
        "emily_r",
        2,
        3 / 4,
        "t:1",
    )


def test_a_turn_counts_once() -> None:
    assert concluded([sighting(1, "emily_r"), sighting(1, "emily_r", sign=Sign.SIGNATURE)]) == []


def test_among_many_it_takes_three_but_for_signatures() -> None:
    calls = [sighting(n, "emily_r", people=4) for n in range(3)]
    assert concluded(calls[:2]) == []  # (1 + 1) / (1 + 2) = 0.67
    assert concluded(calls)[0].probability == pytest.approx(2.5 / 3.5)
    signed = [sighting(n, "emily_r", people=4, sign=Sign.SIGNATURE) for n in range(2)]
    assert concluded(signed)[0].probability == 3 / 4


def test_a_rival_with_half_as_many_forbids_it_where_both_talk() -> None:
    own = [sighting(n, "emily_r") for n in range(8)]
    rival = [sighting(100 + n, "bo") for n in range(4)]
    assert concluded([*own, *rival]) == []
    (alias,) = concluded([*own, *rival[:2]])
    assert alias.probability == 9 / 12
    elsewhere = [sighting(100 + n, "bo", where="b") for n in range(4)]
    assert {(each.speaker, each.probability) for each in concluded([*own, *elsewhere])} == {
        ("emily_r", 0.9),
        ("bo", 5 / 6),
    }


def test_names_are_learned_at_ingest(flat: Memory) -> None:
    with flat.store.reading() as db:
        assert {(each.name, each.speaker, each.whom) for each in sightings(db)} == {
            ("Em", "emily_r", ""), ("dad", "tom88", "emily_r"),
        }  # fmt: skip
    assert known(flat) == {("Em", "emily_r", ""), ("dad", "tom88", "emily_r")}


def test_in_a_group_who_answers_or_is_answered_is_meant(memory: Memory) -> None:
    memory.add(said(
        ("a1", "Hey Kate, are you there?"), ("k9", "Yes"), ("b2", "Hi"),
        ("k9", "I brought cake"), ("b2", "Thanks Kate!"), ("a1", "Ok"),
        ("b2", "Kate, did you sleep?"), ("k9", "No"),
    ))  # fmt: skip
    assert known(memory) == {("Kate", "k9", "")}


def test_a_name_that_somebody_bears_is_that_speakers_and_nobody_elses(memory: Memory) -> None:
    memory.add(said(
        ("Tim", "Hey Mel, are you there?"), ("Bo", "She is asleep"), ("Melanie", "No"),
        ("Tim", "Thanks Mel!"), ("Tim", "Thanks Bo!"), ("Tim", "Hey Bo!"), ("Melanie", "Hey Tim"),
        ("Tim", "Bye Mel"),
    ))  # fmt: skip
    assert known(memory) == {("Mel", "Melanie", "")}


def test_relations_are_for_who_says_them(memory: Memory) -> None:
    memory.add(
        said(("ben", "My sister Ana is ill."), ("cy", "Oh no"), ("ben", "my sister Ana is well again"), ("cy", "Good"))
    )
    assert known(memory) == {("sister", "Ana", "ben")}
    assert {person.name: person.turns for person in memory.people.found()} == {"ben": 2, "cy": 2, "Ana": 0}


def test_a_session_that_grows_and_one_ingested_again_are_learned_once(memory: Memory) -> None:
    memory.add(said(*TWO[:2]))
    assert known(memory) == set()
    for _ in range(2):
        memory.add(said(*TWO))
    with memory.store.reading() as db:
        seen = sightings(db)
    assert len(seen) == len({(each.turn, each.name) for each in seen}) == 5
    assert ("Em", "emily_r", "") in known(memory)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(TWO), min_size=1, max_size=12), st.data())
def test_the_order_and_the_number_of_ingests_do_not_matter(turns: list[tuple[str, str]], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(turns)))

    def learned(*parts: list[Message]) -> set[tuple[str, str, str]]:
        with Memory(None, embedder="fake") as memory:
            for part in parts:
                memory.add(part)
            return known(memory)

    every = said(*turns)
    assert learned(every[:cut], every[cut:]) == learned(every)


def test_one_that_was_interrupted_goes_on(flat: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    before = known(flat)
    with flat.store.writing() as db:
        db.execute("update built set version = 0 where producer = 'aliases'")
        db.execute("delete from sighting")
        bump_revision(db)
    monkeypatch.setattr("memcli.indexing.aliases.ledger.record_built", _interrupt)
    with pytest.raises(KeyboardInterrupt):
        learn(flat.store)
    monkeypatch.undo()
    with flat.store.reading() as db:
        assert sightings(db) == []
    assert known(flat) == before


def _interrupt(*_arguments: object) -> None:
    raise KeyboardInterrupt


# -- correcting it, and what becomes of it ---------------------------------------------------------------------------


def test_corrections_hold_over_ingests_compaction_and_another_embedder(flat: Memory) -> None:
    flat.people.uncall("em", "emily_r")
    flat.people.call("Red", "emily")
    expected = {("Red", "emily_r", ""), ("dad", "tom88", "emily_r")}
    assert known(flat) == expected
    flat.add(said(*TWO, session="2"))
    assert known(flat) == expected
    flat.compact()
    assert known(flat) == expected
    flat.re_embed()
    assert known(flat) == expected
    flat.people.call("EM", "emily_r")
    assert known(flat) == expected | {("EM", "emily_r", "")}


def test_what_people_say_comes_before_what_turns_show(flat: Memory) -> None:
    flat.people.call("Em", "tom88")
    assert known(flat) == {("Em", "tom88", ""), ("dad", "tom88", "emily_r")}


def test_names_go_with_what_shows_them(flat: Memory) -> None:
    flat.people.call("Red", "emily_r")
    flat.care.forget(flat.care.select(Selection(filters=Filters(speaker="emily_r"))))
    assert known(flat) == set()
    with flat.store.reading() as db:
        assert db.execute("select count(*) from alias").fetchall() == [(0,)]
        assert sightings(db) == []
    assert flat.care.examine().is_sound


def test_a_store_in_which_nobody_looked_is_looked_through(flat: Memory) -> None:
    with flat.store.writing() as db:
        db.execute("delete from built where producer = 'aliases'")
        db.execute("delete from sighting")
        bump_revision(db)
    assert ("Em", "emily_r", "") in known(flat)


# -- where they are used -----------------------------------------------------------------------------------------------


def test_a_question_names_whom_it_calls_by_an_alias(flat: Memory) -> None:
    aliases = flat.view().aliases
    assert aliases == {"em": "emily_r"}
    text = "What did em say about the flat?"
    plain = ENGLISH.question(text, ["emily_r", "tom88"])
    read = with_aliases(plain, aliases)
    assert (plain.speakers, plain.about) == ([], None)
    assert (read.speakers, read.about, read.named[0].spelling) == (["emily_r"], "emily_r", Spelling.ALIAS)
    assert "em" in plain.stems
    assert "em" not in read.stems
    assert ENGLISH.wording(NAMELESS, read) == "What did say about the flat?"
    assert with_aliases(ENGLISH.question("Who is empty?", ["emily_r"]), aliases).named == ()


def test_an_alias_that_is_a_word_of_grammar_needs_its_capital() -> None:
    aliases = {"will": "w77"}
    assert with_aliases(ENGLISH.question("what will happen?", ["w77"]), aliases).named == ()
    assert with_aliases(ENGLISH.question("What does Will eat?", ["w77"]), aliases).speakers == ["w77"]


def test_a_name_comes_before_an_alias() -> None:
    question = ENGLISH.question("Where does Kate live?", ["Kate Poe", "emily_r"])
    assert with_aliases(question, {"kate": "emily_r"}) == question


def test_kinship_is_the_users_where_the_store_knows_the_user(memory: Memory) -> None:
    turns = [Message(text, who, role="user" if who == "emily_r" else "", session="1", id=str(n))
             for n, (who, text) in enumerate(TWO)]  # fmt: skip
    memory.add(turns)
    assert memory.view().aliases == {"em": "emily_r", "dad": "tom88"}


def test_search_and_filters_know_aliases(flat: Memory) -> None:
    assert {hit.unit.label for hit in flat.search("flat", filters=Filters(speaker="Em"))} == {"emily_r"}
    with pytest.raises(UsageError, match="no speaker is called 'Zed'"):
        flat.search("flat", filters=Filters(speaker="Zed"))
    flat.add(said(("bo", "Hey Em!"), ("emma7", "Hi"), ("bo", "Thanks Em!"), ("emma7", "Ok"), conversation="other"))
    with pytest.raises(UsageError, match="'Em' is a name of several speakers: emily_r, emma7"):
        flat.search("flat", filters=Filters(speaker="Em"))
    assert "em" not in flat.view().aliases


# -- the command ---------------------------------------------------------------------------------------------------


def test_who_lists_people_with_their_names(cli: Cli, flat: Memory) -> None:
    ran = cli("who", "--json", "--store", str(flat.store.path))
    people = ran.json["people"]
    turn = people[0]["aliases"][0]["turn"]
    assert ran.code == 0
    assert people == [
        {"name": "emily_r", "turns": 5, "named": 0, "denied": [], "first": None, "last": None, "aliases": [
            {"name": "Em", "whom": None, "sightings": 3, "probability": 0.8, "turn": turn, "given": False}]},
        {"name": "tom88", "turns": 5, "named": 0, "denied": [], "first": None, "last": None, "aliases": [
            {"name": "dad", "whom": "emily_r", "sightings": 2, "probability": 0.75,
             "turn": people[1]["aliases"][0]["turn"], "given": False}]},
    ]  # fmt: skip
    assert cli("who", "--store", str(flat.store.path)).out.splitlines() == [
        "emily_r  5 turns", f"  Em  3 turns, probability 0.80, {turn}",
        "tom88  5 turns", f"  dad  to emily_r  2 turns, probability 0.75, {people[1]['aliases'][0]['turn']}",
    ]  # fmt: skip


@pytest.fixture
def told_of(memory: Memory) -> Memory:
    def message(day: int, who: str, text: str) -> Message:
        return Message(text, who, said_at=datetime(2024, 3, day, tzinfo=UTC), conversation="cabin")

    memory.add([
        message(1, "Jo", "my sister Alba is coming too, she's vegan"), message(2, "Marek", "We have Pickle, sorry"),
        message(3, "Jo", "Alba eats fish now"), message(4, "Marek", "Volvos are Albania's best cars"),
        message(5, "Jo", "ask mum"),
    ])  # fmt: skip
    return memory


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What should I cook for Alba?", "Alba: vegan"),
        ("Can Alba eat cheese?", "Alba: vegan"),
        ("What should I cook for Jo?", None),
    ],
)
def test_advice_for_who_is_only_spoken_of_is_what_others_tell(told_of: Memory, question: str, told: str | None) -> None:
    answer = told_of.ask(question).answer
    assert (answer.text == told) if told else "vegan" not in answer.text


@pytest.mark.parametrize(
    ("said", "whom", "told"),
    [
        ("there's me, Anselm who is a coeliac, and my daughter", "Anselm", "Anselm: coeliac"),
        ("Berta, who's vegan, is coming too", "Berta", "Berta: vegan"),
        ("no egg for Jesse please", "Jesse", "Jesse: no egg"),
        ("eggs are a no for Lou", "Lou", "Lou: no eggs"),
        ("Uncle Rob is diabetic now", "Uncle Rob", "Rob: diabetic"),
        ("my son's allergic to eggs", "my son", "son: allergic to eggs"),
        ("Grandpa's not allowed sugar any more", "Grandpa", "grandpa: no sugar"),
        ("Casimir can't do dairy at all, he's in bed for days", "Casimir", "Casimir: no dairy"),
        ("Kai gets hives from egg", "Kai", "Kai: allergic to egg"),
        ("nothing with chilli for me, my ulcer's back", "Ida", "Ida: no chilli"),
    ],
)
def test_what_limits_somebody_is_told_in_many_ways(memory: Memory, said: str, whom: str, told: str) -> None:
    memory.add([Message(said, "Ida", said_at=datetime(2024, 3, 1, tzinfo=UTC), conversation="cabin")])
    assert memory.ask(f"What should I cook for {whom}?").answer.text == told
    assert memory.ask(f"What takeaway can I get for {whom}?").answer.text == told  # no present, for all its "get"


def test_my_husband_is_whom_i_call_so(memory: Memory) -> None:
    memory.add([
        Message("my husband Tom can't stand coriander. He's vegetarian since January", role="user"),
        Message("Noted, no coriander.", role="assistant"),
    ])  # fmt: skip
    whom, _, told = memory.ask("What can I cook for my husband?").answer.text.partition(": ")
    assert (whom, set(told.split("; "))) == ("Tom", {"dislikes coriander", "vegetarian"})


def test_who_is_only_spoken_of_is_listed_with_how_often_and_when(told_of: Memory) -> None:
    *_, alba = told_of.people.found()
    assert (alba.name, alba.turns, alba.named) == ("Alba", 0, 2)
    assert (alba.first, alba.last) == (datetime(2024, 3, 1, tzinfo=UTC), datetime(2024, 3, 3, tzinfo=UTC))
    assert [(each.name, each.whom, each.sightings) for each in alba.aliases] == [("sister", "Jo", 1)]


@pytest.mark.parametrize("name", ["Alba", "alba", " ALBA "])
def test_what_is_said_of_them_is_shown_the_newest_first(told_of: Memory, name: str) -> None:
    shown = told_of.people.find(name)
    assert [turn.text[:4] for turn in shown.naming] == ["Alba", "my s"]


def test_who_is_named_within_a_sentence_or_with_a_capital_alone_is_somebody(told_of: Memory) -> None:
    assert told_of.people.find("pickle").person.named == 1
    told_of.add([Message("Ask her. Tove knows, mum", "Jo", conversation="cabin")])
    assert told_of.people.find("tove").person.named == 1
    for nobody in ("Ask", "Mum", "Albani", ""):
        with pytest.raises(UsageError, match="no person"):
            told_of.people.find(nobody)
    assert not told_of.people.find("Jo").naming


def test_who_shows_what_is_said_of_somebody(cli: Cli, told_of: Memory) -> None:
    store = str(told_of.store.path)
    lines = cli("who", "alba", "--store", store).out.splitlines()
    assert lines[0] == "Alba  only spoken of, in 2 turns, 2024-03-01 to 2024-03-03"
    assert lines[1].startswith("  sister  to Jo  1 turn, probability 0.67, t:")
    assert [line.split("Jo: ")[1][:8] for line in lines[2:]] == ["Alba eat", "my siste"]
    [record] = cli("who", "alba", "--json", "--store", store).json["people"]
    assert [each["text"][:4] for each in record["naming"]] == ["Alba", "my s"]
    assert (record["turns"], record["named"], record["card"]) == (0, 2, None)


def test_who_tells_why(cli: Cli, flat: Memory) -> None:
    store = str(flat.store.path)
    lines = cli("who", "em", "--store", store).out.splitlines()
    assert lines[0] == "emily_r  5 turns"
    assert ["Hey Em" in lines[2], "Thanks Em" in lines[3], "signature t:" in lines[4], len(lines)] == [True] * 3 + [5]
    (person,) = cli("who", "em", "--json", "--store", store).json["people"]
    assert [each["sign"] for each in person["sightings"]] == ["vocative", "vocative", "signature"]


def test_who_is_corrected(cli: Cli, flat: Memory) -> None:
    store = str(flat.store.path)
    (person,) = cli("who", "--is-not", "Em=emily_r", "--json", "--store", store).json["people"]
    assert (person["aliases"], person["denied"]) == ([], ["Em"])
    assert "  not Em  as you said" in cli("who", "emily_r", "--store", store).out
    ran = cli("who", "--is", "Em = tom", "--store", store)
    assert ran.out.splitlines()[:2] == ["tom88  5 turns", "  Em  as you said"]
    assert cli("search", "flat", "--speaker", "em", "--jsonl", "--store", store).code == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--is", "Em"), "'Em' is no name with its speaker"), (("--is", "=tom88"), "NAME=SPEAKER"),
        (("--is-not", "Em=zed"), "no person is called 'zed'"), (("zed",), "no person is called 'zed'"),
        (("em", "--is", "a=b"), "one at a time"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(cli: Cli, flat: Memory, arguments: tuple[str, ...], says: str) -> None:
    ran = cli("who", *arguments, "--store", str(flat.store.path))
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1)
    assert says in ran.err


def test_nobody_in_no_store(cli: Cli, tmp_path: Path) -> None:
    assert cli("who", "--store", tmp_path / "none.memcli").code == 3
    assert cli("who", "--is", "a=b", "--store", tmp_path / "none.memcli").code == 3
    assert not (tmp_path / "none.memcli").exists()
