"""`memcli watch`: follows files and folders, and stores what is new in them."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from . import options as o
from .ingest import Redact, RedactPhones

if TYPE_CHECKING:
    from ..memory.watching import Noticed

__all__ = ["watch"]

Paths = Annotated[list[str], typer.Argument(metavar="PATH…", help="Files and folders, of any depth.")]


def watch(
    paths: Paths,
    redact: Redact = False,
    redact_phones: RedactPhones = False,
    as_jsonl: o.Jsonl = False,
    store: o.Store = None,
    embedder: o.EmbedderName = None,
) -> None:
    """Follow files and folders: store what they hold, then what is new within seconds, until interrupted.

    Needs the extra memcli[watch]. One line a change. docs/agents.md has a service for systemd.
    """
    from ..formats.redaction import Redactor
    from .render import emit, emit_jsonl, say

    memory = o.memory(store, embedder)
    redactor = Redactor(phones=redact_phones) if redact or redact_phones else None
    coming = memory.watch(paths, redactor=redactor)
    if sys.stderr.isatty():  # the first line of a change may take its time
        say(f"memcli: following {', '.join(paths)}; Ctrl-C ends it")
    for noticed in coming:
        for problem in noticed.problems:
            say(f"memcli: {problem.where}: {problem.reason}")
        if noticed.added and as_jsonl:
            emit_jsonl([_record(noticed)])
        elif noticed.added:
            emit(_line(noticed))
        sys.stdout.flush()  # whoever reads a pipe waits for it


def _record(noticed: Noticed) -> dict[str, object]:
    return {"at": _now(), "path": str(noticed.path), "added": noticed.added, "sessions": noticed.sessions}


def _line(noticed: Noticed) -> str:
    from .render import one_line

    many = "" if noticed.added == 1 else "s"
    return f"{_now()}  {noticed.added:,} new message{many}  {one_line(str(noticed.path))}"


def _now() -> str:
    return f"{datetime.now():%Y-%m-%d %H:%M:%S}"
