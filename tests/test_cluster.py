"""A cluster of two nodes on this machine does what one process does, also where one of them is killed."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from memcli.cluster.ingesting import Reading, ingest
from memcli.cluster.searching import searching
from memcli.cluster.starting import started
from memcli.errors import InputUnreadable, UsageError
from memcli.evaluation.asking import Limits, Outcome
from memcli.evaluation.harness import EvaluationRequest, ask
from memcli.evaluation.runner import EvaluationPlan
from memcli.ingestion import Watcher
from memcli.memory import Memory
from memcli.model import Filters
from memcli.store import codes
from memcli.store.views import candidates
from memcli.strategies import Strategy
from memcli.strategies.fused import Fused

from .conftest import SAMPLE, Ran

pytest.importorskip("ray", reason="memcli[ray] is not installed")
#: Ray's own, of processes and sockets that it leaves to the end of Python.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
QUESTIONS = ("Where does Nora keep the spare key?", "birthday")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes of a processor each; this process belongs to the first."""
    head = {"num_cpus": 1, "include_dashboard": False}
    made: Any = import_module("ray.cluster_utils").Cluster(initialize_head=True, head_node_args=head)
    made.add_node(num_cpus=1)
    with started(made.address):
        yield made
    made.shutdown()


@pytest.fixture(scope="module")
def chats(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The sample's first messages, cut into conversations, in two files."""
    folder = tmp_path_factory.mktemp("chats")
    lines = [json.loads(line) for line in (SAMPLE / "chats.jsonl").read_text(encoding="utf-8").splitlines()[:160]]
    for number, line in enumerate(lines):
        line["conversation"] = f"{line['conversation']} {number // 8}"
    files = [folder / name for name in ("a.jsonl", "b.jsonl")]
    for file, half in zip(files, (lines[:80], lines[80:]), strict=True):
        file.write_text("".join(json.dumps(line) + "\n" for line in half), encoding="utf-8")
    return files


@pytest.fixture(scope="module")
def expected(chats: list[Path], tmp_path_factory: pytest.TempPathFactory) -> list[list[tuple[str, float]]]:
    """What is found in a memory that this process filled."""
    with Memory(tmp_path_factory.mktemp("here") / "here.memcli.d", embedder="fake", shards=3) as memory:
        assert memory.ingest(chats).added == 160
        return found(memory)


def found(memory: Memory) -> list[list[tuple[str, float]]]:
    return [[(hit.unit.id, hit.score) for hit in memory.search(question, k=20)] for question in QUESTIONS]


def turns_in(memory: Memory) -> int:
    with memory.store.reading() as db:
        [(turns,)] = db.execute("select count(*) from turn").fetchall()
    return int(turns)


def test_a_cluster_stores_what_one_process_does(
    cluster: Any, chats: list[Path], expected: list[list[tuple[str, float]]], tmp_path: Path
) -> None:
    with Memory(tmp_path / "there.memcli.d", embedder="fake", shards=3) as memory:
        report = ingest(memory, chats)
        assert (report.messages, report.added, report.problem_count) == (160, 160, 0)
        assert found(memory) == expected
        again = ingest(memory, chats)
        assert (again.messages, again.added, len(again.sessions)) == (160, 0, 0)
        assert memory.care.examine().left == []


def test_a_node_that_is_killed_loses_and_doubles_nothing(
    cluster: Any, chats: list[Path], expected: list[list[tuple[str, float]]],
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    lost = cluster.add_node(num_cpus=2)
    reported: list[int] = []
    path = tmp_path / "there.memcli.d"

    def kill() -> None:
        while not (path / "manifest.json").exists():
            time.sleep(0.05)
        time.sleep(3)
        cluster.remove_node(lost, allow_graceful=False)

    killer = threading.Thread(target=kill)
    with Memory(path, embedder="fake", shards=3) as memory:
        killer.start()
        watcher = Watcher(progress=lambda _source, report: reported.append(report.added))
        report = ingest(memory, chats, watcher=watcher)
        killer.join()
        assert report.messages == 160
        assert report.added <= 160
        with memory.store.reading() as db:
            turns = db.execute("select count(*), count(distinct id) from turn").fetchall()
        assert turns == [(160, 160)]
        assert found(memory) == expected
        assert memory.care.examine().left == []


#: An ingest that reads each file by a task of its own, and says how much is stored whenever one was read.
DRIVER = """
import sys
from memcli.cluster import ingesting
from memcli.ingestion import Watcher
from memcli.memory import Memory
address, folder, *files = sys.argv[1:]
ingesting._TOGETHER = 1
with Memory(folder, embedder="fake", shards=3) as memory:
    told = Watcher(progress=lambda source, report: print(report.added, flush=True))
    ingesting.ingest(memory, files, ingesting.Reading(block=200), told, address)
"""


def test_a_driver_that_is_killed_loses_nothing_that_it_reported(
    cluster: Any, chats: list[Path], tmp_path: Path, expected: list[list[tuple[str, float]]]
) -> None:
    path = tmp_path / "there.memcli.d"
    command = [sys.executable, "-c", DRIVER, cluster.address, str(path), *map(str, chats)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as driver:
        assert driver.stdout is not None
        reported = int(driver.stdout.readline())
        driver.kill()
    assert 80 <= reported <= 160
    with Memory(path) as memory:
        assert reported <= turns_in(memory)
        assert ingest(memory, chats).messages == 160
        assert turns_in(memory) == 160
        assert found(memory) == expected
        assert memory.care.examine().left == []


def test_the_command_line_ingests_by_a_cluster(
    cluster: Any, chats: list[Path], tmp_path: Path, cli: Callable[..., Ran]
) -> None:
    store = ("--store", tmp_path / "there.memcli.d")
    done = cli("ingest", chats[0], *store, "--embedder", "fake", "--memory", "anna", "--ray", "--json")
    assert (done.code, done.json["added"]) == (0, 80)
    assert cli("stats", *store, "--memory", "anna", "--json").json["turns"] == 80
    assert cli("ingest", chats[0], "--store", tmp_path / "one.memcli", "--ray", "auto").code == 2


def test_a_cluster_finds_the_candidates_that_one_process_does(
    cluster: Any, chats: list[Path], tmp_path: Path, cli: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a memory whose size counts as large: of a small one all is looked at."""
    monkeypatch.setattr(codes, "CODED_FROM", 1)
    monkeypatch.setattr(candidates, "SAMPLED", 2)  # else all of twenty sessions are read
    path = tmp_path / "here.memcli.d"
    with Memory(path, embedder="fake", shards=3) as memory:
        memory.ingest(chats)
        narrow = Fused(candidate_sessions=4)
        here = [hits(memory, narrow, filters) for filters in (None, Filters(speaker="Nora"))]
        with searching(memory, cluster.address):
            there = [hits(memory, narrow, filters) for filters in (None, Filters(speaker="Nora"))]
            assert memory.view().gather is not None
        assert here == there
        assert memory.search("spare key")
        assert memory.view().gather is None
    plain, by_ray = (cli("search", "spare key", "--store", path, "--json", *ray) for ray in ((), ("--ray",)))
    assert (plain.code, plain.json["hits"]) == (by_ray.code, by_ray.json["hits"])
    assert cli("ask", "spare key?", "--store", tmp_path / "one.memcli", "--ray").code == 2


def hits(memory: Memory, chosen: Strategy, filters: Filters | None) -> list[list[tuple[str, float]]]:
    found = [memory.search(question, k=20, strategy=chosen, filters=filters) for question in QUESTIONS]
    return [[(hit.unit.id, hit.score) for hit in each] for each in found]


def test_what_a_task_cannot_read_is_told(cluster: Any, tmp_path: Path) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text('{"text": "The boat is new.", "conversation": "a"}\n{"text": \n', encoding="utf-8")
    problems: list[str] = []
    with Memory(tmp_path / "there.memcli.d", embedder="fake") as memory:
        watcher = Watcher(problem=lambda problem: problems.append(problem.where))
        report = ingest(memory, [file], watcher=watcher)
        assert (report.added, report.problem_count, len(problems)) == (1, 1, 1)
        with pytest.raises(InputUnreadable):
            ingest(memory, [file], Reading(strict=True))
    with pytest.raises(UsageError, match="memory of shards"):
        ingest(Memory(tmp_path / "one.memcli", embedder="fake"), [file])


def test_an_evaluation_by_a_cluster_has_the_same_outcomes(cluster: Any, tmp_path: Path) -> None:
    wanted = ["fused", "bm25"]
    found = []
    for name, address in (("here", ""), ("there", "auto")):
        plan = EvaluationPlan(wanted, Limits(20, 4000), limit=6, cluster=address)
        request = EvaluationRequest("sample", SAMPLE / "questions.json", plan, tmp_path / name, "fake")
        outcomes = ask(request).result.outcomes
        found.append({name: _untimed(of.values()) for name, of in outcomes.items()})
    assert found[0] == found[1]
    assert [len(found[0][name]) for name in wanted] == [6, 6]


def _untimed(outcomes: Iterable[Outcome]) -> list[Outcome]:
    return [replace(each, milliseconds=0.0) for each in sorted(outcomes, key=lambda each: each.id)]
