"""An evaluation as a whole: what is asked for in, one document of figures out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..errors import InputUnreadable, MemcliError, NothingFound, StoreError
from ..indexing.plan import Producer
from ..indexing.prepare import lacking
from ..memory import Memory
from ..providers.embedding import DEFAULT, Embedder, embedder, embedder_id
from ..providers.tokens import counted_by
from ..store.connection import Store
from ..store.identity import identity
from ..strategies import STRATEGIES, strategy
from .baselines import BASELINES, RERANKED, REWRITTEN
from .bootstrap import RESAMPLES
from .datasets import haystacks
from .failures import failed
from .outcomes import Outcomes, code_fingerprint
from .own import own_questions
from .questions import Haystack
from .record import commit, versions
from .rewriting import Rewriter
from .runner import Corpus, EvaluationPlan, Result, run
from .scoring import document as measured
from .slices import HaystackWords, narrowed, said_in, slice_named
from .sources import sha256_of

__all__ = ["AskedAll", "EvaluationRequest", "ask", "document", "unprepared"]

Progress = Callable[[int, int], object]


@dataclass(frozen=True, slots=True)
class EvaluationRequest:
    """What to evaluate. `data`: a benchmark's file, or, with `store`, a user's own questions about that store.

    `full`: a language model that reads is given all of history as well, as a baseline. `slice_name`: only the questions
    of that slice are asked; empty: all.
    """

    dataset: str
    data: Path
    plan: EvaluationPlan
    cache: Path
    embedder: str = ""
    store: Path | None = None
    full: bool = False
    slice_name: str = ""


@dataclass(frozen=True, slots=True)
class AskedAll:
    """What came of asking: the outcomes, over what, of data with this hash by code with that one; who has rewritten
    questions, if anyone.
    """

    result: Result
    corpus: Corpus
    sha256: str
    code: str
    rewriter: str | None = None


def ask(
    request: EvaluationRequest,
    progress: Progress = lambda _done, _of: None,
    rewriter: Rewriter | None = None,
) -> AskedAll:
    """Asks every contender every question that it was not asked before. `rewriter`: who writes for those that have it.

    Raises InputUnreadable, UsageError, StoreError, ModelUnavailable, NothingFound where a slice has no question.
    """
    corpus, plan = _corpus(request), request.plan
    sha256, code = sha256_of(request.data), code_fingerprint()
    key = {
        "data": sha256,
        "code": code,
        "embedder": corpus.embedder_id,
        "k": plan.limits.k,
        "tokens": plan.limits.tokens,
        "counted_by": counted_by(),
        "seed": plan.seed,
        "store": _state(request.store),
    }
    outcomes = Outcomes(request.cache / "evaluation" / "outcomes", key, _models(plan, rewriter))
    result = run(plan, corpus, outcomes, progress, rewriter)
    if not result.inside:
        raise _unasked(request, result)
    return AskedAll(result, corpus, sha256, code, rewriter.id if rewriter else None)


def _models(plan: EvaluationPlan, rewriter: Rewriter | None) -> dict[str, str]:
    """Who is asked by the baselines that ask another model than the embedder."""
    writer = f"{rewriter.id} {rewriter.endpoint}" if rewriter else ""
    return {RERANKED: plan.reranker, **dict.fromkeys(REWRITTEN, writer)}


def _unasked(request: EvaluationRequest, result: Result) -> MemcliError:
    """Why there is nothing to measure."""
    if result.outside:
        return NothingFound(f"none of the {result.outside} questions is in the slice {request.slice_name}")
    reason = result.malformed[0] if result.malformed else "see docs/evaluation.md"
    return InputUnreadable(f"{request.data} has no question that can be asked", reason)


def unprepared(request: EvaluationRequest) -> dict[str, str]:
    """The contenders that lack something in a user's own store, which is only read: they do with what there is.

    With the strategy that has it made: a baseline's own name is none.
    """
    if request.store is None:
        return {}
    store, plan = Store(request.store), request.plan
    missing = {name: lacking(store, [plan.contender(name).needs]) for name in plan.contenders}
    return {name: _making(name, producers) for name, producers in missing.items() if producers}


def _making(name: str, producers: Sequence[Producer]) -> str:
    """The contender itself, where it is a strategy; else the first strategy for which all of this is made."""
    kinds = frozenset(kind for producer in producers for kind in producer.makes.kinds)
    able = (each for each in STRATEGIES.built_in if kinds & strategy(each).needs.kinds)
    return next(able) if name in BASELINES else name


def document(request: EvaluationRequest, asked: AskedAll, reader: str = "extractive") -> dict[str, Any]:
    """The document that docs/json.md describes. `reader`: who has read."""
    return {
        "dataset": request.dataset,
        "file": request.data.name,
        "sha256": asked.sha256,
        "slice": _slice(request, asked.result),
        **measured(asked.result, request.plan.seed),
        "failed": failed(asked.result) if request.store is not None else None,
        "ci95_over": _drawn(asked.result),
        "config": _config(request, asked, reader),
        "versions": versions(),
        "commit": commit(),
        "code": asked.code,
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _config(request: EvaluationRequest, asked: AskedAll, reader: str) -> dict[str, Any]:
    plan = request.plan
    return {
        "strategies": list(asked.result.outcomes),
        "k": plan.limits.k,
        "tokens": plan.limits.tokens,
        "counted_by": counted_by(),
        "reader": reader,
        "reranker": plan.reranker or None,
        "rewriter": asked.rewriter,
        "embedder": asked.corpus.embedder_id,
        "limit": plan.limit,
        "seed": plan.seed,
        "workers": plan.workers,
        "resamples": RESAMPLES,
    }


def _slice(request: EvaluationRequest, result: Result) -> dict[str, Any] | None:
    """Which slice was asked, and how many questions of how many are in it; None: all were asked."""
    if not request.slice_name:
        return None
    return {"name": request.slice_name, "kept": result.inside, "of": result.inside + result.outside}


def _corpus(request: EvaluationRequest) -> Corpus:
    if request.store is not None:
        return _own(request.data, request.store, request.slice_name)
    name = request.embedder or DEFAULT
    return Corpus(
        _source(request.data, request.slice_name),
        request.cache / "evaluation" / "indexes",
        embedder_id(name),
        _once(name),
        embedder=name,
    )


def _source(data: Path, slice_name: str) -> Callable[[], Iterator[Haystack]]:
    """The haystacks of a file, with the questions that are wanted."""
    if not slice_name:
        return lambda: haystacks(data)
    chosen = slice_named(slice_name)
    return lambda: (narrowed(haystack, chosen, said_in(haystack)) for haystack in haystacks(data))


def _own(data: Path, store: Path, slice_name: str) -> Corpus:
    with Memory(store).store.reading() as db:
        stored = identity(db)
    if stored is None:
        raise StoreError(f"{store} is empty", "fill it with: memcli ingest FILE")
    haystack = own_questions(data, store)
    if slice_name:
        haystack = narrowed(haystack, slice_named(slice_name), _said(store, haystack))

    def one() -> Iterator[Haystack]:
        yield haystack

    return Corpus(one, store.parent, stored.id, _once(stored.name), store)


def _said(store: Path, haystack: Haystack) -> HaystackWords:
    """The evidence of the questions, as a user's own store has it."""
    memory = Memory(store)
    with memory.store.reading():
        view = memory.view()
        evidence = sorted({turn for question in haystack.questions for turn in question.evidence})
        turns = view.fetch(view.rows_of(evidence).tolist()) if evidence else []
        return HaystackWords({turn.id: turn.text for turn in turns}, view.speaker_names)


def _once(name: str) -> Callable[[], Embedder]:
    """The embedder, made when it is first needed: an evaluation that has all its outcomes needs none."""
    return lru_cache(maxsize=1)(lambda: embedder(name, bulk=True))


def _state(store: Path | None) -> str:
    """What tells the contents of a user's store from those of another day."""
    if store is None:
        return ""
    from ..store.revision import revision

    with Memory(store).store.reading() as db:
        return f"{store.resolve()}#{revision(db)}"


def _drawn(result: Result) -> str:
    return "conversation" if len({gold.haystack for gold in result.gold}) > 1 else "question"
