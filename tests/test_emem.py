"""Event memory in the store, and what `emem` and `emem-g` make of it; where the paper gives formulas, by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memcli.errors import ModelUnavailable
from memcli.indexing.events.runner import MOST_SYNONYMS
from memcli.memory import Memory
from memcli.model import Filters, Hit, Kind, Query, Unit, UnitId
from memcli.providers.fakes import FakeLanguageModel
from memcli.providers.profiles import MINILM
from memcli.store.events import Arguments
from memcli.store.views.events import EventGraph, event_graph
from memcli.store.views.view import View
from memcli.strategies.base import evidence, mention_vectors
from memcli.strategies.emem import EMem, EMemG
from memcli.strategies.filters import Thresholds
from memcli.strategies.filters_by_model import ConsultingFilters

from .conftest import Ran
from .language_server import Behaviour, Endpoint, completion_of, serving

AT = datetime(2024, 6, 1, tzinfo=UTC)
TALK = (
    ("Ada", "I adopted a grey cat called Miso in Porto yesterday."),
    ("Bo", "Lovely! Who looks after Miso when you travel?"),
    ("Ada", "My neighbour Clara."),
    ("Bo", "I repaired the old sailing boat with my brother last week."),
)


def messages(*said: tuple[str, str], session: str = "s", at: str = "2024-05-20T10:00:00") -> list[dict[str, object]]:
    return [
        {"text": text, "speaker": who, "session": session, "timestamp": at, "id": f"{session}{i}"}
        for i, (who, text) in enumerate(said)
    ]


@pytest.fixture
def filled(memory: Memory, write: Callable[..., Path]) -> Memory:
    memory.ingest([write("a.jsonl", *messages(*TALK))])
    memory.prepare(["emem-g"])
    return memory


def texts(memory: Memory, kind: str) -> list[str]:
    with memory.store.reading() as db:
        return [t for (t,) in db.execute("select text from unit where kind = ? order by seq", [kind]).fetchall()]


def edges(memory: Memory) -> set[tuple[str, str, str]]:
    with memory.store.reading() as db:
        return set(
            db.execute(
                """select a.text, e.relation, coalesce(b.text, b.id) from edge e join unit a on a.seq = e.src
                   join unit b on b.seq = e.dst where a.kind in ('edu', 'chunk', 'argument')"""
            ).fetchall()
        )


def asked(memory: Memory, text: str, strategy: EMem | EMemG, filters: Filters | None = None) -> tuple[Query, View]:
    return memory.query(text, filters or Filters(), AT, strategy)


# The store


def test_events_name_their_people_and_dates_and_rest_on_their_turns(filled: Memory) -> None:
    events = texts(filled, "edu")
    assert any("Ada adopted a grey cat called Miso" in e and "19 May 2024" in e for e in events)
    view = filled.view()
    graph = event_graph(view)
    assert graph.n == len(events)
    for unit in graph.units(view, range(graph.n)):
        assert unit.sources
        assert unit.kind is Kind.EDU
    joined = {(a, b) for a, relation, b in edges(filled) if relation == "has_argument"}
    cat = next(e for e in events if "Miso in Porto" in e)
    assert {b for a, b in joined if a == cat} >= {"Ada", "Miso", "Porto", "19 May 2024"}


def test_an_argument_is_one_node_however_often_it_is_named(filled: Memory, write: Callable[..., Path]) -> None:
    filled.ingest([write("b.jsonl", *messages(("Bo", "I gave Miso a blue collar."), session="t"))])
    names = [name.casefold() for name in texts(filled, "argument")]
    assert len(names) == len(set(names))
    with filled.store.reading() as db:
        turns = db.execute(
            """select count(distinct o.turn) from source o join unit u on u.seq = o.unit
               where u.kind = 'argument' and u.text = 'Miso'"""
        ).fetchall()
    assert turns[0][0] >= 3  # of both sessions


def test_session_after_session_is_the_same_as_all_at_once(tmp_path: Path, write: Callable[..., Path]) -> None:
    first, second = messages(*TALK), messages(("Bo", "Clara bought a red bicycle in Porto."), session="t")
    slowly, at_once = (Memory(tmp_path / f"{n}.memcli", embedder="fake") for n in ("slowly", "at_once"))
    slowly.ingest([write("1.jsonl", *first)])
    slowly.prepare(["emem-g"])
    slowly.ingest([write("2.jsonl", *second)])
    at_once.ingest([write("3.jsonl", *first, *second)])
    at_once.prepare(["emem-g"])
    assert edges(slowly) == edges(at_once)
    assert texts(slowly, "edu") == texts(at_once, "edu")


def test_a_session_that_grows_has_its_events_made_again(filled: Memory, write: Callable[..., Path]) -> None:
    grown = (*TALK, ("Ada", "Clara sold her bakery in Lisbon."))
    filled.ingest([write("b.jsonl", *messages(*grown))])
    events = texts(filled, "edu")
    assert len(events) == len(set(events))
    assert any("Lisbon" in event for event in events)
    with filled.store.reading() as db:
        for table, column in (("memory", "unit"), ("event", "unit"), ("role", "event"), ("role", "argument")):
            orphans = f"select count(*) from {table} where {column} not in (select seq from unit)"
            assert db.execute(orphans).fetchall() == [(0,)]


def test_synonyms_are_near_and_few() -> None:
    """E_syn: cosine ≥ δ; each pair once; no node with more than its share (EMem §3.2)."""
    assert (MINILM.synonym, MOST_SYNONYMS) == (0.9, 100)
    near, far = np.array([0.95, np.sqrt(1 - 0.95**2)]), np.array([0.0, 1.0])
    arguments = Arguments([7], [np.array([[1.0, 0.0]], dtype=np.float16)], {})
    found = arguments.synonyms({8: near.astype(np.float32), 9: far.astype(np.float32)}, 0.9, 100)
    assert [(a, b) for a, b, _ in found] == [(8, 7)]
    assert found[0][2] == pytest.approx(0.95, abs=1e-3)
    same = {number: np.array([1.0, 0.0], dtype=np.float32) for number in range(10, 16)}
    crowded = arguments.synonyms(same, 0.9, 2)
    degrees = np.bincount([end for a, b, _ in (*crowded, *found) for end in (a, b)])
    assert degrees.max() == 2


# The strategies


class Fixed(Thresholds):
    """Keeps what a test says."""

    def __init__(self, keep: Sequence[int]) -> None:
        super().__init__()
        object.__setattr__(self, "keep", list(keep))

    def events(self, question: str, candidates: Sequence[Hit]) -> list[int]:
        return [place for place in self.keep if place < len(candidates)]  # type: ignore[attr-defined]


def test_emem_hands_out_what_the_filter_keeps(filled: Memory) -> None:
    query, view = asked(filled, "Which cat did Ada adopt?", EMem())
    every = EMem(filters=Thresholds(event_share=-1.0)).retrieve(query, view, 30)
    kept = EMem(filters=Fixed([1, 2])).retrieve(query, view, 30)
    assert [hit.unit for hit in kept] == [every[1].unit, every[2].unit]
    assert kept[0].trace["filter.kept"] == 2.0
    assert kept[0].trace["filter.of"] == len(every)


@pytest.mark.parametrize("strategy", [EMem(filters=Fixed([])), EMemG(filters=Fixed([]))])
def test_a_filter_that_keeps_nothing_is_not_followed(filled: Memory, strategy: EMem | EMemG) -> None:
    query, view = asked(filled, "Which cat did Ada adopt?", strategy)
    hits = strategy.retrieve(query, view, 30)
    assert "Miso" in hits[0].unit.text
    assert hits[0].trace["filter.kept"] == 0.0


def test_the_walk_is_the_papers_by_a_dense_solve(filled: Memory) -> None:
    """π = (1 − α)s + αTᵀπ with T uniform over neighbours but for the cosines of synonyms (§3.3)."""
    strategy = EMemG(filters=Thresholds(event_share=-1.0, argument_cosine=0.3))
    query, view = asked(filled, "Who looks after the grey cat?", strategy)
    graph = event_graph(view)
    hits = strategy.retrieve(query, view, 50)
    seeds = _seeds(query, graph, strategy)
    found = _solved(graph, seeds / seeds.sum(), 0.5)
    order = [unit.id for unit in graph.units(view, np.argsort(-found[: graph.n], kind="stable").tolist())]
    assert [hit.unit.id for hit in hits][:3] == order[:3]
    assert hits[0].score == pytest.approx(found[: graph.n].max(), abs=1e-8)


def _seeds(query: Query, graph: EventGraph, strategy: EMemG) -> np.ndarray:
    vector = query.vector + query.phrasings["nameless"]
    events = np.maximum(np.round(graph.vectors @ (vector / np.linalg.norm(vector)), 6), 0.0)
    arguments = np.zeros(len(graph.texts))
    for mention in mention_vectors(query):
        near = np.round(graph.argument_vectors @ mention, 6)
        for place in np.argsort(-near, kind="stable")[: strategy.arguments]:
            arguments[place] = max(arguments[place], near[place])
    arguments[arguments < 0.3] = 0.0
    return np.concatenate([events, arguments, np.zeros(graph.sessions)])


def _solved(graph: EventGraph, restart: np.ndarray, damping: float) -> np.ndarray:
    n = len(restart)
    weights = np.zeros((n, n))
    for event, argument in zip(*graph.links, strict=True):
        weights[event, graph.n + argument] = weights[graph.n + argument, event] = 1.0
    for a, b, cosine in zip(*graph.synonyms, strict=True):
        weights[graph.n + a, graph.n + b] = weights[graph.n + b, graph.n + a] = cosine
    for event, session in enumerate(graph.session):
        place = graph.n + len(graph.texts) + session
        weights[event, place] = weights[place, event] = 1.0
    step = weights / weights.sum(axis=1, keepdims=True)
    return np.linalg.solve(np.eye(n) - damping * step.T, (1 - damping) * restart)


def test_what_shares_an_argument_is_reached_without_a_word_of_the_question(filled: Memory) -> None:
    strategy = EMemG(linked=1, filters=Thresholds(argument_cosine=0.9))
    query, view = asked(filled, "Which grey cat was adopted in Porto?", strategy)
    reached = [hit.unit.text for hit in strategy.retrieve(query, view, 4)]
    assert any("Clara" in text for text in reached)


def test_a_filter_of_speakers_holds_for_all_that_an_event_rests_on(filled: Memory) -> None:
    query, view = asked(filled, "What about Miso?", EMemG(), Filters(speaker="Bo"))
    hits = EMemG().retrieve(query, view, 30)
    turns = {turn.id: turn.speaker for hit in hits for turn in view.fetch(view.rows_of(hit.unit.sources).tolist())}
    assert set(turns.values()) == {"Bo"}


def test_a_chunk_is_read_in_full_and_found_by_its_summary(memory: Memory, write: Callable[..., Path]) -> None:
    steps = "\n".join(f"{i}. {step}" for i, step in enumerate(("Soak the beans", "Chop onions", "Simmer slowly"), 1))
    block = f"Here is how to cook feijoada:\n\n{steps}\n\nServe it with rice and orange slices, for six people."
    talk = [
        {"text": "How do I cook feijoada for my friends?", "role": "user", "session": "s"},
        {"text": block, "role": "assistant", "session": "s"},
    ]
    memory.ingest([write("a.jsonl", *talk)])
    memory.prepare(["emem"])
    query, view = asked(memory, "recipe for feijoada", EMem())
    hits = EMem().retrieve(query, view, 30)
    chunk = next(hit for hit in hits if hit.unit.kind is Kind.CHUNK)
    assert "Chop onions" in next(h.unit.text for h in evidence(view, hits, 30) if h.unit.id == chunk.unit.id)
    assert len(chunk.unit.text) < len(block) + 120


def test_a_date_is_read_from_the_event_which_has_it_counted(filled: Memory) -> None:
    reading = filled.ask("When did Ada adopt a cat?", strategy="emem-g", at=AT)
    assert "19 May 2024" in reading.answer.text or reading.answer.abstained
    assert reading.hits[0].unit.kind is Kind.EDU


# With a language model


def test_a_model_that_fails_leaves_the_question_to_the_thresholds() -> None:
    calls: list[int] = []

    def model() -> FakeLanguageModel:
        calls.append(1)
        raise ModelUnavailable("no model")

    filters = ConsultingFilters(model)
    hit = Hit(Unit(UnitId("e:1"), Kind.EDU, "Ada has a cat", ()), 0.9)
    assert filters.events("cat?", [hit]) == [0]
    assert filters.mentions("Where is Miso?", ["Ada"]) == Thresholds().mentions("Where is Miso?", ["Ada"])
    assert filters.arguments("cat?", [("cat", 0.95), ("dog", 0.1)]) == [0]
    assert len(calls) == 1


REPLIES: Mapping[str, Mapping[str, Any]] = {
    "edus": {"edus": [
        {"text": "Ada adopted a grey cat called Miso in Porto on 19 May 2024.", "turns": ["t1"]},
        {"text": "Clara, Ada's neighbour, looks after Miso when Ada travels.", "turns": ["t3", "t2"]},
        {"text": "Bo repaired an old sailing boat with Bo's brother in the week before 20 May 2024.", "turns": ["t4"]},
    ]},
    "arguments": {"events": [
        {"id": "e1", "type": "adopt", "arguments": [{"role": "agent", "text": "Ada"}, {"role": "pet", "text": "Miso"}]},
        {"id": "e2", "type": "look after",
         "arguments": [{"role": "agent", "text": "Clara"}, {"role": "pet", "text": "Miso"}]},
    ]},
    "mentions": {"mentions": ["Miso"]},
    "filter_events": {"keep": ["e1", "e2"]},
    "filter_arguments": {"keep": ["a1"]},
    "answer": {
        "reasoning": "Clara does.", "answerable": True, "answer": "Clara", "citations": ["e1", "e2", "e3", "e4"],
    },
}  # fmt: skip


def by_form(broken: frozenset[str] = frozenset()) -> Behaviour:
    """Answers every form that is asked for; those `broken`, the first time, with what is no JSON."""
    left = set(broken)

    def behave(handler: Any, body: Mapping[str, Any]) -> None:
        name = body["response_format"]["json_schema"]["name"]
        text = json.dumps(REPLIES[name])
        if name in left:
            left.discard(name)
            text = "Well, let me think. {"
        if body.get("stream"):
            handler.reply(400, {"error": {"message": "no streams"}})
            return
        handler.reply(200, completion_of(text, body, 100, 10, "stop"))

    return behave


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[Endpoint]:
    with serving(by_form(request.param)) as found:
        monkeypatch.setenv("OPENAI_BASE_URL", found.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
        yield found


@pytest.mark.parametrize("endpoint", [frozenset(), frozenset(REPLIES)], indirect=True, ids=["well", "malformed once"])
def test_one_session_to_events_to_arguments_to_an_answer(
    endpoint: Endpoint, cli: Callable[..., Ran], write: Callable[..., Path], tmp_path: Path
) -> None:
    store = tmp_path / "m.memcli"
    chat = write("a.jsonl", *messages(*TALK))
    ran = cli("ingest", chat, "--store", store, "--embedder", "fake", "--model", "tiny", "--strategy", "emem-g")
    assert (ran.code, "sk-secret" in ran.err) == (0, False)
    memory = Memory(store, embedder="fake")
    assert texts(memory, "edu") == [told["text"] for told in REPLIES["edus"]["edus"]]
    assert {"Ada", "Miso", "Clara"} <= set(texts(memory, "argument"))
    with memory.store.reading() as db:
        types = db.execute("select type from event order by unit").fetchall()
        roles = db.execute("select count(*) from role where name = 'pet'").fetchall()
    assert types[:2] == [("adopt",), ("look after",)]
    assert roles == [(2,)]
    before = len(endpoint.seen)
    question = "Who looks after Miso?"
    found = cli("ask", question, "--store", store, "--strategy", "emem-g", "--model", "tiny", "--json")
    answer = found.json
    assert isinstance(answer, dict)
    assert (found.code, answer["answer"], answer["fallback"]) == (0, "Clara", None)
    forms = [body["response_format"]["json_schema"]["name"] for body in endpoint.seen]
    assert set(forms) == set(REPLIES)
    assert forms.index("filter_events") >= before
    again = len(endpoint.seen)
    cli("ingest", chat, "--store", store, "--model", "tiny", "--strategy", "emem-g")
    assert len(endpoint.seen) == again  # nothing is paid for twice
