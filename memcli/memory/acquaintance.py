"""Who has to do with something: those who said something of it that a search finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..model import Filters, Hit
from ..text import content_stems

if TYPE_CHECKING:
    from . import Memory

__all__ = ["Acquaintance", "acquaintances"]

#: So many hits are looked at.
_LOOKED_AT = 50


@dataclass(frozen=True, slots=True)
class Acquaintance:
    """A person, and the hits that show what they have to do with it, the best first."""

    name: str
    hits: Sequence[Hit]


def acquaintances(memory: Memory, text: str, k: int, filters: Filters | None) -> list[Acquaintance]:
    """See `Memory.knows`."""
    if k < 1:
        raise UsageError("-k must be at least 1")
    wanted = set(content_stems(text))
    by_name: dict[str, list[Hit]] = {}
    for hit in memory.search(text, k=_LOOKED_AT, filters=filters):
        if wanted & set(content_stems(hit.unit.text)):
            by_name.setdefault(hit.unit.label, []).append(hit)
    found = [Acquaintance(name, hits) for name, hits in by_name.items()]
    return sorted(found, key=lambda each: (-len(each.hits), each.name))[:k]
