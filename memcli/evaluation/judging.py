"""The judge's verdicts on the answers of every contender, in the record beside the other figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..providers.language import LanguageModel, language_model
from ..providers.metering import Budget
from ..store.calls import StoredCalls
from ..store.connection import Store
from .asking import Outcome
from .judge import STYLES, GivenAnswer, Judge, Judgement, judge_answers, wrong_answers
from .runner import Gold, Result

__all__ = ["VERDICTS_UNASKED", "add_verdicts", "judging_model", "verdicts_wanted"]

#: More verdicts than these are asked for only where a model is named on the command line, not merely configured.
VERDICTS_UNASKED = 2000


@contextmanager
def judging_model(name: str, cache: Path, budget: Budget | None) -> Iterator[LanguageModel]:
    """The model called `name`, whose replies are kept in `cache`: no verdict is ever paid for twice.

    Raises UsageError, ModelUnavailable.
    """
    folder = cache / "evaluation"
    folder.mkdir(parents=True, exist_ok=True)
    calls = StoredCalls(Store(folder / "calls.memcli"))
    with language_model(name, calls=calls, budget=budget) as model:
        yield model


def verdicts_wanted(result: Result, runs: int) -> int:
    """How many verdicts at the most `add_verdicts` asks for, the probe's among them."""
    each = [_given(result.gold, found) for found in result.outcomes.values()]
    return len(STYLES) * sum(runs * sum(not item.abstained for item in items) for items in each) + len(STYLES) * max(
        (len(wrong_answers(items)) for items in each), default=0
    )


def add_verdicts(document: dict[str, Any], result: Result, model: LanguageModel, runs: int, seed: int) -> None:
    """Adds `judge` to each strategy of the document, one after the other.

    A strategy whose answers are not all judged has none. Raises ModelUnavailable, BudgetSpent.
    """
    judge = Judge(model, runs)
    for name, found in result.outcomes.items():
        items = _given(result.gold, found)
        if items:
            document["strategies"][name]["judge"] = _rounded(judge_answers(judge, items, seed=seed))


def _given(gold: list[Gold], found: Mapping[str, Outcome]) -> list[GivenAnswer]:
    """The answers to questions that have one: abstaining where it is right is scored without a judge."""
    return [
        _item(g, found[g.question.id])
        for g in gold
        if g.question.answerable and g.question.answer.strip() and g.question.id in found
    ]


def _item(gold: Gold, outcome: Outcome) -> GivenAnswer:
    question = gold.question
    return GivenAnswer(
        question.id,
        question.text,
        question.answer,
        outcome.answer,
        question.category,
        question.wrong_answer,
        outcome.abstained,
    )


def _rounded(judgement: Judgement) -> dict[str, Any]:
    document = judgement.document()
    for style in STYLES:
        document[style] = {k: None if v is None else round(v, 6) for k, v in document[style].items()}
    return document
