"""Stores that move to another embedder: everything that was made is made again, also where that was interrupted."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from memcli import Memory, Message
from memcli.errors import ModelUnavailable, StoreMissing
from memcli.memory import encoders
from memcli.providers import embedding
from memcli.providers.encoder import Encoder
from memcli.providers.fakes import FakeEmbedder
from memcli.providers.vectors import Vectors
from memcli.store import ledger
from memcli.store.identity import Identity, identity, set_identity

from .conftest import Ran, made_once
from .killing import content

Cli = Callable[..., Ran]
PREPARED = ("emem-g", "memgas")


class Other(FakeEmbedder):
    """Another embedder, with vectors of another length."""

    id = "other"
    dimension = 32


class Tiring(Other):
    """Fails after so many texts, as one does whose process is killed."""

    def __init__(self, texts: int) -> None:
        super().__init__()
        self._left = texts

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self._left -= len(texts)
        if self._left < 0:
            raise ModelUnavailable("tired")
        return super().embed_passages(texts)


def _messages() -> list[Message]:
    things = ("boat", "cat", "garden", "violin", "kettle", "ladder")
    return [Message(f"I bought a {what} in Porto last week.", "Ada", session=what) for what in things]


def _filled(path: Path, embedder: FakeEmbedder) -> Path:
    with Memory(path, embedder=embedder) as memory:
        memory.add(_messages())
        memory.prepare(PREPARED)
    return path


@pytest.fixture
def store(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = made_once(tmp_path_factory, "to-re-embed", lambda path: _filled(path, FakeEmbedder()))
    return Path(shutil.copy(made, tmp_path / "a.memcli"))


@pytest.fixture
def moved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, filled with the other embedder at once."""
    return made_once(tmp_path_factory, "re-embedded", lambda path: _filled(path, Other()))


def _embedder(path: Path) -> str:
    with Memory(path).store.reading() as db:
        found = identity(db)
    assert found is not None
    return found.id


def test_everything_moves(store: Path, moved: Path) -> None:
    with Memory(store, embedder=Other()) as memory:
        assert memory.re_embed() == []
        memory.compact()
    assert _embedder(store) == "other"
    assert content(store) == content(moved)
    with Memory(store, embedder=Other()) as memory:
        assert memory.care.examine().is_sound
        with memory.store.reading() as db:
            lengths = {n for (n,) in db.execute("select octet_length(data) from vector union all "
                                                "select octet_length(data) from memory").fetchall()}  # fmt: skip
        assert lengths == {2 * 32}  # float16


@pytest.mark.parametrize("texts", [0, 7, 20, 60])
def test_a_move_that_was_interrupted_goes_on(store: Path, moved: Path, texts: int) -> None:
    with Memory(store, embedder=Tiring(texts)) as memory, pytest.raises(ModelUnavailable, match="tired"):
        memory.re_embed()
    going_on = Other()
    with Memory(store, embedder=going_on) as memory:
        memory.re_embed()
        assert content(store) == content(moved)
        embedded = len(going_on.embedded)
        memory.re_embed()  # nothing is left
        assert len(going_on.embedded) == embedded
        assert memory.care.examine().is_sound


@pytest.mark.parametrize("strategy", ["dense", "bm25", "fused", "emem"])
def test_half_way_a_search_finds_everything(store: Path, strategy: str) -> None:
    with Memory(store, embedder=Tiring(0)) as memory, pytest.raises(ModelUnavailable, match="tired"):
        memory.re_embed()
    with Memory(store, embedder=Other()) as memory:
        (hit,) = memory.search("Where did I buy the violin?", k=1, strategy=strategy)
        assert "violin" in hit.unit.text


def test_what_a_model_did_is_named_and_stays_to_be_done(store: Path) -> None:
    with Memory(store, embedder=Other()) as memory:
        with memory.store.writing() as db:
            ledger.record_built(db, [ledger.Run(0, "memories:openai:some-model", 1, 1)])
        assert memory.re_embed() == ["openai:some-model"]
        with memory.store.reading() as db:
            assert ledger.unbuilt(db, {"memories": 1}) == []  # made without it meanwhile
            assert 0 in ledger.unbuilt(db, {"memories:openai:some-model": 1})


def test_an_open_memory_goes_on_with_the_new_embedder(store: Path) -> None:
    with Memory(store) as memory:
        assert memory.search("violin", k=1)
        memory.re_embed()
        assert _embedder(store) == Encoder.id  # the default one
        assert "violin" in memory.search("violin", k=1)[0].unit.text


def test_a_store_that_lost_its_embedder_has_one_again(store: Path) -> None:
    with Memory(store, embedder=Other()) as memory:
        with memory.store.writing() as db:
            db.execute("delete from meta where key = 'embedder.dimension'")
        memory.re_embed()
    assert _embedder(store) == "other"


def test_no_store_is_made(tmp_path: Path) -> None:
    with Memory(tmp_path / "none.memcli", embedder="fake") as memory, pytest.raises(StoreMissing):
        memory.re_embed()
    assert not (tmp_path / "none.memcli").exists()


def test_the_command(cli: Cli, store: Path) -> None:
    ran = cli("compact", "--re-embed", "--store", store)
    assert (ran.code, _embedder(store)) == (0, Encoder.id)
    assert "before" in ran.out
    assert "violin" in cli("search", "violin", "--store", store).out
    assert cli("compact", "--re-embed", "--embedder", "fake", "--store", store, "--json").code == 0
    assert _embedder(store) == "fake"


@pytest.mark.parametrize("flags", [("--re-embed", "--dry-run"), ("--embedder", "fake")])
def test_what_does_not_go_together(cli: Cli, store: Path, flags: tuple[str, ...]) -> None:
    ran = cli("compact", "--store", store, *flags)
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1)


@pytest.mark.parametrize("command", [("search", "violin"), ("ask", "Where did I buy the violin?"), ("stats",)])
def test_a_former_default_is_told_once(
    cli: Cli, store: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    before = cli(*command, "--json", "--store", store)
    assert before.err == ""
    monkeypatch.setattr(encoders, "FORMER_DEFAULTS", {"fake": "fake"})
    ran = cli(*command, "--json", "--store", store)
    assert ran.code == before.code
    assert "earlier version" not in ran.out
    assert ran.err == (
        "memcli: this store was filled with the encoder fake of an earlier version: "
        "memcli compact --re-embed moves it to the present one\n"
    )
    monkeypatch.setenv("MEMCLI_EMBEDDER", "fake")  # somebody wants it
    assert cli(*command, "--json", "--store", store).err == ""


def test_an_ingest_tells_of_a_former_default(
    cli: Cli, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoders, "FORMER_DEFAULTS", {"fake": "fake"})
    chat = tmp_path / "chat.jsonl"
    chat.write_text('{"text": "I sold the violin.", "speaker": "Ada"}\n')
    assert cli("ingest", chat, "--store", store).err.count("earlier version") == 1
    assert "earlier version" not in cli("ingest", chat, "--store", tmp_path / "new.memcli").err


def test_the_former_defaults_are_called_by_names_that_make_them() -> None:
    for id_, name in embedding.FORMER_DEFAULTS.items():
        assert name != embedding.DEFAULT
        assert embedding.embedder_id(name) == id_
        assert embedding.is_known(name)


def test_a_store_of_the_encoder_before_is_searched_and_filled_as_it_is(cli: Cli, tmp_path: Path) -> None:
    (before,) = embedding.SUCCESSORS
    path, chat = tmp_path / "old.memcli", tmp_path / "chat.jsonl"
    with Memory(path) as memory:
        memory.add(_messages())
        with memory.store.writing() as db:
            set_identity(db, Identity(embedding.DEFAULT, before, Encoder.dimension))
    ran = cli("search", "which instrument was bought?", "--store", path)
    assert (ran.code, "violin" in ran.out) == (0, True)
    assert ran.err.count(f"{before} of an earlier version: memcli compact --re-embed") == 1
    chat.write_text('{"text": "I sold the violin.", "speaker": "Ada"}\n')
    assert cli("ingest", chat, "--store", path).code == 0
    assert _embedder(path) == before
    assert cli("compact", "--re-embed", "--store", path).code == 0
    assert _embedder(path) == Encoder.id
    ran = cli("search", "who sold the violin?", "--store", path)
    assert (ran.code, ran.err, "I sold" in ran.out) == (0, "", True)
