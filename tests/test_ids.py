"""Ids: a tag names one kind of thing, and what is printed anywhere is taken everywhere."""

from __future__ import annotations

import ast
import gzip
import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

import memcli
from memcli.errors import UsageError
from memcli.formats import Message
from memcli.memory import Memory
from memcli.memory.feedback import given
from memcli.model import Answer, Filters, Kind
from memcli.providers.embedding import embedder, embedder_id, is_known, name_of
from memcli.providers.fakes import FakeEmbedder
from memcli.store import naming
from memcli.store.ids import FORMERLY, TAGS, Tag
from memcli.store.migrations import MIGRATIONS

from .conftest import Ran
from .stores.make import file

Cli = Callable[..., Ran]
ID = re.compile(r'"([a-z]:[0-9a-f]{8,20})"')
#: A tag before digits, or what stands for them.
SPELLED = re.compile(r"[a-z]:(\[0-9a-f\]|[0-9a-f]{8,}|$)")
NAMES = ("fused", "bm25", "dense", "sgmem", "sgmem:R", "sgmem:T", "sgmem:RMFI", "memgas", "emem", "emem-g", "ontology")


@pytest.fixture(scope="module")
def store(prepared_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A prepared store of one's own, with answers in it."""
    path = tmp_path_factory.mktemp("ids") / "ids.memcli"
    shutil.copy(prepared_store, path)
    return path


def test_a_tag_names_one_kind_of_thing() -> None:
    assert len({tag.value for tag in Tag}) == len(Tag) == len(Tag.__members__)
    assert {*TAGS} == {*Kind} - {Kind.ENTITY}
    assert len({*TAGS.values()}) == len(TAGS)
    assert all(re.fullmatch("[a-z]", tag) for tag in Tag)


def _spelled(source: str) -> Iterator[str]:
    """Where a module puts a tag before its digits by hand."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SPELLED.match(node.value):
            yield node.value
        elif isinstance(node, ast.JoinedStr) and re.match(r"f.\{(Tag\.|TAGS\[|tag\})", ast.unparse(node)):
            yield ast.unparse(node)


def test_no_tag_is_spelled_by_hand() -> None:
    root = Path(memcli.__file__).parent
    spelling = {
        str(path.relative_to(root)): found
        for path in sorted(root.rglob("*.py"))
        if path.name != "ids.py" and (found := list(_spelled(path.read_text(encoding="utf-8"))))
    }
    assert spelling == {}
    assert list(_spelled("A = 't:'\nB = re.compile(r't:[0-9a-f]{16}')\nC = f'{Tag.TURN}:{digits}'"))[2:]


def test_ids_in_a_store_have_the_tags_of_their_kinds(prepared_store: Path) -> None:
    with duckdb.connect(str(prepared_store), read_only=True) as db:
        rows = db.execute("select distinct kind, split_part(id, ':', 1) from unit").fetchall()
        assert {tag for (tag,) in db.execute("select distinct split_part(id, ':', 1) from turn").fetchall()} == {"t"}
    found = {Kind(kind): tag for kind, tag in rows}
    assert len(rows) == len(found) >= 12
    assert found == {kind: TAGS[kind].value for kind in found}
    answer = given(
        "Who?", Answer("Theo", (), 0.5, abstained=False), datetime(2024, 1, 1, tzinfo=UTC), 0.1, narrowed=False
    )
    assert answer.id.startswith(f"{Tag.ANSWER}:")


def _printed(cli: Cli, store: Path) -> Iterator[str]:
    """What commands print, in which every id is to be found."""
    for name in NAMES:
        yield cli(
            "search", "What does Theo cook when friends come?", "--strategy", name, "--json", "--store", store
        ).out
        yield cli("ask", "What is Theo allergic to?", "--strategy", name, "--json", "--store", store).out
    yield cli("inspect-graph", "--format", "json", "--store", store).out
    yield cli("concepts", "--all", "--explain", "--json", "-k", "99", "--store", store).out
    yield cli("inspect-graph", "--json", "--store", store).out
    yield cli("who", "Theo", "--json", "--store", store).out


def test_every_id_that_is_printed_is_taken_by_every_command(
    cli: Cli, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCLI_RECORD", "yes")
    by_tag: dict[str, list[str]] = defaultdict(list)
    for text in _printed(cli, store):
        for id_ in ID.findall(text):
            by_tag[id_[0]].append(id_)
    assert set(by_tag) == {tag.value for tag in Tag}
    for name in (name for ids in by_tag.values() for name in sorted(set(ids))[:3]):
        assert cli("inspect-graph", "--node", name, "--hops", "0", "--store", store).code == 0, name
        assert cli("forget", name, "--dry-run", "--store", store).code == 0, name
        concept = cli("concepts", name, "--store", store)
        assert concept.code in (0, 1) or "stands for several: c:" in concept.err, concept
        verdict = cli("feedback", name, "--useful", "--store", store)
        assert verdict.code in (0, 1) or re.search(r"\ba:[0-9a-f]{8}\b", verdict.err), verdict
    answer = by_tag["a"][0]
    for ids in by_tag.values():
        missed = cli("feedback", answer, "--wrong", "--missing", ids[0], "--json", "--store", store)
        assert isinstance(missed.json, dict)
        assert missed.json["missed"]["turns"], ids[0]


def test_what_rests_on_a_turn_is_found_by_it(cli: Cli, store: Path) -> None:
    concepts = cli("concepts", "--all", "--explain", "--json", "-k", "99", "--store", store).json
    assert isinstance(concepts, dict)
    resting = defaultdict(set)
    for concept in concepts["concepts"]:
        for each in concept["evidence"]:
            resting[each["turn"]].add(concept["id"])
    (turn, (id_,)) = next((turn, ids) for turn, ids in resting.items() if len(ids) == 1)
    found = cli("concepts", turn, "--json", "--store", store).json
    assert isinstance(found, dict)
    assert found["id"] == id_


@pytest.mark.parametrize("filters", [Filters(), Filters(speaker="Theo")])
@pytest.mark.parametrize("name", ["sgmem:R", "sgmem:T", "sgmem:S"])
def test_a_chunk_has_the_id_of_its_unit(prepared_store: Path, name: str, filters: Filters) -> None:
    memory = Memory(prepared_store)
    hits = memory.search("What do we eat?", strategy=name, filters=filters)
    with memory.store.reading() as db:
        for hit in hits:
            (found,) = db.execute("select kind from unit where id = ?", [hit.unit.id]).fetchall()
            assert found == (hit.unit.kind.value,)
            assert set(hit.unit.sources) <= set(naming.turns(db, hit.unit.id))
            former = f"{hit.unit.kind}:{hit.unit.sources[0]}"  # as it was printed once
            assert hit.unit.kind is Kind.SESSION or naming.turns(db, former) == naming.turns(db, hit.unit.id)


#: The last schema before kinds got tags of their own.
_BEFORE = [name for name, _ in MIGRATIONS].index("tags")


@pytest.mark.parametrize("schema", [3, _BEFORE])
def test_ids_that_were_written_down_keep_their_meaning(cli: Cli, tmp_path: Path, schema: int) -> None:
    path = tmp_path / "old.memcli"
    path.write_bytes(gzip.decompress(file(schema).read_bytes()))
    path.chmod(0o600)
    with duckdb.connect(str(path), read_only=True) as db:
        before = db.execute(
            "select kind, text, id from unit where text is not null and kind <> 'sentence' order by seq"
        ).fetchall()
        sessions = [id_ for (id_,) in db.execute("select id from session").fetchall()]
    kinds = {Kind(kind) for kind, _, id_ in before if FORMERLY.get(Kind(kind)) == id_[0]}
    assert kinds == set(FORMERLY)
    for kind in kinds:
        text, id_ = next((text, id_) for each, text, id_ in before if each == kind)
        found = cli("inspect-graph", "--node", id_, "--hops", "0", "--json", "--store", path).json
        assert isinstance(found, dict)
        (node,) = found["nodes"]
        assert (node["kind"], node["id"]) == (kind.value, f"{TAGS[kind]}:{id_[2:]}")
        assert text[:40] in node["text"]
    with Memory(path).store.reading() as db:
        after = db.execute(
            "select kind, text, id from unit where text is not null and kind <> 'sentence' order by seq"
        ).fetchall()
        assert [id_ for (id_,) in db.execute("select id from session").fetchall()] == sessions
    assert [(kind, text, id_[2:]) for kind, text, id_ in before] == [(kind, text, id_[2:]) for kind, text, id_ in after]


class Mine(FakeEmbedder):
    """An embedder of a program."""

    id = "mine-1"


def test_a_store_of_an_own_embedder_is_sound_and_opens_with_it(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "mine.memcli"
    Memory(path, embedder=Mine()).add([Message("The kettle is on the stove.", "Ana")])
    assert cli("doctor", "--store", path).code == 0
    assert [hit.unit.text for hit in Memory(path, embedder=Mine()).search("kettle")] == ["The kettle is on the stove."]
    Memory(path, embedder=Mine()).add([Message("The cup is in the sink.", "Ana")])
    refused = cli("search", "kettle", "--store", path)
    assert refused.code == 2
    assert "mine-1" in refused.err
    assert len(refused.err.strip().splitlines()) <= 2
    assert cli("search", "kettle", "--store", path, "--embedder", "fake").code in (2, 5)
    with pytest.raises(UsageError, match="mine-1"):
        Memory(path).add([Message("More.", "Ana")])


def test_a_store_that_called_an_own_embedder_by_its_id_is_mended(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "mine.memcli"
    Memory(path, embedder=Mine()).add([Message("The kettle is on the stove.", "Ana")])
    with duckdb.connect(str(path)) as db:
        db.execute("update meta set value = 'mine-1' where key = 'embedder.name'")
    assert cli("doctor", "--store", path).code != 0
    Memory(path, embedder=Mine()).add([Message("The cup is in the sink.", "Ana")])
    assert cli("doctor", "--store", path).code == 0


@pytest.mark.parametrize("name", ["fake", "memcli", "minilm"])
def test_an_embedder_that_a_name_makes_is_called_by_it(name: str) -> None:
    model = embedder(name)
    assert name_of(model) == name
    assert embedder_id(name) == model.id
    assert is_known(name_of(model))
