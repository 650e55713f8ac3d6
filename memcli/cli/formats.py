"""`memcli formats`: what `memcli ingest` reads."""

from __future__ import annotations

from . import options as o

__all__ = ["formats"]


def formats(as_json: o.Json = False) -> None:
    """List the formats that ingest reads: what each is, how it is recognised, how to export it."""
    from ..formats import FORMATS, named
    from .render import emit, emit_json

    found = {name: named(name) for name in FORMATS}
    if as_json:
        emit_json(
            [
                {"name": name, "description": each.description, "recognised": each.recognised, "export": each.export}
                for name, each in found.items()
            ]
        )
        return
    for name, each in found.items():
        emit(f"{name:<12} {each.description}")
        emit(f"{'':<12} recognised by: {each.recognised}")
        emit(f"{'':<12} export: {each.export}")
