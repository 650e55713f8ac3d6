"""Several stores that are searched together give what one store of all of it gives."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import duckdb
import pytest

from memcli.errors import StoreBusy, StoreMissing, UsageError
from memcli.formats import Message
from memcli.memory import Memory
from memcli.model import Filters, Hit
from memcli.store.federation import Federation
from memcli.store.rows import scalar

from .conftest import SAMPLE, Ran

Cli = Callable[..., Ran]
QUESTIONS = (
    "Where does Nora keep the spare key?", "When is the train to Lisbon?", "What should I cook tonight?",
    "What did Theo say about the garden in March?", "birthday",
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`a` and `b`: the sample's conversations, halved; `whole`: all of them in the same order."""
    path = tmp_path_factory.mktemp("federation")
    lines = (SAMPLE / "chats.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    halves: tuple[list[str], list[str]] = ([], [])
    for line in lines:
        halves[json.loads(line)["conversation"] == "nora-theo"].append(line)
    for name, said in (("a", halves[0]), ("b", halves[1]), ("whole", [*halves[0], *halves[1]])):
        assert len(said) > 100
        chat = path / f"{name}.jsonl"
        chat.write_text("".join(said), encoding="utf-8")
        Memory(path / f"{name}.memcli", embedder="fake").ingest([chat])
    return path


def without_graph(path: Path, copy: Path) -> Path:
    """A copy of a store whose sentences are not joined to one another: stores apart cannot have joined theirs."""
    shutil.copy(path, copy)
    with Memory(copy).store.writing() as db:
        db.execute("delete from edge where relation = 'similar'")
    return copy


def told(hits: Sequence[Hit]) -> list[tuple[str, float, str, str]]:
    return [(hit.unit.id, hit.score, hit.unit.text, hit.unit.label) for hit in hits]


@pytest.fixture(scope="module")
def apart(folder: Path) -> tuple[Memory, Memory]:
    """One store, and two, all without a sentence graph."""
    names = ("whole", "a", "b")
    whole, *halves = (without_graph(folder / f"{name}.memcli", folder / f"{name}-apart.memcli") for name in names)
    return Memory(whole), Memory(halves)


@pytest.mark.parametrize("strategy", ["fused", "dense", "bm25"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_two_halves_give_the_ranking_of_the_whole(apart: tuple[Memory, Memory], strategy: str, question: str) -> None:
    whole, halves = (memory.search(question, k=20, strategy=strategy) for memory in apart)
    assert halves
    assert told(halves) == told(whole)


def test_what_the_graph_knows_of_one_store_alone_moves_little(folder: Path) -> None:
    whole, halves = Memory(folder / "whole.memcli"), Memory([folder / "a.memcli", folder / "b.memcli"])
    found = [{hit.unit.id for hit in memory.search(QUESTIONS[0], k=20)} for memory in (whole, halves)]
    assert len(found[0] & found[1]) >= 18


def test_answers_are_those_of_the_whole(apart: tuple[Memory, Memory]) -> None:
    for question in QUESTIONS:
        whole, halves = (memory.ask(question) for memory in apart)
        assert halves.answer == whole.answer
        assert told(halves.hits) == told(whole.hits)


def test_a_turn_of_both_stores_is_found_once(folder: Path) -> None:
    twice = Memory([folder / "a.memcli", folder / "whole.memcli"])
    assert twice.view().n == Memory(folder / "whole.memcli").view().n
    ids = [hit.unit.id for hit in twice.search(QUESTIONS[0], k=50)]
    assert len(ids) == len(set(ids)) == 50


def test_filters_hold_over_all_stores(apart: tuple[Memory, Memory]) -> None:
    whole, halves = (
        memory.search("garden", filters=Filters(conversation="nora-theo", speaker="Theo")) for memory in apart
    )
    assert told(halves) == told(whole)
    assert {hit.unit.label for hit in halves} == {"Theo"}


def test_a_store_that_grows_is_seen(folder: Path, tmp_path: Path) -> None:
    paths = [shutil.copy(folder / f"{name}.memcli", tmp_path) for name in ("a", "b")]
    with Memory(paths) as memory:
        memory.search("zeppelin")
        added = Memory(paths[1]).remember("The zeppelin leaves at nine.")
        assert memory.search("zeppelin", k=1)[0].unit.id == added.turn.id
        with pytest.raises(UsageError, match="only searched"):
            memory.remember("Nothing.")
    with pytest.raises(UsageError, match="closed"):
        memory.search("zeppelin")


def test_numbers_are_moved_and_refer_to_what_they_did(folder: Path) -> None:
    parts = [folder / "a.memcli", folder / "b.memcli"]
    counts = "select [(select count(*) from turn), (select count(*) from unit), (select count(*) from edge)]"
    joined = """select count(*) from turn t join session s on s.seq = t.session join source o on o.turn = t.seq
                join unit u on u.seq = o.unit and u.kind = 'sentence' join vector v on v.seq = u.vector"""
    found, sentences = [], []
    for store in (Federation(parts), *Federation(parts).parts):
        with store.reading() as db:
            found.append(scalar(db, counts))
            sentences.append(scalar(db, joined))
    assert found[0] == [a + b for a, b in zip(*found[1:], strict=True)]
    assert sentences[0] == sentences[1] + sentences[2]
    with Federation(parts).reading() as db:
        for table in ("session", "turn", "unit", "vector", "concept"):
            assert scalar(db, f"select count(*) = count(distinct seq) from {table}")


def test_stores_of_several_embedders_are_not_mixed(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.memcli"
    Memory(other).add([Message("The boat is new.")])
    with pytest.raises(UsageError, match="several embedders"):
        Memory([folder / "a.memcli", other]).search("boat")


def test_what_is_no_store_is_told_by_its_name(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreMissing, match=r"none\.memcli"):
        Memory([folder / "a.memcli", tmp_path / "none.memcli"]).search("boat")
    with pytest.raises(UsageError, match="twice"):
        Memory([folder / "a.memcli", folder / ".." / folder.name / "a.memcli"])


def test_who_writes_to_one_of_them_is_waited_for(folder: Path, tmp_path: Path) -> None:
    from threading import Thread

    paths = [Path(shutil.copy(folder / f"{name}.memcli", tmp_path)) for name in ("a", "b")]
    raised: list[BaseException] = []

    def look() -> None:
        try:
            with Federation(paths).reading(wait=0.05):
                pass
        except StoreBusy as error:
            raised.append(error)

    with Memory(paths[1]).store.writing():
        thread = Thread(target=look)
        thread.start()
        thread.join()
    assert len(raised) == 1
    look()
    assert len(raised) == 1


def test_nothing_else_is_reached_over_it(folder: Path) -> None:
    parts = [folder / "a.memcli", folder / "b.memcli"]
    for statement in (f"select * from read_text('{SAMPLE / 'chats.jsonl'}')", "attach 'x.db'"):
        with Federation(parts).reading() as db, pytest.raises(duckdb.PermissionException):
            db.execute(statement)
    with Federation(parts).reading() as db, pytest.raises(duckdb.Error, match="read-only"):
        db.execute("delete from part0.turn")


def test_the_command_line_takes_several(folder: Path, cli: Cli) -> None:
    stores = [argument for name in ("a", "b") for argument in ("--store", folder / f"{name}.memcli")]
    found = cli("search", "garden", *stores, "-k", "5", "--json")
    assert found.code == 0
    assert [hit["rank"] for hit in found.json["hits"]] == [1, 2, 3, 4, 5]
    asked = cli("ask", "Where is the spare key?", *stores, "--json")
    assert asked.json["id"] is None
    assert cli("search", "garden", *stores[:2], *stores[:2]).code == 2
