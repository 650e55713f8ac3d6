"""`memcli add`: one fact, now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import completion
from . import options as o

if TYPE_CHECKING:
    from ..memory.remembering import Remembered

__all__ = ["add", "record"]

Speaker = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", autocompletion=completion.speakers, help="Who says it. Default: MEMCLI_SPEAKER, or me."
    ),
]
Conversation = Annotated[
    str, typer.Option(metavar="NAME", autocompletion=completion.conversations, help="Where it is kept.")
]
At = Annotated[str | None, typer.Option(metavar="DATE", help="When it was said. Default: now.")]


def add(
    text: Annotated[str, typer.Argument(help="What to remember; - reads it from standard input.")],
    speaker: Speaker = None,
    at: At = None,
    conversation: Conversation = "notes",
    as_json: o.Json = False,
    store: o.Store = None,
    embedder: o.EmbedderName = None,
) -> None:
    """Remember one thing: prints its id, and what it replaces where an earlier one of the same speaker no longer holds.

    Nothing is deleted: what was so before can still be asked for.
    """
    from ..config import settings
    from .render import emit_json

    memory, when = o.memory(store, embedder), o.narrowed(None, None, None, None, at).at
    name = o.typed(speaker) if speaker else settings().speaker
    kept = memory.remember(o.question(text), speaker=name, at=when, conversation=o.typed(conversation))
    if as_json:
        emit_json(record(kept))
    else:
        _print(kept)


def record(kept: Remembered) -> dict[str, Any]:
    """What was remembered as `--json` gives it: documented in docs/json.md."""
    from .render import turn_record

    found = turn_record(kept.turn, kept.session)
    return found | {"new": kept.is_new, "replaces": [turn_record(each) for each in kept.replaces]}


def _print(kept: Remembered) -> None:
    from .render import console, emit, evidence_line, print_line

    emit(kept.turn.id if kept.is_new else f"{kept.turn.id}  known already")
    for old in kept.replaces:
        print_line(console(), evidence_line("was", old.said_at, old.speaker, old.text, old.id))
