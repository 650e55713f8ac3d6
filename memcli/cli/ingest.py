"""`memcli ingest`: transcripts into the store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import typer

from . import completion
from . import options as o

if TYPE_CHECKING:
    from ..formats import Problem
    from ..formats.redaction import Redactor
    from ..ingestion import Report, Watcher
    from ..memory import Memory

__all__ = ["ingest"]


Paths = Annotated[
    list[str], typer.Argument(metavar="PATH…", help="Files, folders, exports' zips, or - for standard input.")
]
FormatName = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        autocompletion=completion.formats,
        help="One that memcli formats lists. Default: by content.",
    ),
]
Strict = Annotated[bool, typer.Option("--strict", help="Refuse an input with a bad line instead of skipping it.")]
Branches = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="all: also what an edited message or a second try left behind. Default: current."
    ),
]
AllowAgain = Annotated[bool, typer.Option("--allow-again", help="Also what memcli forget has taken out.")]
Redact = Annotated[
    bool, typer.Option("--redact", help="Store keys, tokens, card numbers and e-mail addresses as [redacted: KIND].")
]
RedactPhones = Annotated[bool, typer.Option("--redact-phones", help="The same, and telephone numbers, too.")]
Shards = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Begin a memory of so many shards: --store is a folder, NAME.memcli.d."),
]
SplitAt = Annotated[
    int | None, typer.Option(metavar="BYTES", min=1, help="Of a memory that begins: split a shard that grows beyond.")
]
ReEmbed = Annotated[bool, typer.Option("--re-embed", help="First what memcli compact --re-embed does.")]
Strategies = Annotated[
    str | None,
    typer.Option(
        "--strategy",
        metavar="NAME,…",
        autocompletion=completion.strategies,
        help="Also make, and keep up, what these strategies need.",
    ),
]
Model = Annotated[
    str | None,
    typer.Option("--model", metavar="NAME", help="A language model that writes what these strategies need."),
]


def ingest(
    paths: Paths,
    format_: FormatName = None,
    strict: Strict = False,
    branches: Branches = "current",
    re_embed: ReEmbed = False,
    allow_again: AllowAgain = False,
    redact: Redact = False,
    redact_phones: RedactPhones = False,
    strategy: Strategies = None,
    model: Model = None,
    budget: o.Budget = None,
    as_json: o.Json = False,
    store: o.Store = None,
    user: o.User = None,
    shards: Shards = None,
    split_at: SplitAt = None,
    ray: o.Ray = None,
    embedder: o.EmbedderName = None,
) -> int:
    """Add transcripts to the store; what it has already is not added again.

    With --model what was said is sent to that model, once; a configured model alone is sent nothing here.

    Exit code 6: something could not be read; it was reported and the rest is stored.
    """
    from ..formats.redaction import Redactor
    from ..ingestion import Watcher
    from .progress import prepared, progress
    from .render import say

    _check(branches, re_embed=re_embed, by_ray=bool(ray))
    memory = o.memory(store, embedder, user=user, shards=shards, split_at=split_at)

    def complain(problem: Problem) -> None:
        say(f"memcli: {problem.where}: {problem.reason}")

    with progress() as bar:
        watcher = Watcher(progress=bar.reached, problem=complain, making=bar.making)
        how = _How(
            format_name=format_,
            strict=strict,
            all_branches=branches == "all",
            allow_again=allow_again,
            redactor=Redactor(phones=redact_phones) if redact or redact_phones else None,
        )
        report = (
            _by_ray(memory, paths, how, watcher, ray)
            if ray
            else memory.ingest(paths, watcher=watcher, re_embed=re_embed, **how)
        )
    if model and memory.store.exists:
        _generate(memory, model, strategy.split(",") if strategy else [], budget)
    if strategy and memory.store.exists:
        prepared(memory, strategy.split(","))
    _tell(memory, report, redacted=redact or redact_phones, as_json=as_json)
    return 6 if report.problem_count else 0


def _check(branches: str, *, re_embed: bool, by_ray: bool) -> None:
    from ..errors import UsageError

    if branches not in ("current", "all"):
        raise UsageError(f"--branches is current or all, not {branches!r}")
    if by_ray and re_embed:
        raise UsageError("--ray does not re-embed", "memcli compact --re-embed first")


class _How(TypedDict):
    """How transcripts are read, as `Memory.ingest` has it."""

    format_name: str | None
    strict: bool
    all_branches: bool
    allow_again: bool
    redactor: Redactor | None


def _by_ray(memory: Memory, paths: Sequence[str], how: _How, watcher: Watcher, address: str) -> Report:
    from ..cluster.ingesting import Reading
    from ..cluster.ingesting import ingest as by_cluster

    return by_cluster(memory, paths, Reading(**how), watcher, address)


def _tell(memory: Memory, report: Report, *, redacted: bool, as_json: bool) -> None:
    from .former import tell_foreign, tell_former_default
    from .render import emit_json, say

    tell_former_default(memory)
    if as_json:
        emit_json(_record(report, redacted=redacted))
    elif report.messages or not report.problem_count:
        say(_summary(report))
    if report.added:
        tell_foreign(memory, report.added)


def _generate(memory: Memory, model: str, strategies: Sequence[str], budget: int | None) -> None:
    from .progress import counted
    from .render import remark

    with counted("generating memory") as advance:
        left = memory.generate(
            model,
            strategies=strategies,
            budget=budget,
            tell=remark,
            watch=lambda _what, done, of: advance(done, of),
        )
    if left:
        remark(f"{left} session{_s(left)} made without the model; run it again to have them made by it")


def _record(report: Report, *, redacted: bool) -> dict[str, Any]:
    extra = {"forgotten": report.forgotten} if report.forgotten else {}
    return {
        "messages": report.messages,
        "added": report.added,
        "known": report.messages - report.added - report.forgotten,
        "sessions": len(report.sessions),
        "problems": [{"where": p.where, "reason": p.reason, "kept_out": p.kept_out} for p in report.problems],
        "kept_out": report.problem_count,
        **extra,
        **({"redacted": dict(sorted(report.redacted.items()))} if redacted else {}),
    }


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _summary(report: Report) -> str:
    sessions = len(report.sessions)
    parts = [f"{report.added:,} new message{_s(report.added)} in {sessions:,} session{_s(sessions)}"]
    known = report.messages - report.added - report.forgotten
    if known:
        parts.append(f"{known:,} known already")
    if report.forgotten:
        parts.append(f"{report.forgotten:,} left out: forgotten before")
    if report.redacted:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(report.redacted.items()))
        parts.append(f"redacted: {kinds}")
    if report.problem_count:
        parts.append(f"{report.problem_count:,} kept out")
    return "; ".join(parts)
