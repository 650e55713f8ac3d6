"""The same evidence read by a language model: every contender's answers anew, and all of history as a baseline."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np

from ..memory import Memory
from ..memory.understanding import understood
from ..model import Answer, Filters, Hit, Query, TurnId
from ..providers.language import LanguageModel
from ..reading.context import within
from ..reading.generative import GenerativeReader
from ..store.views.view import View
from ..strategies.base import turn_units
from .asking import Limits, Outcome, context_tokens
from .questions import Haystack
from .runner import Corpus, Gold, Result, latest_said

__all__ = ["FULL", "WINDOW", "reread"]

#: The baseline that gives the reader everything that was said, the latest first, up to `WINDOW` tokens.
FULL = "full"
WINDOW = 100_000
_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class _Fallback:
    """A reader that gives what another has found before: the answer to fall back on."""

    answer: Answer

    def read(self, query: Query, hits: Sequence[Hit]) -> Answer:  # noqa: ARG002
        """See `Reader.read`."""
        return self.answer


@dataclass(frozen=True, slots=True)
class _ToRead:
    """One answer to ask for: whose, to which question, from what."""

    contender: str
    query: Query
    hits: Sequence[Hit]
    before: Outcome
    most: int
    tokens: int


def reread(result: Result, corpus: Corpus, model: LanguageModel, limits: Limits, *, full: bool) -> int:
    """Replaces the answers in `result`, and adds the contender `FULL` where asked to; returns how many fell back.

    What a model cannot be had for keeps its extractive answer. Raises StoreError.
    """
    if full:
        result.outcomes[FULL] = {}
    fallen = 0
    for haystack in corpus.haystacks():
        gold = [g for g in result.gold if g.haystack == haystack.name]
        asked = list(_asked(result, gold, haystack, corpus, limits, full=full)) if gold else []
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            for one, (outcome, fell) in zip(asked, threads.map(_reader(model), asked), strict=True):
                result.outcomes[one.contender][outcome.id] = outcome
                fallen += fell
    return fallen


def _asked(
    result: Result, gold: Sequence[Gold], haystack: Haystack, corpus: Corpus, limits: Limits, *, full: bool
) -> Iterator[_ToRead]:
    memory, latest = Memory(corpus.path(haystack)), latest_said(haystack)
    with memory.store.reading() as db:
        view = memory.view()
        everything = lru_cache(maxsize=1)(partial(_everything, view))
        for question in (g.question for g in gold):
            asked_at = question.asked_at or latest
            filters = Filters(until=asked_at if question.past_only else None)
            read = understood(db, view, question.text)
            query = Query(read, np.zeros(1, dtype=np.float32), asked_at, filters)
            known: Mapping[str, Mapping[str, Outcome]] = {n: f for n, f in result.outcomes.items() if n != FULL}
            for name, found in known.items():
                before = found[question.id]
                hits = _hits(view, before.turns[: limits.k])
                yield _ToRead(name, query, hits, before, limits.k, limits.tokens)
            if full:
                said = everything(filters)
                yield _ToRead(FULL, query, said, _nothing(question.id, said), len(said), WINDOW)


def _everything(view: View, filters: Filters) -> list[Hit]:
    """Every turn that may be found, the latest first."""
    units = turn_units(view, np.flatnonzero(view.allowed(filters))[::-1].tolist())
    return [Hit(unit, 1 / (1 + place)) for place, unit in enumerate(units)]


def _hits(view: View, turns: Sequence[str]) -> list[Hit]:
    rows = view.rows_of([TurnId(turn) for turn in turns]).tolist() if turns else []
    return [Hit(unit, 1 / (1 + place)) for place, unit in enumerate(turn_units(view, rows))]


def _nothing(id_: str, everything: Sequence[Hit]) -> Outcome:
    """No ranking: everything is evidence."""
    tokens = context_tokens(within(everything, WINDOW))
    return Outcome(id_, [], [], "", True, 0.0, [], 0.0, tokens)


def _reader(model: LanguageModel) -> Callable[[_ToRead], tuple[Outcome, bool]]:
    def read(one: _ToRead) -> tuple[Outcome, bool]:
        before = one.before
        found = Answer(
            before.answer, tuple(TurnId(t) for t in before.citations), before.confidence, abstained=before.abstained
        )
        reader = GenerativeReader(model, _Fallback(found), one.tokens, most=one.most)
        written = reader.write(one.query, one.hits)
        answer = written.answer
        outcome = replace(
            before,
            answer="" if answer.abstained else answer.text,
            abstained=answer.abstained,
            confidence=round(answer.confidence, 6),
            citations=list(answer.citations),
        )
        return outcome, bool(written.fallback)

    return read
