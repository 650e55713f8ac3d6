"""Concepts: topics from assertions, things said in other words, and what is lifted to an edge of a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from memcli.care.concepts import Concepts
from memcli.errors import UsageError
from memcli.indexing.ontology import lifting
from memcli.indexing.ontology import topics as concepts
from memcli.memory import Memory
from memcli.model.relations import BESIDE, SEEDS
from memcli.providers.embedding import embedder
from memcli.providers.profiles import MINILM
from memcli.store import topics as stored
from memcli.store.cosine import cosines, unit_rows
from memcli.store.revision import bump_revision
from memcli.store.rows import UNKNOWN, transaction
from memcli.store.topics import Tastes, Topics, drop_concepts
from memcli.store.views.assertions import assertion_index

EVEN = lifting.Scorer(-1.0, dict.fromkeys(lifting.FEATURES, 0.0) | {"contexts": 1.5})


@dataclass
class Axes:
    """An embedder with an axis for each of some words, so that what is near what can be seen: one vector a subject."""

    words: Sequence[str] = ("film", "food", "nuts", "walk", "boat")
    id: str = "axes"
    dimension: int = 6
    asked: list[str] = field(default_factory=list)

    def embed_passages(self, texts: Sequence[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        self.asked.extend(texts)
        rows = np.array([[float(word in text) for word in self.words] + [0.1] for text in texts], dtype=np.float32)
        rows = rows.reshape(-1, self.dimension)
        lengths: np.ndarray[tuple[int, int], np.dtype[np.float32]] = np.linalg.norm(rows, axis=1, keepdims=True)
        return rows / lengths

    embed_questions = embed_passages


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> Memory:
    monkeypatch.setattr(lifting, "packaged", lambda: EVEN)
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
    monkeypatch.setattr(lifting, "packaged", lambda: lifting.Scorer(-9.0, EVEN.weights))
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
        bump_revision(db)
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


def test_the_gate_is_logistic() -> None:
    scorer = lifting.Scorer(1.0, dict.fromkeys(lifting.FEATURES, 0.5))
    assert scorer(dict.fromkeys(lifting.FEATURES, 1.0)) == pytest.approx(1 / (1 + np.exp(-4.0)))


# -- what limits people in a domain ----------------------------------------------------------------------------------

#: Said of food, as `indexing.assertions.worded` puts it; and of other things, some of them near it.
OF_FOOD = (
    "avoids pistachios", "avoids cream", "dislikes broccoli", "avoids anything with egg", "dislikes strong cheese",
    "avoids cashews", "dislikes rice pudding", "avoids soya milk", "allergy almonds", "allergy tomatoes",
    "allergy sulphites in wine", "health lactose malabsorption", "diet low FODMAP", "diet Mediterranean",
    "diet no sugar", "diet dairy-free", "avoids raw onion", "dislikes oat porridge", "dislikes parsley",
    "dislikes cola", "dislikes lentils", "avoids pepper", "avoids margarine", "dislikes black pudding", "avoids maize",
    "avoids lactose", "avoids bacon", "dislikes sour cream", "allergy sesame seeds", "diet raw vegan", "avoids veal",
    "dislikes sardines", "allergy crab", "avoids duck", "avoids squid", "avoids whisky", "dislikes melon",
    "avoids tofu", "dislikes basil", "avoids cakes with icing",
)  # fmt: skip
OF_OTHER_THINGS = (
    "dislikes traffic", "avoids escalators", "fears dogs", "fears the dark", "health glaucoma", "health sciatica",
    "health high cholesterol", "health vertigo", "dislikes reality TV", "avoids the stock market", "dislikes rain",
    "avoids open-plan offices", "dislikes poetry readings", "avoids group chats", "dislikes jazz", "fears needles",
    "fears failure", "allergy mosquito bites", "allergy detergent", "allergy tree pollen", "allergy rabbits",
    "allergy amoxicillin", "avoids motorbikes", "avoids long queues at cafés", "dislikes hosting",
    "dislikes doing the dishes", "avoids steep paths", "dislikes polyester", "avoids cash", "dislikes phone calls",
    "avoids ferries", "dislikes airports", "health carpal tunnel", "avoids bright light", "dislikes sand",
    "avoids late trains", "dislikes gossip", "fears deep water", "avoids strong perfume", "dislikes shopping malls",
)  # fmt: skip


def taken(texts: Sequence[str]) -> int:
    """How many of these a seeded topic would take in, by the default embedder."""
    model = embedder()
    seed, beside = (concepts._mean(model, phrases["food"])[None] for phrases in (SEEDS, BESIDE))
    said = [text.split()[0] for text in texts]
    nothing = np.zeros(len(texts))
    fresh = Tastes(
        np.arange(len(texts)), np.arange(len(texts)), np.full(len(texts), "Ana", dtype=object),
        np.array(said, dtype=object), nothing.astype(bool), nothing, nothing, model.embed_passages(texts),
        np.full(len(texts), UNKNOWN), np.full(len(texts), UNKNOWN),
    )  # fmt: skip
    placed = concepts.assigned(Topics([0], seed, [0], beside), fresh)
    return int((placed.topic == 0).sum())


def test_things_are_the_same_however_many_are_compared_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(2)
    near_to_six = np.repeat(random.standard_normal((6, 8)), 5, axis=0) + random.standard_normal((30, 8)) / 3
    vectors = unit_rows(near_to_six.astype(np.float32))
    n = len(vectors)
    told = Tastes(
        np.arange(n), np.arange(n), np.array(["Ada", "Bo"] * (n // 2), dtype=object), np.full(n, "likes", dtype=object),
        np.zeros(n, dtype=bool), np.ones(n), np.zeros(n), vectors, random.integers(0, 2, n),
        np.full(n, -1),
    )  # fmt: skip
    older, fresh = concepts.chosen(told, np.arange(10)), concepts.chosen(told, np.arange(10, n))

    def things(part: int) -> list[int]:
        monkeypatch.setattr(concepts, "_PART", part)
        first = replace(older, thing=concepts._things(older, older.topic, concepts.chosen(older, np.arange(0)), 0.8))
        return [*first.thing.tolist(), *concepts._things(fresh, fresh.topic, first, 0.8).tolist()]

    expected = list(range(n))  # the nearest earlier one of the same person and topic, by one comparison after the other
    for place in range(n):
        own = [i for i in range(place) if told.topic[i] == told.topic[place] and told.head[i] == told.head[place]]
        near = cosines(told.vectors[place], told.vectors[own]) if own else np.zeros(0)
        if own and near.max() >= 0.8:
            expected[place] = expected[own[int(near.argmax())]]
    assert things(1) == things(3) == things(256) == expected
    assert len(set(expected)) < n


def test_restrictions_of_food_are_told_from_others() -> None:
    assert taken(OF_FOOD) >= 28
    assert taken(OF_OTHER_THINGS) <= 2  # among them high cholesterol
    assert taken([text.replace("dislikes", "likes").replace("avoids", "needs") for text in OF_FOOD[:7]]) == 0


@pytest.fixture
def rosa() -> Memory:
    """What Rosa cannot eat, in words that lie far apart, and what she says besides."""
    memory = Memory(None)
    tell(
        memory, ("Rosa", "I'm pescatarian."), ("Rosa", "No aubergine for me please!"), ("Rosa", "I love cooking."),
        ("Rosa", "I hate crowded trams."), ("Rosa", "I have IBS."),
        ("Rosa", "I don't eat pork."), ("Ben", "I love aubergine."), ("Ben", "I need aubergine."),
    )  # fmt: skip
    return memory


def seeded(memory: Memory) -> list[str]:
    """What the seeded topics hold."""
    with memory.store.reading() as db:
        return [
            str(tail)
            for (tail,) in db.execute(
                """select a.tail from belongs b join concept c on c.seq = b.concept and c.kind = 'seed'
                   join assertion a on a.unit = b.unit order by a.unit"""
            ).fetchall()
        ]


def test_what_limits_people_in_a_domain_is_one_topic(rosa: Memory) -> None:
    assert seeded(rosa) == ["pescatarian", "aubergine", "IBS", "pork"]
    assert lifted(rosa) == [("Rosa", 4, "")]


def test_seeds_are_no_domains_of_the_router(rosa: Memory) -> None:
    index = assertion_index(rosa.view())
    assert len(index.domains) == 1  # of the diet, as it always was
    assert (index.topic >= 0).sum() == 4
    rosa = Memory(None)
    tell(rosa, ("Rosa", "No aubergine for me please!"))
    assert seeded(rosa) == ["aubergine"]
    assert not len(assertion_index(rosa.view()).domains)


def test_seeded_topics_are_learned_again_without_an_embedder(rosa: Memory) -> None:
    with rosa.store.writing() as db, transaction(db):
        before = db.execute("select * from belongs order by all").fetchall()
        topics = db.execute("select * from concept order by all").fetchall()
        drop_concepts(db)
        concepts.grow(db, 384, concepts.sensitive())
        assert db.execute("select * from belongs order by all").fetchall() == before
        assert db.execute("select * from concept order by all").fetchall() == topics


def test_a_restriction_that_is_taken_back_counts_no_more(rosa: Memory) -> None:
    tell(rosa, ("Rosa", "I'm allergic to hazelnuts."), ("Rosa", "I'm not allergic to hazelnuts."))
    assert seeded(rosa)[4:] == ["hazelnuts", "hazelnuts"]
    (found,) = Concepts(rosa.store).found(k=9).concepts
    assert found.label == "pescatarian, pork, IBS, aubergine"
    assert found.edge.row.support == 5  # what it rests on that limits her
    tell(rosa, *[("Cy", f"I'm not allergic to {each}.") for each in ("hazelnuts", "sesame", "eggs")])
    assert [head for head, _, _ in lifted(rosa)] == ["Rosa"]


def test_limits_that_are_sensitive_are_declined(rosa: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    tell(rosa, *[("Cy", f"I'm allergic to {each}.") for each in ("hazelnuts", "sesame")], ("Cy", "I hate olives."))
    assert lifted(rosa) == [("Cy", 3, "sensitive"), ("Rosa", 4, "")]
    monkeypatch.setenv("MEMCLI_SENSITIVE", "avoids, diet, health")
    tell(rosa, ("Rosa", "No coriander for me please!"))
    assert lifted(rosa) == [("Cy", 3, ""), ("Rosa", 5, "sensitive")]


def test_a_cosine_counts_at_least_what_nearness_has_to_be(rosa: Memory) -> None:
    with rosa.store.reading() as db:
        found = stored.topics(db, 384)
        held = stored.tastes(db, 384, sorted(found.seeded))
    centre = found.centres()[found.seqs[0]]
    far = held.vectors @ centre < MINILM.topic
    assert far.any()
    places = np.flatnonzero(far)
    assert concepts.features(held, places, centre, MINILM.topic)["coherence"] == pytest.approx(MINILM.topic)
    assert concepts.features(held, places, centre)["coherence"] < MINILM.topic
