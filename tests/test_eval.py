"""`memcli eval`: the harness itself, honest and resumable, and the command around it."""

from __future__ import annotations

import gzip
import json
import math
import random
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
import pytest

from memcli.cli.boundary import run as run_cli
from memcli.errors import UsageError
from memcli.evaluation import asking, workers
from memcli.evaluation.asking import Limits, Outcome
from memcli.evaluation.baselines import BASELINES, RERANKED, contender, contenders, left_out
from memcli.evaluation.baselines.reranked import DenseReranked
from memcli.evaluation.datasets import haystacks
from memcli.evaluation.metrics import recall
from memcli.evaluation.outcomes import Outcomes
from memcli.evaluation.own import are_own
from memcli.evaluation.questions import GoldQuestion, Haystack
from memcli.evaluation.runner import Corpus, EvaluationPlan, Result, run
from memcli.evaluation.scoring import document
from memcli.languages.english.questions import parse
from memcli.memory import Memory
from memcli.model import Filters, Kind, Query
from memcli.providers.fakes import FakeEmbedder
from memcli.store.views.view import View
from memcli.strategies import Strategy
from memcli.text import STOPWORDS, stem
from tests.conftest import SAMPLE, Ran
from tests.language_server import Body, Endpoint, _Handler, fails, says, serving

pytestmark = pytest.mark.usefixtures("sample_is_filled")
Cli = Callable[..., Ran]
QUESTIONS = SAMPLE / "questions.json"
AT = datetime(2025, 3, 1)
FAST = "fused,bm25,random,none"


def corpus(folder: Path, source: Callable[[], Iterator[Haystack]], model: FakeEmbedder | None = None) -> Corpus:
    made = model or FakeEmbedder()
    return Corpus(source, folder / "indexes", "fake", lambda: made)


def evaluated(folder: Path, source: Callable[[], Iterator[Haystack]], wanted: str = FAST, **plan: Any) -> Result:
    chosen = EvaluationPlan(contenders(wanted), Limits(20, 4000), **plan)
    return run(chosen, corpus(folder, source), Outcomes(folder / "outcomes", {}))


def sample() -> Iterator[Haystack]:
    return haystacks(QUESTIONS)


def timeless(result: Result) -> dict[str, dict[str, Outcome]]:
    return {
        name: {i: replace(o, milliseconds=0.0) for i, o in found.items()} for name, found in result.outcomes.items()
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """The sample's evaluation by one process that nothing interrupted."""
    return evaluated(tmp_path_factory.mktemp("whole"), sample)


# -- the baselines keep the strategies' contract -------------------------------------------------------------------


@pytest.fixture(scope="module")
def view(prepared_store: Path) -> View:
    return Memory(prepared_store).view()


def query(text: str, **filters: Any) -> Query:
    """With the vector of a mention and of whatever a model could have written."""
    vector = FakeEmbedder().embed_questions([text])[0].repeat(6)
    phrasings = dict.fromkeys((f"mention: {text}", "hyde: 0", "multi-query: 0"), vector[::-1].copy())
    return Query(parse(text, ()), vector, AT, Filters(**filters), phrasings)


class ByLength:
    """A reranker: the longer, the better."""

    def rerank(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        return [len(text) for text in texts]


def baseline(name: str) -> Strategy:
    return DenseReranked(ByLength()) if name == RERANKED else contender(name, 0)


@pytest.mark.parametrize("name", BASELINES)
def test_baselines_are_ranked_finite_few_and_traceable(view: View, name: str) -> None:
    hits = baseline(name).retrieve(query("When did Nora start her new job?"), view, 5)
    assert bool(hits) == (name != "none")
    scores = [hit.score for hit in hits]
    assert len(hits) <= 5
    assert all(math.isfinite(score) for score in scores)
    assert scores == sorted(scores, reverse=True)
    assert len({hit.unit.id for hit in hits}) == len(hits)
    known = {turn.id for turn in view.fetch(range(view.n))}
    assert all(hit.unit.sources and set(hit.unit.sources) <= known for hit in hits)
    again = baseline(name).retrieve(query("When did Nora start her new job?"), view, 5)
    assert again == hits


@pytest.mark.parametrize("name", BASELINES)
def test_baselines_respect_filters_and_empty_stores(view: View, name: str) -> None:
    spoken = baseline(name).retrieve(query("tea", speaker="theo"), view, 5)
    turns = {turn.id: turn for turn in view.fetch(range(view.n))}
    assert bool(spoken) == (name not in ("none", "bm25-session", "bm25-rm3"))  # nobody of that name says the word
    assert {turns[turn].speaker for hit in spoken for turn in hit.unit.sources} <= {"Theo"}
    empty = Memory(None, embedder="fake")
    empty.add([])
    assert baseline(name).retrieve(query("tea"), empty.view(), 5) == []


@pytest.mark.parametrize("name", BASELINES)
def test_baselines_find_nothing_that_was_said_later(view: View, name: str) -> None:
    until = datetime.fromtimestamp(float(np.median(view.days)) * 86_400, UTC)
    hits = baseline(name).retrieve(query("When did Nora start her new job?", until=until), view, 50)
    turns = view.fetch(view.rows_of([turn for hit in hits for turn in hit.unit.sources]).tolist()) if hits else []
    assert bool(turns) == (name != "none")
    assert all(turn.said_at is not None and turn.said_at.timestamp() < until.timestamp() for turn in turns)


def test_whole_units_hold_all_their_turns(view: View) -> None:
    sessions = contender("dense-session", 0).retrieve(query("tea"), view, 1000)
    assert {hit.unit.kind for hit in sessions} == {Kind.SESSION}
    assert sorted(t for hit in sessions for t in hit.unit.sources) == sorted(t.id for t in view.fetch(range(view.n)))


def test_the_latest_turns_are_the_most_recent(view: View) -> None:
    hits = contender("recency", 0).retrieve(query("tea"), view, 4)
    assert min(h.unit.at.timestamp() for h in hits if h.unit.at) >= np.sort(view.days)[-4] * 86_400 - 1


def test_names_stand_for_contenders() -> None:
    assert contenders("bm25, fused,bm25") == ["bm25", "fused"]
    assert set(contenders("baselines", ["reranker", "model"])) == {*BASELINES, "bm25", "dense"}
    assert contenders("all")[-1] == "fused"
    for wrong in ("magic", "", ","):
        with pytest.raises(UsageError):
            contenders(wrong)


def test_a_baseline_that_asks_a_model_is_asked_where_there_is_one() -> None:
    asking = ("dense-rerank", "hyde", "multi-query")
    assert not set(asking) & set(contenders("all"))
    assert left_out("baselines", ()) == list(asking)
    assert left_out("baselines,hyde", ["model"]) == ["dense-rerank"]
    assert left_out("fused,hyde", ()) == []
    assert "hyde" in contenders("all", ["model"])
    for name, lacks in (("dense-rerank", "--reranker"), ("hyde", "--model"), ("multi-query", "--model")):
        with pytest.raises(UsageError) as raised:
            contenders(f"all,{name}")
        assert lacks in raised.value.hint
        assert contenders(name, [lacks.removeprefix("--")]) == [name]


def test_bm25_over_sessions_is_no_straw_man(tmp_path: Path) -> None:
    """Within a point of bm25s, with its own tokenizer and the same function words, over the questions of the sample."""
    memory = Memory(tmp_path / "english.memcli", embedder=FakeEmbedder())
    memory.add(message for haystack in sample() for message in haystack.messages)
    view = memory.view()
    turns = view.fetch(range(view.n))
    texts: dict[str, str] = {}
    for turn in turns:
        texts[turn.session] = f"{texts.get(turn.session, '')}\n{turn.text}"
    sessions = list(texts)
    theirs = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    theirs.index(_tokens(list(texts.values())), show_progress=False)
    ours, other = [], []
    session_of = {turn.id: turn.session for turn in turns}
    for question in (q for h in sample() for q in h.questions if q.evidence):
        gold = {session_of[turn] for turn in question.evidence}
        hits = contender("bm25-session", 0).retrieve(query(question.text), view, 10)
        ours.append(recall([session_of[h.unit.sources[0]] for h in hits], gold, 3))
        found, _ = theirs.retrieve(_tokens([question.text]), corpus=sessions, k=10, show_progress=False)
        other.append(recall(found[0].tolist(), gold, 3))
    assert len(ours) > 40
    assert abs(np.mean(ours) - np.mean(other)) <= 0.01


def _tokens(texts: list[str]) -> list[list[str]]:
    def stemmed(words: Sequence[str]) -> list[str]:
        return [stem(word) for word in words]

    found: list[list[str]] = bm25s.tokenize(
        texts, stopwords=list(STOPWORDS), stemmer=stemmed, show_progress=False, return_ids=False
    )
    return found


# -- honest ----------------------------------------------------------------------------------------------------------


def shuffled() -> Iterator[Haystack]:
    """The sample with every gold answer, category and piece of evidence at another question of its conversation."""
    rng = random.Random(7)
    for haystack in sample():
        others = list(haystack.questions)
        rng.shuffle(others)
        yield replace(haystack, questions=[_relabelled(q, o) for q, o in zip(haystack.questions, others, strict=True)])


def _relabelled(question: GoldQuestion, other: GoldQuestion) -> GoldQuestion:
    return replace(
        other, id=question.id, text=question.text, asked_at=question.asked_at, category=f"other {other.category}"
    )


def test_gold_labels_reach_nothing_that_retrieves_or_reads(tmp_path: Path) -> None:
    """Shuffled labels change the scores and not one hit, citation or word of an answer."""
    named = (("plain", sample), ("shuffled", shuffled))
    plain, other = (evaluated(tmp_path / name, said, "all", limit=10, seed=1) for name, said in named)
    assert timeless(plain) == timeless(other)
    first, second = (document(result, 0)["strategies"]["fused"]["turn"] for result in (plain, other))
    assert first["recall@10"] > second["recall@10"] + 0.2


def test_processes_find_what_one_process_finds(whole: Result, tmp_path: Path) -> None:
    assert timeless(evaluated(tmp_path, sample, workers=2)) == timeless(whole)
    assert [g.question.id for g in whole.gold] == [q.id for h in sample() for q in h.questions]


def test_the_reader_gets_no_more_than_its_budget(tmp_path: Path) -> None:
    wide, tight = (
        run(EvaluationPlan(["dense"], Limits(k, tokens)), corpus(tmp_path, sample), Outcomes(tmp_path / "o", {"k": k}))
        for k, tokens in ((20, 4000), (2, 60))
    )
    assert max(o.context_tokens for o in tight.outcomes["dense"].values()) <= 60
    assert sum(o.context_tokens for o in wide.outcomes["dense"].values()) > 1000


def test_a_limit_draws_from_all_conversations(tmp_path: Path) -> None:
    some = evaluated(tmp_path, sample, "none", limit=20, seed=3)
    assert len(some.gold) == 20
    assert len({g.haystack for g in some.gold}) > 1
    same, other = (evaluated(tmp_path, sample, "none", limit=20, seed=seed) for seed in (3, 4))
    assert [g.question.id for g in same.gold] == [g.question.id for g in some.gold]
    assert [g.question.id for g in other.gold] != [g.question.id for g in some.gold]


# -- resumable -------------------------------------------------------------------------------------------------------


def test_a_killed_run_goes_on_where_it_stopped(whole: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def counted(question: Any, *rest: Any) -> Outcome:
        asked.append(question.id)
        return asking.ask(question, *rest)

    def dying(question: Any, *rest: Any) -> Outcome:
        asked.append(question.id)
        if len(asked) == 30:
            raise KeyboardInterrupt
        return asking.ask(question, *rest)

    monkeypatch.setattr(workers, "ask", dying)
    with pytest.raises(KeyboardInterrupt):
        evaluated(tmp_path / "killed", sample)
    torn = max((tmp_path / "killed").glob("outcomes/*/bm25/*.jsonl"), key=lambda file: file.stat().st_size)
    torn.write_bytes(torn.read_bytes()[:-20])  # the last line was half written
    monkeypatch.setattr(workers, "ask", counted)
    resumed = evaluated(tmp_path / "killed", sample)
    assert timeless(resumed) == timeless(whole)
    total = sum(len(found) for found in whole.outcomes.values())
    assert len(asked) == total + 2  # the one that died, and the one half written


def test_another_strategy_embeds_no_sentence_again(tmp_path: Path) -> None:
    first, second = FakeEmbedder(), FakeEmbedder()
    for model, name in ((first, "dense"), (second, "bm25")):
        run(EvaluationPlan([name], Limits(20, 4000)), corpus(tmp_path, sample, model), Outcomes(tmp_path / "o", {}))
    questions = {q.text for h in sample() for q in h.questions}
    assert set(first.embedded) > questions
    assert set(second.embedded) == questions
    third = FakeEmbedder()
    run(EvaluationPlan(["bm25"], Limits(20, 4000)), corpus(tmp_path, sample, third), Outcomes(tmp_path / "o", {}))
    assert third.embedded == []


def test_a_store_that_was_not_finished_is_not_taken_for_one(whole: Result, tmp_path: Path) -> None:
    haystack = next(sample())
    half = corpus(tmp_path, sample).path(haystack).with_suffix(".partial")
    half.parent.mkdir(parents=True)
    Memory(half, embedder=FakeEmbedder()).add(haystack.messages[:10], "evaluation")
    assert timeless(evaluated(tmp_path, sample)) == timeless(whole)


# -- the command -----------------------------------------------------------------------------------------------------


def measure(cli: Cli, *arguments: str | Path) -> Ran:
    return cli("eval", *arguments, "--embedder", "fake", "--workers", "1")


def test_the_document_has_its_stable_shape(cli: Cli) -> None:
    ran = measure(cli, "locomo", "--data", QUESTIONS, "--strategy", "bm25", "--json")
    assert (ran.code, ran.err) == (0, "")
    found: Any = ran.json
    assert set(found) >= {"dataset", "file", "sha256", "n", "categories", "excluded", "strategies", "config", "commit"}
    assert found["dataset"] == "locomo"
    assert found["n"] == sum(found["categories"].values()) == 57
    assert set(found["excluded"]) == {"retrieval", "answers", "malformed_questions", "malformed_evidence"}
    figures = found["strategies"]["bm25"]
    ranks = {f"{name}@{k}" for name in ("recall_any", "recall_all", "recall", "ndcg", "ndcg_longmemeval")
             for k in (1, 3, 5, 10, 20)} | {"mrr"}  # fmt: skip
    words = {"f1", "locomo_f1", "bleu1", "bleu4", "rouge_l", "abstained", "abstained_unanswerable"}
    for part in (figures, figures["ci95"], *figures["by_category"].values()):
        assert set(part["turn"]) == set(part["session"]) == ranks
        assert set(part["answers"]) == words
    assert set(figures["by_category"]) == set(found["categories"])
    assert set(figures["latency_ms"]) == {"p50", "p95"}
    assert figures["context_tokens"]["mean"] > 0
    low, high = figures["ci95"]["turn"]["recall@10"]
    assert low <= figures["turn"]["recall@10"] <= high


def test_the_sample_ships_with_memcli(cli: Cli) -> None:
    found: Any = measure(cli, "sample", "--strategy", "none", "--limit", "3", "--json").json
    assert (found["dataset"], found["n"]) == ("sample", 3)


def test_the_unanswerable_are_never_mixed_in(cli: Cli) -> None:
    found: Any = measure(cli, "locomo", "--data", QUESTIONS, "--strategy", "none", "--json").json
    answers = found["strategies"]["none"]["answers"]
    assert (answers["f1"], answers["abstained"], answers["abstained_unanswerable"]) == (0.0, 1.0, 1.0)
    fifth = found["strategies"]["none"]["by_category"]["5"]["answers"]
    assert (fifth["f1"], fifth["locomo_f1"], fifth["abstained"]) == (None, 1.0, 1.0)
    assert found["excluded"]["answers"]["unanswerable"] == found["categories"]["5"]


def test_a_record_can_be_written_shown_and_compared(cli: Cli, tmp_path: Path) -> None:
    for name, strategies in (("a", "bm25,dense"), ("b", "bm25,recency")):
        ran = measure(cli, QUESTIONS, "--strategy", strategies, "--out", tmp_path / name)
        assert ran.code == 0
        assert ran.out.rstrip("\n") == (tmp_path / name / "table.md").read_text().rstrip("\n")
    lines = [json.loads(line) for line in (tmp_path / "a" / "questions.jsonl").read_text().splitlines()]
    assert len(lines) == 114
    assert all(set(line["gold_turns"]) <= set(line["turns"]) or line["scores"]["turn"]["recall@20"] < 1
               for line in lines if line["gold_turns"])  # fmt: skip
    page = (tmp_path / "a" / "report.html").read_text()
    assert page.count("<svg") == 4
    assert not re.search(r"""(?:src|href)\s*=|<script|url\(""", page)
    same: Any = cli("eval", "compare", tmp_path / "a", tmp_path / "b", "--json").json
    assert set(same["strategies"]) == {"bm25"}
    assert all(each["difference"] == 0.0 for each in same["strategies"]["bm25"]["figures"].values())
    assert cli("eval", "compare", tmp_path / "a", tmp_path / "b", "--strategy", "dense").code == 2


def test_two_strategies_of_two_records_are_compared(cli: Cli, tmp_path: Path) -> None:
    for name in ("none", "bm25"):
        measure(cli, QUESTIONS, "--strategy", name, "--out", tmp_path / name)
    found: Any = cli("eval", "compare", tmp_path / "none", tmp_path / "bm25", "--json").json
    compared = found["strategies"]["none → bm25"]
    figure = compared["figures"]["turn.recall@10"]
    assert figure["difference"] == pytest.approx(figure["second"] - figure["first"], abs=1e-6)
    assert (figure["first"], figure["p"] < 0.05) == (0.0, True)
    gained, lost = compared["flipped"]["evidence"]["gained"], compared["flipped"]["evidence"]["lost"]
    assert len(gained) == round(compared["figures"]["turn.recall_all@10"]["difference"] * figure["n"])
    assert lost == []
    shown = cli("eval", "compare", tmp_path / "none", tmp_path / "bm25")
    assert f"evidence gained: {len(gained)}" in shown.out


def test_markup_in_a_category_is_text(cli: Cli, tmp_path: Path) -> None:
    items = json.loads(QUESTIONS.read_text())[:1]
    for question in items[0]["qa"]:
        question["category"] = "<script>alert(1)</script>[bold]|"
    path = tmp_path / "hostile.json"
    path.write_text(json.dumps(items))
    measure(cli, path, "--strategy", "bm25", "--out", tmp_path / "out")
    assert "<script" not in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "broken JSON"),
        (b"[]", "holds no conversations"),
        (b"{", "broken JSON"),
        (b"[1]", "item 1 is not an object"),
        (b'[{"question": "x"}]', "in none of the schemas of LoCoMo, LongMemEval and RealMem"),
        (b'[{"conversation": {}, "qa": []}]', "item 1 has no conversation"),
        (b"\x1f\x8bnot gzip", "cannot read"),
        (gzip.compress(b'[{"conversation": {}}, ' * 2000, mtime=0)[:60], "cannot read"),
        (b"\xff\xfe\x00", "cannot read"),
    ],
)
def test_bad_data_is_one_clear_line(cli: Cli, tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    ran = measure(cli, "locomo", "--data", path)
    assert (ran.code, ran.out) == (6, "")
    assert ran.err.startswith("memcli: ")
    assert ran.err.count("\n") == 1
    assert reason in ran.err


def test_malformed_questions_are_counted_and_the_others_asked(cli: Cli, tmp_path: Path) -> None:
    items = json.loads(QUESTIONS.read_text())[:1]
    items[0]["qa"] = [{"category": 1}, 7, {**items[0]["qa"][0], "evidence": ["D99:1", "D"]}, *items[0]["qa"][1:]]
    path = tmp_path / "some.json"
    path.write_text(json.dumps(items))
    ran = measure(cli, path, "--strategy", "bm25", "--json")
    assert ran.code == 6
    assert len(ran.err.splitlines()) == 2
    assert "question 1: it has no question" in ran.err
    found: Any = ran.json
    assert found["excluded"]["malformed_questions"] == 2
    assert found["excluded"]["malformed_evidence"] == 2
    assert found["excluded"]["retrieval"]["unresolvable_evidence"] == 1


def test_without_data_it_says_where_the_data_is_published(cli: Cli) -> None:
    for name, place in (("locomo", "snap-research/locomo under CC BY-NC 4.0"), ("longmemeval", "under MIT")):
        ran = cli("eval", name)
        assert ran.code == 6
        assert place in ran.err
        assert ran.err.count("\n") == 1


def test_the_users_data_directory_is_looked_in(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "data" / "memcli" / "benchmarks"
    folder.mkdir(parents=True)
    (folder / "locomo10.json.gz").write_bytes(gzip.compress(QUESTIONS.read_bytes()))
    ran = measure(cli, "locomo", "--strategy", "none", "--json")
    assert (ran.code, ran.json["n"]) == (0, 57)


def test_what_is_no_benchmark_is_named(cli: Cli, tmp_path: Path) -> None:
    assert cli("eval", "nothing").code == 2
    assert cli("eval", "locomo", "longmemeval").code == 2
    assert cli("eval", "locomo", "--data", tmp_path / "none.json").code == 6
    assert cli("eval", "compare", tmp_path).code == 2
    assert cli("eval", "compare", tmp_path, tmp_path).code == 6
    assert "unknown strategy" in cli("eval", "locomo", "--data", QUESTIONS, "--strategy", "magic").err


# -- with a judge ----------------------------------------------------------------------------------------------------


def accepting(handler: _Handler, body: Body) -> None:
    """A judge that takes anything for correct, as long as it is asked to be lenient."""
    lenient = "generous" in body["messages"][-1]["content"]
    says(json.dumps({"reason": "so it seems", "correct": lenient}))(handler, body)


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with serving(accepting) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        yield endpoint


def test_a_judge_stands_beside_its_own_errors(cli: Cli, judge: Endpoint, tmp_path: Path) -> None:
    command = (QUESTIONS, "--strategy", "bm25", "--limit", "12", "--out", tmp_path / "o", "--model", "m", "--json")
    ran = measure(cli, *command)
    assert ran.code == 0
    assert "go to openai:m at http://127.0.0.1" in ran.err
    found: Any = ran.json
    verdicts = found["strategies"]["bm25"]["judge"]
    assert (verdicts["strict"]["mean"], verdicts["strict"]["false_accept"]) == (0.0, 0.0)
    assert verdicts["lenient"]["false_accept"] == 1.0
    assert verdicts["lenient"]["mean"] == pytest.approx(1 - found["strategies"]["bm25"]["answers"]["abstained"])
    assert (verdicts["runs"], verdicts["lenient"]["deviation"]) == (3, 0.0)
    assert verdicts["prompts"] == {"strict": "1", "lenient": "1"}
    table = (tmp_path / "o" / "table.md").read_text()
    assert "lenient, wrong" in table
    assert "judge openai:m, 3 runs" in table
    assert "the judge accepts more than one wrong answer in ten: its lenient scores say little" in table
    sent = len(judge.seen)
    assert measure(cli, *command).json["strategies"]["bm25"]["judge"]["strict"] == verdicts["strict"]
    assert len(judge.seen) == sent  # nothing is paid for twice


def test_no_label_reaches_the_judge(cli: Cli, judge: Endpoint) -> None:
    measure(cli, QUESTIONS, "--strategy", "bm25", "--limit", "12", "--model", "m", "--judge-runs", "1")
    sent = json.dumps([body["messages"] for body in judge.seen])
    assert not re.search(r"D\d+:\d+|t:[0-9a-f]{16}|categor", sent)


def answering(handler: _Handler, body: Body) -> None:
    """Reads whatever it is given, and cites the first line; as a writer it has one thing to say."""
    if "texts" in json.dumps(body.get("response_format", {})):
        says(json.dumps({"texts": ["It was in Graz."]}))(handler, body)
    elif "reasoning" in json.dumps(body.get("response_format", {})):
        answer = {"reasoning": "so it says", "answerable": True, "answer": "what was said there", "citations": ["e1"]}
        says(json.dumps(answer))(handler, body)
    else:
        accepting(handler, body)


def test_a_model_reads_for_every_contender_and_all_of_history(cli: Cli, judge: Endpoint) -> None:
    judge.script[:] = [answering]
    command = (QUESTIONS, "--strategy", "all", "--limit", "2", "--model", "m", "--reader", "model", "--json")
    ran = measure(cli, *command, "--judge-runs", "1")
    assert ran.code == 0
    found: Any = ran.json
    assert found["config"]["reader"] == "openai:m"
    assert found["config"]["strategies"][-1] == "full"
    assert (
        found["strategies"]["full"]["context_tokens"]["mean"] > found["strategies"]["fused"]["context_tokens"]["mean"]
    )
    assert (
        found["strategies"]["full"]["answers"]["abstained"] == found["strategies"]["bm25"]["answers"]["abstained"] == 0
    )
    assert found["strategies"]["none"]["answers"]["abstained"] == 1.0  # nothing to read, so nothing is sent
    sent = len(judge.seen)
    assert measure(cli, *command, "--judge-runs", "1").code == 0
    assert len(judge.seen) == sent


def test_a_model_that_fails_leaves_the_extractive_answers(cli: Cli, judge: Endpoint) -> None:
    judge.script[:] = [fails(401, "no such key")]
    command = (QUESTIONS, "--strategy", "bm25", "--limit", "4", "--json")
    plain: Any = measure(cli, *command).json
    ran = measure(cli, *command, "--model", "m", "--reader", "model")
    assert "answers are the extractive reader's" in ran.err
    assert ran.json["strategies"]["bm25"]["answers"] == plain["strategies"]["bm25"]["answers"]
    assert measure(cli, *command, "--reader", "model").code == 2


def test_what_was_measured_is_shown_when_the_judge_fails(cli: Cli, judge: Endpoint) -> None:
    for budget, endpoint in (("1", [accepting]), ("100000", [fails(401, "no such key")])):
        judge.script[:] = endpoint
        arguments = (QUESTIONS, "--strategy", "bm25", "--limit", "6", "--model", f"m{budget}", "--budget", budget)
        ran = measure(cli, *arguments, "--json")
        assert ran.code == 5
        assert "not all answers are judged" in ran.err
        found: Any = ran.json
        assert "judge" not in found["strategies"]["bm25"]
        assert found["strategies"]["bm25"]["turn"]["recall@10"] > 0


def test_a_model_that_is_only_configured_is_not_asked_thousands_of_times(
    cli: Cli, judge: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCLI_MODEL", "m")
    monkeypatch.setattr("memcli.evaluation.judging.VERDICTS_UNASKED", 50)
    ran = measure(cli, QUESTIONS, "--strategy", "bm25")
    assert (ran.code, judge.seen) == (0, [])
    assert "give a --budget" in ran.err
    assert measure(cli, QUESTIONS, "--strategy", "bm25", "--limit", "12").code == 0
    assert judge.seen


def test_a_key_alone_sends_nothing(cli: Cli, judge: Endpoint) -> None:
    assert measure(cli, QUESTIONS, "--strategy", "bm25", "--limit", "3").err == ""
    assert judge.seen == []


# -- one's own questions over one's own store ------------------------------------------------------------------------


@pytest.fixture
def own(cli: Cli, tmp_path: Path, sample_store: Path) -> tuple[Path, str]:
    store = tmp_path / "own.memcli"
    shutil.copy(sample_store, store)
    found: Any = cli("search", "Nora phone number", "-k", "1", "--store", store, "--json").json
    return store, found["hits"][0]["id"]


def test_own_questions_over_an_own_store(cli: Cli, tmp_path: Path, own: tuple[Path, str]) -> None:
    store, turn = own
    path = tmp_path / "questions.jsonl"
    asked = [
        {"question": "What is Nora's phone number?", "answer": "07700 900871", "evidence": [turn], "category": "facts"},
        {"question": "Who won the 1954 cup?", "answerable": False},
        {"question": "Where is it?", "evidence": "t:0000000000000000", "asked_at": "2024-07-01"},
    ]
    path.write_text("".join(json.dumps(q) + "\n" for q in asked) + "nonsense\n" + '{"question": ""}\n')
    before = store.read_bytes()
    ran = cli("eval", path, "--store", store, "--strategy", "fused", "--workers", "1", "--json")
    assert ran.code == 6
    assert [line.split(": ")[-1] for line in ran.err.splitlines()] == ["it is not an object", "it has no question"]
    found: Any = ran.json
    assert (found["n"], found["ci95_over"]) == (3, "question")
    assert found["excluded"]["retrieval"] == {"abstention": 1, "no_evidence": 0, "unresolvable_evidence": 1}
    assert found["strategies"]["fused"]["by_category"]["facts"]["turn"]["recall@20"] == 1.0
    assert store.read_bytes() == before


def test_a_store_without_generated_memory_is_said_to_be_one(cli: Cli, tmp_path: Path, own: tuple[Path, str]) -> None:
    store, _ = own
    path = tmp_path / "questions.jsonl"
    path.write_text('{"question": "What is it called?"}\n')
    ran = cli("eval", path, "--store", store, "--strategy", "bm25,sgmem,sgmem:S", "--workers", "1")
    assert (ran.code, ran.err.count("\n")) == (0, 1)
    assert ran.err.startswith("memcli: sgmem without generated memory")
    ran = cli("eval", path, "--store", store, "--strategy", "summary,hipporag", "--workers", "1")
    assert ran.err == (
        "memcli: summary,hipporag without generated memory: memcli ingest --strategy sgmem,emem makes it\n"
    )


def test_own_questions_that_cannot_be_asked(cli: Cli, tmp_path: Path, own: tuple[Path, str]) -> None:
    store, _ = own
    path = tmp_path / "questions.jsonl"
    path.write_text("nonsense\n")
    ran = cli("eval", path, "--store", store)
    assert (ran.code, ran.err.count("\n")) == (6, 1)
    path.write_text('{"question": "x"}\n')
    assert cli("eval", path, "--store", tmp_path / "none.memcli").code == 3
    ran = cli("eval", path, "--embedder", "fake")
    assert (ran.code, ran.err.count("\n"), "--store" in ran.err) == (3, 1, True)


@pytest.mark.parametrize("told", ["environment", "configuration"])
def test_own_questions_are_asked_over_the_store_that_all_commands_use(
    cli: Cli, tmp_path: Path, own: tuple[Path, str], monkeypatch: pytest.MonkeyPatch, told: str
) -> None:
    store, turn = own
    if told == "environment":
        monkeypatch.setenv("MEMCLI_STORE", str(store))
    else:
        (tmp_path / "config.toml").write_text(f'store = "{store}"')
        monkeypatch.setenv("MEMCLI_CONFIG", str(tmp_path / "config.toml"))
    path = tmp_path / "questions.jsonl"
    path.write_text("\n" + json.dumps({"question": "What is Nora's number?", "evidence": [turn]}) + "\n")
    ran = cli("eval", path, "--strategy", "bm25", "--workers", "1", "--json")
    assert (ran.code, ran.err) == (0, f"memcli: asked over {store}\n")
    assert ran.json["n"] == 1
    ran = cli("eval", QUESTIONS, "--strategy", "bm25", "--workers", "1", "--limit", "2", "--embedder", "fake", "--json")
    assert (ran.code, ran.json["failed"], "asked over" in ran.err) == (0, None, False)


def test_what_is_ones_own() -> None:
    assert not are_own(QUESTIONS)


@pytest.mark.parametrize(
    ("text", "own_ones"),
    [
        ('{"question": "x"}', True),
        ('nonsense\n\n{"question": "x", "answer": 1}\n', True),
        ('{"text": "x"}\n{"question": "x"}', False),
        ('[{"question": "x"}]', False),
        ('{"question": "x", "haystack_sessions": []}', False),
        ('{"conversation": {}, "qa": [], "question": 1}', False),
        ("", False),
    ],
)
def test_what_are_own_questions(tmp_path: Path, text: str, own_ones: bool) -> None:
    (tmp_path / "x").write_text(text)
    assert are_own(tmp_path / "x") is own_ones
    assert not are_own(tmp_path / "none")


def test_which_questions_failed_is_listed(cli: Cli, tmp_path: Path, own: tuple[Path, str]) -> None:
    store, turn = own
    path = tmp_path / "questions.jsonl"
    asked = [
        {"id": "good", "question": "What is Nora's phone number?", "answer": "07700 900871", "evidence": [turn]},
        {"id": "wrong", "question": "What is Nora's phone number?", "answer": "zebra", "evidence": [turn]},
        {"id": "hidden", "question": "Who \x1b[31mflew?", "evidence": [turn], "category": "air"},
        {"id": "silent", "question": "What is Nora's phone number now?", "answerable": False},
        {"id": "open", "question": "What is Theo's house like?"},
    ]
    path.write_text("".join(json.dumps(q) + "\n" for q in asked))
    arguments = ("eval", path, "--store", store, "--strategy", "fused", "--workers", "1")
    found: Any = cli(*arguments, "--json", "--out", tmp_path / "out").json
    failed = {each["id"]: each["failed"] for each in found["failed"]["fused"]}
    assert failed == {"wrong": ["answer"], "hidden": ["evidence"], "silent": ["answer"]}
    (wrong, *_) = found["failed"]["fused"]
    assert (wrong["gold_answer"], wrong["answer"], wrong["category"]) == ("zebra", "07700 900871", "none")
    for shown in (cli(*arguments).out, (tmp_path / "out" / "table.md").read_text()):
        first, second, third, *_ = shown.partition("## fused: 3 of 5 failed\n\n")[2].splitlines()
        assert first == "- [none] wrong: What is Nora's phone number? – answered: 07700 900871; right: zebra"
        assert second == "- [air] hidden: Who [31mflew? – its evidence was not found"
        assert third.startswith("- [none] silent: ")


def test_eval_loads_nothing_for_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(["eval", "--help"]) == 0
    assert "compare" in capsys.readouterr().out
