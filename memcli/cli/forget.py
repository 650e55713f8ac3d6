"""`memcli forget`: take out of memory what should not be in it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from . import options as o

if TYPE_CHECKING:
    from ..memory import Memory
    from ..model import TurnId
    from ..store.forgetting import Doomed

__all__ = ["forget"]

#: As many turns are shown before somebody is asked, unless a search found them: then all.
_SHOWN = 20

Ids = Annotated[
    list[str] | None, typer.Argument(metavar="[ID…]", help="Turns (t:…) and sessions (s:…), as search shows them.")
]
Query = Annotated[
    str | None, typer.Option("--query", metavar="TEXT", help="What a search for this finds; it is shown first.")
]
Most = Annotated[int, typer.Option("-k", min=1, help="With --query: how many turns at the most.")]


def forget(
    ids: Ids = None,
    query: Query = None,
    k: Most = 10,
    since: o.Since = None,
    until: o.Until = None,
    speaker: o.Speaker = None,
    conversation: o.Conversation = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: o.Json = False,
    store: o.Store = None,
    embedder: o.EmbedderName = None,
) -> int:
    """Forget turns, and everything that was made of them, for good: all that is said here must hold of a turn.

    The same transcript does not bring them back, unless with ingest --allow-again. Their bytes leave the file with the
    next memcli compact. A session keeps its title as long as it has turns.
    """
    from ..errors import NothingFound, UsageError
    from ..store.selection import Selection
    from .render import emit, emit_json, say

    which = Selection(ids or (), o.narrowed(since, until, speaker, conversation, None).filters)
    if which.is_everything and not query:
        raise UsageError("nothing was said to be forgotten", "give ids, --query, --speaker, --conversation, --since …")
    if not (yes or dry_run or (sys.stdin.isatty() and sys.stderr.isatty())):
        raise UsageError("forgetting is for good, and there is no terminal to ask on", "--yes, or --dry-run to look")
    memory = o.memory(store, embedder)
    turns = memory.care.select(which)
    if query and turns:
        among, hits = set(turns), memory.search(o.typed(query), k=k, filters=which.filters)
        turns = [turn for turn in dict.fromkeys(hit.unit.sources[0] for hit in hits) if turn in among]
    if not turns:
        raise NothingFound("nothing in the store matches", "nothing was forgotten")
    if query or dry_run or not yes:
        _show(memory, turns if query else turns[:_SHOWN], len(turns))
    if not (yes or dry_run or typer.confirm(f"Forget {_s(len(turns), 'turn')} for good?", err=True)):
        say("nothing was forgotten")
        return 0
    done = memory.care.forget(turns, dry_run=dry_run)
    if as_json:
        emit_json(_record(done, dry_run=dry_run))
    else:
        emit(_summary(done, dry_run=dry_run))
    return 0


def _show(memory: Memory, turns: Sequence[TurnId], of: int) -> None:
    """The turns as lines, on stderr: what is asked about, and no data."""
    from .render import console, evidence_line

    out = console(stderr=True)
    said = memory.care.turns(turns)
    for number, turn in enumerate((said[i] for i in turns if i in said), start=1):
        line = evidence_line(str(number), turn.said_at, turn.speaker, turn.text, turn.id)
        out.print(line, soft_wrap=True)
    if of > len(turns):
        out.print(f"     and {of - len(turns):,} more")


def _record(done: Doomed, *, dry_run: bool) -> dict[str, object]:
    counts = {"units": done.units, "calls": len(done.calls), "feedback": len(done.feedback)}
    counts["answers"] = len(done.answers)
    return {"dry_run": dry_run, "turns": list(done.turns), "sessions": done.sessions, **counts}


def _summary(done: Doomed, *, dry_run: bool) -> str:
    what = f"{'would forget' if dry_run else 'forgot'} {_s(len(done.turns), 'turn')}"
    whole = f", {_s(done.sessions, 'session')} with all its turns" if done.sessions == 1 else ""
    whole = whole or (f", {done.sessions:,} sessions with all their turns" if done.sessions else "")
    made = f", {_s(done.units, 'unit')} made of them, {_s(len(done.calls), 'cached call')}"
    made += f", {_s(len(done.answers), 'answer')}" if done.answers else ""
    return what + whole + made + ("" if dry_run else "; memcli compact takes their bytes out of the file")


def _s(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
