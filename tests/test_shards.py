"""A memory of many shards gives what a memory of one shard gives, and takes no harm where it is interrupted."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from memcli.errors import StoreBusy, StoreDamaged, StoreMissing, StoreTooNew, UsageError
from memcli.formats import Message
from memcli.indexing.splitting import split
from memcli.memory import Memory
from memcli.model import Hit
from memcli.store.connection import Store
from memcli.store.folder import Folder
from memcli.store.manifest import MANIFEST, Manifest, begun
from memcli.store.rows import scalar

from .conftest import SAMPLE, Ran
from .test_federation import QUESTIONS

Cli = Callable[..., Ran]


@pytest.fixture(scope="module")
def chats(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample's conversations, cut into many: 240 messages."""
    path = tmp_path_factory.mktemp("chats") / "chats.jsonl"
    lines = [json.loads(line) for line in (SAMPLE / "chats.jsonl").read_text(encoding="utf-8").splitlines()[:240]]
    for number, line in enumerate(lines):
        line["conversation"] = f"{line['conversation']} {number // 12}"
    assert len({line["conversation"] for line in lines}) >= 16
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def one(chats: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All of it in one shard; not to be written to."""
    return filled(chats, tmp_path_factory.mktemp("one"), 1)


@pytest.fixture(scope="module")
def five(chats: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All of it in five shards; not to be written to."""
    return filled(chats, tmp_path_factory.mktemp("five"), 5)


def filled(chats: Path, folder: Path, shards: int) -> Path:
    path = folder / f"of{shards}.memcli.d"
    with Memory(path, embedder="fake", shards=shards) as memory:
        assert memory.ingest([chats]).added == 240
    return path


def copied(path: Path, folder: Path) -> Path:
    return Path(shutil.copytree(path, folder / path.name))


def told(hits: Sequence[Hit]) -> list[tuple[str, float, str, str]]:
    return [(hit.unit.id, hit.score, hit.unit.text, hit.unit.label) for hit in hits]


def found(path: Path | Sequence[Path], user: str = "") -> list[list[tuple[str, float, str, str]]]:
    with Memory(path, user=user) as memory:
        hits = [memory.search(question, k=20) for question in QUESTIONS]
        hits += [memory.search(QUESTIONS[0], k=20, strategy=strategy) for strategy in ("dense", "bm25")]
    return [told(each) for each in hits]


def turns(store: Store) -> int:
    with store.reading() as db:
        return int(scalar(db, "select count(*) from turn"))


def test_the_ranking_does_not_depend_on_the_number_of_shards(
    one: Path, five: Path, chats: Path, tmp_path: Path
) -> None:
    expected = found(one)
    assert all(len(hits) == 20 for hits in expected[:2])
    assert found(five) == expected
    for shards in (2, 16):
        path = filled(chats, tmp_path, shards)
        assert found(path) == expected
        sizes = [turns(part) for part in Folder(path).parts]
        assert len(sizes) == shards
        assert sum(sizes) == 240
        assert len([size for size in sizes if size]) > shards / 2


def test_the_answers_do_not_either(one: Path, five: Path) -> None:
    for question in QUESTIONS[:3]:
        first, second = (Memory(path).ask(question) for path in (one, five))
        assert first.answer == second.answer
        assert told(first.hits) == told(second.hits)


def test_each_shard_is_a_store(five: Path) -> None:
    parts = Folder(five).parts
    assert {part.path.name for part in parts if part.path} == {
        "shard-000.memcli", "shard-001.memcli", "shard-01.memcli", "shard-10.memcli", "shard-11.memcli",
    }  # fmt: skip
    hits = [hit for part in parts for hit in Memory(part.path).search("garden")]
    assert hits
    assert not [finding for part in parts for finding in Memory(part.path).care.examine().left]


def test_a_sentence_is_joined_to_others_of_its_conversation_alone(five: Path) -> None:
    ends = """select {} from edge e join unit a on a.seq = e.src join unit b on b.seq = e.dst
        join session s on s.seq = a.session join session t on t.seq = b.session where e.relation = 'similar'"""
    with Folder(five).reading() as db:
        assert scalar(db, ends.format("count(*)")) > 100
        assert scalar(db, ends.format("count(*) filter (s.conversation <> t.conversation)")) == 0
        assert scalar(db, ends.format("count(*) filter (s.id <> t.id)")) >= 5


def test_a_shard_that_grows_is_split(one: Path, five: Path, chats: Path, tmp_path: Path) -> None:
    path = copied(one, tmp_path)
    folder = Folder(path)
    split(folder, "")
    split(folder, "1")
    assert folder.manifest.shards == ["0", "10", "11"]
    sizes = [turns(part) for part in folder.parts]
    assert sum(sizes) == 240
    assert min(sizes) > 0
    assert found(path) == found(one)
    with Memory(path) as memory:
        assert memory.care.examine().left == []
        assert memory.ingest([chats]).added == 0
        assert memory.care.statistics().tables["tombstone"] == 0
    assert not (path / "shard.memcli").exists()


def test_an_ingest_splits_what_is_too_large(chats: Path, one: Path, tmp_path: Path) -> None:
    path = tmp_path / "grown.memcli.d"
    with Memory(path, embedder="fake", split_at=800_000) as memory:
        memory.ingest([chats])
        assert len(memory.store.parts) > 1
    assert Folder(path).manifest.split_at == 800_000
    assert found(path) == found(one)


def test_a_split_that_is_interrupted_leaves_the_memory_as_it_was(
    one: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = copied(one, tmp_path)

    def killed(_manifest: Manifest, _folder: Path) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Manifest, "write", killed)
        with pytest.raises(KeyboardInterrupt):
            split(Folder(path), "")
    with Memory(path) as memory:
        (finding,) = memory.care.examine().left
        assert finding.what == "what an interrupted split left"
        assert memory.care.examine(repair=True).left == []
    assert sorted(file.name for file in path.glob("shard*")) == ["shard.memcli"]
    split(Folder(path), "")
    assert found(path) == found(one)


def test_nobody_splits_while_somebody_writes(one: Path, tmp_path: Path) -> None:
    path = copied(one, tmp_path)
    with Folder(path).held():
        with pytest.raises(StoreBusy):
            split(Folder(path), "")
        with Folder(path).held():
            pass
    with Folder(path).held(alone=True), pytest.raises(StoreBusy), Memory(path) as memory:
        memory.add([Message("The boat is new.")])


def test_a_memory_that_is_open_sees_a_split(one: Path, tmp_path: Path) -> None:
    path = copied(one, tmp_path)
    with Memory(path) as memory:
        before = told(memory.search("garden"))
        split(Folder(path), "")
        assert told(memory.search("garden")) == before


def test_users_have_memories_of_their_own(five: Path, tmp_path: Path) -> None:
    path = copied(five, tmp_path)
    for user, said in (("anna", "The zeppelin leaves at nine."), ("../b/é", "The zeppelin leaves at ten.")):
        with Memory(path, user=user) as memory:
            assert memory.add([Message(said, user, conversation="notes")]).added == 1
            assert [hit.unit.text for hit in memory.search("zeppelin")] == [said]
    with Memory(path) as memory:
        assert {hit.unit.label for hit in memory.search("zeppelin", k=2)} == {"anna", "../b/é"}
        assert turns(memory.store) == 242
    assert sorted(file.name for file in (path / "users").iterdir()) == ["..%2Fb%2F%C3%A9.memcli.d", "anna.memcli.d"]
    with pytest.raises(StoreMissing):
        Memory(path, user="nobody").search("zeppelin")


def test_a_user_begins_a_memory_of_all(tmp_path: Path) -> None:
    path = tmp_path / "team.memcli.d"
    with Memory(path, user="anna", embedder="fake", shards=2) as memory:
        memory.add([Message("The zeppelin leaves at nine.")])
    with Memory(path, user="ben") as memory:  # with the embedder of the others
        memory.add([Message("The zeppelin leaves at ten.")])
    assert [len(Memory(path, user=user).store.parts) for user in ("", "anna", "ben")] == [4, 2, 1]
    assert len(Memory(path).search("zeppelin")) == 2


def test_what_is_forgotten_is_forgotten_in_its_shard(five: Path, chats: Path, tmp_path: Path) -> None:
    path = copied(five, tmp_path)
    with Memory(path) as memory:
        gone = memory.search("garden", k=3)
        ids = [hit.unit.sources[0] for hit in gone]
        dry = memory.care.forget(ids, dry_run=True)
        done = memory.care.forget(ids)
        assert sorted(dry.turns) == sorted(done.turns) == sorted(ids)
        assert not {*ids} & {hit.unit.id for hit in memory.search("garden", k=50)}
        assert memory.ingest([chats]).forgotten == 3
        assert memory.ingest([chats], allow_again=True).added == 3
        assert memory.care.examine().left == []


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", StoreDamaged),
        ("[]", StoreDamaged),
        ('{"memcli": "shards", "version": 2}', StoreTooNew),
        ('{"memcli": "shards", "version": 1, "split_at": 1, "shards": ["0"]}', StoreDamaged),
        ('{"memcli": "shards", "version": 1, "split_at": 1, "shards": ["0", "1", "11"]}', StoreDamaged),
        ('{"memcli": "shards", "version": 1, "split_at": 1, "shards": ["../x"]}', StoreDamaged),
        ('{"memcli": "shards", "version": 1, "split_at": "", "shards": [""]}', StoreDamaged),
        ('{"memcli": "shards", "version": 1, "split_at": 1, "shards": ["0", "1"]}', StoreDamaged),  # not there
    ],
)
def test_a_manifest_is_not_trusted(one: Path, tmp_path: Path, text: str, error: type[Exception]) -> None:
    path = copied(one, tmp_path)
    (path / MANIFEST).write_text(text)
    with pytest.raises(error):
        Memory(path).search("garden")


def test_a_link_is_no_shard(one: Path, tmp_path: Path) -> None:
    path = copied(one, tmp_path)
    (path / "shard.memcli").rename(tmp_path / "elsewhere.memcli")
    (path / "shard.memcli").symlink_to(tmp_path / "elsewhere.memcli")
    with pytest.raises(StoreDamaged, match="is no file"):
        Memory(path).search("garden")


def test_prefixes_are_whole_and_stable() -> None:
    assert begun(5).shards == ["000", "001", "01", "10", "11"]
    assert [begun(16).shard_of(name) for name in ("nora-theo", "é", "")] == ["1110", "1001", "0001"]
    names = [f"conversation {number}" for number in range(1000)]
    before, after = begun(5), begun(5).divided("01")
    moved = {before.shard_of(name) for name in names if before.shard_of(name) != after.shard_of(name)}
    assert moved == {"01"}
    for count in (0, 1025):
        with pytest.raises(UsageError):
            begun(count)


def test_commands_take_a_folder(chats: Path, tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "team.memcli.d"
    store = ("--store", path)
    assert cli("search", "garden", *store).code == 3
    done = cli("ingest", chats, *store, "--embedder", "fake", "--shards", "3", "--json")
    assert (done.code, done.json["added"]) == (0, 240)
    assert cli("ingest", chats, *store, "--shards", "4").code == 2
    assert cli("ingest", chats, "--store", tmp_path / "a.memcli", "--shards", "4").code == 2
    assert cli("search", "garden", "--store", tmp_path / "a.memcli", "--memory", "anna").code == 2
    hit = cli("search", "garden", *store, "-k", "1", "--json").json["hits"][0]
    assert cli("ask", "Where is the spare key?", *store, "--json").json["id"] is None
    assert cli("show", hit["id"], *store, "--json").json["shown"][0]["id"] == hit["id"]
    stats = cli("stats", *store, "--json").json
    assert (stats["turns"], stats["shards"], stats["store"]) == (240, 3, str(path))
    assert cli("doctor", *store, "--json").json["sound"] is True
    exported = cli("export", *store).out.splitlines()
    assert len(exported) == 240
    assert cli("forget", hit["id"], *store, "--yes", "--json").json["turns"] == [hit["id"]]
    assert cli("compact", *store, "--json").code == 0
    assert len(cli("export", *store).out.splitlines()) == 239
    assert cli("add", "The zeppelin leaves at nine.", *store).code == 0
    assert cli("search", "zeppelin", *store, "-k", "1", "--json").json["hits"][0]["text"].startswith("The zeppelin")
