"""Asking one store: each question to each contender, the same reader, depth and token budget for all.

What is asked is a question's words and when it was asked. Its category, its gold answer and its evidence stay behind:
nothing here can look at them.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from time import perf_counter

import numpy as np
import numpy.typing as npt

from ..memory import Memory
from ..memory.understanding import hearing, understood
from ..model import Answer, Context, Filters, Hit, Query, Question
from ..providers.embedding import Embedder
from ..providers.tokens import token_count
from ..reading import unread
from ..reading.context import within
from ..reading.extractive import ExtractiveReader
from ..reading.network import in_bulk
from ..reading.stored import StoredTranscript
from ..store.views.view import View
from ..strategies import Strategy
from ..strategies.base import evidence, wordings
from .baselines.rewritten import is_passage
from .rewriting import Rewriter

__all__ = ["DEPTH", "KEPT", "Limits", "Outcome", "PosedQuestion", "ask", "asked", "context_tokens"]

Vector = npt.NDArray[np.float32]

#: How many hits a contender is asked for, so that even twenty sessions can be told apart.
DEPTH = 200
#: How much of a ranking of turns, and of sessions, is kept.
KEPT = 50


@dataclass(frozen=True, slots=True)
class PosedQuestion:
    """A question as a contender meets it, with the vectors of its words and of its other phrasings.

    `past_only`: only what was said before it was asked may be found.
    """

    id: str
    question: Question
    asked_at: datetime
    vector: Vector
    phrasings: Mapping[str, Vector]
    past_only: bool = False

    @property
    def query(self) -> Query:
        """What a contender retrieves for."""
        filters = Filters(until=self.asked_at if self.past_only else None)
        return Query(self.question, self.vector, self.asked_at, filters, self.phrasings)


@dataclass(frozen=True, slots=True)
class Limits:
    """What every reader is given: at most `k` turns, and of these the best that fit `tokens`.

    What fits is told by the estimate, so that the same turns are read whether or not tokens can be counted.
    """

    k: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a contender made of a question: its ranking, and the reader's answer.

    `milliseconds`: from the question's vector to the hits. `context_tokens`: what the reader was given, counted.
    """

    id: str
    turns: Sequence[str]
    sessions: Sequence[str]
    answer: str
    abstained: bool
    confidence: float
    citations: Sequence[str]
    milliseconds: float
    context_tokens: int


def asked(
    questions: Sequence[tuple[str, str, datetime]],
    memory: Memory,
    contenders: Sequence[Strategy],
    model: Embedder,
    past_only: Container[str] = (),
    rewriter: Rewriter | None = None,
) -> list[PosedQuestion]:
    """The questions (id, text, when) as the store lets them be understood, with the vectors of all that any contender
    asks for, embedded in one go.

    `past_only`: the ids of those that may find only what was said before; `rewriter`: what writes more to embed.
    Raises StoreError, ModelUnavailable.
    """
    with memory.store.reading() as db:  # and not while questions are embedded, or written anew by a model
        view = memory.view()
        speakers, reads = view.speaker_names, [understood(db, view, text) for _, text, _ in questions]
    written = rewriter.written([text for _, text, _ in questions]) if rewriter else [{} for _ in questions]
    wanted = [
        {name: text for each in contenders for name, text in wordings(each, read, speakers).items()} | more
        for read, more in zip(reads, written, strict=True)
    ]
    named = [("", text) for _, text, _ in questions] + [pair for each in wanted for pair in each.items()]
    rows = _embedded([text for name, text in named if not is_passage(name)], model.embed_questions)
    passages = _embedded([text for name, text in named if is_passage(name)], model.embed_passages)
    return [
        PosedQuestion(
            id_,
            read,
            at,
            rows[read.text],
            {name: (passages if is_passage(name) else rows)[wording] for name, wording in each.items()},
            id_ in past_only,
        )
        for (id_, _, at), read, each in zip(questions, reads, wanted, strict=True)
    ]


def _embedded(texts: Sequence[str], embed: Callable[[Sequence[str]], Vector]) -> Mapping[str, Vector]:
    distinct = list(dict.fromkeys(texts))
    return dict(zip(distinct, embed(distinct), strict=True)) if distinct else {}


def ask(question: PosedQuestion, contender: Strategy, view: View, limits: Limits) -> Outcome:
    """One question to one contender over one store."""
    query = question.query
    start = perf_counter()
    hits = contender.retrieve(query, view, DEPTH)
    milliseconds = (perf_counter() - start) * 1000
    turns, sessions = _ranking(hits, view)
    context = within(evidence(view, hits, limits.k), limits.tokens)
    answer = _read(query, context.hits, view)
    return Outcome(
        question.id,
        turns[:KEPT],
        sessions[:KEPT],
        "" if answer.abstained else answer.text,
        answer.abstained,
        round(answer.confidence, 6),
        list(answer.citations),
        round(milliseconds, 3),
        context_tokens(context),
    )


def context_tokens(context: Context) -> int:
    """How many tokens the lines of a context are."""
    lines = context.text.split("\n")
    return sum(map(_line_tokens, lines)) + len(lines) - 1


#: The same turns come up again and again where many questions are asked over one store.
_line_tokens = lru_cache(maxsize=8192)(token_count)


def _ranking(hits: Sequence[Hit], view: View) -> tuple[list[str], list[str]]:
    """The turns, and the sessions, in the order of the best hit that rests on them."""
    ids = list(dict.fromkeys(turn for hit in hits for turn in hit.unit.sources))
    turns = view.fetch(view.rows_of(ids).tolist()) if ids else []
    return [str(turn) for turn in ids], list(dict.fromkeys(str(turn.session) for turn in turns))


def _read(query: Query, hits: Sequence[Hit], view: View) -> Answer:
    with in_bulk(), hearing(view, query.question):
        return ExtractiveReader(StoredTranscript(view), unread=unread.of_store(view)).read(query, hits)
