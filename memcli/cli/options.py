"""The options that commands share, written once."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import completion

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from ..memory import Memory
    from ..model import Filters

#: How many turns the reader is given, whatever number is shown.
READ = 20
#: What is said of a store whose embedder's thresholds were not found yet.
UNCALIBRATED = "memcli's, not calibrated for this embedder: that takes 500 distinct sentences in two sessions"

__all__ = [
    "READ",
    "UNCALIBRATED",
    "Around",
    "At",
    "Budget",
    "Conversation",
    "EmbedderName",
    "Explain",
    "Json",
    "Jsonl",
    "Model",
    "Narrowing",
    "PromptStyle",
    "Ray",
    "Reranker",
    "Scores",
    "Since",
    "Speaker",
    "Store",
    "Stores",
    "StrategyName",
    "Unsupported",
    "Until",
    "User",
    "Variant",
    "Without",
    "memory",
    "narrowed",
    "question",
    "searched",
    "strategy_name",
    "typed",
    "varied",
]

Store = Annotated[
    Path | None,
    typer.Option("--store", metavar="PATH", help="The store. Default: MEMCLI_STORE, or one in your data directory."),
]
Stores = Annotated[
    list[Path] | None,
    typer.Option(
        "--store",
        metavar="PATH",
        help="The store; several times: stores that are searched together. Default: MEMCLI_STORE, or one in your data "
        "directory.",
    ),
]
User = Annotated[
    str | None,
    typer.Option("--memory", metavar="USER", help="Of a folder of shards: the memory of this user alone."),
]
EmbedderName = Annotated[
    str | None,
    typer.Option(
        "--embedder",
        metavar="NAME",
        autocompletion=completion.embedders,
        help="memcli (the default), multilingual, minilm, sentence-transformers:, fastembed: or "
        "model2vec:NAME-or-path, openai:NAME.",
    ),
]
Ray = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="[ADDRESS]",
        help="Have a Ray cluster do it (memcli[ray]): that at ADDRESS, auto for one that runs here, or, without an "
        "address, one that is started on this machine for this.",
    ),
]
Since = Annotated[str | None, typer.Option(metavar="DATE", help="Only what was said on or after this date.")]
Until = Annotated[str | None, typer.Option(metavar="DATE", help="Only what was said up to and including this date.")]
Speaker = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", autocompletion=completion.speakers, help="Only what this speaker said: a unique part will do."
    ),
]
Conversation = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", autocompletion=completion.conversations, help="Only this conversation: a unique part will do."
    ),
]
At = Annotated[str | None, typer.Option(metavar="DATE", help="The date on which the question is asked. Default: now.")]
StrategyName = Annotated[
    str | None,
    typer.Option(
        "--strategy",
        metavar="NAME",
        autocompletion=completion.strategies,
        help="fused (the default), sgmem, memgas, emem, emem-g, ontology, dense or bm25; NAME:VARIANT. "
        "The first use of sgmem, memgas, emem or emem-g makes generated memory: minutes in a large store.",
    ),
]
Reranker = Annotated[
    str | None,
    typer.Option(
        "--reranker",
        metavar="NAME",
        autocompletion=completion.rerankers,
        help="Mix the ranking of the first hits with that of a model that looks at them: reader (memcli's own, for "
        "questions in other words than the chat's), listwise:NAME (a language model, as for --model; it is sent the "
        "question and 20 hits), endpoint:NAME (it is sent the question and 50 hits, at OPENAI_BASE_URL) or "
        "sentence-transformers:NAME-or-path. Default: none.",
    ),
]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="NAME",
        autocompletion=completion.models,
        help="A language model that words an answer or a recap: gguf:NAME-or-path in this process, ollama:NAME or "
        "lmstudio:NAME on this machine, openai:NAME (or NAME) at OPENAI_BASE_URL. Default: none, and nothing is sent.",
    ),
]
PromptStyle = Annotated[
    str,
    typer.Option(
        "--prompt-style",
        metavar="NAME",
        help="How --model is asked: full (twenty turns, it thinks first), small (five turns, the answer first), choice "
        "(among what is found without it), or auto, by its size.",
    ),
]
Budget = Annotated[
    int | None, typer.Option("--budget", metavar="N", min=0, help="Tokens that the model may use at the most.")
]
Explain = Annotated[bool, typer.Option("--explain", help="Say why each turn is there; --json: what each signal added.")]
Scores = Annotated[bool, typer.Option("--scores", help="Show what each signal added to each turn's score.")]
Variant = Annotated[str | None, typer.Option(metavar="NAME", help="Of sgmem: S, R or T, then any of M, F, I: SMFI.")]
Without = Annotated[str | None, typer.Option(metavar="PART", help="of memgas: router, ppr or association.")]
Unsupported = Annotated[
    bool, typer.Option("--unsupported", help="Also generated memory that what was said does not support.")
]
Around = Annotated[int, typer.Option("-C", metavar="N", min=0, help="Show so many turns before and behind each, too.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Jsonl = Annotated[bool, typer.Option("--jsonl", help="Print one JSON record a line.")]


@dataclass(frozen=True, slots=True)
class Narrowing:
    """When a question is asked, and what it may look at."""

    at: datetime
    filters: Filters


def memory(
    store: Path | Sequence[Path] | None,
    embedder: str | None = None,
    *,
    model: str | None = None,
    budget: int | None = None,
    prompt_style: str = "auto",
    user: str | None = None,
    shards: int | None = None,
    split_at: int | None = None,
) -> Memory:
    """The memory that the flags, the environment and the configuration name; of several stores one over them all."""
    from ..config import settings
    from ..memory import Memory

    named = [store] if isinstance(store, Path) else [*(store or ())]
    chosen = settings(store=next(iter(named), None), embedder=embedder, model=model)
    path = [chosen.store, *named[1:]] if len(named) > 1 else chosen.store
    return Memory(
        path,
        embedder=chosen.embedder,
        model=chosen.model,
        budget=budget,
        prompt_style=prompt_style,
        user=typed(user or ""),
        shards=shards,
        split_at=split_at,
    )


def searched(memory: Memory, address: str | None, reranker: str | None) -> AbstractContextManager[None]:
    """Meanwhile the cluster at `address` looks for candidates; None: this process does. See `cluster.searching`.

    A person is told where a `reranker` is waited for.
    """
    from contextlib import nullcontext

    from .progress import thinking

    thinking(reranker)
    if address is None:
        return nullcontext()
    from ..cluster.searching import searching

    return searching(memory, address)


def question(argument: str) -> str:
    """The question itself; `-` stands for standard input."""
    import sys

    return sys.stdin.buffer.read().decode("utf-8", "replace").strip() if argument == "-" else typed(argument)


def typed(argument: str) -> str:
    """The text of an argument, also in a locale in which Python took its UTF-8 for raw bytes."""
    return os.fsencode(argument).decode("utf-8", "replace")


def strategy_name(flag: str | None, variant: str | None = None, without: str | None = None) -> str:
    """The strategy that the flag, the environment or the configuration names, with its variant or less a part of it."""
    from ..config import settings

    return varied(flag or settings().strategy, variant, without)


def varied(name: str, variant: str | None, without: str | None) -> str:
    """A strategy's name with a variant, or less a part: `sgmem:SMFI`, `memgas:without-router`. Raises UsageError."""
    from ..errors import UsageError

    parts = [part for part in (variant, f"without-{without}" if without else None) if part]
    if len(parts) + (":" in name) > 1:
        raise UsageError("one variant at a time", "--variant, --without, or NAME:VARIANT")
    return ":".join([name, *parts])


def narrowed(
    since: str | None,
    until: str | None,
    speaker: str | None,
    conversation: str | None,
    at: str | None,
    *,
    unsupported: bool = False,
) -> Narrowing:
    """The options of time, speaker and conversation, read. Raises UsageError for what is no date."""
    from ..languages.dates import parse_date, parse_span
    from ..model import Filters

    now = datetime.now().astimezone()
    start = parse_date(since, now) if since else None
    end = parse_span(until, now).end if until else None
    who, where = (None if name is None else typed(name) for name in (speaker, conversation))
    return Narrowing(parse_date(at, now) if at else now, Filters(start, end, who, where, unsupported))
