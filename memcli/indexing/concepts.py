"""Concepts: assertions gathered to topics as they come, and topics lifted to edges of those who keep returning to them.

Tag2Graph, step II (ontology-guided memory, §3.2 and A.4). A topic is learned from the store and the embedder: an
assertion joins the nearest topic that is near enough, or begins one. Everything here can be made again from the
assertions, and `store.concepts.drop_concepts` undoes all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import fields, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..config import settings
from ..errors import UsageError
from ..providers.embedding import Embedder
from ..ranking import lifting
from ..relations import AVERSIONS, DOMAINS, GLOSSES, RelationType
from ..store import concepts as stored
from ..store.concepts import LiftedRow, Tastes, Topics
from ..store.cosine import cosines, exact, unit_rows
from ..store.lifted import TAKEN_BACK, taken_back

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["TOPIC", "assigned", "candidates", "chosen", "domain_vectors", "features", "grow", "regated", "sensitive"]

#: From this cosine to a topic on an assertion joins it.
TOPIC = 0.4
#: Two assertions of one person this near speak of one thing in other words (the paper's alias threshold, B.1).
ALIAS = 0.85
#: Edges that one person may have: beyond them the least probable are declined.
QUOTA = 64
#: A topic about which this share of things is both wanted and not wanted is contradictory.
_CONTRADICTORY = 1 / 3

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


def sensitive() -> frozenset[str]:
    """The relations of which nothing is lifted, as the settings say. Raises UsageError for one that there is not."""
    named = {name.strip() for name in settings().sensitive.split(",")} - {"", "none"}
    unknown = sorted(named - {relation.value for relation in RelationType})
    if unknown:
        known = ", ".join(sorted(RelationType))
        raise UsageError(f"the setting sensitive names no relation: {', '.join(unknown)}", f"known: {known}")
    return frozenset(named)


def domain_vectors(db: DuckDBPyConnection, embedder: Embedder, relations: Iterable[RelationType]) -> None:
    """Adds the domains that these relations bear on and the store has not: each a gloss, embedded once."""
    missing = stored.missing_domains(db, sorted({DOMAINS[each] for each in relations if each in DOMAINS}))
    if missing:
        vectors = embedder.embed([GLOSSES[name] for name in missing])
        stored.add_domains(db, dict(zip(missing, vectors, strict=True)))


def grow(db: DuckDBPyConnection, dimension: int, sensitive: frozenset[str]) -> None:
    """Gives every assertion that has none a topic, and lifts what has changed by it; part of the caller's transaction.

    `sensitive`: relations of which nothing is lifted.
    """
    fresh = stored.strays(db, dimension)
    if not len(fresh.unit):
        return
    found = stored.topics(db, dimension)
    places, nearness = _assign(found, fresh)
    changed = sorted(set(places.tolist()))
    topic = np.array([found.seqs[place] for place in places], dtype=np.int64)
    stored.write_topics(db, found, changed)
    among = [found.seqs[place] for place in changed]
    things = _things(fresh, topic, stored.tastes(db, dimension, among))
    stored.write_members(db, fresh.unit, topic, things, nearness)
    held = stored.tastes(db, dimension, among)
    rows = list(_lift(held, found, sensitive, set(taken_back(db).values()), stored.edges_of(db, among)))
    stored.write_lifted(db, among, rows)


def regated(db: DuckDBPyConnection, dimension: int, sensitive: frozenset[str], row: LiftedRow) -> LiftedRow:
    """A candidate with what the gate says of it as it is, whatever it said before, and whoever took it back."""
    held = stored.tastes(db, dimension, [row.topic])
    own = np.flatnonzero(held.head == row.head)
    room = QUOTA - stored.edges_of(db, [row.topic]).get(row.head, 0)
    (gated,) = _gated([replace(row, declined=_declined(held, own, _wants(held), sensitive))], room)
    return gated


def chosen(held: Tastes, places: Ints) -> Tastes:
    """Some of the assertions."""
    return Tastes(**{each.name: getattr(held, each.name)[places] for each in fields(Tastes)})


def assigned(found: Topics, fresh: Tastes) -> Tastes:
    """The assertions with their topics, which `found` takes in, and their things."""
    places, _ = _assign(found, fresh)
    topic = np.array([found.seqs[place] for place in places], dtype=np.int64)
    nobody = chosen(fresh, np.zeros(0, dtype=np.int64))
    return replace(fresh, topic=topic, thing=_things(fresh, topic, nobody))


def _assign(found: Topics, fresh: Tastes) -> tuple[Ints, npt.NDArray[np.float32]]:
    """The place of each assertion's topic in `found`, which takes it in, and its cosine to that before it came."""
    known, most = len(found.seqs), len(found.seqs) + len(fresh.unit)
    found.sums = np.concatenate([found.sums, np.zeros((len(fresh.unit), found.sums.shape[1]), dtype=np.float32)])
    centres, next_seq = exact(unit_rows(found.sums)), max(found.seqs, default=-1) + 1
    places = np.zeros(len(fresh.unit), dtype=np.int64)
    nearness = np.ones(len(fresh.unit), dtype=np.float32)
    for number, vector in enumerate(fresh.vectors):
        near = cosines(vector, centres[:known])
        best = int(near.argmax()) if known else most
        if best == most or near[best] < TOPIC:
            best, known = known, known + 1
            found.seqs.append(next_seq + best - (most - len(fresh.unit)))
            found.members.append(0)
        else:
            nearness[number] = near[best]
        found.sums[best] += vector
        found.members[best] += 1
        centres[best] = exact(unit_rows(found.sums[best][None]))[0]
        places[number] = best
    found.sums = found.sums[:known]
    return places, nearness


def _things(fresh: Tastes, topic: Ints, older: Tastes) -> Ints:
    """For each assertion the number of the first one of its person and topic that names the same thing: an alias's."""
    units, heads = np.r_[older.unit, fresh.unit], np.r_[older.head, fresh.head]
    topics, vectors = np.r_[older.topic, topic], np.concatenate([older.vectors, fresh.vectors])
    things: Ints = np.r_[older.thing, fresh.unit]
    for place in range(len(older.unit), len(units)):
        own = np.flatnonzero((topics[:place] == topics[place]) & (heads[:place] == heads[place]))
        if len(own):
            near = cosines(vectors[place], vectors[own])
            if near.max() >= ALIAS:
                things[place] = things[own[int(near.argmax())]]
    return things[len(older.unit) :]


def candidates(held: Tastes, centre: dict[int, npt.NDArray[np.float32]]) -> Iterator[tuple[int, str, Ints, Ints]]:
    """Each topic with each person who speaks of it: topic, head, the places of their assertions, and, of those, what
    stands: one a thing and session, so that who says it twice in a breath has said it once.
    """
    pairs = sorted({(int(topic), str(head)) for topic, head in zip(held.topic, held.head, strict=True)})
    for topic, head in pairs:
        own = np.flatnonzero((held.topic == topic) & (held.head == head))
        if topic in centre:
            said = list(zip(held.thing[own].tolist(), held.session[own].tolist(), strict=True))
            yield topic, head, own, own[[said.index(each) for each in dict.fromkeys(said)]]


def _lift(
    held: Tastes, found: Topics, sensitive: frozenset[str], taken: Set[tuple[int, str]], edges: Mapping[str, int]
) -> Iterator[LiftedRow]:
    centre, wanted = found.centres(), _wants(held)
    rows: dict[str, list[LiftedRow]] = {}
    for topic, head, own, standing in candidates(held, centre):
        if len(standing) >= lifting.LEAST_SUPPORT:
            declined = TAKEN_BACK if (topic, head) in taken else _declined(held, own, wanted, sensitive)
            row = LiftedRow(
                topic, head, float(wanted[standing].mean()), len(standing),
                lifting.probability(features(held, standing, centre[topic])), declined,
            )  # fmt: skip
            rows.setdefault(head, []).append(row)
    for head, own_rows in rows.items():
        yield from _gated(own_rows, QUOTA - edges.get(head, 0))


def features(held: Tastes, places: Ints, centre: npt.NDArray[np.float32]) -> dict[str, float]:
    """The features of a candidate edge (`ranking.lifting.pattern`): its own assertions', whatever else was said."""
    near = cosines(centre, held.vectors[places])
    return lifting.pattern(held.days[places], held.session[places].tolist(), held.confidence[places], near)


def _wants(held: Tastes) -> Bools:
    """For each assertion whether its tail is wanted."""
    pairs = zip(held.relation, held.negated, strict=True)
    return np.array([(RelationType(relation) not in AVERSIONS) != negated for relation, negated in pairs], dtype=bool)


def _declined(held: Tastes, own: Ints, wanted: Bools, sensitive: frozenset[str]) -> str:
    """Why a candidate may not become an edge, whatever its score is; empty, where it may."""
    if np.isin(held.relation[own].astype(str), sorted(sensitive)).mean() > 0.5:
        return "sensitive"
    things = held.thing[own]
    both = [len(set(wanted[own[things == thing]].tolist())) > 1 for thing in dict.fromkeys(things.tolist())]
    return "contradictory" if float(np.mean(both)) >= _CONTRADICTORY else ""


def _gated(rows: Sequence[LiftedRow], room: int) -> Iterator[LiftedRow]:
    """The candidates of a person with what the gate says of them: the most probable first, while there is room."""
    for row in sorted(rows, key=lambda row: (-row.probability, row.topic)):
        declined = row.declined or ("" if row.probability > lifting.TAU else "improbable") or ("" if room else "quota")
        room -= not declined
        yield replace(row, declined=declined)
