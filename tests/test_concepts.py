"""Concepts: topics from assertions, things said in other words, and what is lifted to an edge of a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from memcli.errors import UsageError
from memcli.indexing import concepts
from memcli.memory import Memory
from memcli.ranking import learned, lifting
from memcli.store.assertions import assertion_index
from memcli.store.concepts import drop_concepts
from memcli.store.rows import transaction

EVEN = {"lifting": {"bias": -1.0, "weights": dict.fromkeys(lifting.FEATURES, 0.0) | {"contexts": 1.5}}}


@dataclass
class Axes:
    """An embedder with an axis for each of some words, so that what is near what can be seen: one vector a subject."""

    words: Sequence[str] = ("film", "food", "nuts", "walk", "boat")
    id: str = "axes"
    dimension: int = 6
    asked: list[str] = field(default_factory=list)

    def embed(self, texts: Sequence[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        self.asked.extend(texts)
        rows = np.array([[float(word in text) for word in self.words] + [0.1] for text in texts], dtype=np.float32)
        rows = rows.reshape(-1, self.dimension)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> Memory:
    monkeypatch.setitem(learned._used, "lifting", EVEN["lifting"])
    return Memory(None, embedder=Axes())


def tell(memory: Memory, *said: tuple[str, str]) -> None:
    """Each as a session of its own, on a day of its own."""
    from memcli.formats import Message

    for speaker, text in said:
        held = memory.view().n if memory.store.exists else 0
        memory.add([Message(speaker=speaker, text=text, session=f"s{held}", conversation="c")])


def lifted(memory: Memory) -> list[tuple[str, int, str]]:
    with memory.store.reading() as db:
        return db.execute("select head, support, declined from lifted order by head, support").fetchall()


def test_a_topic_that_somebody_returns_to_becomes_an_edge(memory: Memory) -> None:
    tell(memory, ("Ana", "I love film noir."), ("Ana", "I love film festivals."))
    assert lifted(memory) == []  # twice is not enough
    tell(memory, ("Ana", "I like film music."))
    assert lifted(memory) == [("Ana", 3, "")]
    index = assertion_index(memory.view())
    assert (index.topic >= 0).all()
    assert index.lifted == pytest.approx(1 / (1 + np.exp(1.0 - 1.5 * np.log1p(3))), abs=1e-6)


def test_what_others_say_lifts_nothing_of_ones_own(memory: Memory) -> None:
    tell(memory, ("Ana", "I love film noir."), ("Ben", "I love film music."), ("Ana", "I love film festivals."))
    assert lifted(memory) == []


def test_said_twice_in_a_breath_is_said_once(memory: Memory) -> None:
    tell(memory, ("Ana", "I love film noir. I love film noir so much. I love film noir."))
    assert lifted(memory) == []


def test_a_sensitive_relation_is_declined(memory: Memory) -> None:
    tell(memory, *[("Ana", f"I am allergic to nuts, {word}.") for word in ("sadly", "truly", "as always")])
    assert {declined for _, _, declined in lifted(memory)} <= {"sensitive"}


def test_a_topic_both_wanted_and_not_is_declined(memory: Memory) -> None:
    tell(memory, ("Ana", "I love film noir."), ("Ana", "I hate film noir."), ("Ana", "I love film noir."))
    assert [declined for _, _, declined in lifted(memory)] == ["contradictory"]


def test_a_topic_under_the_gate_is_declined(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(learned._used, "lifting", EVEN["lifting"] | {"bias": -9.0})
    tell(memory, ("Ana", "I love film noir."), ("Ana", "I love film music."), ("Ana", "I like film festivals."))
    assert [declined for _, _, declined in lifted(memory)] == ["improbable"]


def test_beyond_the_quota_the_least_probable_are_declined(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concepts, "QUOTA", 1)
    for subject in ("film", "boat"):
        tell(memory, *[("Ana", f"I love {subject} {word}.") for word in ("noise", "music", "festivals")])
    assert [declined for _, _, declined in lifted(memory)] == ["", "quota"]


def test_topics_are_the_same_however_often_they_are_made(memory: Memory) -> None:
    tell(memory, *[("Ana", f"I love {each}.") for each in ("film noir", "film music", "walking", "film festivals")])
    before = [lifted(memory), assertion_index(memory.view()).topic.tolist()]
    with memory.store.writing() as db, transaction(db):
        drop_concepts(db)
        concepts.grow(db, 6, concepts.sensitive())
        db.execute("update meta set value = (value::bigint + 1)::varchar where key = 'generation'")
    assert [lifted(memory), assertion_index(memory.view()).topic.tolist()] == before


def test_topics_do_not_depend_on_how_many_sessions_come_at_once(memory: Memory) -> None:
    said = [("Ana", f"I love {each}.") for each in ("film noir", "boats", "film music", "film festivals", "boat races")]
    tell(memory, *said)
    with memory.store.reading() as db:
        one_by_one = db.execute("select * from lifted order by all").fetchall()
    with memory.store.writing() as db, transaction(db):
        drop_concepts(db)
        concepts.grow(db, 6, concepts.sensitive())
        assert db.execute("select * from lifted order by all").fetchall() == one_by_one


def test_a_session_told_again_takes_its_assertions_from_the_topics(memory: Memory) -> None:
    tell(memory, ("Ana", "I love film noir."), ("Ana", "I love film music."))
    with memory.store.reading() as db:
        dangling = db.execute("select count(*) from belongs where unit not in (select seq from unit)").fetchone()
    assert dangling == (0,)


def test_the_settings_say_what_is_sensitive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMCLI_SENSITIVE", "likes, diet")
    assert concepts.sensitive() == {"likes", "diet"}
    monkeypatch.setenv("MEMCLI_SENSITIVE", "none")
    assert concepts.sensitive() == frozenset()
    monkeypatch.setenv("MEMCLI_SENSITIVE", "politics")
    with pytest.raises(UsageError, match="politics"):
        concepts.sensitive()


def test_the_features_of_a_pattern() -> None:
    found = lifting.pattern(np.array([0.0, 90.0, np.nan]), [1, 2, 2], np.array([0.5, 1.0, 0.9]), np.ones(3))
    assert found["support"] == pytest.approx(np.log(4))
    assert found["recurrence"] == pytest.approx(np.log1p(0.5 + 1.0))  # one half-life ago, and today
    assert found["contexts"] == pytest.approx(np.log(3))
    assert found["concentration"] == pytest.approx(1 / (1 + 90 / 30))
    assert found["confidence"] == pytest.approx(0.8)


def test_the_gate_is_logistic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(learned._used, "lifting", {"bias": 1.0, "weights": dict.fromkeys(lifting.FEATURES, 0.5)})
    assert lifting.probability(dict.fromkeys(lifting.FEATURES, 1.0)) == pytest.approx(1 / (1 + np.exp(-4.0)))
