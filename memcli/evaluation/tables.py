"""The figures of a record as tables: which columns there are, and what stands in them. Shared by every rendering."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..providers.tokens import ESTIMATE
from ..text import clean
from .slices import SLICES

__all__ = [
    "ANSWERED",
    "ANSWERS",
    "RETRIEVAL",
    "RETRIEVED",
    "Figure",
    "by_category",
    "categorised",
    "cell",
    "failures",
    "figure",
    "grid",
    "markdown",
    "number",
    "summary",
    "tables",
]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a record with its heading. `better`: more of it is better."""

    heading: str
    path: Sequence[str]
    better: bool = True
    digits: int = 3


RETRIEVAL = (
    Figure("turn R@5", ("turn", "recall@5")),
    Figure("R@10", ("turn", "recall@10")),
    Figure("R@20", ("turn", "recall@20")),
    Figure("all@10", ("turn", "recall_all@10")),
    Figure("nDCG@10", ("turn", "ndcg@10")),
    Figure("MRR", ("turn", "mrr")),
    Figure("session R@5", ("session", "recall@5")),
    Figure("R@10", ("session", "recall@10")),
    Figure("all@5", ("session", "recall_all@5")),
    Figure("nDCG@10", ("session", "ndcg@10")),
)
ANSWERS = (
    Figure("F1", ("answers", "f1")),
    Figure("LoCoMo F1", ("answers", "locomo_f1")),
    Figure("BLEU-1", ("answers", "bleu1")),
    Figure("BLEU-4", ("answers", "bleu4")),
    Figure("ROUGE-L", ("answers", "rouge_l")),
    Figure("abstained", ("answers", "abstained"), better=False),
    Figure("of unanswerable", ("answers", "abstained_unanswerable")),
    Figure("tokens", ("context_tokens", "mean"), better=False, digits=1),
    Figure("p50 ms", ("latency_ms", "p50"), better=False, digits=1),
    Figure("p95 ms", ("latency_ms", "p95"), better=False, digits=1),
)
#: The share of wrong answers from which on a judge is not to be trusted.
_CREDULOUS = 0.1
#: A judge's score is only worth what its share of accepted wrong answers allows: they stand side by side.
JUDGED = tuple(
    Figure(f"{style}{heading}", ("judge", style, name), share)
    for style in ("strict", "lenient")
    for heading, name, share in (("", "mean", True), (" ±", "deviation", False), (", wrong", "false_accept", False))
)
#: The figure of each category, where it is one of retrieval and where it is one of answers.
RETRIEVED, ANSWERED = RETRIEVAL[1], ANSWERS[1]
#: The one of retrieval where evidence is known as sessions.
_RETRIEVED_SESSIONS = RETRIEVAL[7]


def figure(found: Mapping[str, Any], column: Figure) -> float | None:
    """What stands in a column for one strategy; None where it is not defined."""
    value = _at(found, column.path)
    return None if value is None else float(value)


def _interval(found: Mapping[str, Any], column: Figure) -> tuple[float, float] | None:
    bounds = _at(found["ci95"], column.path)
    return (bounds[0], bounds[1]) if bounds else None


def _at(found: Any, path: Sequence[str]) -> Any:
    for key in path:
        found = found.get(key) if found else None
    return found


def tables(document: Mapping[str, Any]) -> list[tuple[str, Sequence[Figure]]]:
    """The tables of a record, by title."""
    judged = any("judge" in found for found in document["strategies"].values())
    return [("Retrieval", RETRIEVAL), ("Answers", ANSWERS), *([("Judge", JUDGED)] if judged else [])]


def summary(document: Mapping[str, Any]) -> list[str]:
    """What was measured on what, as lines: the number, the exclusions, the data's hash, the settings."""
    out, config = document["excluded"], document["config"]
    counts = ", ".join(f"{name}: {count}" for name, count in document["categories"].items())
    left = [f"{n} {why.replace('_', ' ')}" for why, n in out["retrieval"].items() if n]
    for name in ("malformed_evidence", "malformed_questions"):
        left += [f"{out[name]} {name.replace('_', ' ')}"] if out[name] else []
    return [
        f"{document['dataset']}: {document['n']} questions ({counts}), sha256 {document['sha256'][:16]}…",
        *_sliced(document),
        f"left out of retrieval: {', '.join(left) or 'nothing'}; "
        f"{out['answers']['unanswerable']} unanswerable questions are scored by abstention alone",
        f"every reader gets {config['k']} turns of at most {config['tokens']} tokens by estimate; "
        f"{_counted(config.get('counted_by', ESTIMATE))}; embedder {config['embedder']}; "
        f"95 % intervals over {document['ci95_over']}s; seed {config['seed']}",
        *_judges(document),
    ]


def _counted(by: str) -> str:
    return "tokens are estimated" if by == ESTIMATE else f"tokens are counted by {by}"


def _sliced(document: Mapping[str, Any]) -> list[str]:
    found = document["slice"]
    if found is None:
        return []
    held = f"{found['kept']} of {found['of']} questions {SLICES[found['name']].description}"
    return [f"slice {found['name']}: {held}"]


def _judges(document: Mapping[str, Any]) -> list[str]:
    found = next((s["judge"] for s in document["strategies"].values() if "judge" in s), None)
    if found is None:
        return []
    prompts = ", ".join(f"{style} {version}" for style, version in found["prompts"].items())
    return [
        f"judge {found['model']}, {found['runs']} runs (±: deviation between them), prompts {prompts}; "
        "wrong: the share of deliberately wrong answers that it accepts",
        *_credulous(document),
    ]


def _credulous(document: Mapping[str, Any]) -> list[str]:
    """A warning where the judge accepts so many wrong answers that its scores say little."""
    wrong = [column for column in JUDGED if column.path[-1] == "false_accept"]
    found = document["strategies"].values()
    too_many = [c.path[1] for c in wrong if any((figure(each, c) or 0.0) > _CREDULOUS for each in found)]
    warning = f"the judge accepts more than one wrong answer in ten: its {' and '.join(too_many)} scores say little"
    return [warning] if too_many else []


def by_category(document: Mapping[str, Any], column: Figure) -> tuple[list[str], list[list[float | None]]]:
    """The categories, and for each strategy the figure in each of them."""
    names = list(document["categories"])
    rows = [
        [figure(found["by_category"][name], column) if name in found["by_category"] else None for name in names]
        for found in document["strategies"].values()
    ]
    return names, rows


def categorised(document: Mapping[str, Any]) -> list[tuple[str, Figure]]:
    """The figures that are shown by category, with their titles."""
    by_session = all(_by_session(found) for found in document["strategies"].values())
    level, column = ("Session", _RETRIEVED_SESSIONS) if by_session else ("Turn", RETRIEVED)
    return [(f"{level} recall@10 by category", column), ("LoCoMo F1 by category", ANSWERED)]


def _by_session(found: Mapping[str, Any]) -> bool:
    """Whether retrieval was scored by sessions alone."""
    return figure(found, RETRIEVED) is None and figure(found, _RETRIEVED_SESSIONS) is not None


def markdown(document: Mapping[str, Any]) -> str:
    """The record as a page: what was measured, and three tables."""
    strategies = document["strategies"]
    parts = [f"# {document['dataset']}", "\n".join(f"- {line}" for line in summary(document))]
    for title, columns in tables(document):
        rows = [[cell(found, column) for column in columns] for found in strategies.values()]
        parts.append(f"## {title}\n\n" + grid([c.heading for c in columns], list(strategies), rows))
    for title, column in categorised(document):
        names, figures = by_category(document, column)
        rows = [[number(value) for value in row] for row in figures]
        parts.append(f"## {title}\n\n" + grid(names, list(strategies), rows))
    parts += [f"## {title}\n\n" + "\n".join(f"- {line}" for line in found) for title, found in failures(document)]
    return "\n\n".join(parts) + "\n"


def failures(document: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """For each contender that failed questions of one's own, how many of how many, and which, a line each."""
    return [
        (f"{name}: {len(found)} of {document['n']} failed", [_failure(each) for each in found])
        for name, found in (document.get("failed") or {}).items()
        if found
    ]


def _failure(each: Mapping[str, Any]) -> str:
    said = f"answered: {each['answer'] or '(nothing)'}; right: {each['gold_answer'] or '(nothing)'}"
    wrong = [{"evidence": "its evidence was not found", "answer": said}[what] for what in each["failed"]]
    line = f"[{each['category']}] {each['id']}: {each['question']} – {'; '.join(wrong)}"
    return " ".join(clean(line).split())


def cell(found: Mapping[str, Any], column: Figure) -> str:
    """What stands in a column, as text; the two figures that decide have their 95 % interval beside them."""
    retrieved = _RETRIEVED_SESSIONS if _by_session(found) else RETRIEVED
    bounds = _interval(found, column) if column in (retrieved, ANSWERS[0]) else None
    beside = f" ({bounds[0]:.3f}–{bounds[1]:.3f})" if bounds else ""
    return number(figure(found, column), column.digits) + beside


def number(value: float | None, digits: int = 3) -> str:
    """A figure, or a dash where there is none."""
    return "–" if value is None else f"{value:.{digits}f}"


def grid(headings: Sequence[str], names: Sequence[str], rows: Sequence[Sequence[str]], first: str = "strategy") -> str:
    """A table in Markdown: a name and some cells a row."""
    lines = [f"| {first} | {' | '.join(heading for heading in headings)} |"]
    lines.append("|---|" + "---:|" * len(headings))
    lines += [f"| {name} | {' | '.join(row)} |" for name, row in zip(names, rows, strict=True)]
    return "\n".join(lines)
