"""What is said of a store that an earlier version's default embedder filled."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..memory import Memory

__all__ = ["tell_former_default"]


def tell_former_default(memory: Memory) -> None:
    """Says so on standard error, and what to do; of any other store nothing."""
    from .render import one_line, say

    if name := memory.former_default:
        say(
            f"memcli: this store was filled with the encoder {one_line(name)} of an earlier version: "
            "memcli compact --re-embed moves it to the present one"
        )
