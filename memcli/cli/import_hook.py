"""`memcli import-hook`: what has an agent's sessions stored when they end."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from . import options as o

__all__ = ["import_hook"]

#: By agent: the file of its hooks, the event at the end of a session, and where it keeps its sessions.
_AGENTS = {
    "claude-code": ("~/.claude/settings.json", "SessionEnd", "~/.claude/projects"),
    "codex": ("~/.codex/hooks.json", "Stop", "~/.codex/sessions"),
}


def _agents(incomplete: str) -> list[str]:
    return [name for name in _AGENTS if name.startswith(incomplete)]


def import_hook(
    agent: Annotated[str, typer.Argument(metavar="AGENT", autocompletion=_agents, help="claude-code or codex.")],
    store: o.Store = None,
) -> None:
    """Print the hook that has an agent's sessions stored when they end, for the file that is named on standard error.

    Nothing is written: the file may hold other hooks, to which this one is added.
    """
    from ..errors import UsageError
    from .render import emit_json, say

    if agent not in _AGENTS:
        raise UsageError(f"no hook is known for {agent!r}", f"known: {', '.join(_AGENTS)}")
    file, event, sessions = _AGENTS[agent]
    where = f" --store {shlex.quote(o.typed(str(store.absolute())))}" if store else ""
    command = f"memcli ingest {sessions}{where} 2>/dev/null"
    say(f"memcli: put this into {file}")
    emit_json({"hooks": {event: [{"hooks": [{"type": "command", "command": command}]}]}})
