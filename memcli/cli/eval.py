"""`memcli eval`: what works, measured."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import completion
from . import options as o

if TYPE_CHECKING:
    from ..errors import MemcliError
    from ..evaluation.harness import AskedAll, EvaluationRequest
    from ..evaluation.rewriting import Rewriter
    from ..evaluation.runner import Result
    from ..providers.metering import Budget

__all__ = ["evaluate"]

_What = Annotated[
    list[str],
    typer.Argument(
        metavar="WHAT…",
        help="sample (ships with memcli), locomo, longmemeval, a file in either's or RealMem's schema, your own "
        "questions about the store, "
        "or: compare RECORD RECORD.",
    ),
]
_Reranker = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        autocompletion=completion.rerankers,
        help="What orders the baseline dense-rerank, as for search. Default: none.",
    ),
]
_Fetch = Annotated[bool, typer.Option("--fetch", help="Fetch a benchmark that is not on this machine, without asking.")]
_Slice = Annotated[
    str | None,
    typer.Option("--slice", metavar="NAME", help="implicit: only questions without a content word of their evidence."),
]
Contenders = Annotated[
    str,
    typer.Option(
        metavar="NAME,…",
        autocompletion=completion.contenders,
        help="Strategies and baselines; all (the default) or baselines.",
    ),
]


def evaluate(
    what: _What,
    data: Annotated[Path | None, typer.Option(metavar="PATH", help="The benchmark's file, gzip or not.")] = None,
    fetch: _Fetch = False,
    strategy: Contenders = "all",
    variant: o.Variant = None,
    without: o.Without = None,
    k: Annotated[int, typer.Option("-k", min=1, help="How many turns the reader is given at the most.")] = 20,
    tokens: Annotated[int, typer.Option(min=1, help="How many tokens of them at the most.")] = 4000,
    limit: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Ask only N questions, drawn at random with --seed.")
    ] = None,
    slice_name: _Slice = None,
    seed: Annotated[int, typer.Option(min=0, help="For everything that is drawn.")] = 0,
    workers: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Processes. Default: one a processor.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write the record, a table and plots into this folder.")
    ] = None,
    reranker: _Reranker = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="A language model that judges the answers, and writes for the baselines hyde and multi-query. "
            "Default: none.",
        ),
    ] = None,
    reader: Annotated[
        str, typer.Option(metavar="NAME", help="extractive (the default), or model: the language model reads, too.")
    ] = "extractive",
    judge_runs: Annotated[
        int, typer.Option(metavar="N", min=0, help="Verdicts on each answer, in each style; 0: no judge.")
    ] = 3,
    budget: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="How many tokens the model may cost at the most.")
    ] = None,
    ray: o.Ray = None,
    as_json: o.Json = False,
    store: o.Store = None,
    embedder: o.EmbedderName = None,
) -> int:
    """Measure retrieval and answers: every strategy and baseline over the same questions, reader and budget.

    locomo and longmemeval are looked for in your data directory; one that is not there is fetched from where it is
    published, once size, licence and checksum were shown and you have said yes. Nothing else is ever fetched.

    A killed run goes on where it stopped. Exit code 6: some questions could not be read; the others were asked.
    """
    if what[0] == "compare":
        return _compare(what[1:], strategy, seed, slice_name, as_json=as_json)
    if variant or without:
        strategy = ",".join(o.varied(name, variant, without) for name in strategy.split(","))
    wanted = _wanted(strategy, reranker or "", model)
    path = _located(what, data, fetch=fetch)
    request = _request(what[0], path, wanted, (k, tokens, limit, seed, workers), store, embedder, slice_name, ray)
    return _run(request, out, wanted, _ModelUse(model, reader, judge_runs, _limited(budget)), as_json=as_json)


def _limited(tokens: int | None) -> Budget | None:
    from ..providers.metering import Budget

    return Budget(tokens=tokens) if tokens else None


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The contenders, the baselines that a group leaves out for want of what they ask, and whether all is read, too."""

    names: Sequence[str]
    left_out: Sequence[str]
    reranker: str
    full: bool


def _wanted(strategy: str, reranker: str, model: str | None) -> _Wanted:
    """A model that is only configured writes for a baseline that is named: of a group, it would be asked unasked."""
    from ..config import settings
    from ..errors import UsageError
    from ..evaluation.baselines import RERANKED, REWRITTEN, contenders, left_out
    from ..evaluation.baselines.reranked import DenseReranked

    groups = left_out(strategy, ())
    writes = model or (settings().model and not set(groups) & set(REWRITTEN))
    given = {option for option, there in (("reranker", reranker), ("model", writes)) if there}
    names = contenders(strategy, given)
    if reranker and RERANKED not in names:
        raise UsageError(f"there is nothing to order with {reranker}", f"--strategy {RERANKED}")
    if reranker:
        DenseReranked(reranker).check()
    return _Wanted(names, left_out(strategy, given), reranker, "all" in strategy.split(","))


@dataclass(frozen=True, slots=True)
class _ModelUse:
    """What is asked of a language model, and for how many tokens at the most, whatever it is asked."""

    model: str | None
    reader: str
    runs: int
    budget: Budget | None


def _run(request: EvaluationRequest, out: Path | None, wanted: _Wanted, consulted: _ModelUse, *, as_json: bool) -> int:
    from ..evaluation.baselines import ASKS
    from ..evaluation.harness import document, unprepared
    from ..evaluation.record import save
    from ..evaluation.report import write_report
    from .eval_table import show
    from .render import emit_json, say

    asked, unwritten = _asked(request, consulted)
    if wanted.left_out:
        say(f"memcli: left out: {', '.join(f'{name} (--{ASKS[name]})' for name in wanted.left_out)}")
    if lacking := unprepared(request):
        making = ",".join(dict.fromkeys(lacking.values()))
        say(f"memcli: {','.join(lacking)} without generated memory: memcli ingest --strategy {making} makes it")
    for reason in asked.result.malformed:
        say(f"memcli: left out: {reason}")
    reader = _reread(asked, request, consulted)
    found = document(request, asked, reader)
    failure = _judge(found, asked.result, request, consulted) or unwritten
    if out is not None:
        save(out, found, asked.result)
        write_report(out, found)
    if as_json:
        emit_json(found)
    else:
        show(found)
    return failure.exit_code if failure else 6 if asked.result.malformed else 0


def _asked(request: EvaluationRequest, consulted: _ModelUse) -> tuple[AskedAll, MemcliError | None]:
    """What came of asking; of the others alone, where a model is to write for some contenders and fails, and why."""
    from ..errors import ModelUnavailable
    from ..evaluation.baselines import REWRITTEN
    from ..evaluation.harness import ask
    from .progress import counted
    from .render import say

    try:
        with _rewriter(request, consulted) as rewriter, counted("asking") as advance:
            return ask(request, advance, rewriter), None
    except ModelUnavailable as error:
        others = [name for name in request.plan.contenders if name not in REWRITTEN]
        if not others or len(others) == len(request.plan.contenders):
            raise
        silent = ", ".join(name for name in request.plan.contenders if name not in others)
        say(f"memcli: left out: {silent}: {error.told}")
        with counted("asking") as advance:
            return ask(replace(request, plan=replace(request.plan, contenders=others)), advance), error


@contextmanager
def _rewriter(request: EvaluationRequest, consulted: _ModelUse) -> Iterator[Rewriter | None]:
    """The language model that writes for the contenders that have it; None where none of them has."""
    from ..config import settings
    from ..evaluation.baselines import REWRITTEN
    from ..evaluation.judging import judging_model
    from ..evaluation.rewriting import Rewriter
    from .render import say

    wanted = [name for name in request.plan.contenders if name in REWRITTEN]
    if not wanted:
        yield None
        return
    with judging_model(settings(model=consulted.model).model, request.cache, consulted.budget) as model:
        say(f"memcli: for {','.join(wanted)} the questions go to {model.id} at {model.endpoint}")
        yield Rewriter(model, wanted)


def _reread(asked: AskedAll, request: EvaluationRequest, consulted: _ModelUse) -> str:
    """Has the language model read, where it is to; returns the reader's name."""
    from ..config import settings
    from ..errors import UsageError
    from ..evaluation.judging import judging_model
    from ..evaluation.rereading import reread
    from .render import say

    if consulted.reader not in ("extractive", "model"):
        raise UsageError(f"unknown reader {consulted.reader!r}", "extractive, or model")
    if consulted.reader == "extractive":
        return "extractive"
    name = settings(model=consulted.model).model
    if not name:
        raise UsageError("no language model to read", "name one with --model")
    with judging_model(name, request.cache, consulted.budget) as model:
        say(f"memcli: questions and what is found go to {model.id} at {model.endpoint}")
        fallen = reread(asked.result, asked.corpus, model, request.plan.limits, full=request.full)
    if fallen:
        say(f"memcli: {fallen} answers are the extractive reader's: the model gave none")
    return model.id


def _judge(
    document: dict[str, Any], result: Result, request: EvaluationRequest, consulted: _ModelUse
) -> MemcliError | None:
    """Adds the judge's verdicts, as far as it comes; what was measured without it is shown all the same."""
    from ..config import settings
    from ..errors import ModelUnavailable
    from ..evaluation.judging import VERDICTS_UNASKED, add_verdicts, judging_model, verdicts_wanted
    from .render import say

    name = settings(model=consulted.model).model
    if not name or not consulted.runs:
        return None
    wanted = verdicts_wanted(result, consulted.runs)
    if wanted > VERDICTS_UNASKED and not consulted.model and not consulted.budget:
        say(f"memcli: no judge: {wanted:,} verdicts of {name} are many (name it with --model, or give a --budget)")
        return None
    try:
        with judging_model(name, request.cache, consulted.budget) as judge:
            where = f"{judge.id} at {judge.endpoint}"
            say(f"memcli: questions, gold answers and answers go to {where}: up to {wanted:,} verdicts")
            add_verdicts(document, result, judge, consulted.runs, request.plan.seed)
    except ModelUnavailable as error:
        say(f"memcli: not all answers are judged: {error.told}")
        return error
    return None


def _located(what: list[str], data: Path | None, *, fetch: bool) -> Path:
    """The file to evaluate on. A benchmark that is missing is fetched, where that is wanted or agreed to."""
    from ..config import benchmarks_folder
    from ..errors import UsageError
    from ..evaluation.sources import BENCHMARKS, kept, locate
    from .fetching import can_ask, fetched

    if len(what) > 1:
        raise UsageError(f"one thing at a time: {what[0]} or {what[1]}", "compare takes two records")
    name, folder = what[0], benchmarks_folder()
    missing = data is None and name in BENCHMARKS and not kept(name, folder)
    if missing and (fetch or can_ask()):
        found = BENCHMARKS[name]
        fetched(found.offer, f"{found.title}, {found.published}", folder / found.offer.name, yes=fetch)
    return locate(name, data, folder)


def _request(
    what: str,
    path: Path,
    wanted: _Wanted,
    numbers: tuple[int, int, int | None, int, int | None],
    store: Path | None,
    embedder: str | None,
    slice_name: str | None,
    ray: str | None,
) -> EvaluationRequest:
    from ..config import settings
    from ..evaluation.asking import Limits
    from ..evaluation.harness import EvaluationRequest
    from ..evaluation.runner import EvaluationPlan
    from ..evaluation.slices import slice_named
    from ..evaluation.sources import BENCHMARKS, SAMPLE

    part = slice_named(slice_name).name if slice_name is not None else ""
    k, tokens, limit, seed, workers = numbers
    chosen = settings(store=store, embedder=embedder)
    processes = workers or os.cpu_count() or 1
    plan = EvaluationPlan(wanted.names, Limits(k, tokens), seed, limit, processes, wanted.reranker, ray or "")
    name = what if what in (SAMPLE, *BENCHMARKS) else path.name
    own = _own(path, chosen.store, given=store is not None)
    return EvaluationRequest(name, path, plan, chosen.cache, chosen.embedder, own, full=wanted.full, slice_name=part)


def _own(questions: Path, store: Path, *, given: bool) -> Path | None:
    """The store that the questions are about; None for a benchmark, which brings its conversations with it."""
    from ..errors import StoreMissing
    from ..evaluation.own import are_own
    from ..store.connection import Store
    from .render import say

    if given:
        return store
    if not are_own(questions):
        return None
    if not Store(store).exists:
        raise StoreMissing(
            f"{questions} has questions about a store, and there is none at {store}",
            "say which with --store PATH, or MEMCLI_STORE",
        )
    say(f"memcli: asked over {store}")
    return store


def _compare(records: list[str], strategy: str, seed: int, slice_name: str | None, *, as_json: bool) -> int:
    from ..errors import UsageError
    from ..evaluation.compare import compare
    from ..evaluation.record import load
    from .eval_table import show_comparison
    from .render import emit_json

    if len(records) != 2:
        raise UsageError("compare takes two records", "memcli eval compare DIR DIR")
    if slice_name is not None:
        raise UsageError("a record holds what was asked", "make both records with --slice: nothing is asked twice")
    first, second = (load(Path(path)) for path in records)
    found: dict[str, Any] = compare(first, second, None if strategy == "all" else strategy.split(","), seed)
    if as_json:
        emit_json(found)
    else:
        show_comparison(found)
    return 0
