"""`memcli search`: ranked evidence."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options as o

__all__ = ["search"]

_MOST = 10

Most = Annotated[
    int | None,
    typer.Option(
        "-k", metavar="N", min=1, help="How many turns. Default: at most 10, as text those before scores fall off."
    ),
]


def search(
    query: Annotated[str, typer.Argument(help="What to look for; - reads it from standard input.")],
    k: Most = None,
    since: o.Since = None,
    until: o.Until = None,
    speaker: o.Speaker = None,
    conversation: o.Conversation = None,
    at: o.At = None,
    strategy: o.StrategyName = None,
    variant: o.Variant = None,
    without: o.Without = None,
    reranker: o.Reranker = None,
    unsupported: o.Unsupported = False,
    around: o.Around = 0,
    explain: o.Explain = False,
    scores: o.Scores = False,
    as_json: o.Json = False,
    as_jsonl: o.Jsonl = False,
    store: o.Stores = None,
    user: o.User = None,
    ray: o.Ray = None,
    embedder: o.EmbedderName = None,
) -> int:
    """Find what was said: ranked turns with date, speaker and id."""
    from ..memory.asking import bearing
    from .documents import found_document
    from .former import tell_former_default
    from .hits import explained, print_hits, records
    from .progress import making
    from .render import emit_json, emit_jsonl, say

    narrowing = o.narrowed(since, until, speaker, conversation, at, unsupported=unsupported)
    memory = o.memory(store, embedder, user=user)
    chosen, text = o.strategy_name(strategy, variant, without), o.question(query)
    with o.searched(memory, ray, reranker):
        hits = memory.search(
            text,
            k=_MOST if k is None else k,
            filters=narrowing.filters,
            at=narrowing.at,
            strategy=chosen,
            reranker=reranker or "",
            making=making,
        )
    tell_former_default(memory)
    if as_json:
        emit_json(found_document(memory, text, chosen, narrowing, hits, around, explain=explain))
    elif as_jsonl:
        emit_jsonl(records(memory, hits, around, explain=explain))
    elif hits:
        shown = bearing(hits) if k is None else hits
        told = explained(memory, text, narrowing.at, shown, explain=explain, scores=scores)
        print_hits(memory, shown, around, told)
    else:
        say("nothing found")
    return 0 if hits else 1
