"""Trains the weights of the `fused` strategy, and measures them with cross-validation by conversation and by data set.

    python benchmarks/train_fused.py --data locomo.json implicit.json.gz longmemeval.json.gz --cache DIR
        [--embedder multilingual]

The second ranking learns from scores that the first gave to conversations which it had not seen. Every benchmark
(LoCoMo's, LongMemEval's or RealMem's schema, made-up chats) counts the same in part, by the square root of its
questions, of the largest no more than 1,200, and less where only the sessions of the evidence are known; no label of a
data set reaches a feature. Writes `memcli/ranking/fused_weights.json` and `benchmarks/results/fused.json`; of another
embedder, which has weights of its own (`fusion.FILES`), its files.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import unseen
from kinds import stores
from scipy.optimize import minimize, minimize_scalar
from scipy.special import log_softmax
from unseen import Unseen, shuffled

from memcli.evaluation.metrics import first_seen, recall, recall_all
from memcli.evaluation.questions import GoldQuestion, Haystack
from memcli.memory import Memory
from memcli.model import Filters
from memcli.providers.embedding import DEFAULT, embedder_id
from memcli.ranking import fusion, learned, routing
from memcli.ranking.coverage import COVERAGE, Candidates, coverage
from memcli.strategies.fused import Fused

Floats = npt.NDArray[np.float64]
ROOT = Path(__file__).resolve().parents[1]
WEIGHTS = ROOT / "memcli/ranking/fused_weights.json"
RESULTS = ROOT / "benchmarks/results/fused.json"
FOLDS = 5
MOST_ASKED = 3000  # questions of one file, drawn
MOST_COUNTED = 1200  # questions of one benchmark: more of one kind are not to outweigh the others
SESSIONS_ONLY = 0.5  # what a question counts of which only the sessions of the evidence are known
_CRUDE = ("dense.sentence", "dense.window1", "dense.turn", "bm25.turn_standard", "bm25.session_standard",
          "dense.session", "taste.turn")  # fmt: skip
LEAST_SCALE = 0.2  # what hardly differs in the data may differ much in others, and is not to count for more there
NEGATIVES = 80  # candidates that a question is trained against: the best by a crude sum, and 20 at random


@dataclass(frozen=True)
class Penalties:
    """On the squares of the weights that no gate changes, and of what a gate changes."""

    ridge: float
    gate_ridge: float


@dataclass
class Example:
    """One question's candidates."""

    dataset: str
    group: str
    category: str
    gates: Floats
    features: Floats
    candidates: Candidates
    gold: npt.NDArray[np.bool_]
    gold_count: int
    sessions: Sequence[str]
    gold_sessions: frozenset[str]
    sessions_only: bool = False


def benchmark(path: Path) -> str:
    """Which benchmark a file is of: its name up to what tells its parts apart; a folder's by its own."""
    return path.parent.name if path.suffix == ".jsonl" else path.name.split("_dev")[0].split(".")[0]


def examples(path: Path, cache: Path, fair: Unseen) -> tuple[list[str], list[Example]]:
    """Every answerable question of a file with evidence, over a store of its haystack alone."""
    found: list[Example] = []
    names: list[str] = []
    model_of = fair.of(path)
    held = list(stores(path))
    asked = {(h.name, q.id) for h in held for q in h.questions if q.evidence or q.session_evidence}
    drawn = set(sorted(asked, key=lambda each: shuffled(":".join(each)))[:MOST_ASKED])
    for index, haystack in enumerate(held):
        model = model_of(haystack.name)
        memory = Memory(cache / f"{path.name}-{index}-{haystack.name}.memcli", embedder=model)
        if not memory.store.exists:
            memory.add(haystack.messages)
        for question in haystack.questions:
            if (haystack.name, question.id) in drawn:
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
    turns = view.fetch(found.candidates.rows.tolist())
    known = sorted(question.evidence or question.session_evidence)
    gold_sessions = frozenset(turn.session for turn in view.fetch(view.rows_of(known).tolist()))
    sessions = [turn.session for turn in turns]
    gold = np.array([turn.id in question.evidence for turn in turns])
    if not question.evidence:
        gold = _best_of(sessions, gold_sessions, found.matrix[:, [found.names.index(name) for name in _CRUDE]])
    return list(found.names), Example(
        dataset, haystack.name, question.category, found.gates, found.matrix.astype(np.float32),
        replace(found.candidates, vectors=found.candidates.vectors.astype(np.float32)), gold,
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


def fit(
    data: Sequence[Example], names: Sequence[str], penalties: Penalties, onto: fusion.Ranking | None = None
) -> fusion.Ranking:
    """Both rankings; the second by the scores of firsts that were fitted without the conversation."""
    if onto is not None:
        return fusion.Ranking(added_to(onto.first, data, penalties), onto.second)
    unseen = out_of_fold(data, lambda part: first_of(part, names, penalties), first_scores)
    first = first_of(data, names, penalties)
    return fusion.Ranking(first, second_of(data, unseen, penalties))


def first_of(data: Sequence[Example], names: Sequence[str], penalties: Penalties) -> fusion.Weights:
    """The weights of the first ranking: the crude sum, and what is learned to add to it.

    What the penalties draw to nothing is the difference from a plain sum, so that of a kind of chat that nothing was
    learned from the plain sum is left, and not the likes of another kind.
    """
    places = [names.index(name) for name in _CRUDE]
    crude = [e.features[:, places].sum(axis=1).astype(np.float64) for e in data]
    share = _sharpness(data, crude)
    found = listwise(data, [e.features for e in data], crude, names, penalties, base=[share * each for each in crude])
    found.matrix[places, 0] += share * found.feature_scale[places]
    return found


def added_to(weights: fusion.Weights, data: Sequence[Example], penalties: Penalties) -> fusion.Weights:
    """These weights of the first ranking, and what is learned to add to them, which the penalties draw to nothing."""
    base = [first_scores(weights, e) for e in data]
    found = listwise(data, [e.features for e in data], base, weights.features, penalties, base, like=weights)
    return replace(weights, matrix=weights.matrix + found.matrix)


def _sharpness(data: Sequence[Example], crude: Sequence[Floats]) -> float:
    """By how much the crude sums are to be multiplied for the least loss."""
    train = [(crude[i], e.gold) for i, e in enumerate(data) if e.gold.any()]
    weight = _question_weights([e for e in data if e.gold.any()])

    def loss(share: float) -> float:
        lost = [-float(log_softmax(share * scores)[gold].mean()) for scores, gold in train]
        return float(weight @ np.array(lost))

    return float(minimize_scalar(loss, bounds=(0.01, 2.0), method="bounded").x)


def second_of(data: Sequence[Example], first: Sequence[Floats], penalties: Penalties) -> fusion.Weights:
    """The weights of the second, which are added to the first's scores: from evidence that is known by turn."""
    known = [(e, scores) for e, scores in zip(data, first, strict=True) if not e.sessions_only]
    base = [scores for _, scores in known]
    covered = [coverage(scores, e.candidates) for e, scores in known]
    return listwise([e for e, _ in known], covered, base, COVERAGE, penalties, base=base)


def first_scores(weights: fusion.Weights, example: Example) -> Floats:
    return np.asarray(weights.contributions(example.features.astype(np.float64), example.gates).sum(axis=1))


def scores_of(weights: fusion.Ranking, example: Example) -> Floats:
    """What `Fused` scores."""
    first = first_scores(weights.first, example)
    second = weights.second.contributions(coverage(first, example.candidates), example.gates)
    return np.asarray(first + second.sum(axis=1))


def listwise(
    data: Sequence[Example],
    features: Sequence[Floats],
    crude: Sequence[Floats],
    names: Sequence[str],
    penalties: Penalties,
    base: Sequence[Floats] | None = None,
    like: fusion.Weights | None = None,
) -> fusion.Weights:
    """Minimises the listwise softmax loss: −Σ over gold candidates of log share, one share a question.

    `features` [candidates, names] of each question; `crude`: by which its hardest candidates are chosen; `base`: scores
    that the weighted features are added to; `like`: weights whose means and scales are taken, if not those of the data.
    """
    rng = np.random.default_rng(0)
    train = [i for i, e in enumerate(data) if e.gold.any()]
    kept = [_kept(data[i], crude[i], rng) for i in train]
    x = np.concatenate([features[i][k] for i, k in zip(train, kept, strict=True)]).astype(np.float64)
    held = np.concatenate([base[i][k] if base else np.zeros(len(k)) for i, k in zip(train, kept, strict=True)])
    g = np.stack([data[i].gates for i in train])
    mean, scale = (like.feature_mean, like.feature_scale) if like else _moments(x)
    gate_mean, gate_scale = (like.gate_mean, like.gate_scale) if like else _moments(g)
    if like is None:
        gate_mean[0], gate_scale[0] = 0.0, 1.0
    x = ((x - mean) / scale).astype(np.float32)
    g = fusion.standard(g, gate_mean, gate_scale).astype(np.float32)
    sizes = np.array([len(k) for k in kept])
    starts, owner = np.r_[0, sizes.cumsum()[:-1]], np.repeat(np.arange(len(train)), sizes)
    target = np.concatenate([data[i].gold[k] / data[i].gold[k].sum() for i, k in zip(train, kept, strict=True)])
    weight = _question_weights([data[i] for i in train])
    penalty = np.full((x.shape[1], g.shape[1]), penalties.gate_ridge)
    penalty[:, 0] = penalties.ridge

    def loss(flat: Floats) -> tuple[float, Floats]:
        w = flat.reshape(penalty.shape)
        scores = held + np.einsum("nf,nf->n", x, (g @ w.T.astype(np.float32))[owner]).astype(np.float64)
        raised = np.exp(scores - np.maximum.reduceat(scores, starts)[owner])
        total = np.add.reduceat(raised, starts)
        value = -(weight[owner] * target * np.log(np.maximum(raised / total[owner], 1e-30))).sum()
        slope = (weight[owner] * (raised / total[owner] - target)).astype(np.float32)
        gradient = np.add.reduceat(x * slope[:, None], starts, axis=0).T @ g
        return float(value + (penalty * w * w).sum()), (gradient + 2 * penalty * w).ravel().astype(np.float64)

    found = minimize(loss, np.zeros(penalty.size), jac=True, method="L-BFGS-B", options={"maxiter": 80})
    matrix = found.x.reshape(penalty.shape)
    return fusion.Weights(list(names), routing.GATES, matrix, mean, scale, gate_mean, gate_scale)


def _moments(rows: Floats) -> tuple[Floats, Floats]:
    return rows.mean(axis=0), np.maximum(rows.std(axis=0), LEAST_SCALE)


def _kept(example: Example, crude: Floats, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    best = np.argsort(-crude, kind="stable")[: NEGATIVES - 20]
    some = rng.choice(len(example.gold), min(20, len(example.gold)), replace=False)
    return np.unique(np.concatenate([best, some, np.flatnonzero(example.gold)]))


def _question_weights(train: Sequence[Example]) -> Floats:
    counts = {name: sum(e.dataset == name for e in train) for name in {e.dataset for e in train}}
    shares = {name: min(count, MOST_COUNTED) ** 0.5 / count for name, count in counts.items()}
    weights = np.array([shares[e.dataset] * (SESSIONS_ONLY if e.sessions_only else 1.0) for e in train])
    return np.asarray(weights / weights.sum())


def out_of_fold(
    data: Sequence[Example],
    fitted: Callable[[Sequence[Example]], Any],
    scored: Callable[[Any, Example], Floats],
    parts: Sequence[object] | None = None,
) -> list[Floats]:
    """The scores of each question's candidates by weights that never saw its part: its fold, where none are given."""
    part = parts or folds(data)
    scores: list[Floats] = [np.zeros(0)] * len(data)
    for left_out in sorted(set(part), key=str):
        weights = fitted([e for e, p in zip(data, part, strict=True) if p != left_out])
        for i, example in enumerate(data):
            if part[i] == left_out:
                scores[i] = scored(weights, example)
    return scores


def folds(data: Sequence[Any]) -> list[int]:
    """The fold of each question, those of one `group` of a `dataset` together."""
    fold: dict[tuple[str, str], int] = {}
    for dataset in sorted({e.dataset for e in data}):
        groups = sorted({e.group for e in data if e.dataset == dataset}, key=shuffled)
        fold |= {(dataset, group): i % FOLDS for i, group in enumerate(groups)}
    return [fold[e.dataset, e.group] for e in data]


def measured(data: Sequence[Example], scores: Sequence[Floats]) -> dict[str, dict[str, float]]:
    """Turn recall, and session recall of the turns' sessions in order of first appearance, by data set."""
    out = {}
    for dataset in sorted({e.dataset for e in data}):
        rows = [_measures(e, s) for e, s in zip(data, scores, strict=True) if e.dataset == dataset]
        out[dataset] = {name: round(float(np.mean([r[name] for r in rows])), 4) for name in rows[0]} | {"n": len(rows)}
        out[dataset] |= _by_category(data, rows, dataset)
    return out


def _by_category(
    data: Sequence[Example], rows: Sequence[Mapping[str, float]], dataset: str, name: str = "turn recall@10"
) -> dict[str, float]:
    own = [e.category for e in data if e.dataset == dataset]
    if name not in rows[0]:
        return {}
    by = {c: [row[name] for row, category in zip(rows, own, strict=True) if category == c] for c in sorted(set(own))}
    return {f"{name}, category {category}": round(float(np.mean(each)), 4) for category, each in by.items()}


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


def loaded(paths: Sequence[Path], cache: Path, fair: Unseen) -> tuple[list[str], list[Example]]:
    """The examples of all files over the stores of the cache, two files at a time."""
    cache.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(2) as pool:
        parts = list(pool.map(examples, paths, [cache] * len(paths), [fair] * len(paths)))
    return parts[0][0], [example for _, part in parts for example in part]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True, help="where the stores of the haystacks are kept")
    unseen.add_options(parser)
    parser.add_argument("--embedder", default=DEFAULT, choices=[DEFAULT, "multilingual"])
    parser.add_argument("--ridge", type=float, default=0.05, help="penalty on the weights that no gate changes")
    parser.add_argument("--gate-ridge", type=float, default=0.5, help="penalty on what a gate changes")
    parser.add_argument("--onto", action="store_true", help="add to the weights that ship")
    parser.add_argument("--dry-run", action="store_true", help="measure, write nothing")
    options = parser.parse_args(arguments)
    names, data = loaded(options.data, options.cache, unseen.chosen(options))
    penalties = Penalties(options.ridge, options.gate_ridge)
    onto = fusion.packaged(embedder_id(options.embedder)) if options.onto else None
    figures = compared(data, names, penalties, onto)
    print(json.dumps(figures, indent=1))
    if not options.dry_run:
        _write(fit(data, names, penalties, onto), options, figures)


def compared(
    data: Sequence[Example], names: Sequence[str], penalties: Penalties, onto: fusion.Ranking | None
) -> dict[str, object]:
    """The figures of both rankings left out by conversation, of both by data set, and of the first alone; of what is
    added to weights, those of these weights instead.
    """
    datasets = [e.dataset for e in data]

    def fitted(part: Sequence[Example]) -> fusion.Ranking:
        return fit(part, names, penalties, onto)

    found: dict[str, object] = {"cross_validated": measured(data, out_of_fold(data, fitted, scores_of))}
    if onto is not None:
        found["before"] = measured(data, [scores_of(onto, e) for e in data])
    else:
        first = out_of_fold(data, lambda part: first_of(part, names, penalties), first_scores)
        found["first_ranking_alone"] = measured(data, first)
    if len(set(datasets)) > 1:
        found["data_set_left_out"] = measured(data, out_of_fold(data, fitted, scores_of, datasets))
    return found


def _write(weights: fusion.Ranking, options: argparse.Namespace, figures: Mapping[str, object]) -> None:
    of = embedder_id(options.embedder)
    other = f" --embedder {options.embedder}" if of in fusion.FILES else ""
    other += " --onto" if options.onto else ""
    settings = f"{unseen.said(options)}{other} --ridge {options.ridge} --gate-ridge {options.gate_ridge}"
    past = learned.made(command("train_fused.py", options.data) + settings, options.data, of)
    target, results = WEIGHTS, RESULTS
    if own := fusion.FILES.get(of):
        target, results = WEIGHTS.with_name(own), RESULTS.with_name(own.replace("_weights", ""))
    if options.onto:
        results = results.with_stem(f"{results.stem}_onto")
    target.write_text(learned.written(past, weights.numbers()), encoding="utf-8")
    results.write_text(json.dumps({"made": past, "folds": FOLDS, **figures}, indent=1) + "\n", encoding="utf-8")


def command(script: str, data: Sequence[Path]) -> str:
    """How a script is run on these files."""
    return f"python benchmarks/{script} --data {' '.join(path.name for path in data)} --cache DIR"


if __name__ == "__main__":
    main()
