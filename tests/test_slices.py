"""`memcli eval --slice`: which questions are kept, and that the figures are of these alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.evaluation.questions import GoldQuestion, Haystack
from memcli.evaluation.slices import SLICES, narrowed, said_in
from memcli.formats import Message, turn_id
from memcli.model import TurnId
from memcli.text import content_stems
from tests.conftest import SAMPLE, Ran

Cli = Callable[..., Ran]
IMPLICIT = SLICES["implicit"]

SAID = [
    ("1", "Ada", "I can't stand big resort complexes."),
    ("2", "Ben", "Ada, the trains to Turin were late again."),
    ("3", "Ada", "Peanuts make me ill."),
]
MESSAGES = [Message(text, speaker, session="s", id=id_) for id_, speaker, text in SAID]
PLACES = {str(message.id): turn_id(message) for message in MESSAGES}


def asked(text: str, *evidence: str, answerable: bool = True) -> GoldQuestion:
    turns = frozenset(turn for turn in map(PLACES.get, evidence) if turn)
    return GoldQuestion(text, text, "c", "", turns, answerable=answerable)


def kept(*questions: GoldQuestion, messages: Sequence[Message] = MESSAGES) -> list[str]:
    haystack = Haystack("h", messages, questions)
    found = narrowed(haystack, IMPLICIT, said_in(haystack))
    assert found.outside == len(questions) - len(found.questions)
    return [question.text for question in found.questions]


@pytest.mark.parametrize(
    ("text", "evidence", "held"),
    [
        ("Which hotel should I book?", "1", True),
        ("Which resort should I book?", "1", False),
        ("Are resorts for me?", "1", False),  # the stem, not the word, is shared
        ("Is it late?", "2", False),
        ("What is in this curry, and is it for me?", "3", True),  # only function words are shared
        ("What would Ada book?", "2", True),  # who speaks is no content, even where it is said
        ("What would Ada book?", "1", True),
        ("Should Clara go to Turin?", "2", False),
    ],
)
def test_what_shares_no_content_word_with_its_evidence_is_kept(text: str, evidence: str, held: bool) -> None:
    assert kept(asked(text, *evidence)) == [text] * held


def test_every_turn_of_the_evidence_counts() -> None:
    assert kept(asked("Which curry is safe for Turin?", "3")) == ["Which curry is safe for Turin?"]
    assert kept(asked("Which curry is safe for Turin?", "3", "2")) == []


def test_a_question_without_evidence_is_in_no_slice() -> None:
    assert kept(asked("Which hotel?"), asked("Which hotel?", answerable=False)) == []


_WORDS = st.sampled_from("Ada ada's the again hotel Hotels booking book trains 5 tea 列車".split())
_TEXTS = st.lists(_WORDS, min_size=1, max_size=6).map(" ".join)


@given(st.lists(_TEXTS, min_size=1, max_size=3), _TEXTS)
def test_a_kept_question_shares_no_stem_with_its_evidence(said: list[str], text: str) -> None:
    messages = [Message(each, "Ada", session="s", id=str(i)) for i, each in enumerate(said)]
    turns: list[TurnId] = [turn for message in messages if (turn := turn_id(message))]
    found = kept(GoldQuestion("q", text, "c", "", frozenset(turns)), messages=messages)
    shared = set(content_stems(text)) & set(content_stems(" ".join(said))) - set(content_stems("Ada"))
    assert bool(found) == (not shared)


# -- the command -----------------------------------------------------------------------------------------------------


def conversation(*pairs: tuple[str, str]) -> dict[str, Any]:
    """One conversation in LoCoMo's schema, of these questions and the place of each one's evidence."""
    turns = [{"speaker": speaker, "dia_id": f"D1:{id_}", "text": text} for id_, speaker, text in SAID]
    said = {"session_1": turns, "session_1_date_time": "1:00 pm on 8 May, 2023"}
    asked = [{"question": q, "answer": "a", "evidence": [e] * bool(e), "category": i} for i, (q, e) in enumerate(pairs)]
    return {"sample_id": "one", "conversation": {"speaker_a": "Ada", "speaker_b": "Ben", **said}, "qa": asked}


def measure(cli: Cli, *arguments: str | Path) -> Ran:
    return cli("eval", *arguments, "--strategy", "bm25", "--embedder", "fake", "--workers", "1")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "one.json"
    hotel, resort = ("Which hotel should I book?", "D1:1"), ("Which resort is best?", "D1:1")
    path.write_text(json.dumps([conversation(hotel, resort, ("Is this curry safe?", "D1:3"), ("Who won?", ""))]))
    return path


def test_the_figures_are_of_the_slice_and_say_so(cli: Cli, data: Path, tmp_path: Path) -> None:
    found: Any = measure(cli, data, "--slice", "implicit", "--json").json
    assert found["slice"] == {"name": "implicit", "kept": 2, "of": 4}
    assert (found["n"], found["categories"]) == (2, {"0": 1, "2": 1})
    assert found["strategies"]["bm25"]["turn"]["recall@10"] == 0.0  # no word leads there
    shown = measure(cli, data, "--slice", "implicit", "--out", tmp_path / "out").out
    assert "slice implicit: 2 of 4 questions share no content word with their evidence" in shown
    assert "slice implicit: 2 of 4" in (tmp_path / "out" / "report.html").read_text()
    whole: Any = measure(cli, data, "--json").json
    assert (whole["slice"], whole["n"]) == (None, 4)


def test_a_limit_draws_from_the_slice(cli: Cli, data: Path) -> None:
    for seed in ("0", "1", "2", "3"):
        found: Any = measure(cli, data, "--slice", "implicit", "--limit", "1", "--seed", seed, "--json").json
        assert found["n"] == 1
        assert found["slice"] == {"name": "implicit", "kept": 2, "of": 4}
        assert set(found["categories"]) <= {"0", "2"}


def test_records_of_a_slice_and_of_all_are_compared_over_the_slice(cli: Cli, data: Path, tmp_path: Path) -> None:
    measure(cli, data, "--out", tmp_path / "all")
    measure(cli, data, "--slice", "implicit", "--out", tmp_path / "some")
    ran = cli("eval", "compare", tmp_path / "all", tmp_path / "some", "--json")
    found: Any = ran.json
    assert found["strategies"]["bm25"]["n"] == 2
    assert [record["slice"] for record in found["records"]] == [None, {"name": "implicit", "kept": 2, "of": 4}]
    said = cli("eval", "compare", tmp_path / "all", tmp_path / "some").err
    assert said == "memcli: the records are of different slices: only the questions of both are compared\n"
    refused = cli("eval", "compare", tmp_path / "all", tmp_path / "some", "--slice", "implicit")
    assert (refused.code, refused.err.count("\n")) == (2, 1)


@pytest.mark.parametrize("name", ["magic", ""])
def test_an_unknown_slice_is_said_to_be_one(cli: Cli, data: Path, name: str) -> None:
    ran = measure(cli, data, "--slice", name)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"memcli: no slice is called {name!r}")
    assert "implicit" in ran.err


def test_a_slice_without_questions_is_nothing_found(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_text(json.dumps([conversation(("Which resort is best?", "D1:1"))]))
    ran = measure(cli, path, "--slice", "implicit")
    assert (ran.code, ran.out) == (1, "")
    assert "none of the 1 questions is in the slice implicit" in ran.err


def test_the_slice_of_own_questions_is_told_by_the_store(cli: Cli, tmp_path: Path) -> None:
    store, path = tmp_path / "own.memcli", tmp_path / "questions.jsonl"
    cli("ingest", SAMPLE / "chats.jsonl", "--store", store, "--embedder", "fake")
    hits: Any = cli("search", "Nora phone number", "-k", "1", "--store", store, "--json").json
    hit = hits["hits"][0]
    asked = [{"question": "Zeppelin?", "evidence": [hit["id"]]}, {"question": hit["text"], "evidence": [hit["id"]]}]
    path.write_text("".join(json.dumps(each) + "\n" for each in [*asked, {"question": "Zeppelin?"}]))
    found: Any = cli(
        "eval", path, "--store", store, "--slice", "implicit", "--strategy", "bm25", "--workers", "1", "--json"
    ).json
    assert found["slice"] == {"name": "implicit", "kept": 1, "of": 3}
