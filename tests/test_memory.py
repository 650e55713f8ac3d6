"""The memory object: what it is closed by, what it takes, and what can be imported beside it."""

from __future__ import annotations

import inspect
import subprocess
import sys
import threading
import typing
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from duckdb import DuckDBPyConnection

import memcli
from memcli import Filters, Hit, Memory, Message, Query, View
from memcli.errors import UsageError
from memcli.languages.english.questions import parse
from memcli.memory import Reading
from memcli.memory.explaining import reasons
from memcli.model import Answer, Kind, TurnId, Unit, UnitId
from memcli.providers.fakes import FakeEmbedder
from memcli.providers.vectors import Vectors
from memcli.store.connection import Store
from memcli.store.cosine import exact
from memcli.strategies import strategy
from memcli.strategies.bm25 import BM25
from memcli.strategies.fused import Fused

from .language_server import Endpoint, says

ROOT = Path(__file__).resolve().parents[1]
AT = datetime(2025, 3, 1, tzinfo=UTC)

#: All that asks something of a store.
USES: dict[str, Callable[[Memory], object]] = {
    "add": lambda memory: memory.add([Message("More tea.")]),
    "ingest": lambda memory: memory.ingest([ROOT / "sample_data" / "chats.jsonl"]),
    "prepare": lambda memory: memory.prepare(["emem"]),
    "search": lambda memory: memory.search("tea"),
    "ask": lambda memory: memory.ask("Who drinks tea?"),
    "view": lambda memory: memory.view(),
    "transcript": lambda memory: memory.transcript(),
    "origins": lambda memory: memory.origins([]),
    "statistics": lambda memory: memory.care.statistics(),
    "examine": lambda memory: memory.care.examine(),
    "compact": lambda memory: memory.compact(),
}


@pytest.mark.parametrize("in_memory", [True, False])
@pytest.mark.parametrize("use", USES)
def test_a_closed_memory_says_so(tmp_path: Path, in_memory: bool, use: str) -> None:
    with Memory(None if in_memory else tmp_path / "a.memcli", embedder="fake") as memory:
        memory.add([Message("Ada drinks tea.", "Ada")])
        assert memory.search("tea")
    memory.close()
    with pytest.raises(UsageError, match="closed"):
        USES[use](memory)


def test_a_store_is_there_for_the_next_one(tmp_path: Path) -> None:
    path = tmp_path / "a.memcli"
    with Memory(path, embedder="fake") as memory:
        memory.add([Message("Ada drinks tea.", "Ada")])
    with Memory(path) as again:
        assert [hit.unit.text for hit in again.search("tea")] == ["Ada drinks tea."]


def test_an_unused_memory_is_closed_without_a_store(tmp_path: Path) -> None:
    with Memory(tmp_path / "none.memcli"):
        pass
    assert not list(tmp_path.iterdir())


def test_closing_ends_the_thread_that_loads(sample_store: Path) -> None:
    memory = Memory(sample_store)
    memory.search("tea", at=AT)
    memory.close()
    assert not [each for each in threading.enumerate() if each.name.startswith("memcli-model")]


def test_a_question_opens_the_store_once(sample_store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Store] = []
    opening = Store._open_to_read

    def counted(store: Store) -> DuckDBPyConnection:
        opened.append(store)
        return opening(store)

    monkeypatch.setattr(Store, "_open_to_read", counted)
    with Memory(sample_store) as memory:
        memory.search("tea", at=AT)  # the encoder is not loaded yet
        assert len(opened) == 1
        memory.search("When did we talk about the garden?", at=AT)
        assert len(opened) == 2
        memory.ask("Who drinks tea?", at=AT)
        assert len(opened) == 3


def test_who_asks_again_is_answered_the_same_from_vectors_that_are_widened_once(
    sample_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    widened: list[int] = []

    def counted(rows: Vectors) -> object:
        widened.append(len(rows))
        return exact(rows)

    monkeypatch.setattr("memcli.store.views.view.exact", counted)
    with Memory(sample_store) as memory:
        first = memory.search("Who drinks tea?", at=AT)
        assert widened == []
        assert [memory.search("Who drinks tea?", at=AT) for _ in range(2)] == [first, first]
        assert len(widened) == 1
    monkeypatch.setattr("memcli.store.views.view._MOST_WIDENED", 0)
    with Memory(sample_store) as memory:
        assert [memory.search("Who drinks tea?", at=AT) for _ in range(2)] == [first, first]
    assert len(widened) == 1  # too many to be kept: they are widened as they are multiplied


def test_each_wording_of_a_question_is_embedded_once(tmp_path: Path) -> None:
    class Heard(FakeEmbedder):
        texts: list[str] = []  # noqa: RUF012

        def embed_questions(self, texts: Sequence[str]) -> Vectors:
            self.texts.extend(texts)
            return super().embed_questions(texts)

    heard = Heard()
    with Memory(tmp_path / "a.memcli", embedder=heard) as memory:
        memory.add([Message("Ada drinks tea.", "Ada")])
        for question in ("Who drinks tea?", "Does Ada drink tea?"):
            memory.search(question, strategy="sgmem")
    assert heard.texts == ["Who drinks tea?", "Does Ada drink tea?", "Does drink tea?"]  # the first has no name in it


def test_others_may_write_while_an_embedder_that_may_be_far_away_thinks(tmp_path: Path) -> None:
    path = tmp_path / "a.memcli"

    class Slow(FakeEmbedder):
        asked = 0

        def embed_questions(self, texts: Sequence[str]) -> Vectors:
            self.asked += 1
            with Store(path).writing():  # refused where this process holds the store
                return super().embed_questions(texts)

    slow = Slow()
    with Memory(path, embedder=slow) as memory:
        memory.add([Message("Ada drinks tea.", "Ada")])
        assert memory.search("tea")
        assert memory.search("drinks")
    assert slow.asked == 2


def test_a_memory_is_closed_where_its_embedder_cannot_be_loaded(tmp_path: Path) -> None:
    path = tmp_path / "a.memcli"
    with Memory(path, embedder="fake") as memory:
        memory.add([Message("Tea.")])
    with pytest.raises(UsageError, match="unknown embedder"), Memory(path, embedder="magic") as memory:
        memory.search("tea")


def test_what_was_handed_in_stays_open(tmp_path: Path) -> None:
    class Closing(FakeEmbedder):
        closed = False

        def close(self) -> None:
            self.closed = True

    given = Closing()
    with Memory(tmp_path / "a.memcli", embedder=given) as memory:
        memory.add([Message("Tea.")])
        memory.search("tea")
    assert not given.closed


def test_closing_ends_connections_to_a_model(sample_store: Path, endpoint: Callable[..., Endpoint]) -> None:
    endpoint(says('{"answer": "tea", "citations": [1], "reasoning": ""}'))
    memory = Memory(sample_store, model="tiny")
    memory.ask("What does Theo cook?", at=AT)
    client = memory._consulted._model._client  # type: ignore[union-attr]
    assert not client.is_closed()
    memory.close()
    assert client.is_closed()


# -- a strategy as an object -------------------------------------------------------------------------------------------


class _First:
    """Finds the first turns of a store."""

    needs = BM25().needs
    phrasings = ()

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:
        return BM25().retrieve(query, view, k)[:1]


def test_a_strategy_may_be_handed_in(sample_store: Path) -> None:
    question = "When did Nora start her new job?"
    with Memory(sample_store) as memory:
        assert memory.search(question, strategy=Fused(), at=AT) == memory.search(question, at=AT)
        (hit,) = memory.search(question, strategy=_First(), at=AT)
        assert hit == memory.search(question, strategy="bm25", at=AT)[0]
        assert memory.ask(question, strategy=_First(), at=AT).hits[0] == hit
        memory.prepare([_First(), "dense"])
    assert strategy(given := _First()) is given


@pytest.mark.parametrize("name", ["fused:x", "dense:x", "emem:x", "emem-g:x", "bm25:x"])
def test_what_has_no_variants_says_so(name: str) -> None:
    with pytest.raises(UsageError, match="no variant 'x'"):
        strategy(name)


# -- what is public ----------------------------------------------------------------------------------------------------


def test_every_type_of_a_public_signature_can_be_imported() -> None:
    """Of `Memory`, and of what is to be written for memcli: each class of memcli's that their signatures name."""
    named = set()
    for owner in (Memory, memcli.Strategy, memcli.Embedder, memcli.Format, memcli.Language, memcli.Reranker):
        for _, method in inspect.getmembers(owner, inspect.isfunction):
            for annotation in method.__annotations__.values():
                named |= {word for word in _words(annotation) if word[:1].isupper()}
    standard = {
        "Path",
        "Iterable",
        "Callable",
        "Sequence",
        "Self",
        "None",
        "BaseException",
        "TracebackType",
        "Iterator",
        "Pattern",
        "AbstractContextManager",
    }
    apart = {"BinaryIO", "Any", "Mapping", "Vectors"}
    inner = {
        "Expression",
        "Length",
        "Span",
        "Amount",
        "Generated",
        "SessionText",
        "Told",
        "Event",
        "Argument",
        "Assertion",
    }
    inner |= {"Watch", "NameUse"}  # what a language makes stands beside it: `times`, `amounts`, `generated`
    assert named - standard - apart - inner <= set(memcli.__all__)


def _words(annotation: object) -> set[str]:
    import re

    return set(re.findall(r"\w+", annotation if isinstance(annotation, str) else str(annotation)))


def test_all_public_names_are_there() -> None:
    assert all(getattr(memcli, name) is not None for name in memcli.__all__)
    assert typing.get_type_hints(memcli.Query)["filters"] is Filters


def test_importing_loads_nothing_that_is_not_asked_for() -> None:
    program = "import sys, memcli\nprint(*sys.modules)\nmemcli.MemcliError\nprint(*sys.modules)\n"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    first, then = (set(line.split()) for line in done.stdout.splitlines())
    assert {name for name in first if name.startswith("memcli")} == {"memcli"}
    assert {name for name in then if name.startswith("memcli")} == {"memcli", "memcli.errors"}
    assert not {"numpy", "duckdb", "importlib.metadata"} & then


def test_the_package_says_that_it_is_typed(tmp_path: Path) -> None:
    build = "import sys; from hatchling.builders.wheel import WheelBuilder as Wheel\n"
    build += "print(*Wheel(sys.argv[1]).build(directory=sys.argv[2]))"
    arguments = [sys.executable, "-c", build, str(ROOT), str(tmp_path)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    with zipfile.ZipFile(done.stdout.split()[-1]) as wheel:
        assert "memcli/py.typed" in wheel.namelist()
        assert wheel.read("memcli/evaluation/sample.json") == (ROOT / "sample_data" / "questions.json").read_bytes()


def test_what_an_answer_cites_is_shown_first_and_what_has_no_bearing_not_at_all() -> None:
    scores = {"a": 0.5, "b": 0.01, "c": 0.0099}  # the last under a fiftieth of the best
    hits = [Hit(Unit(UnitId(f"u{name}"), Kind.TURN, name, (TurnId(name),)), score) for name, score in scores.items()]

    def shown(k: int, *cited: str) -> str:
        answer = Answer("x", tuple(map(TurnId, cited)), 0.5, abstained=False)
        return "".join(hit.unit.text for hit in Reading(answer, hits).shown(k))

    assert (shown(5), shown(5, "c"), shown(5, "b"), shown(1, "b")) == ("ab", "cab", "ba", "b")
    under = Reading(Answer("x", (), 0.5, abstained=False), [replace(hit, score=hit.score - 1) for hit in hits])
    assert len(under.shown(5)) == 3


def test_why_a_turn_is_there_is_said_in_words() -> None:
    asked = parse("What is Tom allergic to in May 2024?", ("Tom", "Ana"))
    unit = Unit(
        UnitId("u"), Kind.TURN, "Allergic to walnuts, allergic!", (TurnId("t"),), datetime(2024, 5, 9, 12), "Tom"
    )
    trace = {"cosine": 0.9, "score.bm25": 1.0, "score.dense": 0.9, "score.graph": 0.2, "score.taste": -3.0}
    assert reasons(asked, Hit(unit, 1.0, trace), AT) == [
        "says *allergic*", "by Tom", "in the time that was asked for (in May 2024)", "means much the same",
    ]  # fmt: skip
    elsewhere = replace(unit, text="Peanuts.", label="Ana", at=None)
    assert reasons(asked, Hit(elsewhere, 1.0, {}), AT) == ["little speaks for it"]
