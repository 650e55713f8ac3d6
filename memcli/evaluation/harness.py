"""An evaluation as a whole: what is asked for in, one document of figures out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..errors import StoreError
from ..memory import Memory
from ..providers.embedding import DEFAULT, Embedder, embedder, embedder_id
from ..store.identity import identity
from .bootstrap import RESAMPLES
from .datasets import Haystack, haystacks
from .outcomes import Outcomes, code_fingerprint
from .own import own_questions
from .record import commit, versions
from .runner import Corpus, Plan, Result, run
from .scoring import document
from .sources import sha256_of

__all__ = ["Request", "evaluate"]

Progress = Callable[[int, int], object]


@dataclass(frozen=True, slots=True)
class Request:
    """What to evaluate. `data`: a benchmark's file, or, with `store`, a user's own questions about that store."""

    dataset: str
    data: Path
    plan: Plan
    cache: Path
    embedder: str = ""
    store: Path | None = None


def evaluate(request: Request, progress: Progress = lambda _done, _of: None) -> tuple[dict[str, Any], Result]:
    """The document that docs/json.md describes, and what it was made from.

    Raises InputUnreadable, UsageError, StoreError, ModelUnavailable.
    """
    sha256 = sha256_of(request.data)
    corpus = _corpus(request)
    plan = request.plan
    key = {
        "data": sha256,
        "code": code_fingerprint(),
        "embedder": corpus.embedder_id,
        "k": plan.limits.k,
        "tokens": plan.limits.tokens,
        "seed": plan.seed,
        "store": _state(request.store),
    }
    result = run(plan, corpus, Outcomes(request.cache / "evaluation" / "outcomes", key), progress)
    return {
        "dataset": request.dataset,
        "file": request.data.name,
        "sha256": sha256,
        **document(result, plan.seed),
        "ci95_over": _drawn(result),
        "config": _config(request, corpus),
        "versions": versions(),
        "commit": commit(),
        "code": key["code"],
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
    }, result


def _config(request: Request, corpus: Corpus) -> dict[str, Any]:
    plan = request.plan
    return {
        "strategies": list(plan.contenders),
        "k": plan.limits.k,
        "tokens": plan.limits.tokens,
        "reader": "extractive",
        "embedder": corpus.embedder_id,
        "limit": plan.limit,
        "seed": plan.seed,
        "workers": plan.workers,
        "resamples": RESAMPLES,
    }


def _corpus(request: Request) -> Corpus:
    if request.store is not None:
        return _own(request.data, request.store)
    name = request.embedder or DEFAULT
    return Corpus(
        lambda: haystacks(request.data),
        request.cache / "evaluation" / "indexes",
        embedder_id(name),
        _once(name),
    )


def _own(data: Path, store: Path) -> Corpus:
    with Memory(store).store.reading() as db:
        stored = identity(db)
    if stored is None:
        raise StoreError(f"{store} is empty", "fill it with: memcli ingest FILE")
    haystack = own_questions(data, store)

    def one() -> Iterator[Haystack]:
        yield haystack

    return Corpus(one, store.parent, stored.id, _once(stored.name), store)


def _once(name: str) -> Callable[[], Embedder]:
    """The embedder, made when it is first needed: an evaluation that has all its outcomes needs none."""
    return lru_cache(maxsize=1)(lambda: embedder(name, bulk=True))


def _state(store: Path | None) -> str:
    """What tells the contents of a user's store from those of another day."""
    if store is None:
        return ""
    from ..store.snapshots import generation

    with Memory(store).store.reading() as db:
        return f"{store.resolve()}#{generation(db)}"


def _drawn(result: Result) -> str:
    return "conversation" if len({gold.haystack for gold in result.gold}) > 1 else "question"
