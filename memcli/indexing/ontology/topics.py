"""Concepts: assertions gathered to topics as they come, and topics lifted to edges of those who keep returning to them.

Tag2Graph, step II (ontology-guided memory, §3.2 and A.4). A topic is learned from the store and the embedder: an
assertion joins the nearest topic that is near enough, or begins one. What limits people in a domain says the same in
words that lie far apart (vegan, no mushrooms, coeliac): it joins the topic that the domain's seed has made. Everything
here can be made again from the assertions, and `store.topics.drop_concepts` undoes all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import fields, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...config import settings
from ...errors import UsageError
from ...model.relations import AVERSIONS, BESIDE, DOMAINS, GLOSSES, RESTRICTIONS, SEEDS, RelationType, restricts
from ...providers.embedding import Embedder
from ...providers.profiles import ENCODER, Profile
from ...store import topics as stored
from ...store.cosine import cosines, exact, unit_rows
from ...store.lifted import TAKEN_BACK, taken_back
from ...store.topics import LiftedRow, Tastes, Topics
from ..calibration import profile
from . import lifting

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "assigned", "candidates", "chosen", "domain_vectors", "features", "grow", "plant", "regated",
    "sensitive",
]  # fmt: skip

#: Edges that one person may have: beyond them the least probable are declined.
QUOTA = 64
#: A topic about which this share of things is both wanted and not wanted is contradictory.
_CONTRADICTORY = 1 / 3
#: Assertions that are compared with all of their group at a time, so that memory stays flat.
_PART = 256

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
    missing = stored.missing(db, "domain", sorted({DOMAINS[each] for each in relations if each in DOMAINS}))
    if missing:
        vectors = embedder.embed_passages([GLOSSES[name] for name in missing])
        stored.add_domains(db, dict(zip(missing, vectors, strict=True)))


def plant(db: DuckDBPyConnection, embedder: Embedder) -> None:
    """Adds the seeded topics that the store has not: it keeps their vectors, for topics are also learned without an
    embedder.
    """
    missing = stored.missing(db, "seed", sorted(SEEDS))
    if missing:
        seeds, beside = ({name: _mean(embedder, texts[name]) for name in missing} for texts in (SEEDS, BESIDE))
        stored.add_seeds(db, seeds, beside)


def _mean(embedder: Embedder, texts: Sequence[str]) -> npt.NDArray[np.float32]:
    mean: npt.NDArray[np.float32] = unit_rows(embedder.embed_passages(texts).mean(axis=0, keepdims=True))[0]
    return mean


def grow(
    db: DuckDBPyConnection, dimension: int, sensitive: frozenset[str], scorer: lifting.Scorer | None = None
) -> None:
    """Gives every assertion that has none a topic, and lifts what has changed by it; part of the caller's transaction.

    `sensitive`: relations of which nothing is lifted; `scorer`: None for the package's.
    """
    fresh = stored.strays(db, dimension)
    if not len(fresh.unit):
        return
    found, near = stored.topics(db, dimension), profile(db)
    places, nearness = _assign(found, fresh, near)
    changed = sorted(set(places.tolist()))
    topic = np.array([found.seqs[place] for place in places], dtype=np.int64)
    stored.write_topics(db, found, changed)
    among = [found.seqs[place] for place in changed]
    things = _things(fresh, topic, stored.tastes(db, dimension, among), near.alias)
    stored.write_members(db, fresh.unit, topic, things, nearness)
    held = stored.tastes(db, dimension, among)
    taken, edges = set(taken_back(db).values()), stored.edges_of(db, among)
    rows = list(_lift(held, found, sensitive, taken, edges, scorer or lifting.packaged(), near.topic))
    stored.write_lifted(db, among, rows)


def regated(db: DuckDBPyConnection, dimension: int, sensitive: frozenset[str], row: LiftedRow) -> LiftedRow:
    """A candidate with what the gate says of it as it is, whatever it said before, and whoever took it back."""
    held = stored.tastes(db, dimension, [row.topic])
    own = np.flatnonzero(held.head == row.head)
    room = QUOTA - stored.edges_of(db, [row.topic]).get(row.head, 0)
    wanted = _wants(held, stored.topics(db, dimension).seeded)
    (gated,) = _gated([replace(row, declined=_declined(held, own, wanted, sensitive))], room)
    return gated


def chosen(held: Tastes, places: Ints) -> Tastes:
    """Some of the assertions."""
    return Tastes(**{each.name: getattr(held, each.name)[places] for each in fields(Tastes)})


def assigned(found: Topics, fresh: Tastes, near: Profile = ENCODER) -> Tastes:
    """The assertions with their topics, which `found` takes in, and their things."""
    places, _ = _assign(found, fresh, near)
    topic = np.array([found.seqs[place] for place in places], dtype=np.int64)
    nobody = chosen(fresh, np.zeros(0, dtype=np.int64))
    return replace(fresh, topic=topic, thing=_things(fresh, topic, nobody, near.alias))


def _assign(found: Topics, fresh: Tastes, near: Profile) -> tuple[Ints, npt.NDArray[np.float32]]:
    """The place of each assertion's topic in `found`, which takes it in, and its cosine to that before it came."""
    places, nearness = _seeded(found, fresh, near.margin)
    loose = np.flatnonzero(places < 0)
    places[loose], nearness[loose] = _gathered(found, fresh.vectors[loose], near.topic)
    return places, nearness


def _seeded(found: Topics, fresh: Tastes, margin: float) -> tuple[Ints, npt.NDArray[np.float32]]:
    """The place of each assertion's seeded topic, -1 where it has none, and its cosine to that.

    What takes a restriction back belongs where the restriction does. A restriction is one in a seed's domain whose
    cosine to the seed is higher by `margin` than to what is beside that.
    """
    places = np.full(len(fresh.unit), -1, dtype=np.int64)
    if not len(found.beside):
        return places, np.ones(len(fresh.unit), dtype=np.float32)
    both = np.concatenate([found.sums[: len(found.beside)], found.beside])
    near, beside = np.hsplit(cosines(fresh.vectors, both), 2)
    ahead = near - beside
    best = ahead.argmax(axis=1)
    said = zip(fresh.relation.tolist(), fresh.negated.tolist(), strict=True)
    able = [relation in RESTRICTIONS or restricts(relation, negated) for relation, negated in said]
    own = np.array(able, dtype=bool) & (ahead.max(axis=1) >= margin)
    places[own] = best[own]
    return places, near.max(axis=1).astype(np.float32)


def _gathered(found: Topics, vectors: npt.NDArray[np.float32], least: float) -> tuple[Ints, npt.NDArray[np.float32]]:
    """The places of the nearest topics that are not seeded, new ones among them, and the cosines to them.

    From the cosine `least` to a topic on an assertion joins it.
    """
    first, before = len(found.beside), len(found.seqs)
    known = before
    found.sums = np.concatenate([found.sums, np.zeros_like(vectors)])
    centres, next_seq = exact(unit_rows(found.sums)), max(found.seqs, default=-1) + 1
    places = np.zeros(len(vectors), dtype=np.int64)
    nearness = np.ones(len(vectors), dtype=np.float32)
    for number, vector in enumerate(vectors):
        near = cosines(vector, centres[first:known])
        best = first + int(near.argmax()) if len(near) else known
        if best == known or near[best - first] < least:
            best, known = known, known + 1
            found.seqs.append(next_seq + best - before)
            found.members.append(0)
        else:
            nearness[number] = near[best - first]
        found.sums[best] += vector
        found.members[best] += 1
        centres[best] = exact(unit_rows(found.sums[best][None]))[0]
        places[number] = best
    found.sums = found.sums[:known]
    return places, nearness


def _things(fresh: Tastes, topic: Ints, older: Tastes, alias: float) -> Ints:
    """For each assertion the number of the first one of its person and topic that names the same thing.

    Two that have at least the cosine `alias` name one thing in other words (the paper's alias threshold, B.1).
    """
    topics, heads = np.r_[older.topic, topic], np.r_[older.head, fresh.head]
    vectors = np.concatenate([older.vectors, fresh.vectors])
    things: Ints = np.r_[older.thing, fresh.unit]
    for group in _grouped(topics, heads).values():
        own, known = np.array(group), int(np.searchsorted(group, len(older.unit)))
        for start in range(max(known, 1), len(group), _PART):
            near = cosines(vectors[own[start : start + _PART]], vectors[own])
            for at, cosine in enumerate(near, start=start):
                if cosine[:at].max() >= alias:
                    things[own[at]] = things[own[int(cosine[:at].argmax())]]
    return things[len(older.unit) :]


def _grouped(topics: Ints, heads: npt.NDArray[np.object_]) -> dict[tuple[int, str], list[int]]:
    """The places of each person's assertions in each topic, in their order."""
    groups: dict[tuple[int, str], list[int]] = {}
    for place, pair in enumerate(zip(topics.tolist(), map(str, heads), strict=True)):
        groups.setdefault(pair, []).append(place)
    return groups


def candidates(held: Tastes, centre: dict[int, npt.NDArray[np.float32]]) -> Iterator[tuple[int, str, Ints, Ints]]:
    """Each topic with each person who speaks of it: topic, head, the places of their assertions, and, of those, what
    stands: one a thing and session, so that who says it twice in a breath has said it once.
    """
    for (topic, head), group in sorted(_grouped(held.topic, held.head).items()):
        if topic in centre:
            own = np.array(group)
            said = list(zip(held.thing[own].tolist(), held.session[own].tolist(), strict=True))
            first = {each: place for place, each in reversed(list(enumerate(said)))}
            yield topic, head, own, own[[first[each] for each in dict.fromkeys(said)]]


def _lift(
    held: Tastes,
    found: Topics,
    sensitive: frozenset[str],
    taken: Set[tuple[int, str]],
    edges: Mapping[str, int],
    scorer: lifting.Scorer,
    least: float,
) -> Iterator[LiftedRow]:
    centre, seeds = found.centres(), found.seeded
    wanted = _wants(held, seeds)
    rows: dict[str, list[LiftedRow]] = {}
    for topic, head, own, said in candidates(held, centre):
        seeded = topic in seeds
        standing = said[~wanted[said]] if seeded else said
        if len(standing) >= lifting.LEAST_SUPPORT:
            declined = TAKEN_BACK if (topic, head) in taken else _declined(held, own, wanted, sensitive)
            row = LiftedRow(
                topic, head, float(wanted[standing].mean()), len(standing),
                scorer(features(held, standing, centre[topic], least if seeded else -1.0)), declined,
            )  # fmt: skip
            rows.setdefault(head, []).append(row)
    for head, own_rows in rows.items():
        yield from _gated(own_rows, QUOTA - edges.get(head, 0))


def features(held: Tastes, places: Ints, centre: npt.NDArray[np.float32], least: float = -1.0) -> dict[str, float]:
    """The features of a candidate edge (`lifting.pattern`): its own assertions', whatever else was said.

    `least`: what a cosine counts at the least. Of a seeded topic that is what nearness has to be elsewhere: the scorer
    knows no less, and what is in it is there for another reason.
    """
    near = np.maximum(cosines(centre, held.vectors[places]), least)
    return lifting.pattern(held.days[places], held.session[places].tolist(), held.confidence[places], near)


def _wants(held: Tastes, seeded: Set[int]) -> Bools:
    """For each assertion whether its tail is wanted; in a seeded topic, whether it limits nobody."""
    said = zip(held.topic.tolist(), held.relation.tolist(), held.negated.tolist(), strict=True)
    return np.array(
        [
            not restricts(relation, negated) if topic in seeded else (relation not in AVERSIONS) != negated
            for topic, relation, negated in said
        ],
        dtype=bool,
    )


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
