"""`memcli doctor`: whether the store is sound, and mending what can be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options as o

if TYPE_CHECKING:
    from ..care import Examination
    from ..store.health import Finding

__all__ = ["doctor"]

_DAMAGED = 3


def doctor(
    repair: Annotated[bool, typer.Option("--repair", help="Make again what can be made of what was said.")] = False,
    as_json: o.Json = False,
    store: o.Store = None,
) -> int:
    """Verify the store: what was said against its hashes, the index, generated memory, snapshots, the file.

    Nothing is changed without --repair, and what was said never is. What is harmless is named, and is no damage.

    Exit code 3: something is damaged, and after --repair still is.
    """
    from .render import emit, emit_json, one_line

    memory = o.memory(store)
    found = memory.care.examine(repair=repair)
    if as_json:
        emit_json({"store": str(memory.store.path), "repair": repair, **_record(found)})
    else:
        for finding in found.mended:
            emit(f"repaired: {one_line(_line(finding))}")
        for finding in found.left:
            emit(f"{'harmless' if finding.harmless else 'damaged'}: {one_line(_line(finding))}{_can(finding)}")
        emit("the store is sound" if found.is_sound else "the store is damaged")
    return 0 if found.is_sound else _DAMAGED


def _line(finding: Finding) -> str:
    return f"{finding.what}: {finding.count:,}, such as {finding.example}"


def _can(finding: Finding) -> str:
    if finding.harmless:
        return ""
    return " (--repair can mend it)" if finding.mend else " (cannot be repaired: restore it from a copy)"


def _record(found: Examination) -> dict[str, Any]:
    return {
        "sound": found.is_sound,
        "findings": [_entry(finding) for finding in found.left],
        "repaired": [_entry(finding) for finding in found.mended],
    }


def _entry(finding: Finding) -> dict[str, Any]:
    return {
        "what": finding.what,
        "count": finding.count,
        "example": finding.example,
        "repairable": finding.mend is not None,
        "harmless": finding.harmless,
    }
