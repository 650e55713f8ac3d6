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
    from ..store.forgetting import Marked
    from ..store.selection import Selection

__all__ = ["forget", "record"]

#: As many turns are shown before somebody is asked, unless a search found them: then all.
_SHOWN = 20

Ids = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[ID…]",
        help="What memcli prints as an id; what was made of turns stands for these.",
    ),
]
Query = Annotated[
    str | None,
    typer.Option("--query", metavar="TEXT", help="What you choose of what a search for this finds; it is shown."),
]
Pick = Annotated[
    str | None,
    typer.Option("--pick", metavar="N,…", help="With --query: these of the turns that it shows, by their numbers."),
]
Most = Annotated[int, typer.Option("-k", min=1, help="With --query: how many turns at the most.")]


def forget(
    ids: Ids = None,
    query: Query = None,
    pick: Pick = None,
    k: Most = 10,
    since: o.Since = None,
    until: o.Until = None,
    speaker: o.Speaker = None,
    conversation: o.Conversation = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: o.Json = False,
    store: o.Store = None,
    user: o.User = None,
    embedder: o.EmbedderName = None,
) -> int:
    """Forget turns, and everything that was made of them, for good: all that is said here must hold of a turn.

    A search finds what is near, too: with --query each turn is asked about on a terminal, or chosen with --pick, by
    the numbers that --dry-run shows. The same transcript does not bring them back, unless with ingest --allow-again.
    Their bytes leave the file with the next memcli compact. A session keeps its title as long as it has turns.
    """
    from ..errors import NothingFound
    from ..memory.feedback import note_last
    from ..store.selection import Selection
    from .render import emit, emit_json, say

    which = Selection(ids or (), o.narrowed(since, until, speaker, conversation, None).filters)
    asks = not (yes or dry_run)
    _check(which, query, pick, asks=asks, yes=yes)
    memory = o.memory(store, embedder, user=user)
    turns = memory.care.select(which)
    if query and turns:
        turns = _found(memory, o.typed(query), k, which, turns)
    if not turns:
        raise NothingFound("nothing in the store matches", "nothing was forgotten")
    if query and (pick or asks):
        turns = _picked(turns, pick) if pick else _chosen(memory, turns)
    if pick or dry_run or (asks and not query):
        _show(memory, turns if query else turns[:_SHOWN], len(turns))
    if query and dry_run and not pick:
        say(f"choose among them with --pick, such as --pick 1{',2' if len(turns) > 1 else ''}")
    if not turns or (asks and (pick or not query) and not _is_confirmed(len(turns))):
        say("nothing was forgotten")
        return 0
    done = memory.care.forget(turns, dry_run=dry_run)
    if not dry_run:
        note_last(memory.store, "")  # it may have been about what is forgotten
    if as_json:
        emit_json(record(done, dry_run=dry_run))
    else:
        emit(_summary(done, dry_run=dry_run))
    return 0


def _check(which: Selection, query: str | None, pick: str | None, *, asks: bool, yes: bool) -> None:
    """Raises UsageError for what does not say which turns, or does not say it surely enough."""
    from ..errors import UsageError

    if which.is_everything and not query:
        raise UsageError("nothing was said to be forgotten", "give ids, --query, --speaker, --conversation, --since …")
    if pick and not query:
        raise UsageError("--pick chooses among what --query finds", "give a --query")
    if query and yes and not pick:
        raise UsageError(
            "a search finds what is near, too: --yes alone would forget all of it",
            "look with --dry-run, then choose with --pick 1,3",
        )
    if asks and not (sys.stdin.isatty() and sys.stderr.isatty()):
        sure = "--dry-run to look, then --pick with --yes" if query else "--yes, or --dry-run to look"
        raise UsageError("forgetting is for good, and there is no terminal to ask on", sure)


def _found(memory: Memory, query: str, k: int, which: Selection, turns: Sequence[TurnId]) -> list[TurnId]:
    among, hits = set(turns), memory.search(query, k=k, filters=which.filters)
    return [turn for turn in dict.fromkeys(hit.unit.sources[0] for hit in hits) if turn in among]


def _picked(turns: Sequence[TurnId], pick: str) -> list[TurnId]:
    """The turns with these numbers, counted from 1. Raises UsageError."""
    from ..errors import UsageError

    numbers = [part.strip() for part in pick.split(",")]
    wrong = [part for part in numbers if not (part.isdecimal() and 1 <= int(part) <= len(turns))]
    if wrong:
        raise UsageError(f"--pick takes numbers from 1 to {len(turns)} and commas, not {wrong[0]!r}")
    return [turns[number - 1] for number in dict.fromkeys(map(int, numbers))]


def _chosen(memory: Memory, turns: Sequence[TurnId]) -> list[TurnId]:
    """Those of the turns that somebody at the terminal wants to be forgotten: each is shown, and asked about."""
    chosen = []
    for number, turn in enumerate(turns, start=1):
        _show(memory, [turn], 1, number)
        if typer.confirm(f"Forget {number} of {len(turns)} for good?", err=True):
            chosen.append(turn)
    return chosen


def _is_confirmed(count: int) -> bool:
    return typer.confirm(f"Forget {_s(count, 'turn')} for good?", err=True)


def _show(memory: Memory, turns: Sequence[TurnId], of: int, first: int = 1) -> None:
    """The turns as lines, on stderr: what is asked about, and no data."""
    from .render import console, evidence_line, print_line

    out = console(stderr=True)
    said = memory.care.turns(turns)
    for number, turn in enumerate((said[i] for i in turns if i in said), start=first):
        line = evidence_line(str(number), turn.said_at, turn.speaker, turn.text, turn.id)
        print_line(out, line)
    if of > len(turns):
        out.print(f"     and {of - len(turns):,} more")


def record(done: Marked, *, dry_run: bool) -> dict[str, object]:
    """What was forgotten, or would be, as `--json` gives it: documented in docs/json.md."""
    counts = {"units": done.units, "calls": len(done.calls), "feedback": len(done.feedback)}
    counts["answers"] = len(done.answers)
    return {"dry_run": dry_run, "turns": list(done.turns), "sessions": done.sessions, **counts}


def _summary(done: Marked, *, dry_run: bool) -> str:
    what = f"{'would forget' if dry_run else 'forgot'} {_s(len(done.turns), 'turn')}"
    whole = f", {_s(done.sessions, 'session')} with all its turns" if done.sessions == 1 else ""
    whole = whole or (f", {done.sessions:,} sessions with all their turns" if done.sessions else "")
    made = f", {_s(done.units, 'unit')} made of them, {_s(len(done.calls), 'cached call')}"
    made += f", {_s(len(done.answers), 'answer')}" if done.answers else ""
    return what + whole + made + ("" if dry_run else "; memcli compact takes their bytes out of the file")


def _s(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
