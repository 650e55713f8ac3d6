"""Having a published file fetched: what it is comes first, then the question, then the file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from pathlib import Path

    from ..fetching import Offer

__all__ = ["can_ask", "fetched"]


def can_ask() -> bool:
    """Whether somebody sits at a terminal who can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def fetched(wanted: Offer, title: str, path: Path, *, yes: bool) -> bool:
    """Whether it was fetched to `path`: where `yes` was said beforehand, or is on the terminal. Raises NotFetched."""
    from ..fetching import fetch
    from .progress import counted
    from .render import say, size

    say(f"{title}, {wanted.licence}, {size(wanted.bytes)}")
    say(f"from {wanted.url}")
    say(f"sha256 {wanted.sha256}, to {path.parent}")
    if not (yes or _agreed()):
        return False
    with counted("fetching", in_bytes=True) as heard:
        fetch(wanted, path, heard)
    return True


def _agreed() -> bool:
    from .render import say

    if not can_ask():
        return False
    if not typer.confirm("Fetch it?", err=True):
        say("nothing was fetched")
        return False
    return True
