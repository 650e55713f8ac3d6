"""Thresholds that hold for one embedder alone: MiniLM's are known, another's are found from the store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from memcli import Memory, Message
from memcli.indexing.calibration import is_calibrated, profile
from memcli.providers.embedding import DEFAULT
from memcli.providers.fakes import FakeEmbedder
from memcli.providers.profiles import ENCODER, LEVELS, MINILM, calibrated, profile_of
from memcli.providers.vectors import Vectors, unit_rows
from memcli.store import calibration

from .conftest import SAMPLE, Ran

THINGS = "kite boat lamp chair stove river garden violin ladder candle basket mirror wagon tower bridge".split()
DONE = "painted sold borrowed mended cleaned washed hid drew lost found weighed bought carried admired dropped".split()


class _Narrow(FakeEmbedder):
    """All vectors lie close to one direction: texts that have nothing to do with one another are very similar."""

    id = "narrow"

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        rows = super().embed_passages(texts)
        rows[:, 0] += 3.0
        return unit_rows(rows)


def _messages(count: int) -> list[Message]:
    """As many distinct sentences in sessions of 40."""
    said = [f"I {verb} the {one} beside the {other}." for verb in DONE for one in THINGS for other in THINGS]
    return [Message(text, "Ada", session=f"s{i // 40}") for i, text in enumerate(said[:count])]


def _profile(memory: Memory) -> dict[str, float]:
    with memory.store.reading() as db:
        return asdict(profile(db))


def test_minilms_own_cosines_give_minilms_thresholds() -> None:
    """Those that lie within the quantiles: where fewer pairs are above, a sample cannot tell."""
    drawn = np.interp(np.linspace(0, 1, 100_001), [0, *LEVELS, 1], [-0.06, *_minilm(), 1.0])
    found = asdict(calibrated(drawn))
    assert found == pytest.approx(asdict(MINILM), abs=2e-3)


def _minilm() -> tuple[float, ...]:
    from memcli.providers import profiles

    return profiles._MINILM


def test_a_threshold_stands_at_the_rank_that_it_has_with_minilm() -> None:
    strangers = np.random.default_rng(1).normal(0.75, 0.03, 20_000)
    found = calibrated(strangers)
    for name, rank in (("neighbour", 0.925), ("topic", 0.984)):
        assert float(np.mean(strangers < getattr(found, name))) == pytest.approx(rank, abs=5e-3)
    order = sorted(asdict(MINILM), key=lambda name: getattr(MINILM, name))
    values = [getattr(found, name) for name in order if name != "margin"]
    assert values == sorted(values)
    assert 0.75 < values[0] < values[-1] < 1
    assert 0 < found.margin < MINILM.margin


def test_an_embedder_is_calibrated_once_there_is_enough(tmp_path: Path) -> None:
    with Memory(tmp_path / "a.memcli", embedder=_Narrow()) as memory:
        memory.add(_messages(200))
        assert not memory.care.is_calibrated()
        assert _profile(memory) == asdict(ENCODER)
        memory.add(_messages(1200))
        memory.prepare(["emem"])
        assert memory.care.is_calibrated()
        found = _profile(memory)
        with memory.store.reading() as db:
            strangers = calibration.strangers(db, 64)
        assert strangers is not None
        assert len(strangers) == calibration.PAIRS
        assert found["neighbour"] > np.median(strangers) > MINILM.neighbour
        memory.add([Message("And so I did.", "Ada")])
        assert _profile(memory) == found


def test_the_same_store_gives_the_same_thresholds(tmp_path: Path) -> None:
    found = []
    for name in ("a", "b"):
        with Memory(tmp_path / f"{name}.memcli", embedder=_Narrow()) as memory:
            memory.add(_messages(600))
            memory.add([])
            found.append(_profile(memory))
    assert found[0] == found[1] != asdict(ENCODER)


def test_another_embedder_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.memcli"
    with Memory(path, embedder=_Narrow()) as memory:
        memory.add(_messages(600))
        memory.add([])
        assert _profile(memory) != asdict(ENCODER)
    with Memory(path, embedder=DEFAULT) as memory:
        memory.ingest([SAMPLE / "chats.jsonl"], re_embed=True)
        assert _profile(memory) == asdict(ENCODER)
        assert is_calibrated(memory.store)


def test_one_session_tells_nothing(tmp_path: Path) -> None:
    with Memory(tmp_path / "a.memcli", embedder=_Narrow()) as memory:
        memory.add(Message(each.text, "Ada", session="one") for each in _messages(600))
        memory.add([])
        assert not memory.care.is_calibrated()


def test_people_are_told(cli: Callable[..., Ran], tmp_path: Path, sample_store: Path) -> None:
    path = tmp_path / "a.memcli"
    with Memory(path, embedder="fake") as memory:
        memory.add(_messages(50))
    for command in ("stats", "doctor"):
        assert "not calibrated for this embedder" in cli(command, "--store", path).out
        assert "calibrated" not in cli(command, "--store", sample_store).out
    assert cli("stats", "--store", path, "--json").json["calibrated"] is False
    assert cli("stats", "--store", sample_store, "--json").json["calibrated"] is True


def test_what_is_kept_of_another_version_does_no_harm() -> None:
    assert profile_of("mine", {"topic": 0.5, "magic": 1.0}).topic == 0.5
    assert profile_of("mine", None) == ENCODER
    assert profile_of("minilm-l6-v2-int8", {"topic": 0.5}) == MINILM


@pytest.mark.parametrize(
    "value",
    ["", "no JSON", "[" * 100_000, "[0.5]", '{"topic": "high"}', '{"topic": NaN}', '{"topic": 1e9}', '{"topic": null}'],
)
def test_what_a_strange_store_keeps_is_not_trusted(tmp_path: Path, value: str) -> None:
    path = tmp_path / "a.memcli"
    with Memory(path, embedder="fake") as memory:
        memory.add(_messages(50))
        with memory.store.writing() as db:
            db.execute("insert into meta values ('embedder.thresholds', ?)", [value])
        assert _profile(memory) == asdict(ENCODER)
        assert not memory.care.is_calibrated()
        memory.add([Message("And so I did.", "Ada")])
        memory.prepare(["emem"])
        assert memory.search("did", strategy="emem-g")
