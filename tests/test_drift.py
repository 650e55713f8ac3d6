"""Drift: five signals over the answers that were noted, computed by hand, and what the doctor says of them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from math import exp, log
from pathlib import Path

import numpy as np
import pytest

from memcli.cli.options import UNCALIBRATED
from memcli.errors import ModelUnavailable
from memcli.evaluation import drift as module
from memcli.evaluation.drift import ENOUGH, Signal, State, drift
from memcli.formats import Message
from memcli.memory import Memory
from memcli.memory.feedback import Feedback, given, remember
from memcli.model import Answer, Hit, Kind, TurnId, Unit, UnitId
from memcli.ranking.arrays import softmax
from memcli.strategies.ontology.consistency import gap
from tests.conftest import Ran

Cli = Callable[..., Ran]
NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)


def test_the_gap_by_hand() -> None:
    """Softmaxes (e/(e+1), 1/(e+1)) and, the other way round, its mirror image: 2 (p - q) log(p / q), log(p/q) = 1."""
    p, q = exp(1) / (exp(1) + 1), 1 / (exp(1) + 1)
    assert softmax(np.array([1.0, 0.0])).tolist() == pytest.approx([p, q])
    found = gap(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    assert found == pytest.approx(2 * (p - q) * log(p / q))
    assert found == pytest.approx(0.924234, abs=1e-6)
    assert gap(np.array([5.0, 4.0, 3.0]), np.array([2.0, 1.0, 0.0])) == pytest.approx(0.0)  # no shift matters
    assert gap(np.array([1.0]), np.array([9.0])) == 0.0
    assert np.isfinite(gap(np.array([9000.0, 0.0]), np.array([0.0, 9000.0])))
    with pytest.raises(ValueError, match="same candidates"):
        gap(np.zeros(2), np.zeros(3))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "made.memcli"
    words = ("green tea", "small hotels", "long walks", "loud music", "old maps", "fresh bread", "black cats")
    more = ("red wine", "blue cheese", "cold water", "warm rain", "tall trees", "wild birds")
    said = [f"I love {what}." for what in (*words, *more)]
    messages = (Message(text, "Ada", conversation="c", session="s", id=str(i)) for i, text in enumerate(said))
    Memory(path, embedder="fake").add(messages)
    return path


@pytest.fixture
def filled(made: Path, tmp_path: Path) -> Memory:
    return Memory(shutil.copy(made, tmp_path / "test.memcli"), embedder="fake")


def _turns(memory: Memory) -> list[TurnId]:
    with memory.store.reading() as db:
        return [TurnId(turn) for (turn,) in db.execute("select id from turn order by seq").fetchall()]


def _note(memory: Memory, number: int, *turns: TurnId, seconds: float = 1.0, tokens: int = 0) -> str:
    usage = {"prompt_tokens": float(tokens)} if tokens else {}
    answer = Answer("…", turns, 0.5, False, usage)
    one = given(f"What about {number}?", answer, NOON + timedelta(hours=number), seconds, narrowed=False)
    assert remember(memory.store, one)
    return one.id


def _signals(memory: Memory) -> dict[str, Signal]:
    found = drift(memory, "dense")
    assert [signal.name for signal in found] == ["recall", "cost", "p95", "gap", "validator"]
    return {signal.name: signal for signal in found}


def test_nothing_noted_loads_no_model(filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Memory, "search", lambda *_, **__: pytest.fail("asked"))
    states = {name: (signal.value, signal.state) for name, signal in _signals(filled).items()}
    unknown = (None, State.UNKNOWN)
    assert states == dict.fromkeys(("recall", "cost", "p95", "gap"), unknown) | {"validator": (0.0, State.FINE)}


def _searching(monkeypatch: pytest.MonkeyPatch, hits: Callable[[str], list[Hit]]) -> None:
    monkeypatch.setattr(Memory, "search", lambda _self, text, **_: hits(text))


def _hit(turn: TurnId, graph: float = 0.0, dense: float = 0.0) -> Hit:
    return Hit(Unit(UnitId(turn), Kind.TURN, "", (turn,)), 1.0, {"graph": graph, "dense": dense})


@pytest.mark.parametrize(
    ("found", "state"), [(10, State.FINE), (13, State.FINE), (12, State.WARNING), (11, State.CRITICAL)]
)
def test_recall_of_what_was_useful(filled: Memory, monkeypatch: pytest.MonkeyPatch, found: int, state: State) -> None:
    """Of twenty (or, of all ten, ten) answers with one turn each, `found` are found again: 13 are 0.65."""
    turns, of = _turns(filled), 10 if found == 10 else 20
    with filled.store.writing() as db:
        numbers = f"from range({of}) r(i)"
        db.execute(f"insert into answered select 'a:' || i, i, now()::timestamp, 1, 0, false, false {numbers}")
        db.execute(f"insert into cited select 'a:' || i, ?, 0 {numbers}", [turns[0]])
        db.execute(f"insert into feedback select 'a:' || i, 'useful', '', now() {numbers}")
    _searching(monkeypatch, lambda text: [_hit(turns[0 if int(text) < found else 1])])
    recall = _signals(filled)["recall"]
    assert (recall.value, recall.n, recall.state) == (pytest.approx(found / of), of, state)
    assert bool(recall.note) == (state is not State.FINE)


def test_recall_by_a_real_search(filled: Memory) -> None:
    turns, feedback = _turns(filled), Feedback(filled)
    feedback.judge(_note(filled, 0, *turns[:2]), "useful")
    feedback.judge(_note(filled, 1, turns[2]), "wrong")
    recall = _signals(filled)["recall"]
    assert recall.n == 1
    assert recall.value in (0.0, 0.5, 1.0)
    assert (recall.state, recall.note) == (State.UNKNOWN, f"at least {ENOUGH} useful answers tell something")


def test_cost_and_time(filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    _searching(monkeypatch, lambda _: [])
    for number in range(20):
        _note(filled, number, seconds=0.1 * (number + 1))
    found = _signals(filled)
    assert (found["cost"].value, found["cost"].unit, found["cost"].n) == (pytest.approx(1.05), "seconds", 20)
    assert (found["p95"].value, found["p95"].unit) == (pytest.approx(1.905), "seconds")
    _note(filled, 20, tokens=2100)
    found = _signals(filled)
    assert (found["cost"].value, found["cost"].unit) == (pytest.approx(100), "tokens")


def test_the_gap_of_recent_questions(filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = _turns(filled)
    for number in range(3):
        _note(filled, number, turns[0])
    asked: list[str] = []

    def hits(text: str) -> list[Hit]:
        asked.append(text)
        return [_hit(turns[0], 1.0, 0.0), _hit(turns[1], 0.0, 1.0)]

    _searching(monkeypatch, hits)
    found = _signals(filled)["gap"]
    assert (found.value, found.n, found.unit) == (pytest.approx(0.924234, abs=1e-6), 3, "nats")
    assert len(asked) == 3  # nothing was useful: no shadow set


def test_what_cannot_be_measured_says_why(filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    Feedback(filled).judge(_note(filled, 0, _turns(filled)[0]), "useful")

    def unavailable(*_: object, **__: object) -> list[Hit]:
        raise ModelUnavailable("there is no such model")

    monkeypatch.setattr(Memory, "search", unavailable)
    found = _signals(filled)
    assert (found["recall"].state, found["recall"].note) == (State.UNKNOWN, "there is no such model")
    with filled.store.writing() as db:
        db.execute("update built set version = 0 where producer = 'assertions'")
    assert _signals(filled)["gap"].note == "what the strategy ontology needs has not been made yet"
    with filled.store.reading() as db:
        assert db.execute("select version from built where producer = 'assertions'").fetchall() == [(0,)]


def test_guesses(filled: Memory) -> None:
    with filled.store.writing() as db:
        db.execute("update assertion set confidence = 0.25 where unit in (select unit from assertion limit 3)")
    found = _signals(filled)["validator"]
    assert (found.value, found.n, found.state) == (pytest.approx(3 / 13), 13, State.WARNING)
    assert "--model" in found.note


def test_the_doctor_tells(cli: Cli, filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    store = str(filled.store.path)
    signals = [
        Signal("recall", 0.5, "share", 20, State.CRITICAL, "look into it"),
        Signal("cost", 1234.5, "tokens", 200, State.FINE),
        Signal("p95", 0.25, "seconds", 200, State.FINE),
        Signal("gap", None, "nats", 0, State.UNKNOWN, "not yet"),
        Signal("validator", 0.125, "share", 8, State.FINE),
    ]
    monkeypatch.setattr(module, "drift", lambda *_: signals)
    ran = cli("doctor", "--store", store)
    assert ran.code == 0  # nothing is damaged
    assert ran.out.splitlines() == [
        "the store is sound",
        f"thresholds: {UNCALIBRATED}",
        "drift (critical): what was useful is among the ten best now: 50% (20 answers): look into it",
        "drift: an answer costs: 1,234 tokens (200 answers)",
        "drift: 95 of 100 answers take at most: 0.25 seconds (200 answers)",
        "drift: graph and dense view differ by: not known: not yet",
        "drift: assertions that are guesses: 12% (8 assertions)",
    ]
    ran = cli("doctor", "--json", "--store", store)
    assert isinstance(ran.json, dict)
    assert ran.json["drift"][0] == {
        "name": "recall", "value": 0.5, "unit": "share", "n": 20, "state": "critical", "note": "look into it",
    }  # fmt: skip
    quiet = [Signal(each.name, None, each.unit, 0, State.UNKNOWN) for each in signals[:4]]
    monkeypatch.setattr(module, "drift", lambda *_: quiet)
    assert cli("doctor", "--store", store).out == f"the store is sound\nthresholds: {UNCALIBRATED}\n"
