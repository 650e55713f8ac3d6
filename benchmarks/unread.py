"""Learns when a window answers that the network for English cannot read: makes `memcli/reading/unread_weights.json`.

    python benchmarks/unread.py DIR … [--write] [--judges memcli multilingual others]   # a judge not named stays

A judge is called like its embedder; that for embedders which are not known (`others`) learns from the vectors of both
that are. Each DIR holds chats/ and questions.jsonl, as benchmarks/languages.py reads them: of tests/languages only the
languages that were looked at are taken. A window is right if it holds what the question's `evidence` matches. Chats in
other languages with questions are few: a DIR called `…_languages` has made-up ones, a file each, which are asked alone
and all in one store, and count half each. Each judge is a logistic regression;
thresholds are the lowest with which right answers exceed wrong ones by as much as they can, but for a standard error, a
wrong answer counting as one (bold), as two (usual) and as four (careful), among those that leave 70, 85 and 95 of a
hundred questions open that nothing answers, measured without the question's own fold, and on chats that were not made
to be hard.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from kinds import apart_and_together, is_in_languages
from languages import OWN, SEEN
from sklearn.linear_model import LogisticRegression

from memcli import Memory
from memcli.evaluation.questions import GoldQuestion
from memcli.formats import Message
from memcli.model import Caution, Filters
from memcli.providers.embedding import DEFAULT as DEFAULT_EMBEDDER
from memcli.providers.embedding import embedder_id
from memcli.ranking import learned
from memcli.reading import unread
from memcli.reading.judge import Judge
from memcli.reading.network import in_bulk, of_languages
from memcli.reading.passages import Passage
from memcli.reading.shortlist import to_read
from memcli.reading.stored import StoredTranscript
from memcli.strategies import DEFAULT, strategy

Floats = npt.NDArray[np.float64]
TARGET = Path(__file__).parent.parent / "memcli" / "reading" / "unread_weights.json"
DEPTH = 20
FOLDS = 10
#: The judges: two of embedders that memcli has, and one for those that are not known.
JUDGES = (DEFAULT_EMBEDDER, "multilingual", unread.OTHERS)
#: How much a question counts that is asked twice.
_OF_TWO = 0.5
#: How many right answers a wrong one outweighs.
PRICES = {Caution.CAREFUL: 4.0, Caution.USUAL: 2.0, Caution.BOLD: 1.0}
#: The share of what was never said that must be left open.
SILENT = {Caution.CAREFUL: 0.95, Caution.USUAL: 0.85, Caution.BOLD: 0.7}


@dataclass(frozen=True)
class Case:
    """A question's windows, [windows, signals], which of them answer, whether anything does, and how much it counts."""

    question: str
    rows: Floats
    right: npt.NDArray[np.bool_]
    answerable: bool
    weight: float = 1.0

    @property
    def fold(self) -> int:
        """What it is held out with: itself, in whatever store it is asked."""
        return zlib.crc32(self.question.encode()) % FOLDS


def embedders(judge: str) -> Sequence[str]:
    """Whose vectors a judge learns from."""
    return JUDGES[:2] if judge == unread.OTHERS else (judge,)


def key(judge: str) -> str:
    """What it is called in the file."""
    return unread.OTHERS if judge == unread.OTHERS else embedder_id(judge)


@lru_cache
def cases(folder: Path, embedder: str) -> Sequence[Case]:
    """Every question of a folder about what the network for English cannot read."""
    return tuple(_in_languages(folder, embedder) if is_in_languages(folder) else _of_chats(folder, embedder))


def _of_chats(folder: Path, embedder: str) -> Iterator[Case]:
    rows = [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    chats = [folder / "chats" / f"{code}.jsonl" for code in SEEN] if folder == OWN else foreign(folder)
    with tempfile.TemporaryDirectory() as place, Memory(Path(place) / "chats.memcli", embedder=embedder) as memory:
        memory.ingest(chats)
        for row in rows:
            code = row.get("chat", row.get("lang"))
            if code != "en" and (code in SEEN or folder != OWN):
                yield _case(memory, row)


def foreign(folder: Path) -> Sequence[Path]:
    """The chats of a folder that are not in English: those in folders called like a language."""
    return [each for each in sorted((folder / "chats").iterdir()) if each.is_dir() and len(each.name) == 2]


def _in_languages(folder: Path, embedder: str) -> Iterator[Case]:
    """Each question twice: of a store of its language alone, and of one of all languages."""
    for haystack in apart_and_together(folder):
        yield from _asked(haystack.messages, haystack.questions, embedder)


def _asked(messages: Iterable[Message], questions: Sequence[GoldQuestion], embedder: str) -> Iterator[Case]:
    with tempfile.TemporaryDirectory() as place, Memory(Path(place) / "c.memcli", embedder=embedder) as memory:
        memory.add(messages)
        for question in questions:
            gold = question.evidence if question.answerable else frozenset()
            passages, rows = _windows(memory, question.text)
            right = np.array([each.turn in gold for each in passages], dtype=bool)
            yield Case(question.text, rows, right, question.answerable, _OF_TWO)


def _case(memory: Memory, row: Mapping[str, Any]) -> Case:
    passages, rows = _windows(memory, row["question"])
    evidence = row["evidence"] if row["answer"] else ""
    right = np.array([bool(evidence and re.search(evidence, each.window.text)) for each in passages])
    return Case(row["question"], rows, right, bool(row["answer"]))


def _windows(memory: Memory, question: str) -> tuple[Sequence[Passage], Floats]:
    chosen = strategy(DEFAULT)
    query, view = memory.query(question, Filters(), datetime(2026, 11, 22, tzinfo=UTC), chosen)
    with memory.store.reading():
        hits, transcript = chosen.retrieve(query, view, DEPTH), StoredTranscript(view)
        passages, _ = to_read(query.question, query, hits, transcript)
        with in_bulk():
            findings = of_languages().read(question, [each.window for each in passages])
        rows = unread.signals(query.question, passages, passages), unread.readings(query.question, passages, findings)
    found = [[{**row, **more}[name] for name in unread.NAMES] for row, more in zip(*rows, strict=True)]
    return passages, np.array(found)


def fitted(found: Sequence[Case]) -> Judge:
    """The regression over all windows of these questions."""
    rows, right = np.concatenate([each.rows for each in found]), np.concatenate([each.right for each in found])
    weight = np.concatenate([np.full(len(each.right), each.weight) for each in found])
    mean, scale = rows.mean(axis=0), np.maximum(rows.std(axis=0), 1e-6)
    made = LogisticRegression(C=0.3, max_iter=2000).fit((rows - mean) / scale, right, sample_weight=weight)
    return Judge(
        unread.NAMES, mean.astype(np.float32), scale.astype(np.float32), made.coef_[0].astype(np.float32),
        float(made.intercept_[0]),
    )  # fmt: skip


def best(judge: Judge, case: Case) -> tuple[float, bool]:
    """The trust of the likeliest window, and whether it answers."""
    trust = [judge(dict(zip(judge.names, row.tolist(), strict=True))) for row in case.rows]
    place = int(np.argmax(trust))
    return trust[place], bool(case.right[place])


def thresholds(found: Sequence[Case]) -> dict[str, float]:
    """By folds of questions; what they are worth is printed."""
    judged: list[tuple[float, bool, bool]] = []
    for fold in range(FOLDS):
        judge = fitted([each for each in found if each.fold != fold])
        held = [each for each in found if each.fold == fold and each.weight == 1]
        judged.extend((*best(judge, each), each.answerable) for each in held)
    chosen = {}
    for caution, price in PRICES.items():
        levels = [level for level in _levels() if silent(judged, level) >= SILENT[caution]]
        level = lowest({t: [(r - price * (not r)) * (trust >= t) for trust, r, _ in judged] for t in levels})
        said = [(right, there) for trust, right, there in judged if trust >= level]
        counts = [sum(r for r, _ in said), sum(not r for r, _ in said), sum(t for *_, t in judged), len(judged)]
        shares = f"{counts[0]} right, {counts[1]} wrong; {counts[2]} of {counts[3]} can be answered"
        print(f"  {caution}: from {level:.2f}: {shares}", file=sys.stderr)
        chosen[caution.value] = level
    return chosen


def lowest(worth: Mapping[float, Sequence[float]]) -> float:
    """The lowest threshold with which questions are worth as much as with the best, but for its standard error: above
    that they differ by chance (Breiman et al. 1984, the rule of one standard error).
    """
    best = max(worth, key=lambda level: sum(worth[level]))
    least = sum(worth[best]) - np.std(worth[best]) * len(worth[best]) ** 0.5
    return min(level for level in worth if sum(worth[level]) >= least)


def silent(judged: Sequence[tuple[float, bool, bool]], level: float) -> float:
    """The share of what nothing answers that is left open from this threshold on."""
    never = [trust for trust, _, answerable in judged if not answerable]
    return sum(trust < level for trust in never) / max(len(never), 1)


def _levels() -> Sequence[float]:
    return [round(each, 2) for each in np.arange(0.05, 0.95, 0.01).tolist()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--judges", nargs="+", default=JUDGES, choices=JUDGES)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    folders = [OWN if folder.resolve() == OWN.resolve() else folder for folder in options.folders]
    made = {key(judge): _learned(judge, folders) for judge in options.judges}
    if options.write:
        folders_ = " ".join(folder.name for folder in folders)
        by = f"python benchmarks/unread.py {folders_} --write --judges {' '.join(options.judges)}"
        past = learned.made(
            by,
            [f / "questions.jsonl" if (f / "questions.jsonl").exists() else f for f in folders],
            ", ".join(options.judges),
        )
        TARGET.write_text(learned.written(past, {"embedders": _kept() | made}), encoding="utf-8")


def _learned(judge: str, folders: Sequence[Path]) -> dict[str, object]:
    """A judge, as it is written; its weights and what it is worth are printed."""
    found = [each for embedder in embedders(judge) for folder in folders for each in cases(folder, embedder)]
    print(f"{judge}: {len(found)} questions", file=sys.stderr)
    made = fitted(found)
    for signal, weight in zip(made.names, made.weights.tolist(), strict=True):
        print(f"  {signal:16} {weight:6.2f}", file=sys.stderr)
    return {**made.numbers(), "thresholds": thresholds(found)}


def _kept() -> dict[str, object]:
    """The judges that are there, of embedders that memcli has, each with how it was made."""
    found = json.loads(TARGET.read_text(encoding="utf-8"))
    present = set(map(key, JUDGES))
    return {id_: {"made": found["made"]} | judge for id_, judge in found["embedders"].items() if id_ in present}


if __name__ == "__main__":
    main()
