"""`memcli mcp`: the memory as a server for agents, by the Model Context Protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from . import completion
from . import options as o

if TYPE_CHECKING:
    from pathlib import Path

    from .tools import Tools

__all__ = ["mcp"]

Http = Annotated[
    int | None,
    typer.Option(
        "--http", metavar="PORT", min=0, max=65535, help="Serve HTTP on this port of 127.0.0.1, 0: a free one, at /mcp."
    ),
]
ReadOnly = Annotated[bool, typer.Option("--read-only", help="Offer nothing that adds or forgets.")]
Only = Annotated[
    str | None,
    typer.Option(
        "--conversation",
        metavar="NAME",
        autocompletion=completion.conversations,
        help="Let agents see, and write to, this conversation alone.",
    ),
]
Most = Annotated[
    int | None, typer.Option("--max-tokens", metavar="N", min=100, help="Tokens of a result at the most, estimated.")
]


def mcp(
    http: Http = None,
    read_only: ReadOnly = False,
    conversation: Only = None,
    max_tokens: Most = None,
    store: o.Store = None,
    embedder: o.EmbedderName = None,
    model: o.Model = None,
    reranker: o.Reranker = None,
) -> None:
    """Serve the memory to agents over standard input and output (Model Context Protocol). Needs the extra memcli[mcp].

    Over HTTP a client has to send the token that is printed, or that MEMCLI_TOKEN has: Authorization: Bearer TOKEN.
    docs/agents.md has the lines for each agent.
    """
    from ..errors import UsageError

    try:
        from .mcp_server import serve_http, serve_stdio
    except ModuleNotFoundError as error:
        raise UsageError("the server needs an extra", "pip install 'memcli[mcp]'") from error
    tools = _tools(store, embedder, model, conversation, max_tokens, reranker or "")
    with tools.memory:
        if http is None:
            serve_stdio(tools, read_only=read_only)
        else:
            serve_http(tools, http, read_only=read_only)


def _tools(
    store: Path | None,
    embedder: str | None,
    model: str | None,
    conversation: str | None,
    max_tokens: int | None,
    reranker: str,
) -> Tools:
    from ..config import settings
    from ..model import Filters
    from ..providers.reranking import known
    from ..store.names import named
    from .render import remark
    from .tools import Tools

    if reranker:
        known(reranker)
    memory, own = o.memory(store, embedder, model=model), settings()
    memory.store.keep_open()
    if conversation is not None and memory.store.exists:
        with memory.store.reading() as db:
            conversation = named(db, Filters(conversation=o.typed(conversation))).conversation
    return Tools(
        memory, strategy=own.strategy, reranker=reranker, speaker=own.speaker, conversation=conversation,
        max_tokens=max_tokens, tell=remark,
    )  # fmt: skip
