"""What a strategy needs, what a store has, and so what is missing.

A producer makes units and relations for one session. It is run once for each session and version, whichever
strategies ask for what it makes; the store's ledger says where it has been run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..errors import UsageError
from ..model import Kind, Needs, Relation

__all__ = ["PRODUCERS", "TRANSCRIPT", "Producer", "plan"]


@dataclass(frozen=True, slots=True)
class Producer:
    """Something that makes units for a session. A new version makes what an older one made again."""

    name: str
    version: int
    makes: Needs


#: Sessions, rounds, turns and sentences with their vectors, postings, cues, and the sentence graph.
TRANSCRIPT = Producer(
    "transcript",
    1,
    Needs(
        frozenset({Kind.SESSION, Kind.ROUND, Kind.TURN, Kind.SENTENCE}),
        frozenset({Relation.MEMBERSHIP, Relation.SIMILAR}),
    ),
)

#: Every producer there is.
PRODUCERS: tuple[Producer, ...] = (TRANSCRIPT,)


def plan(needs: Iterable[Needs]) -> list[Producer]:
    """The producers that together make what all of `needs` ask for, in the order in which they run.

    Raises UsageError where nothing makes it.
    """
    wanted = Needs()
    for each in needs:
        wanted |= each
    chosen = [p for p in PRODUCERS if p.makes.kinds & wanted.kinds or p.makes.relations & wanted.relations]
    made = Needs()
    for producer in chosen:
        made |= producer.makes
    missing = sorted((wanted.kinds - made.kinds) | (wanted.relations - made.relations))
    if missing:
        raise UsageError(f"nothing makes {', '.join(missing)}")
    return chosen
