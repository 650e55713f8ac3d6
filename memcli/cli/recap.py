"""`memcli recap`: what was talked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import completion
from . import options as o

if TYPE_CHECKING:
    from ..memory.recapping import Part, Recap, Told, Written

__all__ = ["recap", "record", "within"]

When = Annotated[
    list[str] | None,
    typer.Argument(metavar="[TIME]", help="Of which time: last week, March 2026, 3 to 9 March. Default: all."),
]
By = Annotated[
    str | None,
    typer.Option(
        metavar="PART",
        autocompletion=completion.parts,
        help="day, week, month, conversation or topic. Default: by how long the time is.",
    ),
]
Most = Annotated[int, typer.Option("-k", min=1, help="How many sentences of each part at the most.")]


def recap(
    when: When = None,
    since: o.Since = None,
    until: o.Until = None,
    speaker: o.Speaker = None,
    conversation: o.Conversation = None,
    at: o.At = None,
    by: By = None,
    k: Most = 5,
    as_json: o.Json = False,
    store: o.Store = None,
    model: o.Model = None,
    budget: o.Budget = None,
) -> int:
    """Tell what was talked about: the telling sentences, dated, the most particular to that time. Exit code 1: nothing.

    Every line was said; with --model some sentences of the model's stand above those of each part that support them.
    """
    from .render import emit_json, remark, say

    narrowing = within(o.narrowed(since, until, speaker, conversation, at), " ".join(when or ()))
    asked = o.memory(store, model=model, budget=budget)
    found = asked.recap(filters=narrowing.filters, by=by, most=k, tell=remark)
    if found.fallback:
        remark(f"told without the model: {found.fallback}")
    if as_json:
        emit_json(record(found))
    elif found.parts:
        _print(found)
    else:
        say(_nothing(found))
    return 0 if found.parts else 1


def within(narrowing: o.Narrowing, when: str) -> o.Narrowing:
    """The narrowing to a time in words. Raises UsageError where it is none, or is given twice."""
    from ..errors import UsageError
    from ..languages.dates import parse_span

    if not when:
        return narrowing
    if narrowing.filters.since or narrowing.filters.until:
        raise UsageError("a time is given twice", "a TIME, or --since and --until")
    span = parse_span(o.typed(when), narrowing.at)
    return replace(narrowing, filters=replace(narrowing.filters, since=span.start, until=span.end))


def record(found: Recap) -> dict[str, Any]:
    """A recap as `--json` gives it: documented in docs/json.md."""
    since, until = (None if each is None else each.isoformat() for each in (found.since, found.until))
    return {
        "since": since,
        "until": until,
        "by": found.by.value,
        "turns": found.turns,
        "parts": [_part(part) for part in found.parts],
        "fallback": found.fallback or None,
    }


def _part(part: Part) -> dict[str, Any]:
    written = [{"text": each.text, "turns": list(each.turns)} for each in part.written]
    return {"name": part.name, "told": [_told(each) for each in part.told], "written": written}


def _told(told: Told) -> dict[str, Any]:
    from .render import record_of

    turn, session = told.turn, told.session
    said = {"id": turn.id, "said_at": turn.said_at, "speaker": turn.speaker, "text": told.text}
    return record_of(said | {"conversation": session.conversation, "session": session.id, "score": told.score})


def _nothing(found: Recap) -> str:
    """That nothing is told, and of which time: "March" may have been another one."""
    if found.turns:
        return f"nothing found: {found.turns:,} turns, of which none says anything that is particular to that time"
    start = f" from {found.since:%Y-%m-%d}" if found.since else ""
    end = f" to {found.until - timedelta(microseconds=1):%Y-%m-%d}" if found.until else ""
    return f"nothing found: nothing was said{start}{end}" if start or end else "nothing found"


def _print(found: Recap) -> None:
    from rich.text import Text

    from .render import console, one_line

    out = console()
    for number, part in enumerate(found.parts):
        if number:
            out.print()
        out.print(Text(one_line(part.name), style="bold"), soft_wrap=True)
        _print_written(part.written)
        _print_part(part.told)


def _print_written(written: Sequence[Written]) -> None:
    from rich.text import Text

    from .render import console, one_line, print_line

    for each in written:
        told = Text(one_line(each.text))
        told.append(f"  {' '.join(each.turns)}", style="dim")
        print_line(console(), told)


def _print_part(told: Sequence[Told]) -> None:
    from .render import console, evidence_line, print_line

    for each in told:
        turn = each.turn
        print_line(console(), evidence_line("", turn.said_at, turn.speaker, each.text, turn.id))
