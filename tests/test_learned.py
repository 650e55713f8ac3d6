"""What was learned: every number has a name and a past, scores are what they were, and each file can be made again."""

from __future__ import annotations

import gzip
import json
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from datetime import UTC, date, datetime
from hashlib import sha256
from importlib import import_module, resources
from pathlib import Path
from types import ModuleType
from typing import Any
from zlib import crc32

import numpy as np
import pytest

from memcli.evaluation.questions import GoldQuestion, Haystack
from memcli.formats import Message, turn_id
from memcli.indexing.ontology import lifting
from memcli.languages.english.questions import parse
from memcli.memory import Memory
from memcli.model import Filters, TurnId
from memcli.model.cards import CardKind
from memcli.providers.embedding import DEFAULT, SUCCESSORS, embedder_id
from memcli.ranking import fusion, learned
from memcli.ranking.coverage import COVERAGE
from memcli.reading import confidence, relevance, shortlist, tastes
from memcli.reading.confidence import Confidence, signals
from memcli.reading.judge import Judge
from memcli.reading.look import Look
from memcli.reading.network import Finding, Span
from memcli.reading.passages import Passage
from memcli.reading.rivals import Either
from memcli.reading.windows import Window
from memcli.strategies.fused import Fused
from memcli.strategies.ontology import router, unified

ROOT = Path(__file__).parents[1]
FUSED, ONTOLOGY = ("memcli.ranking", "fused_weights.json"), ("memcli.strategies.ontology", "weights.json")
RELEVANCE, CONFIDENCE = ("memcli.reading", "relevance_weights.json"), ("memcli.reading", "confidence_weights.json")
SHORTLIST = ("memcli.reading", "shortlist_weights.json")
RIVALS = ("memcli.reading", "rivals_weights.json")
TASTES = ("memcli.reading", "taste_weights.json")
LIFTING = ("memcli.indexing.ontology", "lifting.json")
MULTILINGUAL = ("memcli.ranking", "fused_weights_multilingual.json")
FILES = (FUSED, MULTILINGUAL, ONTOLOGY, LIFTING, SHORTLIST, TASTES, RELEVANCE, CONFIDENCE, RIVALS)
#: Where each file keeps an object by name, and what reads it.
NAMED: tuple[tuple[tuple[str, str], tuple[str, ...], Callable[[Any], object]], ...] = (
    (FUSED, ("first", "gates"), fusion.Ranking.of),
    (FUSED, ("first", "signals", "dense.turn", "weights"), fusion.Ranking.of),
    (FUSED, ("second", "signals", "first.share", "weights"), fusion.Ranking.of),
    (ONTOLOGY, ("views", "graph", "graph"), lambda found: unified.Combiner.of(found["views"]["graph"])),
    (ONTOLOGY, ("views", "graph", "dense"), lambda found: unified.Combiner.of(found["views"]["graph"])),
    (ONTOLOGY, ("views", "dense", "mix"), lambda found: unified.Combiner.of(found["views"]["dense"])),
    (ONTOLOGY, ("router", "inputs"), lambda found: router.Policy.of(found["router"])),
    (ONTOLOGY, ("router", "plans"), lambda found: router.Policy.of(found["router"])),
    (LIFTING, ("lifting", "weights"), lambda found: lifting.Scorer.of(found["lifting"])),
    (SHORTLIST, ("inputs",), lambda found: Judge.of(found, shortlist.NAMES)),
    (TASTES, ("inputs",), lambda found: Judge.of(found, tastes.NAMES)),
    (RELEVANCE, ("inputs",), lambda found: Judge.of(found, relevance.NAMES)),
    (CONFIDENCE, ("value", "inputs"), Confidence.of),
    (CONFIDENCE, ("quote", "inputs"), Confidence.of),
    (RIVALS, ("first", "inputs"), Either.of),
    (RIVALS, ("second", "inputs"), Either.of),
)
#: The trusts of the windows below, and what their answer is worth.
SCORES = [0.9864462, 0.0459119, 0.0276850, 0.0181961]
SAID = (
    ("Ines", 'I saw Anna at the harbour yesterday, we ate "grilled sardines" and 12 clams.'),
    ("Tomas", "You told me that your boat is called The Curlew, didn't you?"),
    ("Ines", "[image: a red boat] My boat was really expensive; I'd love to sail it to Porto with my sister."),
)


def passages() -> list[Passage]:
    """A window of each turn with numbers of its own."""
    return [
        Passage(
            Window(speaker, text, ""), TurnId(f"t{n}"), datetime(2023, 5, 8, tzinfo=UTC), n, 1 / (1 + n), 0.5 - n / 8,
            0.25 * n, 0.75 - n / 4, 1.0 if speaker == "Ines" else -1.0, n == 1, text,
            thread_covered=1 - n / 4, replies=n == 2, of_another=float(n == 1),
        )
        for n, (speaker, text) in enumerate(SAID)
    ]  # fmt: skip


def findings() -> list[Finding]:
    return [Finding(2.0 - n, 0.5 + n / 8, 0.5 - n / 8, [Span(0, 4, 0.5 / (1 + n))]) for n in range(len(SAID))]


@pytest.mark.parametrize("file", FILES)
def test_every_file_says_by_what_from_what_and_when_it_was_made(file: tuple[str, str]) -> None:
    past = learned.packaged(*file)["made"]
    assert set(past) == {"by", "from", "embedder", "at"}
    python, script, *arguments = shlex.split(past["by"])
    assert python == "python"
    assert (ROOT / script).is_file()
    data = arguments[arguments.index("--data") + 1 :][: len(past["from"])]
    assert data == list(past["from"])
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in past["from"].values())
    (before,) = SUCCESSORS
    learned_before = file in (ONTOLOGY, LIFTING)
    own = before if learned_before else embedder_id(DEFAULT)
    assert past["embedder"] == (embedder_id("multilingual") if file == MULTILINGUAL else own)
    assert date.fromisoformat(past["at"])


def test_a_folder_counts_by_the_names_and_bytes_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.txt").write_text("one")
    (tmp_path / "c.txt").write_text("two")
    found = learned.made("python x.py", [tmp_path], "fake")["from"]
    one, two = (sha256(text).hexdigest() for text in (b"one", b"two"))
    assert found == {tmp_path.name: sha256(f"a/b.txt {one}\nc.txt {two}\n".encode()).hexdigest()}


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    for folder in "ab":
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "q.jsonl").write_text(folder)
    past = learned.made("python x.py", [tmp_path / "a" / "q.jsonl", tmp_path / "b" / "q.jsonl"], "fake")
    assert past["from"] == {f"{each}/q.jsonl": sha256(each.encode()).hexdigest() for each in "ab"}


def test_no_other_file_was_learned() -> None:
    found = {each for package in ("memcli", *{package for package, _ in FILES}) for each in _json_in(package)}
    of_some_embedder = {"unread_weights.json", "relations.json"}  # see test_unread and test_relating
    assert found == {name for _, name in FILES} | of_some_embedder


def _json_in(package: str) -> Iterator[str]:
    return (each.name for each in resources.files(package).iterdir() if each.name.endswith(".json"))


@pytest.mark.parametrize(("file", "place", "read"), NAMED)
def test_a_name_too_few_or_too_many_is_an_error(
    file: tuple[str, str], place: tuple[str, ...], read: Callable[[Any], object]
) -> None:
    read(learned.packaged(*file))
    for more in (True, False):
        found = deepcopy(learned.packaged(*file))
        named: Any = found
        for step in place:
            named = named[step]
        if more:
            named["unheard of"] = next(iter(named.values()))
        else:
            named.popitem()
        with pytest.raises(ValueError, match="missing or unknown: "):
            read(found)


def test_the_code_computes_what_was_learned_and_nothing_else(memory: Memory) -> None:
    memory.add([Message("I like the sea.", "Ines"), Message("Where is it?", "Tomas")])
    query, view = memory.query("What does Ines like?", Filters(), datetime(2024, 6, 1, tzinfo=UTC), Fused())
    assert list(Fused().features(query, view, 10).names) == list(fusion.packaged().first.features)
    assert fusion.packaged().second.features == list(COVERAGE)
    rows = relevance.signals(passages(), findings())
    told = signals(_look())
    assert set(rows[0]) == set(relevance.NAMES)
    assert all(set(row) == set(shortlist.NAMES) for row in shortlist.signals(passages()))
    assert tuple(told) == confidence.NAMES
    for judge, row in ((relevance.packaged(), rows[0]), (confidence.packaged().value, told)):
        for wrong in (dict(list(row.items())[1:]), {**row, "unheard_of": 1.0}):
            with pytest.raises(ValueError, match="missing or unknown: "):
                judge(wrong)


def _look() -> Look:
    rows = relevance.signals(passages(), findings())
    found = [
        relevance.Found(each, finding, relevance.packaged()(row))
        for each, finding, row in zip(passages(), findings(), rows, strict=True)
    ]
    return Look(parse("What boat does Ines sail?", ("Ines", "Tomas")), found, "The Curlew", (found[1],), 0.4)


def test_the_readers_scores_are_what_they_were() -> None:
    trusts = [each.trust for each in _look().found]
    doubted = confidence.packaged()(_look())
    assert [*trusts, doubted.trust] == pytest.approx(SCORES, abs=2e-6)


def test_each_embedder_has_its_ranking_and_an_unknown_one_the_encoders() -> None:
    own, many, strange = (fusion.packaged(id_) for id_ in (*map(embedder_id, (DEFAULT, "multilingual")), "else:where"))
    assert own is not many
    assert own.first.features == many.first.features
    assert own.first.matrix.shape == many.first.matrix.shape
    assert not np.allclose(own.first.matrix, many.first.matrix)
    assert np.array_equal(strange.first.matrix, own.first.matrix)


def test_the_rankings_scores_are_what_they_were() -> None:
    for weights, score in (
        (fusion.packaged().first, -1.2451384788181883),
        (fusion.packaged().second, 0.26027924659908547),
    ):
        one, gates = np.linspace(-1, 2, len(weights.features))[None], np.linspace(0, 1, len(weights.gates))
        assert float(weights.contributions(one, gates).sum()) == pytest.approx(score, rel=1e-12)
    features = {name: 0.25 * place for place, name in enumerate(lifting.FEATURES)}
    assert lifting.packaged()(features) == pytest.approx(0.18116713322015773, rel=1e-12)
    assert router.policy().probabilities(np.linspace(0, 1, len(router.INPUTS))) == pytest.approx(
        [0.2694781099497388, 0.2608853880805257, 0.24918869297108318, 0.22044780899865243], rel=1e-12
    )


@pytest.mark.parametrize(
    ("lead", "scores"),
    [
        ("graph", (1.5603455675000002, 1.50615, 1.7416)),
        ("dense", (2.0335600646, 1.45014, 2.38417)),
        ("graph without consistency", (1.5847149200000001, 1.56529, 1.73679)),
        ("dense without consistency", (2.1238645444000004, 1.82733, 2.37474)),
    ],
)
def test_the_unified_scores_are_what_they_were(lead: str, scores: tuple[float, ...]) -> None:
    graph, dense = (
        {name: np.array([place + 1.0]) for place, name in enumerate(names)} for names in (unified.GRAPH, unified.DENSE)
    )
    found = unified.combiner(lead).scores(graph, dense, np.array([1.0]))
    assert [float(each[0]) for each in found] == list(scores)


# -- the scripts that make them --------------------------------------------------------------------------------------


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ModuleType]]:
    """Loads a script of `benchmarks/`."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    before = set(sys.modules)
    yield import_module
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(ROOT / "benchmarks")):
            sys.modules.pop(name)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Three conversations of people with tastes, in LoCoMo's schema."""
    things = ("film noir", "film festivals", "film music", "film posters", "boats", "old boats", "boat trips", "soup")
    conversations = []
    for number, (first, second) in enumerate((("Ana", "Ben"), ("Cleo", "Dan"), ("Eve", "Finn"))):
        conversation: dict[str, object] = {"speaker_a": first, "speaker_b": second}
        for place, thing in enumerate(things, start=1):
            conversation[f"session_{place}_date_time"] = f"1:56 pm on {place} May, 2023"
            conversation[f"session_{place}"] = [
                {"speaker": first, "dia_id": f"D{place}:1", "text": f"I love {thing}. I saw {number + 2} of them."},
                {"speaker": second, "dia_id": f"D{place}:2", "text": f"Really? I hate {thing}, they cost $30."},
                {"speaker": first, "dia_id": f"D{place}:3", "text": "The weather was fine, we walked for an hour."},
            ]
        qa: list[dict[str, object]] = [
            {"question": f"What does {first} love?", "answer": thing, "evidence": [f"D{place}:1"], "category": 4}
            for place, thing in enumerate(things, start=1)
        ]
        qa += [
            {"question": "Can you recommend a film?", "answer": "film noir", "evidence": ["D1:1"], "category": 1},
            {"question": "Where should I go by boat?", "answer": "boat trips", "evidence": ["D7:1"], "category": 1},
            {"question": "Who flew to the moon?", "adversarial_answer": first, "evidence": ["D1:1"], "category": 5},
        ]
        conversations.append({"sample_id": f"c{number}", "conversation": conversation, "qa": qa})
    path = tmp_path / "people.json"
    path.write_text(json.dumps(conversations))
    return path


def _made_again(path: Path, data: Path, by: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text())
    assert found["made"] == {
        "by": f"python benchmarks/{by}",
        "from": {data.name: sha256(data.read_bytes()).hexdigest()},
        "embedder": embedder_id(DEFAULT),
        "at": date.today().isoformat(),
    }
    return found


def test_the_readers_script_makes_both_of_its_files(
    script: Callable[[str], ModuleType], data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = script("reading")
    monkeypatch.setattr(reading, "PACKAGE", tmp_path)
    monkeypatch.setattr(reading, "RESULTS", tmp_path / "results.json")
    shipped = str(ROOT / "memcli" / "reading" / "reader.onnx")
    reading.main(["--data", str(data), "--networks", shipped, shipped, "--write"])
    by = "reading.py --data people.json --write"
    judge, doubt = (_made_again(tmp_path / name, data, by) for _, name in (RELEVANCE, CONFIDENCE))
    assert 0 < Judge.of(judge, relevance.NAMES)(dict.fromkeys(relevance.NAMES, 0.5)) < 1
    assert 0 < Confidence.of(doubt).value(dict.fromkeys(confidence.NAMES, 0.5)) < 1
    assert json.loads((tmp_path / "results.json").read_text())["crossed"]["people"]["questions"] > 0


@pytest.fixture
def train(script: Callable[[str], ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script of fused, which writes to a folder of its own."""
    found = script("train_fused")
    monkeypatch.setattr(found, "WEIGHTS", tmp_path / "weights.json")
    monkeypatch.setattr(found, "RESULTS", tmp_path / "results.json")
    monkeypatch.setattr(found, "ProcessPoolExecutor", ThreadPoolExecutor)
    return found


def test_the_script_of_fused_makes_its_file(train: ModuleType, data: Path, tmp_path: Path) -> None:
    train.main(["--data", str(data), "--cache", str(tmp_path / "cache")])
    by = "train_fused.py --data people.json --cache DIR --ridge 0.05 --gate-ridge 0.5"
    weights = fusion.Ranking.of(_made_again(tmp_path / "weights.json", data, by))
    assert weights.first.features == list(fusion.packaged().first.features)
    assert json.loads((tmp_path / "results.json").read_text())["made"]["by"].endswith(by)


def test_what_fused_learns_onto_the_weights_that_ship_is_added_to_them(
    train: ModuleType, data: Path, tmp_path: Path
) -> None:
    given, shipped = ["--data", str(data), "--cache", str(tmp_path / "cache"), "--onto"], fusion.packaged()

    def learned_with(*penalties: str) -> fusion.Ranking:
        train.main([*given, "--ridge", *penalties[:1], "--gate-ridge", *penalties[1:]])
        return fusion.Ranking.of(json.loads((tmp_path / "weights.json").read_text()))

    held, free = learned_with("1e6", "1e6"), learned_with("0.05", "0.5")
    assert held.first.matrix == pytest.approx(shipped.first.matrix, abs=1e-4)
    assert not np.allclose(free.first.matrix, shipped.first.matrix, atol=1e-2)
    for each in (held, free):
        assert each.second.matrix == pytest.approx(shipped.second.matrix)
        assert each.first.feature_scale == pytest.approx(shipped.first.feature_scale)
    assert set(json.loads((tmp_path / "results_onto.json").read_text())) >= {"before", "cross_validated"}


def test_the_script_of_ontology_makes_its_file(
    script: Callable[[str], ModuleType], data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = script("train_ontology")
    monkeypatch.setattr(train, "WEIGHTS", tmp_path / "weights.json")
    monkeypatch.setattr(train, "LIFTING", tmp_path / "lifting.json")
    monkeypatch.setattr(train, "RESULTS", tmp_path / "results.json")
    before = lifting.packaged()
    train.main(["--data", str(data), "--cache", str(tmp_path / "cache")])
    found = _made_again(tmp_path / "weights.json", data, "train_ontology.py --data people.json --cache DIR")
    assert set(found["views"]) == set(learned.packaged(*ONTOLOGY)["views"])
    for each in found["views"].values():
        unified.Combiner.of(each)
    router.Policy.of(found["router"])
    again = _made_again(tmp_path / "lifting.json", data, "train_ontology.py --data people.json --cache DIR")
    assert lifting.Scorer.of(again["lifting"]) != before
    assert lifting.packaged() is before  # what is tried out is handed over, and changes nothing for anybody else


def test_a_conversation_is_embedded_by_the_encoder_that_has_not_seen_it(
    script: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    unseen = script("unseen")
    monkeypatch.setattr(unseen, "Encoder", lambda bulk, weights=None, questions=None: (weights or questions).name)
    monkeypatch.setattr(unseen, "embedder", lambda name, bulk: name)
    fair = unseen.Unseen([(["people*"], [Path("zero.onnx"), Path("one.onnx")])])
    model_of = fair.of(Path("people.json.gz"))
    assert model_of("c1") == ("zero.onnx", "one.onnx")[crc32(b"people:c1") % 2]
    assert {model_of(f"c{n}") for n in range(20)} == {"zero.onnx", "one.onnx"}
    alone = unseen.Unseen([(["people*"], [Path("questions7.onnx")])])
    assert alone.of(Path("people.json"))("c1") == "questions7.onnx"
    assert fair.of(Path("others.json"))("c1") == unseen.Unseen().of(Path("people.json.gz"))("c1") == DEFAULT
    assert unseen.Unseen(otherwise="multilingual").of(Path("people.json.gz"))("c1") == "multilingual"


def test_scenes_in_a_row_are_one_conversation(script: Callable[[str], ModuleType], tmp_path: Path) -> None:
    kinds = script("kinds")
    said = [{"uid": uid, "speakers": ["Ana Lima"], "utterance": f"I do n't know {uid} ."} for uid in (0, 1)]
    answer = {"answer_text": "Ana Lima", "utterance_id": 1, "is_speaker": True}
    asked = {"id": "q", "question": "Who knows ?", "answers": [answer]}
    scenes = [{"title": f"s{n:02}", "paragraphs": [{"utterances:": said, "qas": [asked]}]} for n in range(22)]
    path = tmp_path / "friendsqa.json.gz"
    path.write_bytes(gzip.compress(json.dumps({"data": scenes[::-1]}).encode()))
    first, second = kinds.stores(path)
    assert [len(each.messages) for each in (first, second)] == [2 * 20, 2 * 2]
    assert {m.session for m in second.messages} == {"s20.0", "s21.0"}
    assert (first.messages[1].text, first.messages[1].speaker) == ("I don't know 1.", "Ana")
    assert first.questions[0].text == "Who knows?"
    assert first.questions[0].evidence == {turn_id(first.messages[1])}


def test_evidence_beside_chats_is_what_matches(script: Callable[[str], ModuleType], tmp_path: Path) -> None:
    (tmp_path / "chats").mkdir()
    lines = [{"speaker": "Ana", "text": text} for text in ("I moved to Porto.", "It rains.")]
    (tmp_path / "chats" / "chat.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    rows = [{"id": kind, "kind": kind, "lang": "en", "question": "Where?", "evidence": evidence}
            for kind, evidence in (("where", "Porto"), ("silence", ""))]  # fmt: skip
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (found,) = script("kinds").stores(path)
    assert [question.evidence for question in found.questions] == [{turn_id(found.messages[0])}, frozenset()]
    assert [question.answerable for question in found.questions] == [True, False]


def test_joined_haystacks_keep_their_questions_evidence(script: Callable[[str], ModuleType]) -> None:
    parts = []
    for name in ("a", "b"):
        said = Message(f"I like {name}.", "Ana", session="0", id="0")
        evidence = frozenset({turn_id(said)})
        parts.append(Haystack(name, [said], [GoldQuestion(name, "What?", "none", "", evidence)]))  # type: ignore[arg-type]
    found = script("kinds").joined(parts)
    assert [question.evidence for question in found.questions] == [{turn_id(m)} for m in found.messages]
    assert len({turn_id(message) for message in found.messages}) == 2


def test_the_lists_are_of_what_was_said(script: Callable[[str], ModuleType]) -> None:
    cards = script("cards")
    names = sorted(path.stem for path in (cards.HERE / "card_facts").glob("*.txt"))
    for name in names:
        said: dict[str, list[str]] = {}
        for message in cards.haystack(cards.named(name)).messages:
            said.setdefault(message.conversation, []).append(message.text)
        facts = list(cards._listed(name))
        assert {fact.conversation for fact in facts} <= set(said), name
        assert {fact.kind for fact in facts} <= {kind.value for kind in CardKind}, name
        assert {fact.when for fact in facts} <= {"holds", "before", "also"}, name
        assert not [fact for fact in facts if not any(fact.value in text for text in said[fact.conversation])], name
    assert len(names) >= 89


def test_who_lists_and_what_is_told_agree_on_a_fact(script: Callable[[str], ModuleType]) -> None:
    cards = script("cards")

    def fact(value: str, when: str, kind: str = "pets") -> Any:
        return cards.Fact("chat", "Ana", kind, value, when)

    assert fact("my cat Rex", "holds").is_told_by(fact("cat", "holds"))
    assert fact("cat", "also").is_told_by(fact("my cat", "before"))
    assert not fact("cat", "before").is_told_by(fact("cat", "holds"))
    assert not fact("cat", "holds").is_told_by(fact("cat", "holds", "owns"))
    assert not fact("cat", "holds").is_told_by(fact("dog", "holds"))
