"""The one registry of ids: `TAG:DIGITS`, a tag for each kind of thing, and no tag for two.

A tag that was renamed stays in `FORMERLY`: ids that people wrote down keep naming what they named.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum, unique
from hashlib import blake2b
from types import MappingProxyType

from ..model import Kind, TurnId, UnitId

__all__ = [
    "CHUNKS", "FORMERLY", "TAGS", "Tag", "note_id", "noted_in", "pattern", "round_id", "tagged", "with_tag",
]  # fmt: skip


@unique
class Tag(StrEnum):
    """What an id names, by the letter before its colon."""

    SESSION = "s"
    TURN = "t"
    ROUND = "r"
    SENTENCE = "n"
    SUMMARY = "m"
    FACT = "f"
    INSIGHT = "i"
    KEYWORD = "k"
    EDU = "e"
    CHUNK = "b"
    ARGUMENT = "g"
    ASSERTION = "q"
    CONCEPT = "c"  # an edge of a person: `store.lifted`
    ANSWER = "a"
    NOTE = "w"  # what is noted on somebody's card: the digits of its turn, and four of its own

    @property
    def prefix(self) -> str:
        """What ids of this kind begin with."""
        return f"{self}:"


#: The tag of each kind of unit. Entities have no units.
TAGS: Mapping[Kind, Tag] = MappingProxyType({Kind[tag.name]: tag for tag in Tag if tag.name in Kind.__members__})

#: The tags that kinds of units had before each had its own, up to schema 8.
FORMERLY: Mapping[Kind, str] = MappingProxyType({Kind.SUMMARY: "s", Kind.CHUNK: "c", Kind.ARGUMENT: "a"})


#: How chunks of turns were called by `search` until their units' ids were printed: by their kind, and their first turn.
CHUNKS = tuple(f"{kind}:" for kind in (Kind.ROUND, Kind.TURN, Kind.SESSION))


def tagged(tag: Tag, content: str, digits: int = 16) -> str:
    """The id of what has this content; `digits` is even."""
    return f"{tag.prefix}{blake2b(content.encode(), digest_size=digits // 2).hexdigest()}"


def pattern(tag: Tag, digits: int = 16) -> str:
    """What ids of this kind look like, as a regular expression."""
    return f"{tag.prefix}[0-9a-f]{{{digits}}}"


def with_tag(name: str, tag: Tag) -> str:
    """`name` as an id of this kind: with the tag, if it was left out."""
    return name if name.startswith(tag.prefix) else tag.prefix + name


def round_id(first: TurnId) -> UnitId:
    """The id of the round that begins with this turn."""
    return UnitId(tagged(Tag.ROUND, first))


def note_id(turn: TurnId, content: str) -> str:
    """The id of what a turn notes on a card: the digits of the turn, and four of the content."""
    own = tagged(Tag.NOTE, content, 4).removeprefix(Tag.NOTE.prefix)
    return with_tag(turn.removeprefix(Tag.TURN.prefix) + own, Tag.NOTE)


def noted_in(name: str) -> str:
    """The turn that what is called `name` was noted from; any other name as it is."""
    if not re.fullmatch(pattern(Tag.NOTE, 20), name):
        return name
    return with_tag(name.removeprefix(Tag.NOTE.prefix)[:16], Tag.TURN)
