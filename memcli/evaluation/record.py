"""What an evaluation leaves behind: one document of figures with all that is needed to make them again, and the
answer to every question."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import orjson

import memcli

from ..errors import InputUnreadable
from .runner import Result
from .scoring import question_scores

__all__ = ["Record", "commit", "lines", "load", "save", "versions"]

_PACKAGES = ("duckdb", "hnswlib", "igraph", "numpy", "onnxruntime", "sentencex", "pystemmer", "tokenizers")
DOCUMENT, QUESTIONS = "record.json", "questions.jsonl"


@dataclass(frozen=True, slots=True)
class Record:
    """A saved evaluation: its document, and for each contender its answers by the question's id."""

    document: Mapping[str, Any]
    questions: Mapping[str, Mapping[str, Mapping[str, Any]]]


def versions() -> dict[str, str]:
    """The versions of memcli, Python and the packages whose results the figures rest on."""
    found = {name: metadata.version(name) for name in _PACKAGES}
    return {"memcli": memcli.__version__, "python": ".".join(map(str, sys.version_info[:3])), **found}


def commit() -> str | None:
    """The commit of the working copy that memcli runs from; None where it was installed from a package."""
    git = Path(memcli.__file__).resolve().parents[1] / ".git"
    try:
        head = (git / "HEAD").read_text(encoding="utf-8").strip()
        reference = head.removeprefix("ref: ")
        return head if reference == head else (git / reference).read_text(encoding="utf-8").strip()
    except OSError:
        return None


def save(folder: Path, document: Mapping[str, Any], result: Result) -> None:
    """Writes the document and the answers. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / DOCUMENT).write_bytes(orjson.dumps(document, option=orjson.OPT_INDENT_2) + b"\n")
    (folder / QUESTIONS).write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines(result)))


def lines(result: Result) -> Iterator[dict[str, Any]]:
    """Every question as every contender answered it, with its gold labels and scores."""
    for name, outcomes in result.outcomes.items():
        for gold in result.gold:
            if outcome := outcomes.get(gold.question.id):
                yield {
                    "strategy": name,
                    "id": gold.question.id,
                    "conversation": gold.haystack,
                    "category": gold.question.category,
                    "question": gold.question.text,
                    "gold_answer": gold.question.answer,
                    "gold_turns": sorted(gold.question.evidence),
                    "gold_sessions": sorted(gold.sessions),
                    "turns": list(outcome.turns),
                    "sessions": list(outcome.sessions),
                    "answer": None if outcome.abstained else outcome.answer,
                    "citations": list(outcome.citations),
                    "confidence": outcome.confidence,
                    "latency_ms": outcome.milliseconds,
                    "context_tokens": outcome.context_tokens,
                    "scores": question_scores(gold, outcome),
                }


def load(path: Path) -> Record:
    """The record in a folder that `save` has written. Raises InputUnreadable."""
    folder = path if path.is_dir() else path.parent
    try:
        document = orjson.loads((folder / DOCUMENT).read_bytes())
        kept = [orjson.loads(line) for line in (folder / QUESTIONS).read_bytes().splitlines()]
        questions: dict[str, dict[str, Mapping[str, Any]]] = {name: {} for name in document["strategies"]}
        for line in kept:
            questions[line["strategy"]][line["id"]] = line
    except OSError as error:
        raise InputUnreadable(
            f"no record in {folder}: {error.strerror}", "make one: memcli eval … --out DIR"
        ) from error
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise InputUnreadable(f"the record in {folder} is damaged", "make it again: memcli eval … --out DIR") from error
    return Record(document, questions)
