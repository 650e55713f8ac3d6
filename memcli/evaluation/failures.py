"""Which questions went wrong: their evidence was not found, or their answer is not the right one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .record import lines
from .runner import Result

__all__ = ["answered_rightly", "evidence_found", "failed"]

#: An answer counts as right from this F1 on.
_RIGHT = 0.5


def failed(result: Result) -> dict[str, list[dict[str, Any]]]:
    """By contender, the questions that it failed, in their order, with what is wrong: `evidence`, `answer` or both."""
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in result.outcomes}
    for line in lines(result):
        wrong = [what for what, is_right in _CHECKED.items() if is_right(line) is False]
        if wrong:
            kept = {key: line[key] for key in ("id", "category", "question", "gold_answer", "answer")}
            found[line["strategy"]].append(kept | {"failed": wrong})
    return found


def evidence_found(line: Mapping[str, Any]) -> bool | None:
    """Whether all the evidence is among the first ten turns, or sessions where only these are known; None: none is."""
    value = _score(line, "turn", "recall_all@10")
    value = _score(line, "session", "recall_all@10") if value is None else value
    return None if value is None else value == 1.0


def answered_rightly(line: Mapping[str, Any]) -> bool | None:
    """Whether the answer is right: by its F1, or where there is none to be had, by abstaining; None: nobody knows."""
    silent = _score(line, "answers", "abstained_unanswerable")
    value = _score(line, "answers", "f1") if silent is None else silent
    return None if value is None else value >= _RIGHT


def _score(line: Mapping[str, Any], part: str, name: str) -> float | None:
    value = line["scores"].get(part, {}).get(name)
    return None if value is None else float(value)


_CHECKED = {"evidence": evidence_found, "answer": answered_rightly}
