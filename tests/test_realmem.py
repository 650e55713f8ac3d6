"""RealMem's schema: queries among the messages, evidence as sessions, and nothing found before it was said."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memcli.evaluation.asking import Limits
from memcli.evaluation.baselines import contenders
from memcli.evaluation.datasets import haystacks
from memcli.evaluation.outcomes import Outcomes
from memcli.evaluation.questions import Haystack
from memcli.evaluation.runner import Corpus, EvaluationPlan, run
from memcli.providers.fakes import FakeEmbedder
from tests.conftest import Ran

Cli = Callable[..., Ran]


def said(content: str, **more: Any) -> dict[str, Any]:
    return {"speaker": "User", "content": content, "is_query": False, "query_id": None, **more}


def query(content: str, category: str = "Updating") -> dict[str, Any]:
    return said(content, is_query=True, query_id="Q", category_name=category, topic="T", session_type="single_session")


def reply(content: str, *uuids: str) -> dict[str, Any]:
    used = [{"session_uuid": uuid, "content": "Secretly extracted."} for uuid in uuids]
    return {**said(content), "speaker": "Assistant", "memory_used": used, "memory_session_uuids": list(uuids)}


def session(uuid: str, date: str, *turns: Any) -> dict[str, Any]:
    memory = [{"index": "M", "content": "Secretly extracted.", "source_turn": 1, "session_uuid": uuid}]
    return {
        "session_identifier": f"Gardening:{uuid}",
        "session_uuid": uuid,
        "current_time": date,
        "dialogue_turns": list(turns),
        "extracted_memory": memory,
    }


DIALOGUES = [
    session("aa", "2025-12-15 (Monday)", said("My beans are climbing the fence."), reply("Give the beans strings.")),
    session("bb", "2025-12-16 (Tuesday)", said("The cat sleeps on the compost."), reply("Cats like it warm.")),
    session(
        "cc",
        "2025-12-16 (Tuesday)",
        query("How do my beans do, and the cat?"),
        reply("The beans climb.", "aa", "bb", "aa"),
        query("And the frost?", "Reasoning"),
        reply("No frost yet.", "cc", "dd", "zz"),
    ),
    session(
        "dd",
        "2025-12-01 (Monday)",
        said("The beans died in the frost."),
        query("What of the beans?"),
        reply("They died.", "cc"),
    ),
    session("ee", "", query("Did anything else die?"), said("Never mind the beans.")),
]


def written(folder: Path, dialogues: Any = DIALOGUES, name: str = "ada.json") -> Path:
    path = folder / name
    content = json.dumps({"_metadata": {"person_name": "Ada", "total_sessions": 5}, "dialogues": dialogues}).encode()
    path.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    return path


def read(folder: Path, dialogues: Any = DIALOGUES, name: str = "ada.json") -> Haystack:
    (haystack,) = haystacks(written(folder, dialogues, name))
    return haystack


@pytest.mark.parametrize("name", ["ada.json", "ada.json.gz"])
def test_what_was_said_is_read_and_nothing_that_a_model_extracted(tmp_path: Path, name: str) -> None:
    haystack = read(tmp_path, name=name)
    assert haystack.name == "Ada"
    assert len(haystack.messages) == 13
    assert {message.speaker for message in haystack.messages} == {"User", "Assistant"}
    text = repr(haystack.messages)
    assert not any(secret in text for secret in ("Secretly", "Gardening", "aa", "Updating"))


def test_queries_have_the_sessions_before_them_as_evidence(tmp_path: Path) -> None:
    haystack = read(tmp_path)
    found = [(q.text, q.category, len(q.session_evidence), q.unresolved, q.exclusion) for q in haystack.questions]
    assert found == [
        ("How do my beans do, and the cat?", "Updating", 2, 0, ""),
        ("And the frost?", "Reasoning", 0, 3, "unresolvable_evidence"),  # itself, a later one, and none at all
        ("What of the beans?", "Updating", 1, 0, ""),
        ("Did anything else die?", "Updating", 0, 0, "no_evidence"),
    ]
    assert all(q.past_only and q.answerable and not q.answer and not q.evidence for q in haystack.questions)
    assert len({q.id for q in haystack.questions}) == 4


def test_the_file_s_order_is_the_order_of_saying(tmp_path: Path) -> None:
    """Sessions of one day come one after the other, and a date that runs back, or is none, follows the one before."""
    times = list(dict.fromkeys(message.said_at for message in read(tmp_path).messages))
    midnight = datetime(2025, 12, 16)
    assert times == [datetime(2025, 12, 15), *(midnight.replace(minute=minute) for minute in range(4))]


def test_a_query_finds_only_earlier_sessions(tmp_path: Path) -> None:
    """With every strategy, whatever it ranks: neither itself, nor its own session, nor a later one."""
    path, model = written(tmp_path), FakeEmbedder()
    corpus = Corpus(lambda: haystacks(path), tmp_path / "indexes", "fake", lambda: model)
    wanted = [name for name in contenders("all") if name != "none"]
    result = run(EvaluationPlan(wanted, Limits(20, 4000)), corpus, Outcomes(tmp_path / "outcomes", {}))
    gold = {g.question.text: g for g in result.gold}
    first, third = gold["How do my beans do, and the cat?"], gold["What of the beans?"]
    for name in wanted:
        seen = {text: set(result.outcomes[name][g.question.id].sessions) for text, g in gold.items()}
        assert seen["How do my beans do, and the cat?"] <= first.sessions, name
        assert seen["What of the beans?"] <= first.sessions | third.sessions, name
        assert seen["And the frost?"] <= first.sessions, name
    assert set(result.outcomes["recency"][first.question.id].sessions) == first.sessions


def test_retrieval_is_scored_by_sessions_and_answers_are_not(cli: Cli, tmp_path: Path) -> None:
    path = written(tmp_path)
    arguments = ("eval", path, "--strategy", "bm25,recency", "--embedder", "fake", "--workers", "1")
    ran = cli(*arguments, "--json")
    found: Any = ran.json
    assert (ran.code, found["n"], found["categories"]) == (0, 4, {"Reasoning": 1, "Updating": 3})
    assert found["excluded"]["retrieval"] == {"abstention": 0, "no_evidence": 1, "unresolvable_evidence": 1}
    assert found["excluded"]["answers"] == {"unanswerable": 0, "no_gold_answer": 4}
    assert found["excluded"]["malformed_evidence"] == 3
    figures = found["strategies"]["recency"]
    assert figures["session"]["recall@10"] == 1.0
    assert figures["turn"]["recall@10"] is figures["answers"]["f1"] is None
    shown = cli(*arguments, "--out", tmp_path / "out").out
    assert "## Session recall@10 by category" in shown
    assert (tmp_path / "out" / "report.html").read_text().count("<svg") == 4
    compared: Any = cli("eval", "compare", tmp_path / "out", tmp_path / "out", "--json").json
    figures = compared["strategies"]["bm25"]["figures"]
    assert set(figures) == {"session.recall@10", "session.recall_all@5", "answers.abstained"}
    assert cli(*arguments, "--slice", "implicit").code == 1


def test_what_cannot_be_read_is_counted_and_the_rest_asked(cli: Cli, tmp_path: Path) -> None:
    strange = [
        *DIALOGUES[:2],
        "nonsense",
        {"session_uuid": 7, "current_time": 3, "dialogue_turns": "none"},
        session("ff", "soon", 5, None, {"content": 3}, query(""), query("How do the beans climb?"), reply("Up.", "aa")),
        session("gg", "2025-12-20", query("And now?")),
        session("aa", "2025-12-21", query("Who sleeps?"), {**reply("The cat."), "memory_session_uuids": "bb"}),
    ]
    path = written(tmp_path, strange)
    ran = cli("eval", path, "--strategy", "bm25", "--embedder", "fake", "--workers", "1", "--json")
    found: Any = ran.json
    assert (ran.code, found["n"], found["excluded"]["malformed_questions"]) == (6, 3, 3)
    assert found["excluded"]["retrieval"]["no_evidence"] == 1
    assert ran.err.splitlines() == [
        "memcli: left out: Ada, session 3: it has no dialogue_turns",
        "memcli: left out: Ada, session 4: it has no dialogue_turns",
        "memcli: left out: Ada, session 5: it has no content",
    ]


@pytest.mark.parametrize("dialogues", [[], None, "x", [session("aa", "")], [{"dialogue_turns": [said(" ")]}]])
def test_a_file_in_which_nothing_is_said_is_one_clear_line(cli: Cli, tmp_path: Path, dialogues: Any) -> None:
    ran = cli("eval", written(tmp_path, dialogues), "--embedder", "fake")
    assert (ran.code, ran.out, ran.err.count("\n")) == (6, "", 1)
