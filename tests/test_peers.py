"""The comparison with other tools: the driver, with peers made here."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import peers
import pytest
from peers import Peer

from memcli.evaluation.datasets import haystacks
from memcli.evaluation.questions import Haystack

#: Ranks turns by how many of the question's words they have.
OVERLAP = """
import json, pathlib, sys
_, name, task, *folders = sys.argv
for folder in map(pathlib.Path, folders):
    if task == "ingest":
        (folder / "store").mkdir()
        (folder / "store" / "turns.json").write_text((folder / "turns.json").read_text())
        continue
    turns = json.loads((folder / "store" / "turns.json").read_text())
    found = []
    for question in json.loads((folder / "questions.json").read_text()):
        words = set(question.lower().split())
        order = sorted(turns, key=lambda turn: -len(words & set(turn["text"].lower().split())))
        found.append([turn["id"] for turn in order][:20])
    (folder / "found.json").write_text(json.dumps(found))
"""
#: Finds the same for every question, whatever was asked.
FIXED = """
import json, pathlib, sys
for folder in map(pathlib.Path, sys.argv[3:]):
    (folder / "store").mkdir(exist_ok=True)
    questions = json.loads((folder / "questions.json").read_text())
    (folder / "found.json").write_text(json.dumps([{found} for _ in questions]))
"""
#: Words on standard error, then an end that tells of a failure.
BROKEN = "import sys; print('a line before', file=sys.stderr); sys.exit('no weights here')"


@pytest.fixture
def known(tmp_path: Path) -> list[Haystack]:
    """Thirty turns of two, of which the first of each question's words stands alone."""
    said = [f"we talked about nothing number {number}" for number in range(28)]
    turns = [
        {"speaker": "Ada" if number % 2 else "Bo", "dia_id": f"D1:{number}", "text": text}
        for number, text in enumerate([*said, "the red kite flew", "a blue boat sank"], start=1)
    ]
    asked = [
        {"question": "which kite flew", "answer": "red", "category": 1, "evidence": ["D1:29"]},
        {"question": "which boat sank", "answer": "blue", "category": 1, "evidence": ["D1:30", "D1:28"]},
        {"question": "without evidence", "answer": "none", "category": 1, "evidence": []},
    ]
    conversation = {"speaker_a": "Ada", "speaker_b": "Bo", "session_1": turns}
    item = {
        "sample_id": "c1",
        "qa": asked,
        "conversation": conversation | {"session_1_date_time": "1:56 pm on 8 May, 2023"},
    }
    path = tmp_path / "c.json"
    path.write_text(json.dumps([item]))
    return list(haystacks(path))


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Peers run in this environment: what is tested needs no other."""
    monkeypatch.setattr(peers, "environment", lambda _peer, _cache: Path(sys.executable))
    monkeypatch.setattr(peers, "bytes_in", lambda _folder: 3_000_000)


def _peer(folder: Path, name: str, text: str) -> Peer:
    script = folder / f"{name}.py"
    script.write_text(text)
    return Peer(name, script=script)


@pytest.mark.usefixtures("here")
def test_a_peer_is_scored_and_one_that_fails_stops_nobody(tmp_path: Path, known: list[Haystack]) -> None:
    chosen = [_peer(tmp_path, "broken", BROKEN), _peer(tmp_path, "overlap", OVERLAP)]
    found = dict(peers.tables(chosen, known, tmp_path))
    assert found["broken"] == {"failed": "no weights here"}
    figures = found["overlap"]
    # The first question has its one turn; of the two of the second, one shares a word, the other is 29th.
    assert [figures[f"recall@{k}"] for k in (5, 10, 20)] == [0.75, 0.75, 0.75]
    assert (figures["questions"], figures["installed_mb"], figures["stored_bytes_a_turn"]) == (2, 3, 100_000)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("found", "reason"),
    [([], "found nothing for any of the 2 questions of c1"), (["t:0"], "found what is no turn of c1: t:0")],
)
def test_a_peer_without_a_result_has_failed_and_not_a_recall_of_nought(
    tmp_path: Path, known: list[Haystack], found: list[str], reason: str
) -> None:
    chosen = [_peer(tmp_path, "fixed", FIXED.replace("{found}", json.dumps(found)))]
    assert dict(peers.tables(chosen, known, tmp_path)) == {"fixed": {"failed": reason}}


def test_only_the_first_conversations_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"session_1": [{"speaker": "Ada", "dia_id": "D1:1", "text": "Hello."}]}
    data = tmp_path / "three.json"
    data.write_text(json.dumps([{"sample_id": f"c{n}", "qa": [], "conversation": said} for n in range(3)]))
    results = tmp_path / "peers.json"
    monkeypatch.setattr(peers, "RESULTS", results)
    monkeypatch.setattr(peers, "tables", lambda _peers, known, _cache: iter([(h.name, {}) for h in known]))
    arguments = ["peers.py", "--data", str(data), "--cache", str(tmp_path), "--conversations", "2"]
    monkeypatch.setattr(sys, "argv", arguments)
    peers.main()
    assert set(json.loads(results.read_text())) == {"c0", "c1"}


def test_ratios_are_to_the_first_peer() -> None:
    reference = dict.fromkeys(peers.RATIOS, 2.0)
    compared = peers.compared(dict.fromkeys(peers.RATIOS, 5.0), reference)
    assert {compared[f"{name}_ratio"] for name in peers.RATIOS} == {2.5}


def test_only_some_are_measured_and_the_others_figures_stay(
    tmp_path: Path, known: list[Haystack], monkeypatch: pytest.MonkeyPatch
) -> None:
    results = tmp_path / "peers.json"
    results.write_text(json.dumps({"txtai": {"recall@5": 0.5}, "bm25s": {"recall@5": 0.1}}))
    monkeypatch.setattr(peers, "RESULTS", results)
    monkeypatch.setattr(peers, "tables", lambda chosen, *_: ((peer.name, {"recall@5": 0.7}) for peer in chosen))
    arguments = ["peers.py", "--data", str(tmp_path / "c.json"), "--cache", str(tmp_path), "--only", "bm25s"]
    monkeypatch.setattr(sys, "argv", arguments)
    peers.main()
    assert {name: each["recall@5"] for name, each in json.loads(results.read_text()).items()} == {
        "txtai": 0.5,
        "bm25s": 0.7,
        "memcli-fused": 0.7,
    }


def test_an_environment_is_made_once(tmp_path: Path) -> None:
    python = peers.environment(Peer("empty"), tmp_path)
    made = python.stat().st_ctime_ns
    assert peers.environment(Peer("empty"), tmp_path) == python
    assert python.stat().st_ctime_ns == made


def test_what_cannot_be_installed_says_so(tmp_path: Path) -> None:
    with pytest.raises(peers.PeerFailed, match="nowhere"):
        peers.environment(
            Peer("missing", (f"nowhere @ {(tmp_path / 'nowhere-1-py3-none-any.whl').as_uri()}",)), tmp_path
        )
