"""Trains and measures the extractive reader: `python benchmarks/reading.py --data CONVERSATIONS.json [--write]`.

The data are conversations with questions in LoCoMo's schema. Everything that is learned is measured by
cross-validation over conversations. `--write` stores what was learned from all of them in the package.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import unseen
from unseen import Unseen

from memcli.evaluation.answers import token_f1
from memcli.memory import Memory
from memcli.model import Filters, Hit, Query, Seeks
from memcli.providers.embedding import DEFAULT as EMBEDDER
from memcli.providers.embedding import Embedder, embedder_id
from memcli.ranking import learned
from memcli.reading.confidence import NAMES as SIGNALS
from memcli.reading.confidence import Confidence, signals
from memcli.reading.extractive import ExtractiveReader
from memcli.reading.network import Network
from memcli.reading.passages import Transcript, gather
from memcli.reading.spans import NAMES, candidates
from memcli.reading.stored import StoredTranscript
from memcli.reading.temporal import ShortAnswer
from memcli.strategies import DEFAULT, strategy

Matrix = npt.NDArray[np.float32]
PACKAGE = Path(__file__).parent.parent / "memcli" / "reading"
RESULTS = Path(__file__).parent / "results" / "reading.json"
#: The category of questions about what nobody, or somebody else, said; and of those of another conversation.
UNANSWERABLE, FOREIGN = 5, 0
ANSWERABLE = (1, 2, 3, 4)
ASKED_AT = datetime(2024, 6, 1, tzinfo=UTC)
#: The share of answerable questions that may be left unanswered.
ABSTENTION = 0.075
DEPTH = 20


@dataclass(frozen=True)
class Case:
    """A question with what was retrieved for it. `group` is its conversation: the fold that it is held out with."""

    group: str
    query: Query
    gold: str
    category: int
    hits: list[Hit]
    transcript: Transcript


@dataclass(frozen=True)
class Read:
    """What the reader made of a case before it doubted it."""

    case: Case
    text: str
    row: dict[str, float] | None


def cases(data: Path, cache: Path, opened: ExitStack, fair: Unseen) -> list[Case]:
    """The questions of `data` and foreign ones, retrieved through memcli's public interface, one store a conversation.

    A foreign question was asked about another conversation, whose people's names are exchanged for this one's: memory
    holds nothing that answers it. `opened` keeps the stores open for the reader.
    """
    conversations = json.loads(data.read_text())
    rng = np.random.default_rng(0)
    model_of = fair.of(data)
    found: list[Case] = []
    for conversation in conversations:
        memory = _filled(conversation, cache, model_of(conversation["sample_id"]))
        opened.enter_context(memory.store.reading())
        asked = [(qa["question"], str(qa.get("answer", "")), int(qa["category"])) for qa in conversation["qa"]]
        others = [o for o in conversations if o is not conversation]
        asked += [(_foreign(others[int(rng.integers(len(others)))], conversation, rng), "", FOREIGN) for _ in range(40)]
        found.extend(_case(memory, conversation["sample_id"], *question) for question in asked)
        print(conversation["sample_id"], len(found), file=sys.stderr)
    return found


def _filled(conversation: dict[str, Any], cache: Path, model: Embedder) -> Memory:
    source = cache / f"{conversation['sample_id']}.json"
    source.write_text(json.dumps([conversation]))
    memory = Memory(source.with_suffix(".memcli"), embedder=model)
    memory.ingest([source])
    return memory


def _foreign(other: dict[str, Any], here: dict[str, Any], rng: np.random.Generator) -> str:
    question = str(other["qa"][int(rng.integers(len(other["qa"])))]["question"])
    for role in ("speaker_a", "speaker_b"):
        question = question.replace(other["conversation"][role], here["conversation"][role])
    return question


def _case(memory: Memory, group: str, question: str, gold: str, category: int) -> Case:
    chosen = strategy(DEFAULT)
    query, view = memory.query(question, Filters(), ASKED_AT, chosen)
    return Case(group, query, gold, category, chosen.retrieve(query, view, DEPTH), StoredTranscript(view))


def training_rows(case: Case, rng: np.random.Generator) -> tuple[Matrix, Matrix]:
    """Candidates of an answerable question, the good ones and some others, with their overlap with the answer."""
    question = case.query.question
    if case.category not in ANSWERABLE or question.seeks is Seeks.WHEN:
        return np.zeros((0, len(NAMES)), np.float32), np.zeros(0, np.float32)
    parts = [candidates(question, p) for p in gather(question, case.query, case.hits, case.transcript)]
    rows = np.concatenate([np.zeros((0, len(NAMES)), np.float32), *(rows for _, rows in parts)])
    overlap = np.array([token_f1(c.text, case.gold) for found, _ in parts for c in found], np.float32)
    if not overlap.any():
        return rows[:0], overlap[:0]
    some = rng.choice(len(rows), min(len(rows), 500), replace=False)
    kept = np.unique(np.concatenate([np.argsort(-overlap)[:60], some]))
    return rows[kept], overlap[kept]


def train_spans(parts: Sequence[tuple[Matrix, Matrix]], nets: int = 4, hidden: int = 16) -> Network:
    """The mean of a few small networks, which is itself one network with all their hidden units."""
    from sklearn.neural_network import MLPRegressor

    rows, target = (np.concatenate([part[n] for part in parts]) for n in (0, 1))
    mean, scale = rows.mean(0), rows.std(0) + 0.1
    fitted = [
        MLPRegressor(hidden_layer_sizes=(hidden,), alpha=0.1, max_iter=4, batch_size=256, random_state=seed,
                     n_iter_no_change=100).fit((rows - mean) / scale, target)
        for seed in range(nets)
    ]  # fmt: skip
    hidden_weights = np.hstack([m.coefs_[0] for m in fitted])
    hidden_bias = np.concatenate([m.intercepts_[0] for m in fitted])
    output: npt.NDArray[Any] = np.concatenate([m.coefs_[1][:, 0] for m in fitted]) / nets
    output_bias = float(np.mean([m.intercepts_[1] for m in fitted]))
    return Network(NAMES, mean, scale, hidden_weights, hidden_bias, output, output_bias)


def train_confidence(reads: Sequence[Read]) -> Confidence:
    """Whether memory answers the question; the threshold leaves `ABSTENTION` of the answerable ones unanswered."""
    from sklearn.linear_model import LogisticRegression

    known = [(r.row, r.case.category in ANSWERABLE) for r in reads if r.row is not None]
    rows = np.array([learned.in_order(row, SIGNALS) for row, _ in known], np.float32)
    answerable = np.array([yes for _, yes in known])
    mean, scale = rows.mean(0), rows.std(0) + 1e-3
    fitted = LogisticRegression(C=0.1, max_iter=2000).fit((rows - mean) / scale, answerable)
    made = Confidence(SIGNALS, mean, scale, fitted.coef_[0], float(fitted.intercept_[0]), 0.0)
    scores = np.array([made(row) for row, yes in known if yes])
    return replace(made, threshold=float(np.quantile(scores, ABSTENTION)))


def look(case: Case, network: Network) -> Read:
    """The reader's answer to `case`, not yet doubted, with the signals for the doubt."""
    question, passages, found = ExtractiveReader(case.transcript, network).look(case.query, case.hits)
    return Read(case, _text(found), signals(question, passages, found) if found else None)


def _text(found: ShortAnswer | None) -> str:
    return found.text if found else ""


def folds(groups: Sequence[str]) -> Iterator[tuple[str, Callable[[str], bool]]]:
    """Each conversation with the test for those that are not it."""
    for group in sorted(set(groups)):
        yield group, lambda other, held=group: other != held  # type: ignore[misc]


def held_out_reads(known: Sequence[Case], rows: Sequence[tuple[Matrix, Matrix]]) -> list[Read]:
    """Every case read with a network that was trained on the other conversations."""
    reads: list[Read] = []
    for group, is_other in folds([c.group for c in known]):
        spans = train_spans([r for r, c in zip(rows, known, strict=True) if is_other(c.group)])
        reads.extend(look(c, spans) for c in known if c.group == group)
    return reads


def outcomes(reads: Sequence[Read]) -> list[tuple[Read, float, bool]]:
    """Each read with its confidence and whether the reader abstains, judged from the other conversations."""
    done: list[tuple[Read, float, bool]] = []
    for group, is_other in folds([r.case.group for r in reads]):
        judge = train_confidence([r for r in reads if is_other(r.case.group)])
        for read in (r for r in reads if r.case.group == group):
            confidence = judge(read.row) if read.row is not None else 0.0
            done.append((read, confidence, confidence < judge.threshold or read.row is None))
    return done


def figures(done: Sequence[tuple[Read, float, bool]]) -> dict[str, float]:
    """Token F1 by category (an abstention scores 0), how often the reader abstains, and how true its confidence is."""
    found: dict[str, float] = {}
    for category in ANSWERABLE:
        ours = [(r, a) for r, _, a in done if r.case.category == category]
        found[f"f1_{category}"] = _mean([0.0 if a else token_f1(r.text, r.case.gold) for r, a in ours])
        found[f"abstained_{category}"] = _mean([float(a) for _, a in ours])
    asked = [(r, a) for r, _, a in done if r.case.category in ANSWERABLE]
    found["f1_answerable"] = _mean([0.0 if a else token_f1(r.text, r.case.gold) for r, a in asked])
    found["f1_answerable_never_abstaining"] = _mean([token_f1(r.text, r.case.gold) for r, _ in asked])
    found["abstained_answerable"] = _mean([float(a) for _, a in asked])
    found["abstained_unanswerable"] = _mean([float(a) for r, _, a in done if r.case.category == UNANSWERABLE])
    found["abstained_foreign"] = _mean([float(a) for r, _, a in done if r.case.category == FOREIGN])
    found["brier"] = _mean([(c - (r.case.category in ANSWERABLE)) ** 2 for r, c, _ in done])
    return {name: round(value, 4) for name, value in found.items()}


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else 0.0


def run(known: Sequence[Case], data: Path, package: Path | None, settings: str = "") -> dict[str, float]:
    """Measures the reader by cross-validation and, where there is a `package`, writes there what all cases teach."""
    rng = np.random.default_rng(0)
    rows = [training_rows(case, rng) for case in known]
    reads = held_out_reads(known, rows)
    if package is not None:
        by = f"python benchmarks/reading.py --data {data.name}{settings} --write"
        past = learned.made(by, [data], embedder_id(EMBEDDER))
        (package / "span_weights.json").write_text(learned.written(past, train_spans(rows).numbers()))
        (package / "confidence_weights.json").write_text(learned.written(past, train_confidence(reads).numbers()))
    return figures(outcomes(reads))


def main(given: Sequence[str] | None = None) -> None:
    """Prints the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="conversations and questions in LoCoMo's schema")
    parser.add_argument("--cache", type=Path, help="a folder that keeps the stores for the next run")
    parser.add_argument("--write", action="store_true", help="store what was learned, and the figures")
    unseen.add_options(parser)
    arguments = parser.parse_args(given)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as opened:
        known = cases(arguments.data, arguments.cache or Path(folder), opened, unseen.chosen(arguments))
        measured = json.dumps(
            run(known, arguments.data, PACKAGE if arguments.write else None, unseen.said(arguments)), indent=2
        )
    if arguments.write:
        RESULTS.write_text(measured + "\n")
    print(measured)


if __name__ == "__main__":
    main()
