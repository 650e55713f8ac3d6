"""Two records side by side: the same questions, the difference with its interval, and the questions that flipped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import UsageError
from .bootstrap import clusters, paired
from .failures import answered_rightly, evidence_found
from .record import Record

__all__ = ["compare"]

#: The figures that are compared.
_FIGURES = (
    ("turn", "recall@10"),
    ("turn", "recall_all@10"),
    ("turn", "mrr"),
    ("session", "recall@10"),
    ("session", "recall_all@5"),
    ("answers", "f1"),
    ("answers", "locomo_f1"),
    ("answers", "abstained"),
    ("answers", "abstained_unanswerable"),
)


def compare(first: Record, second: Record, strategies: Sequence[str] | None, seed: int = 0) -> dict[str, Any]:
    """`{"records", "same_data", "strategies": {NAME: {"n", "figures": {PART.NAME: {…}}, "flipped": {…}}}}`.

    `strategies`: which of them; None: all that both have, or, where each has only one, these two. The differences are
    second − first, over the questions that both have asked. Raises UsageError where there is nothing to compare.
    """
    pairs = _pairs(first, second, strategies)
    return {
        "records": [_origin(first), _origin(second)],
        "same_data": first.document["sha256"] == second.document["sha256"],
        "strategies": {
            name: _compared(first.questions[left], second.questions[right], seed) for name, left, right in pairs
        },
    }


def _pairs(first: Record, second: Record, strategies: Sequence[str] | None) -> list[tuple[str, str, str]]:
    common = [name for name in first.questions if name in second.questions]
    wanted = common if strategies is None else [name for name in strategies if name in common]
    if wanted:
        return [(name, name, name) for name in wanted]
    if strategies is None and len(first.questions) == len(second.questions) == 1:
        left, right = next(iter(first.questions)), next(iter(second.questions))
        return [(f"{left} → {right}", left, right)]
    raise UsageError("the records have no such strategy in common", f"the first has {', '.join(first.questions)}")


def _origin(record: Record) -> dict[str, Any]:
    return {
        key: record.document.get(key)
        for key in ("dataset", "sha256", "slice", "n", "made_at", "commit", "code", "config")
    }


def _compared(
    first: Mapping[str, Mapping[str, Any]], second: Mapping[str, Mapping[str, Any]], seed: int
) -> dict[str, Any]:
    ids = [id_ for id_ in first if id_ in second]
    if not ids:
        raise UsageError("the records have no question in common", "compare records of one data set")
    figures = {f"{part}.{name}": _figure(first, second, ids, (part, name), seed) for part, name in _FIGURES}
    return {
        "n": len(ids),
        "figures": {name: found for name, found in figures.items() if found is not None},
        "flipped": {
            "evidence": _flips(first, second, ids, evidence_found),
            "answer": _flips(first, second, ids, answered_rightly),
        },
    }


def _figure(
    first: Mapping[str, Mapping[str, Any]],
    second: Mapping[str, Mapping[str, Any]],
    ids: Sequence[str],
    path: tuple[str, str],
    seed: int,
) -> dict[str, Any] | None:
    both = [i for i in ids if _score(first[i], path) is not None and _score(second[i], path) is not None]
    if not both:
        return None
    left, right = (np.array([_score(lines[i], path) for i in both], dtype=np.float64) for lines in (first, second))
    found = paired(left, right, _clusters(first, both), seed)
    return {
        "n": len(both),
        "first": round(float(left.mean()), 6),
        "second": round(float(right.mean()), 6),
        "difference": round(found.difference, 6),
        "ci95": [round(found.low, 6), round(found.high, 6)],
        "p": found.p,
    }


def _clusters(lines: Mapping[str, Mapping[str, Any]], ids: Sequence[str]) -> npt.NDArray[np.int64]:
    return clusters([str(lines[i]["conversation"]) for i in ids])


def _score(line: Mapping[str, Any], path: tuple[str, str]) -> float | None:
    value = line["scores"].get(path[0], {}).get(path[1])
    return None if value is None else float(value)


def _flips(
    first: Mapping[str, Mapping[str, Any]], second: Mapping[str, Mapping[str, Any]], ids: Sequence[str], is_right: Any
) -> dict[str, list[dict[str, Any]]]:
    """The questions that only one of the two gets right: `gained` by the second, `lost` by it."""
    out: dict[str, list[dict[str, Any]]] = {"gained": [], "lost": []}
    for id_ in ids:
        before, after = is_right(first[id_]), is_right(second[id_])
        if before is not None and after is not None and before != after:
            out["gained" if after else "lost"].append(_flip(first[id_], second[id_]))
    return out


def _flip(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: second[key] for key in ("id", "category", "question", "gold_answer")}
    return kept | {"first": first["answer"], "second": second["answer"]}
