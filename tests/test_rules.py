"""Rules are about English, not about one text: what all tables must keep, and sentences that none was written for."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memcli.languages.data import filled, table
from memcli.languages.english import contractions, elision
from memcli.languages.english.assertions.clauses import clauses
from memcli.languages.english.assertions.rules import Rule, rules
from memcli.languages.english.assertions.tails import is_telling, tail_of
from memcli.languages.english.questions import parse
from memcli.languages.english.statements import statements
from memcli.model.relations import RelationType as R

from .test_tagging import SAID, sure, tagged

ROOT = Path(__file__).resolve().parents[1] / "memcli"
TABLES = ("languages", "reading", "ranking")
FILES = (
    ("tastes", "rule"),
    ("tastes", "state"),
    ("circumstances", "known"),
    ("circumstances", "rule"),
    ("intents", "rule"),
)
RULES: tuple[Rule, ...] = tuple(rule for file, kind in FILES for rule in rules(file, kind))
#: Words whose first letters an optional group before a tail could swallow: "an", "the", "to", "on", "in", "for", "my".
WORDS = "antiques theatres tomatoes onions inks forests myths sofas isles attics dolls".split()


def _patterns() -> Iterator[tuple[str, str]]:
    """The regular expressions of the rule tables, without their classes, escapes and groups' names."""
    for path in sorted(path for folder in TABLES for path in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Constant)
                and isinstance(text := node.value, str)
                and re.search(r"\\b|\(\?|\\w", text)
            ):
                yield f"{path.name}:{node.lineno}", text
    for path in sorted(p for p in (ROOT / "languages").rglob("*.toml") if p.parent.name != "lists"):
        yield from _patterns_in(path.name, tomllib.loads(path.read_text(encoding="utf-8")))


#: What a data file has beside patterns: examples, and what memcli says in a language.
_NO_PATTERNS = {"example", "becomes", "finds", "into", "subject", "cues", "yes", "no", "before", "until", "nothing"}


def _patterns_in(where: str, data: object, name: str = "") -> Iterator[tuple[str, str]]:
    """The patterns of a data file, which are not its examples and not its lists of words."""
    if isinstance(data, str) and name not in _NO_PATTERNS:
        yield where, data
    for key, value in data.items() if isinstance(data, dict) else ():
        yield from _patterns_in(f"{where}, {key}", value, key)
    for value in data if isinstance(data, list) else ():
        yield from _patterns_in(where, value, name)


def _rows(package: str, file: str, *kinds: str) -> list[Any]:
    known = table(f"memcli.languages.english{package}", file)
    return [pytest.param(row, id=f"{file}-{kind}-{place}") for kind in kinds for place, row in enumerate(known[kind])]


@pytest.mark.parametrize(
    ("rule", "row"),
    [
        pytest.param(rule, row, id=f"{file}-{kind}-{place}")
        for file, kind in FILES
        for place, (rule, row) in enumerate(
            zip(rules(file, kind), table("memcli.languages.english.assertions", file)[kind], strict=True)
        )
    ],
)
def test_a_rule_of_assertions_finds_its_example(rule: Rule, row: dict[str, Any]) -> None:
    texts = [text for clause in clauses(row["example"], ()) for text in (clause.text, clause.told)]
    heard = [text for text in texts if not rule.cues or rule.cues & set(re.findall(r"[a-z'-]+", text.lower()))]
    matches = [match for text in heard if (match := rule.pattern.search(text))]
    assert row["finds"] in {tail_of(match["tail"]) for match in matches}
    assert is_telling(row["finds"])


@pytest.mark.parametrize("row", _rows("", "contractions", "rule"))
def test_a_contraction_is_written_out(row: dict[str, str]) -> None:
    assert re.sub(row["pattern"], row["into"], row["example"], flags=re.IGNORECASE) == row["becomes"]
    purpose = row.get("for", contractions.MATCHING)
    assert contractions.written_out(row["example"], purpose) == contractions.written_out(row["becomes"], purpose)


@pytest.mark.parametrize(("row", "kind"), [
    *((row, "sure") for row in table("memcli.languages.english", "elision")["sure"]),
    *((row, "likely") for row in table("memcli.languages.english", "elision")["likely"]),
])  # fmt: skip
def test_a_subject_that_is_left_out_is_put_in(row: dict[str, str], kind: str) -> None:
    assert re.match(filled(row["pattern"], {}), row["example"], re.IGNORECASE)
    told = elision.with_subject(row["example"]) if kind == "sure" else elision.clause(row["example"], ())
    assert told == row["becomes"]


@pytest.mark.parametrize("row", _rows("", "questions", "form"))
def test_a_form_of_question_is_found_in_its_example(row: dict[str, str]) -> None:
    assert parse(row["example"], ()).seeks == row["seeks"]


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
