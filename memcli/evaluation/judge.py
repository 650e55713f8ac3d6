"""A language model as the judge of answers, in two styles, and the proof whether it can tell a wrong one.

A judge that accepts anything gives every system a high score. So each question is also judged with an answer that is
wrong on purpose, and the share of those that the judge accepts stands beside its scores.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from ..errors import UsageError
from ..providers.language import LanguageModel, ModelMessage, Schema
from ..providers.metering import Usage
from ..providers.prompts import Prompt, fenced, prompt
from ..providers.sizes import is_small
from ..text import content_stems, stem

__all__ = ["STYLES", "GivenAnswer", "Judge", "Judgement", "judge_answers", "wrong_answers"]

#: strict: every fact and date of the gold answer. lenient: the same gist and the same time.
STYLES = ("strict", "lenient")

_VERDICT = Schema("verdict", {"reason": {"type": "string"}, "correct": {"type": "boolean"}})
#: A small model does not come to the end of its reasons: it is asked for the verdict alone.
_AT_ONCE = Schema("verdict", {"correct": {"type": "boolean"}})
_ASKED_AT_ONCE = 'Give in "correct" true or false.'
_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()
#: "two" and "2" are one answer, though they share no letter.
_FIGURES = {stem(word): str(number) for number, word in enumerate(_NUMBERS)} | {"twice": "2"}


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer to judge. `id` is the question's; `wrong` is the data set's own wrong answer, where it has one.

    `category` only chooses the wrong answer of the probe: the judge does not see it.
    """

    id: str
    question: str
    gold: str
    text: str
    category: str = ""
    wrong: str = ""
    abstained: bool = False


class Judge:
    """Asks a language model for verdicts: `runs` independent ones for each answer and style.

    One with fewer than five billion parameters gives no reason before its verdict.
    """

    def __init__(self, model: LanguageModel, runs: int = 3) -> None:
        if runs < 1:
            raise UsageError(f"a judge cannot run {runs} times", "give one run or more")
        self.model = model
        self.runs = runs
        small = is_small(model.id)
        self._schema = _AT_ONCE if small else _VERDICT
        asked = {style: prompt("memcli.evaluation", f"judge_{style}") for style in STYLES}
        self.prompts = {style: _short(each) for style, each in asked.items()} if small else asked

    def verdict(self, style: str, question: str, gold: str, answer: str, *, sample: int = 0) -> bool:
        """Whether `answer` is correct in this style. Raises ModelUnavailable, BudgetSpent."""
        text = self.prompts[style].fill(question=fenced(question), gold=fenced(gold), answer=fenced(answer))
        return bool(self.model.complete([ModelMessage("user", text)], self._schema, sample=sample)["correct"])


def _short(asked: Prompt) -> Prompt:
    """The prompt without its last paragraph, which asks for a reason."""
    rules, _, _ = asked.text.rpartition("\n\n")
    return Prompt(asked.name, f"{asked.version} short", f"{rules}\n\n{_ASKED_AT_ONCE}")


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdicts on some answers, by question and style, and which wrong answers were accepted.

    `prompts` holds the version of each style's prompt. A question for which no wrong answer was found is not in
    `accepted`.
    """

    model: str
    prompts: Mapping[str, str]
    runs: int
    verdicts: Mapping[str, Mapping[str, Sequence[bool]]]
    accepted: Mapping[str, Mapping[str, bool]]
    usage: Usage = field(default_factory=Usage)

    def mean(self, style: str) -> float:
        """The share of correct answers, in [0, 1], as a mean over the runs."""
        return statistics.fmean(self._accuracies(style))

    def deviation(self, style: str) -> float:
        """The standard deviation of that share between the runs, with n - 1; 0 for a single run."""
        return statistics.stdev(self._accuracies(style)) if self.runs > 1 else 0.0

    def false_accept(self, style: str) -> float | None:
        """The share of wrong answers that the judge took for correct; None where there were none to judge."""
        return statistics.fmean(found[style] for found in self.accepted.values()) if self.accepted else None

    def document(self) -> dict[str, Any]:
        """Everything as a plain dict, for reports; `n` counts answers and `probed` the wrong ones judged."""
        return {
            "model": self.model,
            "prompts": dict(self.prompts),
            "runs": self.runs,
            "n": len(self.verdicts),
            "probed": len(self.accepted),
            **{style: self._summary(style) for style in STYLES},
            "usage": self.usage.document(),
            "verdicts": {id_: {s: list(runs) for s, runs in found.items()} for id_, found in self.verdicts.items()},
        }

    def _summary(self, style: str) -> dict[str, float | None]:
        return {
            "mean": self.mean(style),
            "deviation": self.deviation(style),
            "false_accept": self.false_accept(style),
        }

    def _accuracies(self, style: str) -> list[float]:
        return [statistics.fmean(found[style][run] for found in self.verdicts.values()) for run in range(self.runs)]


def judge_answers(judge: Judge, items: Sequence[GivenAnswer], workers: int = 4, *, seed: int = 0) -> Judgement:
    """Judges all answers in both styles, and one wrong answer a question, over so many threads.

    An abstention is wrong without being judged; its question is probed all the same. Raises UsageError for items that
    cannot be judged; ModelUnavailable and BudgetSpent end the work, and what was judged is not asked for again by a
    model that keeps its calls.
    """
    _check(items)
    before = judge.model.meter.read()
    wrong = wrong_answers(items, seed)
    asked = [
        _ToJudge(i.id, i.question, i.gold, i.text, s, r) for i in items for s, r in _runs(judge) if not i.abstained
    ]
    probed = [_ToJudge(i.id, i.question, i.gold, wrong[i.id], s, 0) for i in items if i.id in wrong for s in STYLES]
    answers = _all(lambda one: one.put_to(judge), [*asked, *probed], workers)
    verdicts = {item.id: {style: [False] * judge.runs for style in STYLES} for item in items}
    for one, correct in zip(asked, answers[: len(asked)], strict=True):
        verdicts[one.id][one.style][one.sample] = correct
    accepted: dict[str, dict[str, bool]] = defaultdict(dict)
    for one, correct in zip(probed, answers[len(asked) :], strict=True):
        accepted[one.id][one.style] = correct
    versions = {style: found.version for style, found in judge.prompts.items()}
    usage = judge.model.meter.read().since(before)
    return Judgement(judge.model.id, versions, judge.runs, verdicts, dict(accepted), usage)


@dataclass(frozen=True, slots=True)
class _ToJudge:
    """One verdict to ask for."""

    id: str
    question: str
    gold: str
    answer: str
    style: str
    sample: int

    def put_to(self, judge: Judge) -> bool:
        return judge.verdict(self.style, self.question, self.gold, self.answer, sample=self.sample)


def _runs(judge: Judge) -> list[tuple[str, int]]:
    return [(style, run) for style in STYLES for run in range(judge.runs)]


def _all(ask: Callable[[_ToJudge], bool], asked: Sequence[_ToJudge], workers: int) -> list[bool]:
    """The verdicts in order; after the first error nothing new is begun."""
    with ThreadPoolExecutor(max(1, workers)) as pool:
        futures = [pool.submit(ask, one) for one in asked]
        try:
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _check(items: Sequence[GivenAnswer]) -> None:
    if not items:
        raise UsageError("there are no answers to judge", "give answers to questions that have a gold answer")
    if len({item.id for item in items}) < len(items):
        raise UsageError("two answers to judge have the same question id", "judge one answer a question")
    for item in items:
        if not item.gold.strip():
            raise UsageError(f"question {item.id} has no gold answer", "leave out questions without one")


def wrong_answers(items: Iterable[GivenAnswer], seed: int = 0) -> dict[str, str]:
    """A wrong answer for each question id, where there is one: the data set's own, or another question's gold answer.

    The latter is of the same category and shares no content stem with the question's own gold answer. The same items,
    in whatever order, and the same seed give the same answers.
    """
    items = list(items)
    golds: dict[str, dict[str, frozenset[str]]] = defaultdict(dict)
    for item in sorted(items, key=lambda item: item.gold):
        golds[item.category][item.gold] = _stems(item.gold)
    found = {item.id: _own(item) or _other(item, golds[item.category], seed) for item in items}
    return {id_: text for id_, text in found.items() if text}


def _own(item: GivenAnswer) -> str:
    """The data set's wrong answer, unless it is the gold one in other letters."""
    return "" if _stems(item.wrong) == _stems(item.gold) else item.wrong.strip()


def _other(item: GivenAnswer, golds: Mapping[str, frozenset[str]], seed: int) -> str:
    """The first answer that will do, from a place that the seed and the question decide."""
    answers = list(golds)
    digest = blake2b(f"{seed}\n{item.id}".encode("utf-8", "replace"), digest_size=8).digest()
    start = int.from_bytes(digest, "big") % len(answers)
    own = golds[item.gold]
    for answer in answers[start:] + answers[:start]:
        if golds[answer] and not golds[answer] & own and answer != item.gold:
            return answer
    return ""


def _stems(text: str) -> frozenset[str]:
    return frozenset(_FIGURES.get(found, found) for found in content_stems(text))
