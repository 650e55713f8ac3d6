"""What a strategy needs, what a store has, and so what is missing.

A producer makes units and relations for one session. It is run once for each session and version, whichever
strategies ask for what it makes; the store's ledger says where it has been run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..errors import UsageError
from ..model import Kind, Needs, Relation

__all__ = [
    "ALIASES",
    "ASSERTIONS",
    "ASSOCIATIONS",
    "EVENTS",
    "EVERY_INGEST",
    "MEMORIES",
    "PRODUCERS",
    "TRANSCRIPT",
    "WORDS",
    "Producer",
    "by_model",
    "plan",
]


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

#: The words of each turn by the language that it is in. Every transcript is indexed with them; stores that were filled
#: before languages were recognised get them when they are next written to. Nothing needs it, so it is not among the
#: PRODUCERS.
WORDS = Producer("words", 1, Needs())

#: Summaries, keywords, facts and insights, each checked against its sources.
MEMORIES = Producer("memories", 1, Needs(frozenset({Kind.SUMMARY, Kind.KEYWORD, Kind.FACT, Kind.INSIGHT})))

#: What a new session's units, of all granularities, are associated with among the older ones' (MemGAS §2.2).
ASSOCIATIONS = Producer("associations", 1, Needs(frozenset(), frozenset({Relation.ASSOCIATED})))

#: EDUs, structured chunks and their arguments, joined as a graph (EMem §3.2).
EVENTS = Producer(
    "events",
    1,
    Needs(frozenset({Kind.EDU, Kind.CHUNK, Kind.ARGUMENT}), frozenset({Relation.HAS_ARGUMENT, Relation.SYNONYM})),
)

#: What people assert of themselves, typed, and the topics of it (ontology-guided memory, §3.2).
ASSERTIONS = Producer("assertions", 4, Needs(frozenset({Kind.ASSERTION})))

#: By which other names people are called.
ALIASES = Producer("aliases", 1, Needs(frozenset({Kind.ENTITY})))

#: Every producer there is, in the order in which they run.
PRODUCERS: tuple[Producer, ...] = (TRANSCRIPT, MEMORIES, ASSOCIATIONS, EVENTS, ASSERTIONS, ALIASES)

#: What every ingest makes, whatever strategy will be asked for: the default's signals, and who is meant by a name.
EVERY_INGEST: tuple[Producer, ...] = (TRANSCRIPT, ASSERTIONS, ALIASES)


def by_model(model: str, of: Producer = MEMORIES) -> Producer:
    """The producer that makes what `of` makes with the language model of this id, and takes its place.

    It is run only where it is asked for, so that nothing is paid for by the way: it is not among the PRODUCERS.
    """
    return Producer(f"{of.name}:{model}", 1, of.makes)


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
