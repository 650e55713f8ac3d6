"""The papers' baselines: what each formula gives by hand, and that each does what its page says."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memcli.errors import BudgetSpent, ModelUnavailable
from memcli.evaluation.asking import asked
from memcli.evaluation.baselines.amem import AMem
from memcli.evaluation.baselines.feedback import (
    DenseFeedback,
    RelevanceModel,
    interpolated,
    relevance_model,
    rocchio,
)
from memcli.evaluation.baselines.hipporag import HippoRAG
from memcli.evaluation.baselines.reranked import DenseReranked
from memcli.evaluation.baselines.rewritten import HyDE, MultiQuery, reciprocal_ranks
from memcli.evaluation.baselines.units import SessionSummaries
from memcli.evaluation.outcomes import Outcomes
from memcli.evaluation.rewriting import Rewriter
from memcli.formats import Message
from memcli.languages.english.questions import parse
from memcli.memory import Memory
from memcli.model import Filters, Kind, Query
from memcli.providers.fakes import Completion, FakeEmbedder, FakeLanguageModel
from memcli.ranking.bm25 import bm25
from memcli.store.cosine import cosines, unit_rows
from memcli.store.views.events import EventGraph, event_graph
from memcli.store.views.memories import memories
from memcli.store.views.view import View
from memcli.strategies import DEFAULT, strategy
from memcli.strategies.base import mention_vectors
from memcli.strategies.dense import Dense
from tests.conftest import SAMPLE, Ran
from tests.language_server import Body, Endpoint, _Handler, fails, says

pytestmark = pytest.mark.usefixtures("sample_is_filled")
AT = datetime(2024, 6, 1, tzinfo=UTC)
QUESTIONS = SAMPLE / "questions.json"

TALK = (
    ("s", "Ada", "I adopted a grey cat called Miso in Porto."),
    ("s", "Bo", "Lovely! Miso is a good name for a cat."),
    ("s", "Ada", "Clara sold her bakery in Lisbon last week."),
    ("t", "Bo", "The zebra crossing near the harbour was painted blue."),
    ("t", "Ada", "Miso scratched the harbour pilot, poor man."),
    ("t", "Bo", "My sister Clara plays the cello in an orchestra."),
)


@pytest.fixture
def view(memory: Memory, write: Callable[..., Path]) -> View:
    said = [{"text": text, "speaker": who, "session": where, "time": AT.isoformat()} for where, who, text in TALK]
    memory.ingest([write("talk.jsonl", *said)])
    memory.prepare(["memgas", "emem-g"])
    return memory.view()


def query(text: str, phrasings: Mapping[str, str] | None = None, **filters: Any) -> Query:
    model = FakeEmbedder()
    named = {name: model.embed_questions([said])[0] for name, said in (phrasings or {}).items()}
    return Query(parse(text, ()), model.embed_questions([text])[0], AT, Filters(**filters), named)


def texts(hits: Sequence[Any]) -> list[str]:
    return [hit.unit.text for hit in hits]


# -- pseudo-relevance feedback ---------------------------------------------------------------------------------------


def test_the_relevance_model_by_hand() -> None:
    """a: 3·1/2 + 1·2/4 = 2; b: 3·1/2 = 1.5; c, d: 1·1/4. Of two: 2/3.5 and 1.5/3.5; of three, c comes before d."""
    documents, scores = [["a", "b"], ["a", "a", "d", "c"]], np.array([3.0, 1.0])
    assert relevance_model(documents, scores, 2) == pytest.approx({"a": 2 / 3.5, "b": 1.5 / 3.5})
    assert relevance_model(documents, scores, 3) == pytest.approx({"a": 2 / 3.75, "b": 1.5 / 3.75, "c": 0.25 / 3.75})
    assert relevance_model([], np.zeros(0), 3) == {}


def test_the_interpolation_by_hand() -> None:
    """λ = 0.7 of (a, x, x): 0.7/3 and 1.4/3; 0.3 of the other model is added."""
    found = interpolated(["a", "x", "x"], {"a": 0.6, "b": 0.4}, 0.7)
    assert found == pytest.approx({"a": 0.7 / 3 + 0.18, "x": 1.4 / 3, "b": 0.12})
    assert sum(found.values()) == pytest.approx(1.0)
    assert interpolated(["a", "x"], {}, 0.7) == {"a": 0.5, "x": 0.5}


def test_words_can_weigh() -> None:
    postings = {"a": (np.array([0, 1]), np.array([1, 2])), "b": (np.array([1]), np.array([1]))}
    length, groups = np.array([2, 3, 1]), np.arange(3)
    one, other = (bm25([stem], postings, length, groups).scores for stem in "ab")
    weighed = bm25(["a", "b"], postings, length, groups, weights={"a": 2.0, "b": 0.5}).scores
    assert weighed == pytest.approx(2.0 * one + 0.5 * other)


def test_an_expanded_question_finds_what_shares_no_word_with_it(view: View) -> None:
    """ "Porto" is said once; the turn that says it brings "Miso" in, of which three turns speak."""
    asked_for = query("Who was in Porto?")
    found = texts(RelevanceModel().retrieve(asked_for, view, 5))
    assert found[0] == TALK[0][2]
    assert set(found) == {text for _, _, text in TALK if "Miso" in text}
    assert texts(RelevanceModel(original=1.0).retrieve(asked_for, view, 5)) == [TALK[0][2]]
    assert RelevanceModel().retrieve(query("Who was it?"), view, 5) == []


def test_nothing_is_learned_from_what_is_filtered_out(view: View) -> None:
    assert RelevanceModel().retrieve(query("Who was in Porto?", speaker="Bo"), view, 5) == []
    hits = DenseFeedback(documents=1).retrieve(query("grey cat Porto", speaker="Bo"), view, 5)
    assert [hit.unit.label for hit in hits] == ["Bo"] * 3
    own = DenseFeedback(documents=1, alpha=0.0, beta=1.0).retrieve(query("grey cat Porto", speaker="Bo"), view, 5)
    assert own[0].score == pytest.approx(1.0, abs=1e-3)  # the best of Bo's turns is searched with, and finds itself


def test_rocchio_by_hand() -> None:
    """0.4 · (1, 0) + 0.6 · (0, 1) = (0.4, 0.6), whose length is √0.52."""
    question, relevant = np.array([1, 0], dtype=np.float32), np.array([[0.6, 0.8], [-0.6, 1.2]], dtype=np.float32)
    assert rocchio(question, relevant, 0.4, 0.6) == pytest.approx(np.array([0.4, 0.6]) / 0.52**0.5)


def test_the_second_search_is_with_the_moved_vector(view: View) -> None:
    asked_for = query("Which cat was scratched?")
    first = Dense().retrieve(asked_for, view, 2)
    model = FakeEmbedder()  # every turn here is a sentence or two: its pooled vector is theirs, weighed by their words
    pooled = [sum(v * len(s.split()) for s, v in _sentences(model, hit.unit.text)) for hit in first]
    moved = rocchio(asked_for.vector, unit_rows(np.array(pooled, dtype=np.float32)), 0.4, 0.6)
    hits = DenseFeedback(documents=2).retrieve(asked_for, view, 6)
    expected = Dense().retrieve(Query(asked_for.question, moved, AT, Filters()), view, 6)
    assert texts(hits) == texts(expected)
    assert [hit.score for hit in hits] == pytest.approx([hit.score for hit in expected], abs=2e-3)


def _sentences(model: FakeEmbedder, text: str) -> list[tuple[str, Any]]:
    parts = [part.strip() for part in text.replace("! ", "!|").split("|")]
    return list(zip(parts, model.embed_questions(parts), strict=True))


# -- with what a model writes ----------------------------------------------------------------------------------------


def test_reciprocal_ranks_by_hand() -> None:
    """Ranks 1, 2, 3 and 3, 1, 2; with 60 added. Equal scores are ranked as they stand."""
    found = reciprocal_ranks([np.array([3.0, 2.0, 1.0]), np.array([1.0, 3.0, 2.0])], 60)
    assert found == pytest.approx([1 / 61 + 1 / 63, 1 / 62 + 1 / 61, 1 / 63 + 1 / 62])
    assert reciprocal_ranks([np.array([1.0, 1.0])], 60) == pytest.approx([1 / 61, 1 / 62])


def test_a_hypothetical_answer_is_searched_with(view: View) -> None:
    """The mean of both vectors (equation 8 of HyDE with one answer); without one it is `dense`."""
    plain = query("What does her sibling do?")
    answer = "My sister plays the cello"
    found = HyDE().retrieve(query(plain.text, {"hyde: 0": answer}), view, 6)
    assert found[0].unit.text == TALK[5][2]
    mean = unit_rows(((plain.vector + FakeEmbedder().embed_questions([answer])[0]) / 2)[None])[0]
    assert found == Dense().retrieve(Query(plain.question, mean, AT, Filters()), view, 6)
    assert HyDE().retrieve(plain, view, 6) == Dense().retrieve(plain, view, 6)


def test_rewordings_are_fused_by_their_ranks(view: View) -> None:
    wordings = {"multi-query: 0": "cello orchestra", "multi-query: 1": "harbour"}
    hits = MultiQuery().retrieve(query("bakery in Lisbon", wordings), view, 6)
    ranks = [
        {text: place for place, text in enumerate(texts(Dense().retrieve(query(text), view, 6)), start=1)}
        for text in ("bakery in Lisbon", *wordings.values())
    ]
    for hit in hits:
        assert hit.score == pytest.approx(sum(1 / (60 + each[hit.unit.text]) for each in ranks))
    assert len(hits) == len(TALK)
    ignored = query("bakery in Lisbon", {"hyde: 0": "cello", "mention: cello": "cello"})
    assert texts(MultiQuery().retrieve(ignored, view, 6)) == texts(Dense().retrieve(ignored, view, 6))


def _writing(completion: Completion) -> Mapping[str, Any]:
    return {"texts": [f"{completion.schema.name} {number}\nof it" for number in range(5)] + [" "]}


@pytest.mark.usefixtures("view")
def test_what_a_model_writes_is_embedded_with_the_question(memory: Memory) -> None:
    fake, model = FakeLanguageModel(_writing), FakeEmbedder()
    (posed,) = asked([("q", "Who came?", AT)], memory, [], model, (), Rewriter(fake, ["hyde", "multi-query"]))
    written = {
        "hyde: 0": "hypothetical_answer 0 of it",
        **{f"multi-query: {number}": f"rewordings {number} of it" for number in range(3)},
    }
    assert set(posed.phrasings) == set(written)
    for name, text in written.items():
        assert np.array_equal(posed.phrasings[name], FakeEmbedder().embed_questions([text])[0])
    assert [each.schema.name for each in fake.asked] == ["hypothetical_answer", "rewordings"]
    assert all("Who came?" in each.text and each.most for each in fake.asked)


def test_a_question_is_in_the_language_of_the_store_where_its_words_leave_that_open(memory: Memory) -> None:
    said = ["Ich bin gestern nach Leipzig gezogen.", "Das freut mich sehr für dich!", "Lena studiert jetzt Medizin."]
    memory.add([Message(text, "Lena", said_at=AT, session="s", id=text) for text in said])
    posed = asked([("q", "Was studiert Lena?", AT)], memory, [], FakeEmbedder())
    assert [each.query.question.language for each in posed] == ["de"]


def test_questions_are_understood_as_when_they_are_asked_of_the_memory(memory: Memory) -> None:
    said = ["Ich wohne jetzt in der Kaulbachstraße.", "Das freut mich sehr für dich!", "Ich fahre morgen nach Kassel."]
    memory.add([Message(text, "Jonas", said_at=AT, session="s", id=text) for text in said])
    (posed,) = asked([("q", "Wo wohnt Jonas?", AT)], memory, [], FakeEmbedder())
    own, _ = memory.query("Wo wohnt Jonas?", Filters(), AT, strategy(DEFAULT))
    assert posed.query.question == own.question
    assert set(own.question.akin)  # "wohne" is another form of "wohnt"


def test_a_model_that_writes_nothing_is_an_error_or_no_text() -> None:
    assert Rewriter(FakeLanguageModel([{"texts": ["", " "]}]), ["hyde"]).written(["Who?"]) == [{}]
    with pytest.raises(ModelUnavailable):
        Rewriter(FakeLanguageModel([{"text": "x"}]), ["hyde"]).written(["Who?"])
    with pytest.raises(BudgetSpent):
        Rewriter(FakeLanguageModel([BudgetSpent("spent")]), ["hyde"]).written(["Who?"])


def test_another_model_has_outcomes_of_its_own(tmp_path: Path) -> None:
    folders = [Outcomes(tmp_path, {}, {"hyde": model}).file("hyde", "p").parent for model in ("", "a/../b", "c")]
    assert len(set(folders)) == 3
    assert {folder.parent for folder in folders} == {folders[0].parent}
    assert Outcomes(tmp_path, {}, {"hyde": "a"}).file("bm25", "p") == Outcomes(tmp_path, {}).file("bm25", "p")


def measure(cli: Callable[..., Ran], *arguments: str | Path) -> Ran:
    return cli("eval", QUESTIONS, *arguments, "--embedder", "fake", "--workers", "1", "--limit", "5")


def _replies(handler: _Handler, body: Body) -> None:
    says(json.dumps({"texts": ["Nora moved to Lisbon."]}))(handler, body)


def test_questions_are_rewritten_by_an_endpoint(cli: Callable[..., Ran], endpoint: Callable[..., Endpoint]) -> None:
    server = endpoint(_replies)
    command = ("--strategy", "hyde,multi-query,dense", "--model", "m", "--judge-runs", "0", "--json")
    ran = measure(cli, *command)
    assert ran.code == 0
    assert ran.err.startswith("memcli: for hyde,multi-query the questions go to openai:m at http://127.0.0.1")
    assert (ran.json["config"]["rewriter"], ran.json["config"]["reranker"]) == ("openai:m", None)
    assert "judge" not in ran.json["strategies"]["hyde"]
    assert len(server.seen) == 2 * 5
    assert measure(cli, *command).code == 0
    assert len(server.seen) == 2 * 5  # nothing is paid for twice
    assert measure(cli, *command[:3], "n", *command[4:]).json["config"]["rewriter"] == "openai:n"
    assert len(server.seen) == 4 * 5


def test_no_label_reaches_the_model_that_writes(cli: Callable[..., Ran], endpoint: Callable[..., Endpoint]) -> None:
    server = endpoint(_replies)
    measure(cli, "--strategy", "hyde", "--model", "m", "--judge-runs", "0")
    questions = [q for item in json.loads(QUESTIONS.read_text()) for q in item["qa"]]
    for body in server.seen:
        (fenced,) = (body["messages"][0]["content"].split("\n")[-2],)
        (question,) = (q for q in questions if q["question"] == fenced)
        without = body["messages"][0]["content"].replace(fenced, "")
        assert str(question.get("answer", "?")) not in without


@pytest.mark.parametrize(("extra", "script"), [(("--budget", "1"), _replies), ((), fails(401, "no such key"))])
def test_a_model_that_cannot_write_is_one_clear_line(
    cli: Callable[..., Ran], endpoint: Callable[..., Endpoint], extra: Sequence[str], script: Any
) -> None:
    endpoint(script)
    ran = measure(cli, "--strategy", "hyde", "--model", "m", *extra)
    assert (ran.code, ran.out) == (5, "")
    assert len(ran.err.splitlines()) == 2  # the first says what goes where


def test_a_model_that_cannot_write_leaves_the_others(
    cli: Callable[..., Ran], endpoint: Callable[..., Endpoint]
) -> None:
    endpoint(fails(401, "no such key"))
    ran = measure(cli, "--strategy", "hyde,bm25", "--model", "m", "--judge-runs", "0", "--json")
    assert ran.code == 5
    assert ran.err.splitlines()[1].startswith("memcli: left out: hyde: openai:m failed: ")
    assert list(ran.json["strategies"]) == ["bm25"]


def test_without_a_model_it_is_said(
    cli: Callable[..., Ran], endpoint: Callable[..., Endpoint], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, option in (("hyde", "--model"), ("multi-query", "--model"), ("dense-rerank", "--reranker")):
        ran = measure(cli, "--strategy", f"bm25,{name}")
        assert (ran.code, len(ran.err.splitlines())) == (2, 1)
        assert option in ran.err
    assert measure(cli, "--strategy", "bm25", "--reranker", "endpoint:m").code == 2
    assert measure(cli, "--strategy", "dense-rerank", "--reranker", "magic").code == 2
    server = endpoint(_replies)
    monkeypatch.setenv("MEMCLI_MODEL", "m")
    assert measure(cli, "--strategy", "hyde", "--judge-runs", "0").code == 0
    assert len(server.seen) == 5
    ran = measure(cli, "--strategy", "baselines", "--judge-runs", "0", "--json")
    assert (ran.code, len(server.seen)) == (0, 5)  # one that is only configured is asked for no group
    assert ran.err == "memcli: left out: dense-rerank (--reranker), hyde (--model), multi-query (--model)\n"
    assert "hyde" not in ran.json["strategies"]


# -- dense and rerank ------------------------------------------------------------------------------------------------


class _Vowels:
    """The more vowels, the better."""

    def rerank(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        self.texts = texts
        return [sum(text.count(vowel) for vowel in "aeiou") for text in texts]


def test_the_order_is_the_rerankers_alone(view: View) -> None:
    reranker = _Vowels()
    hits = DenseReranked(reranker).retrieve(query("grey cat"), view, 3)
    assert [hit.trace["rerank"] for hit in hits] == sorted(reranker.rerank("", [t for *_, t in TALK]))[:-4:-1]
    dense = Dense().retrieve(query("grey cat"), view, 6)
    assert list(reranker.texts) != texts(hits)
    assert [hit.score for hit in hits] == [hit.score for hit in dense[:3]]


def test_an_endpoint_reranks_a_baseline(cli: Callable[..., Ran], endpoint: Callable[..., Endpoint]) -> None:
    def by_length(handler: _Handler, body: Body) -> None:
        results = [{"index": i, "relevance_score": len(text)} for i, text in enumerate(body["documents"])]
        handler.reply(200, {"results": results})

    server = endpoint(by_length)
    ran = measure(cli, "--strategy", "dense-rerank", "--reranker", "endpoint:m", "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["config"]["reranker"] == "endpoint:m"
    assert [len(body["documents"]) for body in server.seen] == [50] * 5


# -- summaries, phrases, notes ---------------------------------------------------------------------------------------


def test_sessions_are_ranked_by_their_summaries(view: View) -> None:
    asked_for = query("cello")
    found = memories(view, Kind.SUMMARY)
    near = cosines(asked_for.vector, found.vectors)
    hits = SessionSummaries().retrieve(asked_for, view, 5)
    assert [hit.score for hit in hits] == pytest.approx(sorted(near.tolist(), reverse=True))
    for hit in hits:
        turns = view.fetch(view.rows_of(hit.unit.sources).tolist())
        assert len({turn.session for turn in turns}) == 1
        order = [text for text in texts(Dense().retrieve(asked_for, view, 6)) if text in {turn.text for turn in turns}]
        assert [turn.text for turn in turns] == order
    assert sum(len(hit.unit.sources) for hit in hits) == len(TALK)


def test_a_summary_of_what_is_filtered_out_finds_nothing(view: View) -> None:
    both = {frozenset(turn.speaker for turn in view.fetch(view.rows_of(unit.sources).tolist()))
            for unit in memories(view, Kind.SUMMARY).units}  # fmt: skip
    assert both == {frozenset({"Ada", "Bo"})}
    assert SessionSummaries().retrieve(query("cello", speaker="Bo"), view, 5) == []


def test_the_walk_over_phrases_is_the_papers_by_a_dense_solve(view: View) -> None:
    """n⃗′ by π = (1 − α)s + αTᵀπ over phrases alone, then p⃗ = n⃗′P, P counting what each turn names."""
    asked_for = query("?", {"mention: Miso": "Miso", "mention: harbour": "harbour"})
    graph = event_graph(view)
    hits = HippoRAG().retrieve(asked_for, view, 10)
    counts = _counts(graph, view.n)
    seeds = np.zeros(len(graph.texts))
    for vector in mention_vectors(asked_for):
        nearest = int(np.argmax(cosines(vector, graph.argument_vectors)))
        seeds[nearest] = 1 / np.count_nonzero(counts[nearest])
    assert np.count_nonzero(seeds) == 2
    assert len(set(seeds[seeds > 0])) == 2  # one of the two is in more turns
    scores = _walked(graph, seeds / seeds.sum(), 0.5) @ counts
    rows = view.rows_of([hit.unit.sources[0] for hit in hits])
    assert [hit.score for hit in hits] == pytest.approx(scores[rows], abs=1e-8)
    assert len(hits) == np.count_nonzero(scores > 1e-12)


def _counts(graph: EventGraph, turns: int) -> np.ndarray:
    found = np.zeros((len(graph.texts), turns))
    for event, phrase in zip(*graph.links, strict=True):
        for row in graph.rows[graph.members == event]:
            found[phrase, row] += 1
    return found


def _walked(graph: EventGraph, restart: np.ndarray, damping: float) -> np.ndarray:
    n = len(restart)
    weights = np.zeros((n, n))
    for event in range(graph.n):
        named = graph.links[1][graph.links[0] == event]
        weights[np.ix_(named, named)] += 1 - np.eye(len(named))
    for a, b, cosine in zip(*graph.synonyms, strict=True):
        weights[[a, b], [b, a]] += cosine
    step = weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-9)
    step[weights.sum(axis=1) == 0] = restart
    found: np.ndarray = np.linalg.solve(np.eye(n) - damping * step.T, (1 - damping) * restart)
    return found


def test_what_the_question_does_not_name_is_not_begun_at(view: View) -> None:
    assert HippoRAG().retrieve(query("Which cat?"), view, 5) == []
    hits = HippoRAG().retrieve(query("?", {"mention: Miso": "Miso"}, speaker="Bo"), view, 5)
    assert {hit.unit.label for hit in hits} == {"Bo"}


def test_a_note_brings_those_that_it_is_linked_to(view: View) -> None:
    asked_for = query("grey cat adopted in Porto")
    hits = AMem(notes=1, links=1).retrieve(asked_for, view, 6)
    plain = Dense().retrieve(asked_for, view, 6)
    assert hits[0].unit == plain[0].unit
    linked = hits[1].unit.text
    assert "Miso" in linked
    rest = [text for text in texts(plain) if text not in (texts(hits)[0], linked)]
    assert texts(hits)[2:] == rest
    assert [hit.score for hit in hits] == pytest.approx([1 / place for place in range(1, 7)])
    assert texts(AMem(notes=0).retrieve(asked_for, view, 6)) == texts(plain)
    assert texts(AMem(notes=6, links=0).retrieve(asked_for, view, 6)) == texts(plain)


def test_a_link_into_what_is_filtered_out_is_not_followed(view: View) -> None:
    hits = AMem(links=5).retrieve(query("grey cat adopted in Porto", speaker="Ada"), view, 6)
    assert [hit.unit.label for hit in hits] == ["Ada"] * 3


def test_without_links_it_is_dense(memory: Memory, write: Callable[..., Path]) -> None:
    memory.ingest([write("one.jsonl", {"text": "The kettle is on.", "speaker": "Ada"})])
    asked_for = query("kettle")
    assert texts(AMem().retrieve(asked_for, memory.view(), 5)) == ["The kettle is on."]
