"""What the servers of language models on this machine offer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .language import SERVERS

__all__ = ["Server", "servers"]

#: Seconds in which a server on this machine says what it has.
_PATIENCE = 2.0
_HERE = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Server:
    """A server that answers: `kind` is what its models' names begin with."""

    kind: str
    url: str
    models: Sequence[str]


def servers() -> list[Server]:
    """The servers that answer on this machine: LM Studio, Ollama, and what OPENAI_BASE_URL names if it is here."""
    found = [_asked(kind, url) for kind, url in (*SERVERS.items(), ("openai", None))]
    return [server for server in found if server]


def _asked(kind: str, url: str | None) -> Server | None:
    """What is offered there; None where nobody answers, or where that is another machine."""
    import openai

    try:
        with openai.OpenAI(base_url=url, api_key=kind if url else None, timeout=_PATIENCE, max_retries=0) as client:
            if client.base_url.host not in _HERE:
                return None
            return Server(
                kind, str(client.base_url).rstrip("/"), sorted(str(model.id) for model in client.models.list())
            )
    except (openai.OpenAIError, ValueError):
        return None
