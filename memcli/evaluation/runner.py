"""One evaluation from data to outcomes: read, fill stores, ask, keep.

Gold labels stay here: what goes to the processes that ask is a question's words, its moment and its vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from ..memory import Memory
from ..model import Needs, TurnId
from ..providers.embedding import Embedder
from ..strategies import Strategy
from .asking import Limits, Outcome, PosedQuestion, asked
from .baselines import contender
from .indexes import fill, filled, index_path, session_of
from .outcomes import Outcomes
from .questions import GoldQuestion, Haystack
from .rewriting import Rewriter
from .workers import Task, pool, work

__all__ = ["Corpus", "EvaluationPlan", "Gold", "Result", "latest_said", "run"]

#: Questions that one task takes: few enough that the processes end together.
_PART = 300
#: Stores that are filled at once: one is embedded while the other is written.
_FILLING = 2


@dataclass(frozen=True, slots=True)
class EvaluationPlan:
    """What an evaluation does. `limit` questions, drawn with `seed`; None: all. `reranker`: the one that a baseline
    asks, by name. `cluster`: the address of a Ray cluster that stores are filled and questions asked on, which sees the
    same files; empty: on this machine.
    """

    contenders: Sequence[str]
    limits: Limits
    seed: int = 0
    limit: int | None = None
    workers: int = 1
    reranker: str = ""
    cluster: str = ""

    def contender(self, name: str) -> Strategy:
        """One of the contenders. Raises UsageError."""
        return contender(name, self.seed, self.reranker)


@dataclass(frozen=True, slots=True)
class Corpus:
    """What is asked over: the haystacks, which can be read again and again, and the store of each.

    `store` None: stores are made of the haystacks' messages, in `indexes`, with `embedder`, by its name.
    """

    haystacks: Callable[[], Iterator[Haystack]]
    indexes: Path
    embedder_id: str
    model: Callable[[], Embedder]
    store: Path | None = None
    embedder: str = ""

    def path(self, haystack: Haystack) -> Path:
        """Where the haystack's store is, or will be."""
        return self.store or index_path(self.indexes, haystack.messages, self.embedder_id)


@dataclass(frozen=True, slots=True)
class Gold:
    """A question with the name of its haystack, and the sessions of its evidence."""

    question: GoldQuestion
    haystack: str
    sessions: frozenset[str]


@dataclass(slots=True)
class Result:
    """The questions in order, what each contender made of them by id, and what could not be asked.

    `inside` and `outside` count the questions in and out of a slice, before any limit.
    """

    gold: list[Gold] = field(default_factory=list)
    outcomes: dict[str, dict[str, Outcome]] = field(default_factory=dict)
    malformed: list[str] = field(default_factory=list)
    inside: int = 0
    outside: int = 0

    def count(self, haystack: Haystack) -> None:
        """Takes note of what a haystack leaves unasked."""
        self.malformed.extend(haystack.malformed)
        self.inside += len(haystack.questions)
        self.outside += haystack.outside


Progress = Callable[[int, int], object]


def run(
    plan: EvaluationPlan,
    corpus: Corpus,
    outcomes: Outcomes,
    progress: Progress = lambda _done, _of: None,
    rewriter: Rewriter | None = None,
) -> Result:
    """Asks what was not asked before, and gives everything that is known then.

    `rewriter`: what writes for the contenders that have a model write; `progress` hears how many outcomes there are of
    how many. Raises InputUnreadable, StoreError, ModelUnavailable.
    """
    result = Result()
    kept = {name: outcomes.of(name) for name in plan.contenders}
    chosen = _sample(plan, corpus)
    parts: list[Future[tuple[list[Gold], list[Future[int]]]]] = []
    with _at_work(plan) as (processes, filling), _threads(filling) as threads:
        job = _Job(plan, corpus, outcomes, kept, processes, _Tally(progress), rewriter)
        for haystack in corpus.haystacks():
            result.count(haystack)
            questions = [q for q in haystack.questions if chosen is None or q.id in chosen]
            if questions:
                parts.append(threads.submit(job.take, haystack, questions))
                _at_most(parts, 2 * filling)
        for part in parts:
            gold, tasks = part.result()
            result.gold.extend(gold)
            for task in tasks:
                task.result()
    result.outcomes = {name: outcomes.of(name) for name in plan.contenders}
    return result


@contextmanager
def _at_work(plan: EvaluationPlan) -> Iterator[tuple[Executor, int]]:
    """Where questions are asked, and how many stores are filled at once."""
    if not plan.cluster:
        with pool(plan.workers) as processes:
            yield processes, _FILLING
        return
    from ..cluster.pool import pool as of_cluster

    with of_cluster(plan.cluster) as found:
        yield found


@contextmanager
def _threads(filling: int) -> Iterator[Executor]:
    """Where stores are filled; an error leaves those that wait unfilled."""
    with ThreadPoolExecutor(filling) as threads:
        try:
            yield threads
        except BaseException:
            threads.shutdown(wait=False, cancel_futures=True)
            raise


def _at_most(parts: Sequence[Future[Any]], waiting: int) -> None:
    """Waits until no more haystacks than these are in memory."""
    for part in parts[: max(0, len(parts) - waiting)]:
        part.result()


class _Tally:
    """How many outcomes there are of how many, told as they come from any thread."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._lock = Lock()
        self._done = self._total = 0

    def add(self, done: int, expected: int = 0) -> None:
        with self._lock:
            self._done += done
            self._total += expected
            self._progress(self._done, self._total)


def _sample(plan: EvaluationPlan, corpus: Corpus) -> frozenset[str] | None:
    """The questions that a limit leaves: drawn at random from all, so that no conversation is favoured."""
    if plan.limit is None:
        return None
    ids = [question.id for haystack in corpus.haystacks() for question in haystack.questions]
    size = min(plan.limit, len(ids))
    return frozenset(np.random.default_rng(plan.seed).choice(ids, size, replace=False).tolist())


@dataclass(frozen=True, slots=True)
class _Job:
    plan: EvaluationPlan
    corpus: Corpus
    outcomes: Outcomes
    kept: Mapping[str, Mapping[str, Outcome]]
    processes: Executor
    tally: _Tally
    rewriter: Rewriter | None

    def take(self, haystack: Haystack, questions: Sequence[GoldQuestion]) -> tuple[list[Gold], list[Future[int]]]:
        """Fills the haystack's store and hands over what is missing; with the gold labels, which stay."""
        path = self.corpus.path(haystack)
        if self.corpus.store is None:
            needs = [self.plan.contender(name).needs for name in self.kept]
            self._fill(path, haystack, needs)
        evidence = {q.id: q.evidence | q.session_evidence for q in questions}
        sessions = session_of(path, [TurnId(turn) for turns in evidence.values() for turn in turns])
        gold = [Gold(q, haystack.name, frozenset(sessions[t] for t in evidence[q.id])) for q in questions]
        return gold, self._hand_over(haystack, path, questions)

    def _fill(self, path: Path, haystack: Haystack, needs: Sequence[Needs]) -> None:
        if self.plan.cluster:
            self.processes.submit(fill, path, haystack.messages, needs, self.corpus.embedder).result()
        else:
            filled(path, haystack.messages, needs, self.corpus.model)

    def _hand_over(self, haystack: Haystack, path: Path, questions: Sequence[GoldQuestion]) -> list[Future[int]]:
        missing = {name: frozenset(q.id for q in questions if q.id not in self.kept[name]) for name in self.kept}
        wanted = len(questions) * len(missing)
        self.tally.add(wanted - sum(map(len, missing.values())), wanted)
        left = [q for q in questions if any(q.id in ids for ids in missing.values())]
        ready = self._asked(haystack, path, left) if left else []
        tasks = [
            self.processes.submit(work, self._task(haystack, path, ready[start : start + _PART], missing))
            for start in range(0, len(ready), _PART)
        ]
        for task in tasks:
            task.add_done_callback(self._told)
        return tasks

    def _told(self, task: Future[int]) -> None:
        if not task.cancelled() and task.exception() is None:
            self.tally.add(task.result())

    def _task(
        self, haystack: Haystack, path: Path, part: Sequence[PosedQuestion], missing: Mapping[str, frozenset[str]]
    ) -> Task:
        files = {n: self.outcomes.file(n, f"{haystack.name}\0{part[0].id}") for n in missing if missing[n]}
        return Task(path, part, files, missing, self.plan.limits, self.plan.seed, self.plan.reranker)

    def _asked(self, haystack: Haystack, path: Path, questions: Sequence[GoldQuestion]) -> list[PosedQuestion]:
        made = [self.plan.contender(name) for name in self.kept]
        latest = latest_said(haystack)
        bare = [(q.id, q.text, q.asked_at or latest) for q in questions]
        past_only = {q.id for q in questions if q.past_only}
        return asked(bare, Memory(path), made, self.corpus.model(), past_only, self.rewriter)


def latest_said(haystack: Haystack) -> datetime:
    """When a question is asked that does not say when: after everything was said; today, over a user's own store."""
    said = [m.said_at for m in haystack.messages if m.said_at is not None]
    return max(said, key=lambda at: at.replace(tzinfo=None)) if said else datetime.now().astimezone()
