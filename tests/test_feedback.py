"""Feedback: answers are noted, verdicts make what they rest on stronger or weaker, and all of it can be undone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest

from memcli.errors import NothingFound, UsageError
from memcli.formats import Message
from memcli.indexing.strengths import settle
from memcli.memory import Memory, Reading
from memcli.memory.feedback import Feedback, given, remember
from memcli.model import Answer, Filters, Hit, Query, Question, TurnId
from memcli.providers.fakes import FakeLanguageModel
from memcli.ranking.strengths import BATCH, DAILY, Experience, replay
from memcli.reading.heeding import HeedingReader
from memcli.reading.look import Look
from memcli.store import verdicts as stored
from memcli.store.connection import Store
from memcli.store.rows import transaction
from memcli.store.verdicts import Judged
from memcli.store.views.answers import recent
from memcli.store.views.assertions import assertion_index, strengths
from memcli.strategies.ontology import profile
from memcli.strategies.ontology.profile import profiled
from tests.conftest import Ran

if TYPE_CHECKING:
    from memcli.reading.extractive import ExtractiveReader

Cli = Callable[..., Ran]
NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
DAY = 86_400_000_000


def _seen(number: int, verdict: str, *used: str, missed: tuple[str, ...] = (), day: int = 0) -> Experience:
    return Experience(f"a:{number}", day * DAY + number, verdict, used, missed)


# -- equations 10 and 11 -------------------------------------------------------------------------------------------


def test_one_verdict_by_hand() -> None:
    """Four edges, one of them at 1.01: the squares sum to 4.0201, so that all are divided by √(4.0201 / 4)."""
    found = replay([_seen(1, "useful", "x")], 4)
    assert found.by_edge == pytest.approx({"x": 1.01 / 1.00250935}, abs=1e-7)
    assert found.others == pytest.approx(1 / 1.00250935, abs=1e-7)


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (_seen(1, "useful", "x"), {"x": 1.01}),
        (_seen(1, "wrong", "x"), {"x": 0.995}),
        (_seen(1, "", "x"), {"x": 1.001}),
        (_seen(1, "wrong", "x", missed=("y",)), {"x": 0.995, "y": 1.01}),
        (_seen(1, "wrong", "x", missed=("x",)), {"x": 1.01}),
    ],
)
def test_what_each_verdict_changes(seen: Experience, expected: dict[str, float]) -> None:
    found = replay([seen], 10**9)  # among so many edges the norm changes nothing
    assert found.by_edge == pytest.approx(expected, abs=1e-8)
    assert found.others == pytest.approx(1.0, abs=1e-8)


def test_the_root_mean_square_stays_one() -> None:
    log = [_seen(i, ("useful", "wrong", "")[i % 3], f"e{i % 7}", f"e{i % 5}", day=i // 9) for i in range(200)]
    found = replay(log, 10)
    squares = sum(value**2 for value in found.by_edge.values()) + (10 - len(found.by_edge)) * found.others**2
    assert squares / 10 == pytest.approx(1.0)


def test_an_edge_changes_so_often_a_day_and_verdicts_come_first() -> None:
    implicit = [_seen(i, "", "x") for i in range(20)]
    assert replay(implicit, 10**9).by_edge["x"] == pytest.approx(1 + DAILY * 0.001, abs=1e-7)
    verdict = _seen(99, "wrong", "x")
    assert replay([*implicit, verdict], 10**9).by_edge["x"] == pytest.approx(0.995 + (DAILY - 1) * 0.001, abs=1e-7)
    next_day = _seen(100, "useful", "x", day=1)
    assert replay([*implicit, next_day], 10**9).by_edge["x"] == pytest.approx(1.015, abs=1e-7)


def test_strengths_are_bounded() -> None:
    up = [_seen(i, "useful", "x", day=i) for i in range(300)]
    down = [_seen(i, "wrong", "y", day=i) for i in range(300)]
    assert replay(up, 10**6).by_edge == {"x": 2.0}
    assert replay(down, 10**6).by_edge == {"y": 0.5}


def test_the_order_of_the_log_does_not_matter() -> None:
    log = [_seen(i, ("useful", "wrong", "")[i % 3], f"e{i % 11}", day=i // 20) for i in range(5 * BATCH)]
    assert replay(log, 50) == replay(log[::-1], 50)
    assert replay([], 50).by_edge == {}


def test_profile_by_hand() -> None:
    weights = profile.fading(np.array([0.0, profile.HALF_LIFE]))
    assert weights.tolist() == pytest.approx([2 / 3, 1 / 3])
    near = np.array([1.0, 0.5, -0.5])
    found = profile.profile(near, np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([0, 2]), weights)
    # half of the cosine, a quarter of the session's share (2/3, 2/3, 1/3), a quarter of the speaker's (1, 0, 1)
    assert found.tolist() == pytest.approx([0.5 + 1 / 6 + 0.25, 0.25 + 1 / 6, 1 / 12 + 0.25])
    vectors = np.array([[1.0, 0.0], [0.0, 1.0]], dtype=np.float32)
    assert profile.centre(vectors, np.array([3.0, 4.0])).tolist() == pytest.approx([0.6, 0.8])
    assert profile.centre(vectors[:0], np.zeros(0)).tolist() == [0.0, 0.0]


# -- in a store ----------------------------------------------------------------------------------------------------

CHAT = (
    "I love green tea.", "I prefer small hotels.", "My brother lives in Quibberton.", "I hate long flights.",
    "I enjoy hiking.",
)  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "made.memcli"
    said = (Message(text, "Ada", conversation="c", session=str(i), id=str(i)) for i, text in enumerate(CHAT))
    Memory(path, embedder="fake").add(said)
    return path


@pytest.fixture
def filled(made: Path, tmp_path: Path) -> Memory:
    return Memory(shutil.copy(made, tmp_path / "test.memcli"), embedder="fake")


def _turn(memory: Memory, words: str) -> TurnId:
    with memory.store.reading() as db:
        (turn,) = stored.turns_with(db, words, 2)
    return turn


def _note(memory: Memory, question: str, *turns: TurnId, after: int = 0, abstained: bool = False) -> str:
    """Notes an answer that was given so many hours after noon."""
    answer = Answer("…", turns, 0.5, abstained)
    one = given(question, answer, NOON + timedelta(hours=after), 0.25, narrowed=False)
    assert remember(memory.store, one)
    return one.id


def _strengths(memory: Memory) -> dict[str, float]:
    with memory.store.reading() as db:
        return {str(turn): float(value) for turn, value in db.execute("select * from strength").fetchall()}


def test_ids_are_short_and_depend_on_question_time_and_citations() -> None:
    one = given("tea?", Answer("x", (TurnId("t:1"),), 0.5, False), NOON, 0.1, narrowed=False)
    assert len(one.id) == len("a:1f3c9a2e")
    others = [
        given("tea!", Answer("x", (TurnId("t:1"),), 0.5, False), NOON, 0.1, narrowed=False),
        given("tea?", Answer("x", (TurnId("t:2"),), 0.5, False), NOON, 0.1, narrowed=False),
        given("tea?", Answer("x", (TurnId("t:1"),), 0.5, False), NOON + timedelta(seconds=1), 0.1, narrowed=False),
    ]
    assert len({one.id, *(other.id for other in others)}) == 4


def test_a_verdict_strengthens_what_the_answer_cited(filled: Memory) -> None:
    tea = _turn(filled, "green tea")
    noted = Feedback(filled).judge(_note(filled, "What do I drink?", tea), "useful")
    assert (noted.answer.verdict, noted.cited, noted.missed) == ("useful", 1, 0)
    assert _strengths(filled)[tea] > 1 > _strengths(filled)[""]
    view = filled.view()
    found, index = view.once(strengths), assertion_index(view)
    assert len(found) == len(index.rows)
    of_tea = index.rows == view.rows_of([tea])[0]
    assert (found[of_tea] == _strengths(filled)[tea]).all()
    assert (found[~of_tea] == _strengths(filled)[""]).all()


def test_what_was_missing_is_strengthened_and_what_was_cited_weakened(filled: Memory) -> None:
    tea, hotels, flights = (_turn(filled, words) for words in ("green tea", "small hotels", "long flights"))
    feedback = Feedback(filled)
    by_words = feedback.judge(_note(filled, "What hotel?", tea), "wrong", "SMALL hotels")
    assert by_words.answer.missed == [hotels]
    assert _strengths(filled)[tea] < 1 < _strengths(filled)[hotels]
    assert feedback.judge("last", "wrong", flights).answer.missed == [flights]  # by id, in place of the one before
    near = feedback.judge("last", "wrong", "a small hotel, I prefer").answer.missed  # by what it means
    assert near == [hotels]
    assert feedback.judge("last", "wrong", "zebra crossings").answer.missed == []


def test_undo_leaves_nothing_behind(filled: Memory) -> None:
    tea, hotels = _turn(filled, "green tea"), _turn(filled, "small hotels")
    _note(filled, "What hotel?", hotels)
    wrong = _note(filled, "What else?", tea, after=1)
    with filled.store.writing() as db, transaction(db):
        settle(db)
    before = _strengths(filled)
    feedback = Feedback(filled)
    feedback.judge(wrong, "wrong", "long flights")
    assert _strengths(filled) != before
    assert feedback.undo(wrong).answer.verdict == ""
    assert _strengths(filled) == before
    with pytest.raises(NothingFound):
        feedback.undo(wrong)


def test_the_latest_verdict_counts_and_counts_once(filled: Memory) -> None:
    tea = _turn(filled, "green tea")
    name, feedback = _note(filled, "What do I drink?", tea), Feedback(filled)
    feedback.judge(name, "useful")
    once = _strengths(filled)
    feedback.judge(name, "wrong")
    feedback.judge(name, "useful")
    assert _strengths(filled) == once


def test_answers_that_nobody_contradicts_count_in_batches(filled: Memory) -> None:
    tea = _turn(filled, "green tea")
    for number in range(BATCH - 1):
        _note(filled, f"What {number}?", tea, after=number * 24)
    assert _strengths(filled) == {}
    _note(filled, "What else?", tea, after=BATCH * 24)
    assert _strengths(filled)[tea] / _strengths(filled)[""] == pytest.approx(1.016, abs=1e-3)


def test_an_abstention_counts_only_when_it_is_judged(filled: Memory) -> None:
    tea = _turn(filled, "green tea")
    name = _note(filled, "What do I drink?", tea, abstained=True)
    with filled.store.writing() as db, transaction(db):
        assert settle(db).by_edge == {}
    Feedback(filled).judge(name, "useful")
    assert _strengths(filled)[tea] > 1


def test_only_so_many_answers_are_kept_and_those_that_were_judged(filled: Memory) -> None:
    tea = _turn(filled, "green tea")
    first = _note(filled, "first", tea)
    Feedback(filled).judge(first, "useful")
    for number in range(5):
        _note(filled, str(number), tea, after=number)
    with filled.store.writing() as db:
        stored.prune(db, 2)
        assert [one.given.question for one in stored.answered(db, 10)] == ["4", "3", "first"]
        assert db.execute("select count(*), count(distinct answer) from cited").fetchone() == (3, 3)


def test_names_of_answers(filled: Memory) -> None:
    tea, feedback = _turn(filled, "green tea"), Feedback(filled)
    names = [_note(filled, str(number), tea, after=number) for number in range(20)]
    assert feedback.find("last").given.id == names[-1]
    assert feedback.find(names[3]).given.question == "3"
    assert feedback.find(names[3].removeprefix("a:")).given.question == "3"
    with pytest.raises(UsageError, match="several"):
        feedback.find("a:")
    with pytest.raises(NothingFound):
        feedback.find("a:zzzz")


def test_what_was_retrieved_recently(filled: Memory) -> None:
    tea, hotels, flights = (_turn(filled, words) for words in ("green tea", "small hotels", "long flights"))
    assert not filled.view().once(profiled).any()
    _note(filled, "What do I drink?", tea)
    _note(filled, "Where do I stay?", hotels, tea, after=48)
    _note(filled, "Nothing", flights, after=50, abstained=True)
    Feedback(filled).judge(_note(filled, "How do I go?", flights, after=51), "wrong")
    view = filled.view()
    rows, ages = recent(view)
    assert rows.tolist() == view.rows_of([hotels, tea, tea]).tolist()
    assert ages.tolist() == pytest.approx([0.0, 0.0, 2.0])
    found = view.once(profiled)
    assert ((found >= 0) & (found <= 1)).all()
    assert set(np.argsort(-found)[:2].tolist()) == set(rows.tolist())


def test_a_view_of_another_conversation_has_nothing_recent(filled: Memory) -> None:
    filled.add([Message("I love coffee.", "Bo", conversation="d", id="1")])
    Feedback(filled).judge(_note(filled, "What do I drink?", _turn(filled, "green tea")), "useful")
    view = filled._views.of("d", filled._encoders.stored())
    assert len(recent(view)[0]) == 0
    assert view.once(strengths).tolist() == [_strengths(filled)[""]]


# -- asking --------------------------------------------------------------------------------------------------------


@pytest.fixture
def recording(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMCLI_RECORD", "yes")


def _answers(memory: Memory) -> int:
    with memory.store.reading() as db:
        return len(stored.answered(db, 100))


@pytest.mark.usefixtures("recording")
def test_ask_notes_its_answer(cli: Cli, filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    store = str(filled.store.path)
    ran = cli("ask", "Where does my brother live?", "--store", store, "--json")
    assert isinstance(ran.json, dict)
    found = Feedback(filled).find("last")
    assert (found.given.id, found.given.question) == (ran.json["id"], "Where does my brother live?")
    assert found.given.citations == ran.json["citations"]
    assert not found.given.narrowed
    assert found.given.seconds > 0
    ran = cli("ask", "Where does my brother live?", "--store", store, "--speaker", "Ada", "--jsonl")
    assert Feedback(filled).find("last").given.narrowed
    plain = cli("ask", "Where does my brother live?", "--store", store)
    assert ("memcli feedback" in plain.out, plain.err) == (False, "")  # a pipe is told nothing of it
    assert _answers(filled) == 3
    assert cli("ask", "Where does my brother live?", "--store", store, "--no-record", "--json").json["id"] is None
    monkeypatch.setenv("MEMCLI_RECORD", "no")
    assert cli("ask", "Where does my brother live?", "--store", store, "--json").json["id"] is None
    monkeypatch.setenv("MEMCLI_RECORD", "perhaps")
    assert cli("ask", "Where does my brother live?", "--store", store, "--json").code == 2
    assert _answers(filled) == 3


@pytest.mark.usefixtures("recording")
def test_a_terminal_is_shown_how_to_judge(cli: Cli, filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    asked = ("ask", "Where does my brother live?", "--store", str(filled.store.path))
    out = cli(*asked).out
    name = Feedback(filled).find("last").given.id
    assert f"{name} · memcli feedback {name} --useful" in out.splitlines()[-1]
    assert "memcli feedback" not in cli(*asked, "--no-record").out
    assert "memcli feedback" not in cli(*asked, "--json").out


@pytest.mark.usefixtures("recording")
def test_asking_does_not_mind_a_store_that_takes_no_notes(filled: Memory, tmp_path: Path) -> None:
    one = given("tea?", Answer("x", (), 0.5, False), NOON, 0.1, narrowed=False)
    assert not remember(Store(None), one)
    assert not remember(Store(tmp_path / "none.memcli"), one)
    assert not (tmp_path / "none.memcli").exists()
    path = filled.store.path
    assert path is not None
    with _held(path):
        began = datetime.now(UTC)
        assert not remember(filled.store, one)
        assert datetime.now(UTC) - began < timedelta(seconds=5)
    if os.geteuid() != 0:
        path.chmod(0o400)
        assert not remember(filled.store, one)
        path.chmod(0o600)
    assert remember(filled.store, one)
    assert remember(filled.store, replace(one, question="the same id"))
    assert _answers(filled) == 1


# -- the command ---------------------------------------------------------------------------------------------------


def test_feedback_golden_json(cli: Cli, filled: Memory) -> None:
    tea, hotels = _turn(filled, "green tea"), _turn(filled, "small hotels")
    name, store = _note(filled, "What hotel?", tea), str(filled.store.path)
    expected = {
        "id": name, "question": "What hotel?", "asked_at": "2026-01-05T12:00:00+00:00", "verdict": "wrong",
        "missing": "small hotels", "cited": {"turns": [tea], "assertions": 1},
        "missed": {"turns": [hotels], "assertions": 1},
    }  # fmt: skip
    ran = cli("feedback", "last", "--wrong", "--missing", "small hotels", "--json", "--store", store)
    assert (ran.code, ran.err, ran.json) == (0, "", expected)
    ran = cli("feedback", name[:6], "--undo", "--json", "--store", store)
    assert ran.json == expected | {"verdict": None, "missing": None, "missed": {"turns": [], "assertions": 0}}


def test_feedback_plain(cli: Cli, filled: Memory) -> None:
    name, store = _note(filled, "What\x1b[31m hotel?", _turn(filled, "green tea")), str(filled.store.path)
    ran = cli("feedback", name, "--useful", "--store", store)
    assert ran.out == f"{name}  useful: What[31m hotel?\n  what it cited: 1 assertion, stronger\n"
    lines = cli("feedback", name, "--wrong", "--missing", "small hotels", "--store", store).out.splitlines()
    assert lines[1:4] == [
        "  what it cited: 1 assertion, weaker",
        "  the same question is not answered in this way again",
        "  missing, stronger now, and the first that the same question is answered from:",
    ]
    assert "I prefer small hotels." in lines[4]
    ran = cli("feedback", name, "--wrong", "--missing", "zebra crossings", "--store", store)
    assert ran.out.endswith("  nothing in memory speaks of what was missing\n")
    assert cli("feedback", name, "--undo", "--store", store).out.startswith(f"{name}  no verdict any more: What")


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("last", "--useful"), 1, "memcli: no answer last is remembered"),
        (("a:1f3c9a2e", "--undo"), 1, "memcli: no answer a:1f3c9a2e is remembered"),
        (("last",), 2, "memcli: one of --useful, --wrong and --undo"),
        (("last", "--useful", "--wrong"), 2, "memcli: one of --useful, --wrong and --undo"),
        (("last", "--useful", "--missing", "tea"), 2, "memcli: --missing goes with --wrong"),
    ],
)
def test_feedback_on_nothing(cli: Cli, filled: Memory, arguments: tuple[str, ...], code: int, told: str) -> None:
    ran = cli("feedback", *arguments, "--store", str(filled.store.path))
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (code, "", 1)
    assert ran.err.startswith(told)


def test_feedback_needs_a_store(cli: Cli, tmp_path: Path) -> None:
    ran = cli("feedback", "last", "--useful", "--store", tmp_path / "none.memcli")
    assert (ran.code, len(ran.err.splitlines())) == (3, 1)
    assert not (tmp_path / "none.memcli").exists()


# -- the last one, and no other ------------------------------------------------------------------------------------


@contextmanager
def _held(path: Path) -> Iterator[None]:
    """Another process has the store open."""
    holding = "import sys, duckdb; db = duckdb.connect(sys.argv[1], read_only=True); print('held', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", holding, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        yield
        other.communicate("\n")


@pytest.mark.usefixtures("recording")
def test_last_is_no_older_answer_where_the_last_was_not_noted(cli: Cli, filled: Memory) -> None:
    path = filled.store.path
    assert path is not None
    assert cli("ask", "What do I drink?", "--store", path).code in (0, 1)
    (first,) = _judged(filled)
    with _held(path):
        cli("ask", "Where does my brother live?", "--store", path)
    for given_ in (["--useful"], ["--wrong", "--missing", "green tea"], ["--undo"]):
        ran = cli("feedback", "last", *given_, "--store", path)
        assert (ran.code, ran.out, len(ran.err.splitlines())) == (1, "", 1)
        assert "What do I drink?" in ran.err
        assert first.given.id in ran.err
    assert _judged(filled) == [first]
    assert cli("feedback", first.given.id, "--useful", "--store", path).code == 0  # whoever names it means it
    cli("ask", "Where does my brother live?", "--store", path, "--no-record")
    assert cli("feedback", "last", "--wrong", "--store", path).code == 1
    cli("ask", "Where does my brother live?", "--store", path)
    assert "Where does my brother live?" in cli("feedback", "last", "--useful", "--store", path).out


def _judged(memory: Memory) -> list[Judged]:
    with memory.store.reading() as db:
        return stored.answered(db, 100)


@pytest.mark.usefixtures("recording")
def test_last_is_ones_own_though_somebody_else_has_asked_since(
    cli: Cli, filled: Memory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = filled.store.path
    assert path is not None
    cli("ask", "What do I drink?", "--store", path)
    with monkeypatch.context() as patched:
        patched.setenv("XDG_STATE_HOME", str(tmp_path / "somebody else"))
        cli("ask", "Where does my brother live?", "--store", path)
    assert "What do I drink?" in cli("feedback", "last", "--useful", "--store", path).out
    link = tmp_path / "link.memcli"
    link.symlink_to(path)
    assert "What do I drink?" in cli("feedback", "last", "--useful", "--store", link).out


@pytest.mark.usefixtures("recording")
def test_what_is_noted_beside_the_store_says_nothing_of_the_question(cli: Cli, filled: Memory, tmp_path: Path) -> None:
    path = filled.store.path
    assert path is not None

    def noted() -> list[str]:
        return [file.read_text() for file in (tmp_path / "state").rglob("*") if file.is_file()]

    cli("ask", "Is Quibberton far?", "--store", path)
    (answer,) = _judged(filled)
    assert noted() == [answer.given.id]
    assert cli("forget", _turn(filled, "Quibberton"), "--yes", "--store", path).code == 0
    assert noted() == [""]
    assert cli("feedback", "last", "--useful", "--store", path).code == 1


# -- the same question again -----------------------------------------------------------------------------------------

HOMES = (
    "My sister lives in Lisbon.", "It was cold.", "My sister lives in Porto.", "I walked in the rain.",
    "By her letter my sister lives in Porto.", "My cat sleeps in the kitchen.",
)  # fmt: skip


@pytest.fixture
def homes(tmp_path: Path) -> Memory:
    memory = Memory(tmp_path / "homes.memcli", embedder="fake")
    memory.add(
        Message(text, ("Ada", "Bo")[i % 2], conversation="c", session=str(i), id=str(i)) for i, text in enumerate(HOMES)
    )
    return memory


HOME, OTHER = "Where does my sister live?", "Where does my cat sleep?"


def _ask_and_judge(memory: Memory, question: str, verdict: str, missing: str = "", after: int = 0) -> Reading:
    reading = memory.ask(question)
    name = _note(memory, question, *reading.answer.citations, after=after, abstained=reading.answer.abstained)
    Feedback(memory).judge(name, verdict, missing)
    return reading


def test_a_wrong_answer_is_not_given_again_for_the_same_question(homes: Memory) -> None:
    other = homes.ask(OTHER)
    first = _ask_and_judge(homes, HOME, "wrong")
    assert "Porto" in first.answer.text
    again = homes.ask("where does my SISTER live")  # the same, otherwise written
    assert "Porto" not in again.answer.text  # nor in the words of the other turn that says so
    assert set(again.answer.citations).isdisjoint(first.answer.citations)
    assert again.hits[-1].unit.sources[0] in first.answer.citations
    found = homes.search(HOME, k=3)
    assert set(first.answer.citations).isdisjoint(hit.unit.sources[0] for hit in found)
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    assert homes.ask(OTHER) == other


def test_what_was_worked_out_of_wrong_turns_is_not_given_again(tmp_path: Path) -> None:
    """Each part of it finds its turn by itself, which must not bring the refuted ones back, again and again."""
    memory = Memory(tmp_path / "garden.memcli")
    said = [(3, "I planted the leeks today, forty of them"), (4, "Planted the beans today"), (5, "It rained all day")]
    memory.add([Message(text, "user", said_at=NOON.replace(month=month)) for month, text in said])
    question = "Which did I plant first, the beans or the leeks?"
    first = _ask_and_judge(memory, question, "wrong")
    assert first.answer.text.startswith("the leeks (")
    again = memory.ask(question)
    assert again.answer.text != first.answer.text
    assert set(again.answer.citations).isdisjoint(first.answer.citations)


class _Repeating:
    """A reader that says the same of whatever is found, for a turn that nobody found."""

    def read(self, query: Query, _hits: Sequence[Hit]) -> Answer:
        return Answer("the boat", (TurnId("elsewhere"), *query.wrong), 0.9, abstained=False)

    def look(self, query: Query, _hits: Sequence[Hit]) -> Look:
        return Look(query.question, (), "the boat")


def test_a_wrong_answer_that_rests_on_no_hit_ends(homes: Memory) -> None:
    found = homes.search(HOME)
    query = Query(Question(HOME), np.zeros(1, np.float32), NOON, wrong=frozenset([TurnId("gone")]))
    reader = HeedingReader(cast("ExtractiveReader", _Repeating()), found)
    assert reader.read(query, found).abstained


@pytest.mark.parametrize("strategy", ["fused", "bm25", "dense", "emem", "memgas"])
def test_what_was_missing_answers_the_same_question(homes: Memory, strategy: str) -> None:
    homes.prepare([strategy])
    lisbon = _turn(homes, "Lisbon")
    other = homes.ask(OTHER, strategy=strategy)
    before = homes.search(HOME, strategy=strategy, k=6)
    name = _note(homes, HOME, *homes.ask(HOME).answer.citations)
    Feedback(homes).judge(name, "wrong", lisbon)
    reading = homes.ask(HOME, strategy=strategy)
    assert lisbon in reading.answer.citations
    assert not reading.answer.abstained
    assert "Porto" not in reading.answer.text
    (best, *_) = homes.search(HOME, strategy=strategy, k=1)
    assert (best.unit.sources[0], best.trace["feedback"]) == (lisbon, 1.0)
    assert homes.ask(OTHER, strategy=strategy).answer == other.answer
    Feedback(homes).undo(name)
    assert homes.search(HOME, strategy=strategy, k=6) == before


def test_what_was_missing_is_no_answer_where_it_is_filtered_out(homes: Memory) -> None:
    _ask_and_judge(homes, HOME, "wrong", _turn(homes, "in the rain"))  # Bo's
    assert "rain" in homes.ask(HOME).answer.text
    ada = homes.search(HOME, filters=Filters(speaker="Ada"))
    assert {hit.unit.label for hit in ada} == {"Ada"}


def test_the_verdict_that_was_given_last_holds_of_a_turn(homes: Memory) -> None:
    porto = homes.ask(HOME).answer
    _ask_and_judge(homes, HOME, "wrong", _turn(homes, "Lisbon"))
    second = _ask_and_judge(homes, HOME, "wrong", after=1)
    assert _turn(homes, "Lisbon") in second.answer.citations
    third = homes.ask(HOME).answer
    assert set(third.citations).isdisjoint({*second.answer.citations, *porto.citations})
    _note(homes, HOME, *porto.citations, after=2)
    Feedback(homes).judge("last", "useful")
    assert homes.ask(HOME).answer.text == porto.text


def test_an_abstention_that_was_wrong_refutes_nothing(homes: Memory) -> None:
    before = homes.search(HOME)
    Feedback(homes).judge(_note(homes, HOME, _turn(homes, "By her letter"), abstained=True), "wrong")
    assert homes.search(HOME) == before


def test_the_same_question_is_forgotten_with_its_verdicts(homes: Memory) -> None:
    lisbon = _turn(homes, "Lisbon")
    _ask_and_judge(homes, HOME, "wrong", lisbon)
    homes.care.forget([lisbon])
    assert all("feedback" not in hit.trace for hit in homes.search(HOME))


def test_a_language_model_is_not_shown_what_was_wrong(homes: Memory) -> None:
    first = _ask_and_judge(homes, HOME, "wrong")
    model = FakeLanguageModel(lambda asked: {"reasoning": "", "answerable": False, "answer": "", "citations": []})
    Memory(homes.store.path, embedder="fake", model=model).ask(HOME)
    (asked,) = model.asked
    assert HOMES[0] in asked.text
    for turn in first.answer.citations:
        assert homes.care.turns([turn])[turn].text not in asked.text


# -- forgetting ----------------------------------------------------------------------------------------------------


def _traces(memory: Memory, *traces: str) -> list[str]:
    with memory.store.reading() as db:
        tables = [table for (table,) in db.execute("select table_name from duckdb_tables()").fetchall()]
        rows = {table: db.execute(f"select lower(t::varchar) from {table} t").fetchall() for table in tables}
    return [f"{table}: {trace}" for table in tables for trace in traces if any(trace in row for (row,) in rows[table])]


def test_forgetting_takes_answers_with_it(filled: Memory) -> None:
    tea, brother, hiking = (_turn(filled, words) for words in ("green tea", "Quibberton", "hiking"))
    feedback = Feedback(filled)
    kept = _note(filled, "What do I drink?", tea)
    feedback.judge(kept, "useful")
    _note(filled, "Where does he live?", brother, after=1)
    _note(filled, "Is Quibberton far?", tea, after=2)
    feedback.judge(_note(filled, "Who is near?", tea, after=3), "wrong", "lives in Quibberton")
    feedback.judge(_note(filled, "What do I like?", hiking, after=4), "wrong", "it was quibberton")
    places = {place.split(":")[0] for place in _traces(filled, "quibberton", brother)}
    assert places >= {"answered", "feedback", "cited"}
    assert len(filled.care.forget([brother], dry_run=True).answers) == 4
    done = filled.care.forget([brother])
    assert (len(done.answers), len(done.feedback)) == (4, 2)
    assert _traces(filled, "quibberton", brother) == []
    with filled.store.reading() as db:
        assert [one.given.id for one in stored.answered(db, 10)] == [kept]
        assert {turn for (turn,) in db.execute("select turn from strength").fetchall()} == {"", tea}
    assert filled.care.examine().is_sound
    path = filled.store.path
    assert path is not None
    filled.compact()
    for trace in (b"quibberton", brother.encode()):
        assert not [file for file in path.parent.rglob("*") if file.is_file() and trace in file.read_bytes().lower()]


def test_topics_hold_nothing_of_what_was_forgotten(memory: Memory, tmp_path: Path) -> None:
    def likes(*ids: int) -> list[Message]:
        said = ((str(i), f"I love green tea number {i}.") for i in ids)
        return [Message(text, "Ada", conversation="c", session=i, id=i) for i, text in said]

    memory.add(likes(0, 1, 2, 3))
    memory.prepare(["ontology"])
    memory.care.forget([_turn(memory, "tea number 1")])
    memory.prepare(["ontology"])
    never = Memory(tmp_path / "never.memcli", embedder="fake")
    never.add(likes(0, 2, 3))
    never.prepare(["ontology"])

    def learned(of: Memory) -> list[object]:
        with of.store.reading() as db:
            topics = db.execute("select members, data from concept where kind = 'topic'").fetchall()
            lifted = db.execute("select head, support, declined from lifted").fetchall()
            members = db.execute("select u.id from belongs b join unit u on u.seq = b.unit order by 1").fetchall()
        sums = [(members, np.frombuffer(data, np.float32).round(3).tolist()) for members, data in topics]
        return [sorted(sums), sorted(lifted), members]

    assert learned(memory) == learned(never)
    assert learned(memory)[0]
    assert memory.care.examine().is_sound


def test_rows_of_nothing_are_found_and_cleared(filled: Memory) -> None:
    _note(filled, "What do I drink?", _turn(filled, "green tea"))
    with filled.store.writing() as db:
        for statement in (
            "insert into cited values ('a:none', 't:none', 0)",
            "insert into missed select id, 't:none', 0 from answered",
            "insert into feedback values ('a:none', 'useful', '', now())",
            "insert into strength values ('t:none', 1.1)",
            "insert into belongs values (99999, 99999, 0, 1)",
            "insert into lifted values (99999, 'Ada', 1, 3, 0.9, '')",
        ):
            db.execute(statement)
    found = {
        "citations without an answer", "citations without a turn", "missed turns without a verdict",
        "missed turns that are no turns", "verdicts on no answer", "strengths without a turn",
        "topics' members without an assertion", "topics' members without a topic", "lifted edges without a topic",
    }  # fmt: skip
    assert {finding.what for finding in filled.care.examine().left} == found
    path = filled.store.path
    assert path is not None
    copy = Memory(shutil.copy(path, path.with_name("copy.memcli")), embedder="fake")
    assert set(copy.compact().removed) <= found
    assert [finding.what for finding in copy.care.examine().left if not finding.harmless] == []
    assert filled.care.examine(repair=True).is_sound
