"""`memcli show`: what an id stands for, in its surroundings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options as o

if TYPE_CHECKING:
    from rich.console import Console

    from ..memory.showing import Entry
    from ..model import Turn
    from ..store.excerpts import Excerpt

__all__ = ["record", "show"]

Ids = Annotated[
    list[str],
    typer.Argument(metavar="ID…", help="Any that memcli prints, or its beginning; - reads them from standard input."),
]
Whole = Annotated[bool, typer.Option("--session", help="Show the whole session of each.")]


def show(
    ids: Ids,
    around: o.Around = 0,
    session: Whole = False,
    as_json: o.Json = False,
    store: o.Store = None,
    user: o.User = None,
) -> None:
    """Show turns as they were said, with what stood around them; of anything else, the turns that it rests on."""
    from .render import emit_json

    memory = o.memory(store, user=user)
    wanted = [part for each in ids for part in (o.question(each).split() if each == "-" else [o.typed(each)])]
    entries = memory.show(wanted, around=around, whole=session)
    if as_json:
        emit_json({"shown": [record(each) for each in entries]})
    else:
        _print(entries)


def record(entry: Entry) -> dict[str, Any]:
    """An entry as `--json` gives it: documented in docs/json.md."""
    return {"id": entry.id, "text": entry.text or None, "excerpts": [_excerpt(each) for each in entry.excerpts]}


def _excerpt(excerpt: Excerpt) -> dict[str, Any]:
    from .render import turn_record

    session = excerpt.session
    turns = [turn_record(turn) | {"meant": turn.id in excerpt.marked} for turn in excerpt.turns]
    where = {"session": session.id, "conversation": session.conversation, "source": session.source}
    return where | {"title": session.title or None, "turns": turns}


def _print(entries: Sequence[Entry]) -> None:
    from .render import console

    out, shown = console(), [excerpt for entry in entries for excerpt in entry.excerpts]
    heads = {id(entry.excerpts[0]): entry for entry in entries if entry.text}
    for number, excerpt in enumerate(shown):
        if number:
            out.print("--")
        if entry := heads.get(id(excerpt)):
            _print_head(out, f"{entry.id}  {entry.text}")
        _print_head(out, "  ".join(filter(None, (excerpt.session.conversation, excerpt.session.title))))
        marks = len(excerpt.turns) > len(excerpt.marked)
        for turn in excerpt.turns:
            _print_turn(out, turn, ">" if marks and turn.id in excerpt.marked else "")


def _print_head(out: Console, text: str) -> None:
    from rich.text import Text

    from .render import one_line

    out.print(Text(one_line(text), style="dim"), soft_wrap=True)


def _print_turn(out: Console, turn: Turn, mark: str) -> None:
    """A turn on its line; what it says on further lines stands below it, as it was written."""
    from rich.text import Text

    from ..text import clean
    from .render import apart, evidence_line, print_line

    first, *rest = clean(turn.text).rstrip().split("\n")
    print_line(out, evidence_line(mark, turn.said_at, turn.speaker, first, turn.id))
    for line in rest:
        below = Text(f"     {line}".rstrip())
        out.print(apart(below) if out.is_terminal else below, soft_wrap=True)
