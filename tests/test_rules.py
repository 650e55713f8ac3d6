"""Rules are about English, not about one text: what all tables must keep, and sentences that none was written for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from memcli.languages.english.assertions import circumstances, intents, tastes
from memcli.languages.english.assertions.rules import Rule
from memcli.languages.english.statements import statements
from memcli.relations import RelationType as R

from .test_tagging import SAID, sure, tagged

ROOT = Path(__file__).resolve().parents[1] / "memcli"
TABLES = ("languages", "reading", "ranking")
RULES: tuple[Rule, ...] = (*circumstances.RULES, *circumstances._ALWAYS, *intents.RULES, *tastes.RULES)
#: Words whose first letters an optional group before a tail could swallow: "an", "the", "to", "on", "in", "for", "my".
WORDS = "antiques theatres tomatoes onions inks forests myths sofas isles attics dolls".split()


def _patterns() -> Iterator[tuple[str, str]]:
    """The regular expressions of the rule tables, without their classes, escapes and groups' names."""
    for path in sorted(path for table in TABLES for path in (ROOT / table).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
                continue
            if re.search(r"\\b|\(\?|\\w", node.value):
                yield f"{path.name}:{node.lineno}", node.value


def test_no_rule_names_anybody() -> None:
    pronouns = {"We", "My", "It", "They", "She", "He", "Im"}
    seen = 0
    for where, pattern in _patterns():
        seen += 1
        bare = re.sub(r"\[[^\]]*\]|\\[A-Za-z]|\(\?P<\w+>", " ", pattern)
        assert not set(re.findall(r"(?<![A-Za-z])[A-Z][a-z]+", bare)) - pronouns, f"{where}: {pattern}"
    assert seen > 200


def test_no_ending_stands_apart_from_its_word() -> None:
    for where, pattern in _patterns():
        assert not re.search(r"\\w[+*] (?:ly|ing|ed|er|est)\b", pattern), f"{where}: {pattern}"


@pytest.mark.parametrize(("said", "tail"), sorted({(said, tail) for said, _, tail, _ in SAID if tail in said}))
def test_a_tail_begins_with_a_whole_word(said: str, tail: str) -> None:
    for word in WORDS:
        text = said.replace(tail, word)
        for one in tagged(text):
            first = re.match(r"[\w-]+", one.tail)
            assert first is None or re.search(rf"(?<![\w-]){re.escape(first[0])}(?![\w-])", one.clause), (text, one)


@pytest.mark.parametrize("place", ["Apple", "Amazon", "another bank", "theatre", "Thetford", "Myanmar"])
def test_where_somebody_works_is_told_in_full(place: str) -> None:
    assert {tail for relation, tail, _ in sure(f"I work at {place}.") if relation is R.WORKS_AT} <= {
        place, place.removeprefix("another "),
    }  # fmt: skip
    assert sure(f"I work at {place}.")


@pytest.mark.parametrize(
    "said",
    [
        "I have a nut allergy.", "I have a severe nut allergy.", "I have a severely bad nut allergy.",
        "I have a really severe nut allergy.", "I have an extremely serious nut allergy.",
        "I suffer from a lifelong nut allergy.", "My nut allergy is back.", "My very severe nut allergy is back.",
        "We have a truly terrible nut allergy.", "My nut intolerance is back.", "I'm allergic to nut.",
    ],
)  # fmt: skip
def test_an_allergy_is_to_something_however_bad_it_is(said: str) -> None:
    assert {(relation, tail) for relation, tail, _ in sure(said)} == {(R.ALLERGY, "nut")}


@pytest.mark.parametrize("said", ["I have a bad allergy.", "My very severe allergy is back.", "I have food allergies."])
def test_how_bad_an_allergy_is_is_not_what_it_is_to(said: str) -> None:
    assert not [found for found in sure(said) if found[0] is R.ALLERGY]


def test_a_name_is_no_contraction() -> None:
    assert {a.tail for a in tagged("I'm Pei and I'm fond of kites.")} == {a.tail for a in tagged("I'm fond of kites.")}
    assert sure("Im fond of kites.") == sure("I'm fond of kites.") != set()
    assert not tagged("Im Sang-soo made it.")


def test_a_farewell_is_no_loss_of_a_pet() -> None:
    assert not [a for a in tagged("We said goodbye to Anna at the station.") if a.relation is R.HAS_PET]


def test_what_somebody_studies_may_be_of_any_wording() -> None:
    assert (R.STUDIES, "effects of music on sleep", False) in sure("I study the effects of music on sleep.")


@pytest.mark.parametrize("said", ["Elden Saga I is long", "Everybody sold World War I memorabilia of", "See Volume I"])
def test_a_roman_number_is_not_me(said: str) -> None:
    assert statements(said, ()) == []
    assert statements("Last year in Rome I bought a red bicycle", ()) != []


@pytest.mark.parametrize(
    "said",
    ["I'm running late sorry", "I am running a bit behind", "We are running low", "I'm running very late, sorry!",
     "I was building slowly", "I'm playing badly today"],
)  # fmt: skip
def test_how_somebody_is_at_the_moment_is_no_habit(said: str) -> None:
    assert not tagged(said)


@pytest.mark.parametrize(
    ("said", "tail"),
    [
        ("I'm running errands for my aunt every day", "running errands"),
        ("I'm reading long poems lately", "reading long poems"),
    ],
)
def test_what_somebody_does_to_something_is_one(said: str, tail: str) -> None:
    assert any(relation is R.HABIT and found.startswith(tail) for relation, found, _ in sure(said))


@pytest.mark.parametrize(
    ("said", "tail"),
    [("I need milk please", "milk"), ("I need milk, thanks", "milk"), ("I love old maps sorry", "old maps"),
     ("I need a new rucksack, mine is falling apart", "rucksack")],
)  # fmt: skip
def test_a_courtesy_is_no_part_of_a_thing(said: str, tail: str) -> None:
    assert {found for _, found, _ in sure(said)} == {tail}


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("no olives for me please", (R.AVOIDS, "olives", False)),
        ("Sorry, no coffee for us", (R.AVOIDS, "coffee", False)),
        ("I've quit, so no cigarettes from now on", (R.AVOIDS, "cigarettes", False)),
        ("I was diagnosed coeliac", (R.HEALTH, "coeliac", False)),
        ("I've been diagnosed with asthma", (R.HEALTH, "asthma", False)),
    ],
)
def test_what_somebody_goes_without_is_said_in_many_ways(said: str, found: tuple[R, str, bool]) -> None:
    assert found in sure(said)
