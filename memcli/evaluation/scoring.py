"""Outcomes and gold labels to one document of figures: the only place where the two meet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .answers import answer_scores
from .asking import Outcome
from .bootstrap import clusters, intervals
from .metrics import retrieval_scores
from .runner import Gold, Result

__all__ = ["categories", "document", "question_scores"]

Floats = npt.NDArray[np.float64]

_RETRIEVAL = tuple(retrieval_scores(["x"], {"x"}))
_WORDS = tuple(answer_scores("", "", ""))
#: Every figure of a slice of questions, as part and name: the order of the columns below.
COLUMNS: Sequence[tuple[str, str]] = (
    *(("turn", name) for name in _RETRIEVAL),
    *(("session", name) for name in _RETRIEVAL),
    *(("answers", name) for name in (*_WORDS, "abstained", "abstained_unanswerable")),
)


def question_scores(gold: Gold, outcome: Outcome) -> dict[str, dict[str, float]]:
    """The scores of one question by part; what is not defined for it is left out."""
    question, scores = gold.question, dict[str, dict[str, float]]()
    if question.evidence:
        scores["turn"] = dict(retrieval_scores(outcome.turns, question.evidence))
    if gold.sessions:
        scores["session"] = dict(retrieval_scores(outcome.sessions, gold.sessions))
    if not question.answerable:
        return scores | {"answers": {"abstained_unanswerable": float(outcome.abstained)}}
    answers = {"abstained": float(outcome.abstained)}
    if question.answer and outcome.abstained:
        answers |= dict.fromkeys(_WORDS, 0.0)
    elif question.answer:
        answers |= answer_scores(outcome.answer, question.answer, question.category)
    return scores | {"answers": answers}


def document(result: Result, seed: int) -> dict[str, Any]:
    """The part of the record that is measured: `{"n", "categories", "excluded", "strategies"}`; see docs/json.md."""
    return {
        "n": len(result.gold),
        "categories": categories(result.gold),
        "excluded": _exclusions(result),
        "strategies": {name: _contender(result.gold, found, seed) for name, found in result.outcomes.items()},
    }


def categories(gold: Sequence[Gold]) -> dict[str, int]:
    """How many questions each category has, in the order of their names."""
    names = [g.question.category for g in gold]
    return {name: names.count(name) for name in sorted(set(names))}


def _exclusions(result: Result) -> dict[str, Any]:
    """What is left out of what, and why: counts of questions, and of pieces of evidence that name no turn."""
    questions = [g.question for g in result.gold]
    reasons = [q.exclusion for q in questions]
    return {
        "retrieval": {name: reasons.count(name) for name in ("abstention", "no_evidence", "unresolvable_evidence")},
        "answers": {
            "unanswerable": sum(not q.answerable for q in questions),
            "no_gold_answer": sum(q.answerable and not q.answer for q in questions),
        },
        "malformed_questions": len(result.malformed),
        "malformed_evidence": sum(q.unresolved for q in questions),
    }


def _contender(gold: Sequence[Gold], found: Mapping[str, Outcome], seed: int) -> dict[str, Any]:
    known = [g for g in gold if g.question.id in found]
    outcomes = [found[g.question.id] for g in known]
    scores = _matrix(known, outcomes)
    cluster = clusters([g.haystack for g in known])
    labels = np.array([g.question.category for g in known], dtype=str)
    tokens = [outcome.context_tokens for outcome in outcomes]
    milliseconds = [outcome.milliseconds for outcome in outcomes]
    return {
        **_slice(_means(scores)),
        "by_category": {
            name: {"n": count, **_slice(_means(scores[labels == name]))} for name, count in categories(known).items()
        },
        "latency_ms": {"p50": _percentile(milliseconds, 50), "p95": _percentile(milliseconds, 95)},
        "context_tokens": {"mean": round(float(np.mean(tokens)), 2) if tokens else 0.0, "p95": _percentile(tokens, 95)},
        "ci95": _slice([_known(bound) for bound in intervals(scores, cluster, seed)]),
    }


def _matrix(gold: Sequence[Gold], outcomes: Sequence[Outcome]) -> Floats:
    """The scores [questions, COLUMNS]; nan where one is not defined."""
    scores = [question_scores(g, outcome) for g, outcome in zip(gold, outcomes, strict=True)]
    rows = [[each.get(part, {}).get(name, np.nan) for part, name in COLUMNS] for each in scores]
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(COLUMNS))


def _slice(figures: Sequence[Any]) -> dict[str, dict[str, Any]]:
    """One figure a column, in their parts.

    Where no question has an answer (LoCoMo's category 5), to abstain is all that there is to score.
    """
    out: dict[str, dict[str, Any]] = {"turn": {}, "session": {}, "answers": {}}
    for (part, name), figure in zip(COLUMNS, figures, strict=True):
        out[part][name] = figure
    answers = out["answers"]
    if answers["abstained"] is None:
        answers["abstained"] = answers["locomo_f1"] = answers["abstained_unanswerable"]
    return out


def _means(scores: Floats) -> list[float | None]:
    known = ~np.isnan(scores)
    sums, counts = np.where(known, scores, 0.0).sum(axis=0), known.sum(axis=0)
    return [round(float(s / c), 6) if c else None for s, c in zip(sums, counts, strict=True)]


def _known(bound: Floats) -> list[float] | None:
    return None if np.isnan(bound).any() else [round(float(value), 6) for value in bound]


def _percentile(values: Sequence[float], share: float) -> float:
    return round(float(np.percentile(values, share)), 3) if values else 0.0
