"""`memcli compact`: give space back."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options as o

__all__ = ["compact"]


def compact(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    as_json: o.Json = False,
    store: o.Store = None,
) -> None:
    """Give space back: drop orphans, duplicates and broken snapshots, swap in a verified copy."""
    from .render import emit, emit_json, size

    memory = o.memory(store)
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
