"""Learns when a window answers that the reader's network cannot read: makes `memcli/reading/unread_weights.json`.

    python benchmarks/unread.py [--write] [--embedders memcli multilingual] DIR …   # others' judges stay as they are

Each DIR holds chats/ and questions.jsonl, as benchmarks/languages.py reads them: of tests/languages only the languages
that were looked at are taken. A window is right if it holds what the question's `evidence` matches. Chats in other
languages with questions are few: a DIR of made-up English ones (`chats`), read as if nobody could read them, is taught
from as well, and counts a third. A DIR called `unread…` has such chats in other languages, a file each, which are asked
alone and all in one store. Neither is for memcli's own encoder, which knows English otherwise than the rest, and it
alone. Each
embedder has a logistic regression of its own; thresholds are those with which right answers exceed wrong ones by most,
a wrong answer counting as one (bold), as two (usual) and as four (careful), measured without the question's own fold,
and on other languages than English alone.
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
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from kinds import stores
from languages import OWN, SEEN
from sklearn.linear_model import LogisticRegression

from memcli import Memory
from memcli.evaluation.questions import GoldQuestion, Haystack
from memcli.formats import Message
from memcli.model import Caution, Filters
from memcli.providers.embedding import DEFAULT as DEFAULT_EMBEDDER
from memcli.providers.embedding import embedder_id
from memcli.ranking import learned
from memcli.reading import unread
from memcli.reading.judge import Judge
from memcli.reading.passages import Passage, gather
from memcli.reading.stored import StoredTranscript
from memcli.strategies import DEFAULT, strategy

Floats = npt.NDArray[np.float64]
TARGET = Path(__file__).parent.parent / "memcli" / "reading" / "unread_weights.json"
DEPTH = 20
FOLDS = 10
#: Every how-manieth question in English is asked, and how much it counts.
_EVERY, _OF_ENGLISH = 3, 0.3
#: How many right answers a wrong one outweighs.
PRICES = {Caution.CAREFUL: 4.0, Caution.USUAL: 2.0, Caution.BOLD: 1.0}


@dataclass(frozen=True)
class Case:
    """A question's windows, [windows, signals], which of them answer, and how much it counts."""

    question: str
    rows: Floats
    right: npt.NDArray[np.bool_]
    weight: float = 1.0

    @property
    def fold(self) -> int:
        """What it is held out with: itself, in whatever store it is asked."""
        return zlib.crc32(self.question.encode()) % FOLDS


def cases(folder: Path, embedder: str) -> Iterator[Case]:
    """Every question of a folder about what the network cannot read, or could: of made-up chats, each third one."""
    if folder.name.startswith("unread"):
        yield from _foreign(folder, embedder) if embedder != DEFAULT_EMBEDDER else ()
        return
    if not (folder / "questions.jsonl").exists():
        yield from _english(folder, embedder) if embedder != DEFAULT_EMBEDDER else ()
        return
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


def _english(folder: Path, embedder: str) -> Iterator[Case]:
    for haystack in stores(folder):
        yield from _asked(haystack.messages, haystack.questions[::_EVERY], embedder, _OF_ENGLISH)


def _foreign(folder: Path, embedder: str) -> Iterator[Case]:
    """Each question twice: of a store of its language alone, and of one of all languages."""
    held = list(stores(folder))
    everything = Haystack(
        "all", [message for each in held for message in each.messages], [q for each in held for q in each.questions]
    )
    for haystack in (*held, everything):
        yield from _asked(haystack.messages, haystack.questions, embedder, 0.5)


def _asked(
    messages: Iterable[Message], questions: Sequence[GoldQuestion], embedder: str, weight: float
) -> Iterator[Case]:
    with tempfile.TemporaryDirectory() as place, Memory(Path(place) / "c.memcli", embedder=embedder) as memory:
        memory.add(messages)
        for question in questions:
            gold = question.evidence if question.answerable else frozenset()
            passages, rows = _windows(memory, question.text)
            right = np.array([each.turn in gold for each in passages], dtype=bool)
            yield Case(question.text, rows, right, weight)


def _case(memory: Memory, row: Mapping[str, Any]) -> Case:
    passages, rows = _windows(memory, row["question"])
    evidence = row["evidence"] if row["answer"] else ""
    right = np.array([bool(evidence and re.search(evidence, each.window.text)) for each in passages])
    return Case(row["question"], rows, right)


def _windows(memory: Memory, question: str) -> tuple[Sequence[Passage], Floats]:
    chosen = strategy(DEFAULT)
    query, view = memory.query(question, Filters(), datetime(2026, 11, 22, tzinfo=UTC), chosen)
    with memory.store.reading():
        passages = gather(query.question, query, chosen.retrieve(query, view, DEPTH), StoredTranscript(view))
        found = [[each[name] for name in unread.NAMES] for each in unread.signals(query.question, passages)]
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
    trust = [judge(dict(zip(unread.NAMES, row.tolist(), strict=True))) for row in case.rows]
    place = int(np.argmax(trust))
    return trust[place], bool(case.right[place])


def thresholds(found: Sequence[Case]) -> dict[str, float]:
    """By folds of questions; what they are worth is printed."""
    judged: list[tuple[float, bool, bool]] = []
    for fold in range(FOLDS):
        judge = fitted([each for each in found if each.fold != fold])
        held = [each for each in found if each.fold == fold and each.weight > _OF_ENGLISH]
        judged.extend((*best(judge, each), bool(each.right.any())) for each in held)
    chosen = {}
    for caution, price in PRICES.items():
        worth = {t: sum((right - price * (not right)) for trust, right, _ in judged if trust >= t) for t in _levels()}
        level = max(worth, key=lambda t: worth[t])
        said = [(right, there) for trust, right, there in judged if trust >= level]
        counts = [sum(r for r, _ in said), sum(not r for r, _ in said), sum(t for *_, t in judged), len(judged)]
        shares = f"{counts[0]} right, {counts[1]} wrong; {counts[2]} of {counts[3]} are there"
        print(f"  {caution}: from {level:.2f}: {shares}", file=sys.stderr)
        chosen[caution.value] = level
    return chosen


def _levels() -> Sequence[float]:
    return [round(each, 2) for each in np.arange(0.05, 0.95, 0.01).tolist()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--embedders", nargs="+", default=["memcli", "multilingual"])
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    folders = [OWN if folder.resolve() == OWN.resolve() else folder for folder in options.folders]
    made: dict[str, object] = {}
    for name in options.embedders:
        found = [each for folder in folders for each in cases(folder, name)]
        print(f"{name}: {len(found)} questions", file=sys.stderr)
        judge = fitted(found)
        for signal, weight in zip(unread.NAMES, judge.weights.tolist(), strict=True):
            print(f"  {signal:16} {weight:6.2f}", file=sys.stderr)
        made[embedder_id(name)] = {**judge.numbers(), "thresholds": thresholds(found)}
    if options.write:
        folders_ = " ".join(folder.name for folder in folders)
        by = f"python benchmarks/unread.py --write --embedders {' '.join(options.embedders)} {folders_}"
        past = learned.made(
            by,
            [f / "questions.jsonl" if (f / "questions.jsonl").exists() else f for f in folders],
            ", ".join(options.embedders),
        )
        TARGET.write_text(learned.written(past, {"embedders": _kept() | made}), encoding="utf-8")


def _kept() -> dict[str, object]:
    """The judges that are there, of embedders that memcli has, each with how it was made."""
    found = json.loads(TARGET.read_text(encoding="utf-8"))
    present = {embedder_id(name) for name in ("memcli", "multilingual")}
    return {id_: {"made": found["made"]} | judge for id_, judge in found["embedders"].items() if id_ in present}


if __name__ == "__main__":
    main()
