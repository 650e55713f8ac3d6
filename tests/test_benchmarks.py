"""The benchmarks' schemas, with their traps."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from memcli.errors import InputUnreadable
from memcli.evaluation.datasets import haystacks
from memcli.formats import turn_id


def _locomo(**qa: object) -> dict[str, object]:
    turns = [{"speaker": "Ada", "dia_id": f"D1:{i}", "text": f"Turn {i}."} for i in range(1, 5)]
    conversation = {
        "speaker_a": "Ada",
        "speaker_b": "Bo",
        "session_1": turns,
        "session_1_date_time": "1:56 pm on 8 May, 2023",
    }
    return {
        "sample_id": "c1",
        "conversation": conversation,
        "qa": [{"question": "Q?", "category": 1, "answer": 7, **qa}],
    }


@pytest.mark.parametrize(
    ("evidence", "found", "unresolved"),
    [
        (["D1:1"], ["D1:1"], 0),
        (["D1:1; D1:03"], ["D1:1", "D1:3"], 0),
        (["D1:2 D1:4"], ["D1:2", "D1:4"], 0),
        (["D:1:2"], ["D1:2"], 0),
        (["D"], [], 1),
        (["D9:9", "D1:1"], ["D1:1"], 1),
        ([], [], 0),
    ],
)
def test_evidence_is_read_as_far_as_it_can_be(
    tmp_path: Path, evidence: list[str], found: list[str], unresolved: int
) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps([_locomo(evidence=evidence)]))
    (haystack,) = haystacks(path)
    (question,) = haystack.questions
    ids = {str(m.id): turn_id(m) for m in haystack.messages}
    assert question.evidence == {ids[place] for place in found}
    assert question.unresolved == unresolved
    assert (question.answer, question.category) == ("7", "1")


def test_a_question_without_an_answer_wants_silence(tmp_path: Path) -> None:
    item = _locomo(evidence=["D1:1"], category=5, adversarial_answer="wrong")
    del item["qa"][0]["answer"]  # type: ignore[index]
    path = tmp_path / "a.json.gz"
    path.write_bytes(gzip.compress(json.dumps([item]).encode()))
    question = next(haystacks(path)).questions[0]
    assert (question.answerable, question.wrong_answer, question.answer) == (False, "wrong", "")


@pytest.mark.parametrize("abstention", [False, True])
def test_longmemeval_marks_its_evidence_turns(tmp_path: Path, abstention: bool) -> None:
    said = {"role": "user", "content": "I fly on Monday.", "has_answer": True}
    session = [said, {"role": "assistant", "content": "Noted."}]
    item = {
        "question_id": "q1" + "_abs" * abstention, "question_type": "t", "question": "When?", "answer": 3,
        "question_date": "2023/05/30 (Tue) 23:40", "answer_session_ids": ["answer_1"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21"], "haystack_session_ids": ["answer_1"],
        "haystack_sessions": [session],
    }  # fmt: skip
    path = tmp_path / "a.json"
    path.write_text(json.dumps([item]))
    (haystack,) = haystacks(path)
    (question,) = haystack.questions
    assert question.evidence == (set() if abstention else {turn_id(haystack.messages[0])})
    assert question.answerable is not abstention
    assert question.asked_at is not None
    assert question.asked_at.isoformat() == "2023-05-30T23:40:00"
    assert not any("answer_" in str((m.session, m.id, m.conversation)) for m in haystack.messages)


@pytest.mark.parametrize("content", ["", "{", "[1]", '[{"question": "x"}]'])
def test_what_is_no_benchmark_is_one_clear_line(tmp_path: Path, content: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(content)
    with pytest.raises(InputUnreadable):
        list(haystacks(path))
    with pytest.raises(InputUnreadable, match="cannot read"):
        list(haystacks(tmp_path / "none.json"))
