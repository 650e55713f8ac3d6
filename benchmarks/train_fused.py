"""Trains the weights of the `fused` strategy, and measures them with cross-validation by conversation.

    python benchmarks/train_fused.py --data locomo.json implicit.json.gz longmemeval.json.gz --cache DIR

Every benchmark (LoCoMo's, LongMemEval's or RealMem's schema) counts the same in part, by the square root of its
questions, and less where only the sessions of the evidence are known; no label of a data set reaches a feature. Writes
`memcli/ranking/fused_weights.json` and `benchmarks/results/fused.json`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from memcli.evaluation.datasets import haystacks
from memcli.evaluation.metrics import first_seen, recall, recall_all
from memcli.evaluation.questions import GoldQuestion, Haystack
from memcli.memory import Memory
from memcli.model import Filters
from memcli.providers.embedding import DEFAULT, embedder, embedder_id
from memcli.ranking import fusion, learned, routing
from memcli.strategies.fused import Fused

Floats = npt.NDArray[np.float64]
ROOT = Path(__file__).resolve().parents[1]
WEIGHTS = ROOT / "memcli/ranking/fused_weights.json"
RESULTS = ROOT / "benchmarks/results/fused.json"
FOLDS = 5
SESSIONS_ONLY = 0.15  # what a question counts of which only the sessions of the evidence are known
_CRUDE = ("dense.sentence", "dense.window1", "dense.turn", "bm25.turn_standard", "bm25.session_standard",
          "dense.session", "taste.turn")  # fmt: skip
NEGATIVES = 80  # candidates that a question is trained against: the best by a crude sum, and 20 at random


@dataclass
class Example:
    """One question's candidates."""

    dataset: str
    group: str
    category: str
    gates: Floats
    features: Floats
    gold: npt.NDArray[np.bool_]
    gold_count: int
    sessions: Sequence[str]
    gold_sessions: frozenset[str]
    sessions_only: bool = False


def benchmark(path: Path) -> str:
    """Which benchmark a file is of: its name up to what tells its parts apart."""
    return path.name.split("_dev")[0].split(".")[0]


def examples(path: Path, cache: Path) -> tuple[list[str], list[Example]]:
    """Every answerable question of a file with evidence, over a store of its haystack alone."""
    found: list[Example] = []
    names: list[str] = []
    model = embedder(bulk=True)
    for index, haystack in enumerate(haystacks(path)):
        memory = Memory(cache / f"{path.name}-{index}-{haystack.name}.memcli", embedder=model)
        if not memory.store.exists:
            memory.add(haystack.messages)
        for question in haystack.questions:
            if question.evidence or question.session_evidence:
                names, example = _example(benchmark(path), haystack, memory, question)
                found.append(example)
        print(path.name, index, len(found), file=sys.stderr, flush=True)
    return names, found


def _example(dataset: str, haystack: Haystack, memory: Memory, question: GoldQuestion) -> tuple[list[str], Example]:
    strategy = Fused()
    asked_at = question.asked_at or datetime.now(UTC)
    filters = Filters(until=asked_at if question.past_only else None)
    query, view = memory.query(question.text, filters, asked_at, strategy)
    found = strategy.features(query, view, strategy.proposed)
    turns = view.fetch(found.rows.tolist())
    known = sorted(question.evidence or question.session_evidence)
    gold_sessions = frozenset(turn.session for turn in view.fetch(view.rows_of(known).tolist()))
    sessions = [turn.session for turn in turns]
    gold = np.array([turn.id in question.evidence for turn in turns])
    if not question.evidence:
        gold = _best_of(sessions, gold_sessions, found.matrix[:, [found.names.index(name) for name in _CRUDE]])
    return list(found.names), Example(
        dataset, haystack.name, question.category, found.gates, found.matrix.astype(np.float32), gold,
        len(question.evidence) or max(int(gold.sum()), 1), sessions, gold_sessions, not question.evidence,
    )  # fmt: skip


def _best_of(sessions: Sequence[str], wanted: frozenset[str], crude: Floats) -> npt.NDArray[np.bool_]:
    """Where only sessions are known to hold evidence: the turn of each that a crude sum of signals ranks best."""
    gold = np.zeros(len(sessions), dtype=bool)
    total = crude.sum(axis=1)
    for session in wanted & set(sessions):
        own = np.flatnonzero(np.array(sessions) == session)
        gold[own[int(total[own].argmax())]] = True
    return gold


def fit(data: Sequence[Example], names: Sequence[str], ridge: float, gate_ridge: float) -> fusion.Weights:
    """Minimises the listwise softmax loss: −Σ over gold candidates of log share, one share a question."""
    rng = np.random.default_rng(0)
    crude = [names.index(name) for name in _CRUDE]
    train = [e for e in data if e.gold.any()]
    kept = [_kept(e, crude, rng) for e in train]
    x = np.concatenate([e.features[k] for e, k in zip(train, kept, strict=True)]).astype(np.float64)
    mean, scale = x.mean(axis=0), x.std(axis=0) + 1e-6
    x = ((x - mean) / scale).astype(np.float32)
    g = np.stack([e.gates for e in train])
    gate_mean, gate_scale = g.mean(axis=0), g.std(axis=0) + 1e-6
    gate_mean[0], gate_scale[0] = 0.0, 1.0
    g = ((g - gate_mean) / gate_scale).astype(np.float32)
    sizes = np.array([len(k) for k in kept])
    starts, owner = np.r_[0, sizes.cumsum()[:-1]], np.repeat(np.arange(len(train)), sizes)
    target = np.concatenate([e.gold[k] / e.gold[k].sum() for e, k in zip(train, kept, strict=True)])
    weight = _question_weights(train)
    penalty = np.full((x.shape[1], g.shape[1]), gate_ridge)
    penalty[:, 0] = ridge

    def loss(flat: Floats) -> tuple[float, Floats]:
        w = flat.reshape(penalty.shape)
        scores = np.einsum("nf,nf->n", x, (g @ w.T.astype(np.float32))[owner]).astype(np.float64)
        raised = np.exp(scores - np.maximum.reduceat(scores, starts)[owner])
        total = np.add.reduceat(raised, starts)
        value = -(weight[owner] * target * np.log(np.maximum(raised / total[owner], 1e-30))).sum()
        slope = (weight[owner] * (raised / total[owner] - target)).astype(np.float32)
        gradient = np.add.reduceat(x * slope[:, None], starts, axis=0).T @ g
        return float(value + (penalty * w * w).sum()), (gradient + 2 * penalty * w).ravel().astype(np.float64)

    found = minimize(loss, np.zeros(penalty.size), jac=True, method="L-BFGS-B", options={"maxiter": 80})
    matrix = found.x.reshape(penalty.shape)
    return fusion.Weights(list(names), routing.GATES, matrix, mean, scale, gate_mean, gate_scale)


def _kept(example: Example, crude: Sequence[int], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    best = np.argsort(-example.features[:, crude].sum(axis=1), kind="stable")[: NEGATIVES - 20]
    some = rng.choice(len(example.gold), min(20, len(example.gold)), replace=False)
    return np.unique(np.concatenate([best, some, np.flatnonzero(example.gold)]))


def _question_weights(train: Sequence[Example]) -> Floats:
    counts = {name: sum(e.dataset == name for e in train) for name in {e.dataset for e in train}}
    weights = np.array([counts[e.dataset] ** -0.5 * (SESSIONS_ONLY if e.sessions_only else 1.0) for e in train])
    return np.asarray(weights / weights.sum())


def cross_validated(data: Sequence[Example], names: Sequence[str], ridge: float, gate_ridge: float) -> list[Floats]:
    """The scores of each question's candidates by weights that never saw its conversation (or user)."""
    fold = folds(data)
    scores: list[Floats] = [np.zeros(0)] * len(data)
    for k in range(FOLDS):
        weights = fit([e for e, f in zip(data, fold, strict=True) if f != k], names, ridge, gate_ridge)
        for i, example in enumerate(data):
            if fold[i] == k:
                scores[i] = weights.contributions(example.features.astype(np.float64), example.gates).sum(axis=1)
    return scores


def folds(data: Sequence[Any]) -> list[int]:
    """The fold of each question, those of one `group` of a `dataset` together."""
    fold: dict[tuple[str, str], int] = {}
    for dataset in sorted({e.dataset for e in data}):
        groups = sorted({e.group for e in data if e.dataset == dataset}, key=shuffled)
        fold |= {(dataset, group): i % FOLDS for i, group in enumerate(groups)}
    return [fold[e.dataset, e.group] for e in data]


def shuffled(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def measured(data: Sequence[Example], scores: Sequence[Floats]) -> dict[str, dict[str, float]]:
    """Turn recall, and session recall of the turns' sessions in order of first appearance, by data set."""
    out = {}
    for dataset in sorted({e.dataset for e in data}):
        rows = [_measures(e, s) for e, s in zip(data, scores, strict=True) if e.dataset == dataset]
        out[dataset] = {name: round(float(np.mean([r[name] for r in rows])), 4) for name in rows[0]} | {"n": len(rows)}
    return out


def _measures(example: Example, scores: Floats) -> dict[str, float]:
    order = np.argsort(-scores, kind="stable")
    found = example.gold[order]
    sessions = first_seen([example.sessions[i] for i in order])
    gold = example.gold_sessions
    turn = {f"turn recall@{k}": float(found[:k].sum() / example.gold_count) for k in (1, 5, 10, 20)}
    turn["candidates"] = float(found.sum() / example.gold_count)
    return ({} if example.sessions_only else turn) | {
        "session recall@5": recall(sessions, gold, 5),
        "session recall@10": recall(sessions, gold, 10),
        "session recall_all@5": recall_all(sessions, gold, 5),
    }


def loaded(paths: Sequence[Path], cache: Path) -> tuple[list[str], list[Example]]:
    """The examples of all files, from the cache where they are there, two files at a time."""
    cache.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(2) as pool:
        parts = list(pool.map(examples, paths, [cache] * len(paths)))
    return parts[0][0], [example for _, part in parts for example in part]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True, help="where the stores of the haystacks are kept")
    parser.add_argument("--ridge", type=float, default=0.05, help="penalty on the weights that no gate changes")
    parser.add_argument("--gate-ridge", type=float, default=0.5, help="penalty on what a gate changes")
    parser.add_argument("--dry-run", action="store_true", help="measure, write nothing")
    options = parser.parse_args(arguments)
    names, data = loaded(options.data, options.cache)
    figures = measured(data, cross_validated(data, names, options.ridge, options.gate_ridge))
    print(json.dumps(figures, indent=1))
    if not options.dry_run:
        _write(data, names, options, figures)


def _write(data: Sequence[Example], names: Sequence[str], options: argparse.Namespace, figures: object) -> None:
    weights = fit(data, names, options.ridge, options.gate_ridge)
    penalties = f" --ridge {options.ridge} --gate-ridge {options.gate_ridge}"
    past = learned.made(command("train_fused.py", options.data) + penalties, options.data, embedder_id(DEFAULT))
    WEIGHTS.write_text(learned.written(past, weights.numbers()), encoding="utf-8")
    RESULTS.write_text(
        json.dumps({"made": past, "folds": FOLDS, "cross_validated": figures}, indent=1) + "\n", encoding="utf-8"
    )


def command(script: str, data: Sequence[Path]) -> str:
    """How a script is run on these files."""
    return f"python benchmarks/{script} --data {' '.join(path.name for path in data)} --cache DIR"


if __name__ == "__main__":
    main()
