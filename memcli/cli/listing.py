"""Names with how much they stand for and when: shared by `speakers` and `conversations`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import render

if TYPE_CHECKING:
    from ..store.names import Heard

__all__ = ["print_names", "record"]


def record(one: Heard, others: str) -> dict[str, Any]:
    """A name as `--json` gives it; `others` is what its others are: documented in docs/json.md."""
    found = {"name": one.name, "turns": one.turns, "sessions": one.sessions, others: one.others}
    return render.record_of(found | {"first": one.first, "last": one.last})


def print_names(found: Sequence[Heard]) -> None:
    """A name a line, behind its turns and its first and last day."""
    width = max(len(f"{one.turns:,}") for one in found)
    for one in found:
        render.emit(f"{one.turns:>{width},}  {_days(one):<24}  {render.isolated(render.one_line(one.name))}")


def _days(one: Heard) -> str:
    return f"{one.first:%Y-%m-%d} to {one.last:%Y-%m-%d}" if one.first and one.last else "undated"
