"""A memory of 10,000, 100,000 and 1,000,000 sentences: `python benchmarks/million.py FILE [--sentences N …]`.

FILE is a benchmark in LoCoMo's schema. Its conversations, with their questions, are the needles; around them lies a
chat of distinct sentences that are made of theirs by exchanging words. A needle's vector is the encoder's; a made
sentence's is that of the one it was made of, mixed with another's: as near to others as sentences are, and made in an
instant (`--encode`: the encoder's, which takes an hour for a million). What was made is kept in `--folder`: a run that
was interrupted goes on, and one that is repeated measures again. Each measurement is a process of its own. Writes
benchmarks/results/million.json.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from hashlib import blake2b
from itertools import count, islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from memcli.evaluation.datasets import haystacks
from memcli.evaluation.questions import GoldQuestion
from memcli.formats import Message
from memcli.memory import Memory
from memcli.providers.embedding import Embedder
from memcli.providers.encoder import Encoder
from memcli.store.cosine import unit_rows
from memcli.text import sentences

RESULTS = Path(__file__).parent / "results" / "million.json"
SIZES = (10_000, 100_000, 1_000_000)
SESSION = 20  # turns
QUESTIONS = 60
PEOPLE = ("Ines", "Jonas", "Kim", "Lea", "Milo", "Noor", "Oskar", "Pia")

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Needles:
    """What FILE says, and what it asks."""

    data: Path

    @cached_property
    def messages(self) -> list[list[Message]]:
        """Each conversation's."""
        return [list(haystack.messages) for haystack in haystacks(self.data)]

    @cached_property
    def questions(self) -> list[GoldQuestion]:
        """Those that have evidence, evenly many of each conversation: at most `QUESTIONS`."""
        asked = [question for haystack in haystacks(self.data) for question in haystack.questions if question.evidence]
        return asked[:: -(-len(asked) // QUESTIONS)]

    @cached_property
    def said(self) -> list[str]:
        """The distinct sentences."""
        texts = (message.text for conversation in self.messages for message in conversation)
        return list(dict.fromkeys(sentence for text in texts for sentence in sentences(text)))


class Mixing:
    """An encoder, but for what was made: that has the vectors of two needles, mixed."""

    def __init__(self, needles: Needles, cache: Path, encoder: Embedder) -> None:
        self.id, self.dimension = encoder.id, encoder.dimension
        self._encoder = encoder
        self._place = {sentence: place for place, sentence in enumerate(needles.said)}
        self._rows = self._cached(needles, cache)

    def _cached(self, needles: Needles, cache: Path) -> Floats:
        if not cache.exists():
            np.save(cache, self._encoder.embed_passages(needles.said).astype(np.float16))
        rows: Floats = np.load(cache).astype(np.float32)
        return rows

    def embed_questions(self, texts: Sequence[str]) -> Floats:
        """The encoder's."""
        return self._encoder.embed_questions(texts)

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        """Of a needle the encoder's vector; else two of the needles' vectors by the text's hash, and noise."""
        return unit_rows(np.array([self._row(text) for text in texts], np.float32).reshape(len(texts), self.dimension))

    def _row(self, text: str) -> Floats:
        place = self._place.get(text)
        if place is not None:
            needle: Floats = self._rows[place]
            return needle
        rng = np.random.default_rng(int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little"))
        one, two = self._rows[rng.integers(len(self._rows), size=2)]
        noise = rng.standard_normal(self.dimension).astype(np.float32) / np.float32(self.dimension**0.5)
        mixed: Floats = one + np.float32(0.6) * two + np.float32(0.5) * noise
        return mixed


def made(needles: Needles, seed: int = 0) -> Iterator[Message]:
    """Chat without an end: sentences of the needles with a third of their words exchanged, by their frequency."""
    rng = random.Random(seed)
    long = [sentence.split() for sentence in needles.said if len(sentence.split()) > 3]
    words = [word for sentence in long for word in sentence]
    start = datetime(2015, 1, 1, 9, tzinfo=UTC)
    for number in count():
        session = number // SESSION
        texts = [_exchanged(rng.choice(long), words, rng) for _ in range(rng.choice((1, 2, 3, 4, 5)))]
        pair = random.Random(session // 40).sample(PEOPLE, 2)
        yield Message(
            " ".join(texts),
            pair[number % 2],
            said_at=start + timedelta(hours=3 * session, minutes=number % SESSION),
            session=f"{seed}-{session}",
            conversation=f"archive {seed}-{session // 40}",
            id=f"{seed}-{number}",
        )


def _exchanged(sentence: Sequence[str], words: Sequence[str], rng: random.Random) -> str:
    changed = list(sentence)
    for _ in range(max(1, len(changed) // 3)):
        changed[rng.randrange(len(changed))] = rng.choice(words)
    return " ".join(changed).strip().rstrip(".!?,") + "."


def archive(needles: Needles, size: int) -> Iterator[Message]:
    """So many sentences, about: the needles' conversations, evenly among what is made around them."""
    hidden = iter(needles.messages)
    left = max(size - len(needles.said), 0)
    every, so_far, due = left / (len(needles.messages) + 1), 0, 1
    last: str | None = None
    for message in made(needles):
        if so_far >= left:
            break
        if so_far >= due * every and message.session != last:
            yield from next(hidden, ())
            due += 1
        last = message.session
        so_far += len(sentences(message.text))
        yield message
    for conversation in hidden:
        yield from conversation


# -- the store, made in steps that a run can go on from ----------------------------------------------------------------


def filled(needles: Needles, size: int, folder: Path, model: Embedder) -> dict[str, float]:
    """Makes the store of so many sentences where it is not there; what that took."""
    path, noted = folder / f"{size}.memcli", folder / f"{size}.json"
    if noted.exists():
        return dict(json.loads(noted.read_text()))
    cpu, start = time.process_time(), time.perf_counter()
    with Memory(path, embedder=model) as memory:
        memory.add(archive(needles, size))
        with memory.store.reading() as db:
            (stored,) = db.execute("select count(*) from unit where kind = 'sentence'").fetchall()[0]
    took = {
        "sentences": stored,
        "ingest, processor seconds": round(time.process_time() - cpu, 1),
        "ingest, seconds": round(time.perf_counter() - start, 1),
        "bytes a sentence": round(path.stat().st_size / stored),
    }
    noted.write_text(json.dumps(took))
    return took


# -- what is measured, each in a process of its own --------------------------------------------------------------------


def cold(question: str, path: Path, command: str = "search") -> dict[str, float]:
    """One command of the command line: processor seconds, seconds, megabytes at the most; the median of three."""
    runs = [_run([sys.executable, "-m", "memcli", command, question, "--store", str(path), "--json"]) for _ in range(3)]
    return {name: round(statistics.median(run[name] for run in runs), 3) for name in runs[0]}


#: A child's peak memory counts its parent's at the moment of the fork: so a small process runs the command.
_LAUNCHER = """
import json, resource, subprocess, sys, time
start = time.perf_counter()
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"code": code, "processor seconds": used.ru_utime + used.ru_stime,
                  "seconds": time.perf_counter() - start, "megabytes": used.ru_maxrss / 1024}))
"""


def _run(command: Sequence[str]) -> dict[str, float]:
    done = subprocess.run([sys.executable, "-c", _LAUNCHER, *command], capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    if found.pop("code") not in (0, 1):
        raise SystemExit(f"{' '.join(command)} failed")
    return found


def warm(needles: Needles, path: Path, model: Embedder) -> dict[str, float]:
    """A memory that is kept open: processor milliseconds for a search, and the needles' recall@10."""
    with Memory(path, embedder=model) as memory:
        times, recall = [], []
        for question in needles.questions:
            start = time.process_time()
            hits = memory.search(question.text, k=10, at=question.asked_at)
            times.append(time.process_time() - start)
            found = {hit.unit.id for hit in hits}
            recall.append(len(found & question.evidence) / len(question.evidence))
    times.sort()
    return {
        "search, median processor ms": round(1000 * statistics.median(times)),
        "search, p95 processor ms": round(1000 * times[int(0.95 * len(times))]),
        "recall@10": round(statistics.mean(recall), 4),
        "megabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def changed(needles: Needles, path: Path, model: Embedder) -> dict[str, float]:
    """On a copy: one session more, and less; counting what there is, and looking it through. Processor seconds."""
    copy = path.with_name(f"copy-{path.name}")
    shutil.copy(path, copy)
    took = {}
    try:
        with Memory(copy, embedder=model) as memory:
            took["add a session"] = _timed(lambda: memory.add(islice(made(needles, seed=7), SESSION)))
        with Memory(copy, embedder=model) as memory:
            session = [turn.id for turn, _ in memory.turns(_of_session(memory)).values()]
            took["forget a session"] = _timed(lambda: memory.care.forget(session))
        with Memory(copy, embedder=model) as memory:
            took["stats"] = _timed(memory.care.statistics)
        with Memory(copy, embedder=model) as memory:
            took["doctor"] = _timed(memory.care.examine)
    finally:
        copy.unlink()
    return took


def _of_session(memory: Memory) -> list[Any]:
    with memory.store.reading() as db:
        return [i for (i,) in db.execute("select id from turn where session = 5").fetchall()]


def _timed(do: Callable[[], object]) -> float:
    start = time.process_time()
    do()
    return round(time.process_time() - start, 2)


def measured(needles: Needles, size: int, folder: Path, model: Embedder) -> dict[str, object]:
    """All that is measured of one size."""
    path = folder / f"{size}.memcli"
    took = filled(needles, size, folder, model)
    question = needles.questions[0].text
    found: dict[str, object] = {**took}
    for command in ("search", "ask"):
        found[f"cold {command}"] = cold(question, path, command)
    found["warm"] = _apart("warm", needles.data, path)
    found["changed, processor seconds"] = _apart("changed", needles.data, path)
    return found


def _apart(what: str, data: Path, path: Path) -> dict[str, float]:
    named = ["--folder", str(path.parent), "--store", str(path)]
    command = [sys.executable, __file__, str(data), "--measure", what, *named]
    found: dict[str, float] = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
    return found


def main() -> None:
    """Prints and writes the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--sentences", type=int, nargs="+", default=SIZES)
    parser.add_argument("--folder", type=Path, required=True, help="where stores and vectors are kept")
    parser.add_argument("--encode", action="store_true", help="embed what is made with the encoder")
    parser.add_argument("--fill", action="store_true", help="make the stores, and measure nothing")
    parser.add_argument("--measure", choices=("warm", "changed"), help=argparse.SUPPRESS)
    parser.add_argument("--store", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    needles = Needles(given.data)
    encoder = Encoder(bulk=not given.measure)
    model = encoder if given.encode else Mixing(needles, given.folder / "needles.npy", encoder)
    if given.measure == "warm":  # as whoever asks has it: the encoder alone is known to be quick
        model = encoder
    if given.measure:
        print(json.dumps({"warm": warm, "changed": changed}[given.measure](needles, given.store, model)))
        return
    for size in given.sentences:
        figures = (filled if given.fill else measured)(needles, size, given.folder, model)
        print(json.dumps({size: figures}, indent=1), flush=True)
        if not given.fill:
            known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
            RESULTS.write_text(json.dumps(known | {str(size): figures}, indent=1) + "\n")


if __name__ == "__main__":
    main()
