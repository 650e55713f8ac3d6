"""Trains what the strategy `ontology` learns, and measures it with cross-validation by conversation and by time.

    python benchmarks/train_ontology.py --data locomo.json implicit.json.gz longmemeval.json.gz --cache DIR

First the scorer of lifting: a topic of the first part of a history was worth an edge where its person comes back to it
in the rest. Then, with topics lifted by it, the weights of the views, and at last the router, from replays of every
plan for every question. Writes `memcli/strategies/ontology/weights.json`,
`memcli/indexing/ontology/lifting.json` and `benchmarks/results/ontology.json`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt
import unseen
from ontology_fitting import CONSISTENCY, Listed, disagreement, fit_lifting, fit_router, fit_views
from train_fused import FOLDS, command, folds
from unseen import Unseen, shuffled

from memcli.evaluation.datasets import haystacks
from memcli.evaluation.questions import GoldQuestion, Haystack
from memcli.indexing.ontology import lifting
from memcli.indexing.ontology import topics as concepts
from memcli.memory import Memory
from memcli.model import Filters
from memcli.model.relations import DOMAINS
from memcli.providers.embedding import DEFAULT, Embedder, embedder_id
from memcli.providers.profiles import ENCODER
from memcli.ranking import learned
from memcli.ranking.arrays import top
from memcli.store import topics as stored
from memcli.store.revision import bump_revision
from memcli.store.rows import transaction
from memcli.strategies.ontology import Ontology, router, unified
from memcli.strategies.ontology.expansion import expand
from memcli.strategies.ontology.signals import signals

Floats = npt.NDArray[np.float64]
ROOT = Path(__file__).resolve().parents[1]
WEIGHTS = ROOT / "memcli/strategies/ontology/weights.json"
LIFTING = ROOT / "memcli/indexing/ontology/lifting.json"
RESULTS = ROOT / "benchmarks/results/ontology.json"
EARLY = 0.6  # the share of a history in which topics are looked for, and of one in which the router is trained
KEPT = 60  # turns that each signal keeps for the training
COST = 0.005  # what an expansion takes from a plan's reward


@dataclass
class Replay:
    """One question: its candidates under each lead, with both views' signals, and what the router is told."""

    dataset: str
    group: str
    category: str
    late: bool
    advice: bool
    gold_count: int
    signals: Mapping[str, tuple[Floats, Floats, npt.NDArray[np.bool_]]]
    inputs: Sequence[float]


def memories(paths: Sequence[Path], cache: Path, fair: Unseen) -> Iterator[tuple[Path, Haystack, Memory, Embedder]]:
    """Every haystack with the store of it alone, from the cache where it is there, and what embeds for it."""
    cache.mkdir(parents=True, exist_ok=True)
    for path in paths:
        model_of = fair.of(path)
        for index, haystack in enumerate(haystacks(path)):
            model = model_of(haystack.name)
            memory = Memory(cache / f"{path.name}-{index}-{haystack.name}.memcli", embedder=model)
            if not memory.store.exists:
                memory.add(haystack.messages)
            yield path, haystack, memory, model


def patterns(memory: Memory, dimension: int) -> Iterator[tuple[dict[str, float], bool]]:
    """Each topic of the first part of a history, as a candidate edge, and whether its person came back to it."""
    with memory.store.writing() as db, transaction(db):
        stored.drop_concepts(db)
        held = stored.strays(db, dimension)
        stored_topics = stored.topics(db, dimension)
    order = np.argsort(np.nan_to_num(held.days), kind="stable")
    early, late = order[: int(EARLY * len(order))], order[int(EARLY * len(order)) :]
    first = concepts.chosen(held, early)
    placed = concepts.assigned(stored_topics, first)
    for topic, head, _, standing in concepts.candidates(placed, stored_topics.centres()):
        if topic not in stored_topics.seeded and len(standing) >= lifting.LEAST_SUPPORT - 1:
            centre = stored_topics.centres()[topic]
            again = (held.vectors[late] @ centre >= ENCODER.topic) & (held.head[late] == head)
            yield concepts.features(placed, standing, centre), bool(again.any())


def lift(memory: Memory, model: Embedder, scorer: lifting.Scorer) -> None:
    """Makes a store's topics, and what is lifted of them, anew."""
    with memory.store.writing() as db, transaction(db):
        stored.drop_concepts(db)
        concepts.domain_vectors(db, model, DOMAINS)
        concepts.plant(db, model)
        concepts.grow(db, model.dimension, concepts.sensitive(), scorer)
        bump_revision(db)


def replay(path: Path, haystack: Haystack, memory: Memory, question: GoldQuestion) -> Replay:
    """What the strategy sees of a question under either lead, with the one expansion."""
    at = question.asked_at or datetime.now(UTC)
    query, view = memory.query(question.text, Filters(), at, Ontology())
    said = view.cosines(query.vector[None])[0]
    gold = view.rows_of(sorted(question.evidence))
    seen = {}
    for lead in unified.LEADS:
        graph, dense = signals(query, view, said, lead)
        expand(query, view, said, lead, (graph, dense))
        rows = np.unique(np.concatenate([*(top(each, KEPT) for each in (*graph.values(), *dense.values())), gold]))
        nothing = np.zeros(view.n)
        views = [
            np.stack([found.get(name, nothing)[rows] for name in names], axis=1)
            for names, found in ((unified.GRAPH, graph), (unified.DENSE, dense))
        ]
        seen[lead] = (views[0], views[1], np.isin(rows, gold))
    told = router.inputs(query, view, said)
    late = float(gold.max()) >= EARLY * view.n
    inputs = [told[name] for name in router.INPUTS]
    return Replay(
        path.name, haystack.name, question.category, late, bool(told["advice"]), len(question.evidence), seen, inputs
    )


def listed(data: Sequence[Replay], lead: str) -> list[Listed]:
    """The questions from which a lead's views are trained: those that the rule without a router gives it."""
    counts = {name: sum(each.dataset == name for each in data) for name in {each.dataset for each in data}}
    return [
        Listed(*each.signals[lead], counts[each.dataset] ** -0.5) for each in data if each.advice == (lead == "graph")
    ]


def views(data: Sequence[Replay], consistency: float) -> dict[str, dict[str, dict[str, float]]]:
    return {lead: fit_views(listed(data, lead), consistency) for lead in unified.LEADS}


def outcome(
    each: Replay, found: Mapping[str, dict[str, dict[str, float]]], plan: router.Plan, zero: str = ""
) -> dict[str, float]:
    """What a plan finds: recall@10 and nDCG@10; whether the expansion was spent."""
    graph, dense, gold = each.signals[plan.lead]
    combiner = unified.Combiner.of(found[plan.lead])
    by_name = [
        {name: column for name, column in zip(names, values.T, strict=True) if name not in ("hop", "probe", zero)}
        for names, values in ((unified.GRAPH, graph), (unified.DENSE, dense))
    ]
    profile = np.zeros(len(gold))
    scores, s_graph, s_dense = combiner.scores(by_name[0], by_name[1], profile)
    spent = plan.expand and unified.uncertain(scores, s_graph, s_dense)
    if spent:
        by_name[0]["hop"], by_name[1]["probe"] = graph[:, -1], dense[:, -1]
        scores = combiner.scores(by_name[0], by_name[1], profile)[0]
    found_at = np.flatnonzero(gold[np.argsort(-scores, kind="stable")[:10]])
    ideal = (1 / np.log2(np.arange(min(each.gold_count, 10)) + 2)).sum()
    return {
        "recall@10": len(found_at) / each.gold_count,
        "ndcg@10": float((1 / np.log2(found_at + 2)).sum() / ideal),
        "expanded": float(spent),
    }


def rewards(data: Sequence[Replay], found: Mapping[str, dict[str, dict[str, float]]]) -> Floats:
    """Recall less cost of every plan for every question (equation 6): [questions, plans]."""
    return np.array(
        [[(o := outcome(e, found, p))["recall@10"] - COST * o["expanded"] for p in router.PLANS] for e in data]
    )


def trained_router(data: Sequence[Replay], found: Mapping[str, dict[str, dict[str, float]]]) -> router.Policy:
    counts = {name: sum(each.dataset == name for each in data) for name in {each.dataset for each in data}}
    weight = np.array([counts[each.dataset] ** -0.5 for each in data])
    return fit_router(np.array([each.inputs for each in data]), rewards(data, found), weight)


def rule(each: Replay) -> router.Plan:
    return router.PLANS[0 if each.advice else 2]


def measured(data: Sequence[Replay], train: Sequence[Replay]) -> dict[str, list[dict[str, float]]]:
    """The outcome of each variant for each question of `data`, with everything trained on `train` alone."""
    whole, inconsistent = views(train, CONSISTENCY), views(train, 0.0)
    policy = trained_router(train, whole)
    chosen = [router.PLANS[int(policy.probabilities(np.array(each.inputs)).argmax())] for each in data]
    calm = [router.Plan(p.lead, p.graph_budget, p.dense_budget, expand=False) for p in chosen]
    oracle = rewards(data, whole)
    variants: dict[str, Callable[[int, Replay], dict[str, float]]] = {
        "whole": lambda i, each: outcome(each, whole, chosen[i]),
        "without lifting": lambda i, each: outcome(each, whole, chosen[i], "lifted"),
        "without domains": lambda i, each: outcome(each, whole, chosen[i], "domain"),
        "without consistency": lambda i, each: outcome(each, inconsistent, chosen[i]),
        "without router": lambda _, each: outcome(each, whole, rule(each)),
        "without expansion": lambda i, each: outcome(each, whole, calm[i]),
    }
    found = {name: [of(i, each) for i, each in enumerate(data)] for name, of in variants.items()}
    for i, each in enumerate(found["whole"]):
        picked = oracle[i, router.PLANS.index(chosen[i])]
        each["error route"] = float(oracle[i].max() - picked > COST + 1e-9)
        each["graph first"] = float(chosen[i].lead == "graph")
    for lead in unified.LEADS:
        part = listed(data, lead)
        if part:
            found[f"disagreement {lead}"] = [
                {"with": disagreement(part, whole[lead]), "without": disagreement(part, inconsistent[lead])}
            ]
    return found


def cross_validated(data: Sequence[Replay], folds: Sequence[int]) -> dict[str, object]:
    merged: dict[str, list[tuple[Replay, dict[str, float]]]] = {}
    gaps: dict[str, list[dict[str, float]]] = {}
    for k in sorted(set(folds) - {-1}):
        test = [each for each, fold in zip(data, folds, strict=True) if fold == k]
        found = measured(test, [each for each, fold in zip(data, folds, strict=True) if fold != k])
        for name, rows in found.items():
            if name.startswith("disagreement"):
                gaps.setdefault(name, []).extend(rows)
            else:
                merged.setdefault(name, []).extend(zip(test, rows, strict=True))
    by_variant = {name: _by_dataset(pairs) for name, pairs in merged.items()}
    means = {
        name: {key: round(float(np.mean([g[key] for g in rows])), 4) for key in rows[0]} for name, rows in gaps.items()
    }
    return {**by_variant, **means}


def _by_dataset(pairs: Sequence[tuple[Replay, dict[str, float]]]) -> dict[str, dict[str, float]]:
    out = {}
    for dataset in sorted({each.dataset for each, _ in pairs}):
        rows = [row for each, row in pairs if each.dataset == dataset]
        out[dataset] = {key: round(float(np.mean([row[key] for row in rows])), 4) for key in rows[0]}
        categories = sorted({each.category for each, _ in pairs if each.dataset == dataset})
        if len(categories) <= 3:
            for category in categories:
                own = [row["recall@10"] for each, row in pairs if (each.dataset, each.category) == (dataset, category)]
                out[dataset][f"recall@10 {category}"] = round(float(np.mean(own)), 4)
    return out


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True, help="where the stores of the haystacks are kept")
    unseen.add_options(parser)
    options = parser.parse_args(arguments)
    filled = list(memories(options.data, options.cache, unseen.chosen(options)))
    scorer, calibration = _lifting(filled)
    data = []
    for path, haystack, memory, model in filled:
        lift(memory, model, scorer)
        data += [replay(path, haystack, memory, q) for q in haystack.questions if q.evidence]
        print(path.name, haystack.name, len(data), file=sys.stderr, flush=True)
    past = learned.made(
        command("train_ontology.py", options.data) + unseen.said(options), options.data, embedder_id(DEFAULT)
    )
    record = {
        "made": past,
        "lifting": calibration,
        "cross_validated": cross_validated(data, folds(data)),
        "time_split": cross_validated(data, [0 if each.late else -1 for each in data]),
    }
    print(json.dumps(record, indent=1))
    WEIGHTS.write_text(learned.written(past, trained(data)), encoding="utf-8")
    lifts = {"lifting": {"bias": scorer.bias, "weights": dict(scorer.weights)}}
    LIFTING.write_text(learned.written(past, lifts), encoding="utf-8")
    RESULTS.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def _lifting(filled: Sequence[tuple[Path, Haystack, Memory, Embedder]]) -> tuple[lifting.Scorer, object]:
    """The scorer, and how well it foretells for haystacks that it was not trained on."""
    rows = [(f"{p.name}-{h.name}", *pair) for p, h, memory, m in filled for pair in patterns(memory, m.dimension)]
    fold = np.array([int(shuffled(name), 16) % FOLDS for name, _, _ in rows])
    foretold = np.zeros(len(rows))
    for k in range(FOLDS):
        train = [row for row, f in zip(rows, fold, strict=True) if f != k]
        scorer = fit_lifting([r[1] for r in train], [r[2] for r in train])
        foretold[fold == k] = [scorer(row[1]) for row, f in zip(rows, fold, strict=True) if f == k]
    came = np.array([row[2] for row in rows])
    passed = foretold > lifting.TAU
    calibration = {
        "candidates": len(rows), "returned": round(float(came.mean()), 4), "passed": round(float(passed.mean()), 4),
        "returned of passed": round(float(came[passed].mean()), 4) if passed.any() else None,
        "brier": round(float(((foretold - came) ** 2).mean()), 4),
        "brier of the mean": round(float(came.mean() * (1 - came.mean())), 4),
    }  # fmt: skip
    return fit_lifting([r[1] for r in rows], [r[2] for r in rows]), calibration


def trained(data: Sequence[Replay]) -> dict[str, object]:
    """What the strategy has learned, from all of the data."""
    whole, inconsistent = views(data, CONSISTENCY), views(data, 0.0)
    return {
        "views": {**whole, **{f"{lead} without consistency": each for lead, each in inconsistent.items()}},
        "router": trained_router(data, whole).numbers(),
    }


if __name__ == "__main__":
    main()
