"""`memcli compact`: give space back, and move to another embedder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from . import options as o

if TYPE_CHECKING:
    from ..memory import Memory

__all__ = ["compact"]


def compact(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    re_embed: Annotated[
        bool, typer.Option("--re-embed", help="First embed everything again, with --embedder or the default one.")
    ] = False,
    as_json: o.Json = False,
    store: o.Store = None,
    user: o.User = None,
    embedder: o.EmbedderName = None,
) -> None:
    """Give space back: drop orphans, duplicates and broken snapshots, swap in a verified copy.

    With --re-embed the store is moved to another embedder: what was said stays, and everything made of it is made
    again. Where that is interrupted, the same command goes on with it.
    """
    from ..errors import UsageError
    from .render import emit, emit_json, size

    if re_embed and dry_run:
        raise UsageError("--dry-run and --re-embed do not go together", "leave one of them out")
    if embedder and not re_embed:
        raise UsageError("compacting takes no embedder", "--re-embed --embedder NAME embeds everything again")
    memory = o.memory(store, embedder, user=user)
    if re_embed:
        _re_embed(memory)
    done = memory.compact(dry_run=dry_run)
    if as_json:
        record = {"dry_run": dry_run, "before": done.before, "after": done.after}
        emit_json(record | {"removed": dict(done.removed), "dropped": list(done.dropped)})
        return
    for reason, count in done.removed.items():
        emit(f"{'would remove' if dry_run else 'removed'} {count} {reason}")
    for name in done.dropped:
        emit(f"removed the snapshot {name}, which was broken; it is made again when it is needed")
    emit(f"{size(done.before)} before, {'unchanged (dry run)' if dry_run else f'{size(done.after)} after'}")


def _re_embed(memory: Memory) -> None:
    from .progress import progress
    from .render import say

    with progress() as bar:
        left = memory.re_embed(bar.making)
    for model in left:
        say(
            f"memcli: what {model} wrote was made again without it: memcli ingest PATH --model {model} has it written "
            "again, from the replies that the store keeps"
        )
