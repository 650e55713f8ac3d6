"""What every strategy is, and the steps that all of them share: collapse to evidence, and cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from ..errors import UsageError
from ..languages import language
from ..languages.names import apart
from ..model import Filters, Hit, Kind, Needs, Query, Question, Translation, Turn, TurnId, Unit, UnitId
from ..ranking.arrays import settled, top_and_ties
from ..ranking.bm25 import Whole
from ..store.ids import round_id
from ..store.views.candidates import narrowed
from ..store.views.events import bodies
from ..store.views.view import View
from ..text import content_stems

__all__ = [
    "Mentioning",
    "Narrowing",
    "Strategy",
    "asked_postings",
    "asked_stems",
    "chunk_units",
    "evidence",
    "known_of_all",
    "left_out",
    "mention_vectors",
    "no_variant",
    "ranked",
    "shown",
    "top_hits",
    "turn_hits",
    "turn_unit",
    "turn_units",
    "wordings",
]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class Strategy(Protocol):
    """A way of finding evidence. Adding one is a class and a factory in `STRATEGIES`, or in a package's entry point."""

    @property
    def needs(self) -> Needs:
        """The kinds and relations that it retrieves from."""
        ...

    @property
    def phrasings(self) -> Sequence[str]:
        """The wordings of a question (`languages.base`) whose vectors it asks for beside the question's own."""
        ...

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:
        """At most k hits, best first; scores finite and non-increasing; each traceable to turns."""
        ...


@runtime_checkable
class Mentioning(Protocol):
    """A strategy that asks for the vectors of what a question mentions, too."""

    def mentions(self, question: str, names: Sequence[str]) -> list[str]:
        """The mentions of a question. `names`: all who speak."""
        ...


@runtime_checkable
class Narrowing(Protocol):
    """A strategy that needs of a large store no more than the sessions of its candidates."""

    @property
    def candidate_sessions(self) -> int:
        """How many sessions, at most."""
        ...


_MENTION = "mention: "


def asked_stems(question: Question) -> list[str]:
    """The content stems of a question, with what the store has that is akin to them (`Question.akin`)."""
    return [*content_stems(apart(question.text, question.named), question.language), *question.akin]


def asked_postings(view: View, question: Question, stems: Sequence[str]) -> dict[str, tuple[Ints, Ints]]:
    """The postings of these stems of a question, of each with what it is in the other languages of the store."""
    return view.postings(stems, _translated(question, stems))


def _translated(question: Question, stems: Sequence[str]) -> list[Translation]:
    return [each for each in question.translations if each.stem in stems]


def shown(strategy: Strategy, query: Query, view: View) -> View:
    """What the strategy is shown of the view: of a large store the sessions of the question's candidates."""
    if not isinstance(strategy, Narrowing):
        return view
    queries = np.unique(np.stack([query.vector, *query.phrasings.values()]), axis=0)
    stems = [*asked_stems(query.question), *(each.term for each in query.question.translations)]
    return narrowed(view, queries, stems, query.filters, strategy.candidate_sessions)


def wordings(strategy: Strategy, question: Question, speakers: Sequence[str]) -> dict[str, str]:
    """All that the strategy wants embedded for a question besides itself, under the names of `Query.phrasings`."""
    asked = language(question.language)
    wanted = {kind: asked.wording(kind, question) for kind in strategy.phrasings}
    if isinstance(strategy, Mentioning):
        wanted |= {_MENTION + mention: mention for mention in strategy.mentions(question.text, speakers)}
    return wanted


def left_out(variant: str, parts: Sequence[str], strategy_name: str) -> frozenset[str]:
    """The parts that a variant leaves out: `without-PART`, joined by `+`; none of an empty one. Raises UsageError."""
    named = frozenset(variant.removeprefix("without-").split("+")) if variant else frozenset()
    if not named <= set(parts) or (variant and not variant.startswith("without-")):
        raise UsageError(f"no variant {variant!r} of {strategy_name}", f"without-{'|'.join(parts)}")
    return named


def no_variant(variant: str, strategy_name: str) -> None:
    """What the factory of a strategy without variants asks first. Raises UsageError where one is named."""
    if variant:
        raise UsageError(f"no variant {variant!r} of {strategy_name}", "it has none")


def mention_vectors(query: Query) -> list[npt.NDArray[np.float32]]:
    """The vectors of the question's mentions."""
    return [vector for name, vector in query.phrasings.items() if name.startswith(_MENTION)]


def ranked(hits: Iterable[Hit], k: int) -> list[Hit]:
    """The k best hits, their scores settled, best first; equal ones in the order of their ids.

    So a question has the same hits over the same store on every machine, and over a store that was filled in another
    order.
    """
    found = [replace(hit, score=score) for hit, score in _scored(list(hits))]
    return sorted(found, key=lambda hit: (-hit.score, hit.unit.id))[:k]


def _scored(hits: Sequence[Hit]) -> Iterator[tuple[Hit, float]]:
    return zip(hits, settled(np.array([hit.score for hit in hits])).tolist(), strict=True)


def top_hits(
    view: View, scores: Floats, filters: Filters, k: int, traces: Mapping[str, Floats], rows: Ints | None = None
) -> list[Hit]:
    """The k best turns that the filters let through, as hits, ranked.

    `scores` and each of `traces` have one number a turn of `rows` (all turns, where None).
    """
    rows = np.arange(view.n) if rows is None else rows
    places = np.flatnonzero(view.allowed(filters)[rows])
    best = _first(view, places[top_and_ties(scores[places], k)], rows, scores, k)
    units = turn_units(view, rows[best].tolist())
    columns = [values[best].tolist() for values in traces.values()]
    hits = (
        Hit(unit, score, dict(zip(traces, values, strict=True)))
        for unit, score, *values in zip(units, scores[best].tolist(), *columns, strict=True)
    )
    return ranked(hits, k)


def _first(view: View, places: Ints, rows: Ints, scores: Floats, k: int) -> Ints:
    """The first k of these places, best first; of those that equal the last of them the ones with the least ids."""
    if len(places) <= k:
        return places
    last = settled(scores[places])
    equal = np.flatnonzero(last == last[k - 1])
    order = np.argsort(np.array(view.ids(rows[places[equal]].tolist())))
    return np.concatenate([places[: equal[0]], places[equal[order]]])[:k]


def turn_units(view: View, rows: Sequence[int]) -> list[Unit]:
    """The turns at `rows` as units: the same ones for every question."""
    made = view.once(_no_units)
    missing = [row for row in rows if row not in made]
    if missing:
        made.update(zip(missing, map(turn_unit, view.fetch(missing)), strict=True))
    return [made[row] for row in rows]


def _no_units(_: View) -> dict[int, Unit]:
    return {}


def chunk_units(
    view: View, kind: Kind, of_turn: Ints, chosen: Ints, each: Floats, allowed: npt.NDArray[np.bool_], most: int = 10**9
) -> list[Unit]:
    """The chunks `chosen` as units: sessions, rounds or turns, by their numbers in `of_turn` [n], which ascends.

    The sources of a chunk are its allowed turns, at most so many, best first by `each` [n]; its text is the best one's.
    """
    place = np.full(int(of_turn.max(initial=-1)) + 1, -1)
    place[chosen] = np.arange(len(chosen))
    rows = np.flatnonzero(allowed & (place[of_turn] >= 0))
    rows = rows[np.lexsort((-each[rows], place[of_turn[rows]]))]
    turns = view.fetch(rows.tolist())
    bounds = np.cumsum([0, *np.bincount(place[of_turn[rows]], minlength=len(chosen))]).tolist()
    firsts = view.fetch(np.searchsorted(of_turn, chosen).tolist())  # whether they are allowed or not: they name it
    spans = zip(firsts, pairwise(bounds), strict=True)
    return [_chunk(kind, first, turns[start:end], most) for first, (start, end) in spans]


def _chunk(kind: Kind, first: Turn, turns: Sequence[Turn], most: int) -> Unit:
    best = turns[0]
    id_ = {Kind.SESSION: first.session, Kind.ROUND: round_id(first.id)}.get(kind, first.id)
    return Unit(UnitId(id_), kind, best.text, tuple(turn.id for turn in turns[:most]), best.said_at, best.speaker)


def known_of_all(view: View, question: Question, stems: Sequence[str]) -> Whole | None:
    """What is known of all turns of the store, where the view shows some of them; None where it shows all."""
    if view.stands_for is None:
        return None
    others = _translated(question, stems)
    found = view.frequencies([*stems, *(each.term for each in others)])
    together = {stem: found.get(stem, 0) for stem in stems}
    for each in others:
        together[each.stem] += found.get(each.term, 0)
    return Whole(view.stands_for, view.mean_length, together)


def turn_hits(view: View, hits: Sequence[Hit], k: int) -> list[Hit]:
    """The first k turns that the hits rest on, as hits of their own: what a reader is to look at."""
    resting: dict[TurnId, Hit] = {}
    for hit in hits:
        for turn in hit.unit.sources:
            resting.setdefault(turn, hit)
        if len(resting) >= k:
            break
    chosen = list(resting.items())[:k]
    units = turn_units(view, view.rows_of([turn for turn, _ in chosen]).tolist()) if chosen else []
    return [Hit(unit, hit.score, hit.trace) for unit, (_, hit) in zip(units, chosen, strict=True)]


def evidence(view: View, hits: Sequence[Hit], k: int) -> list[Hit]:
    """What a reader is to look at: the first k events, chunks in full (EMem §3.3), or of other hits the first k turns.

    An event is read as it is: it names its people and dates.
    """
    if not hits or hits[0].unit.kind not in (Kind.EDU, Kind.CHUNK):
        return turn_hits(view, hits, k)
    blocks = bodies(view, [hit.unit.id for hit in hits[:k] if hit.unit.kind is Kind.CHUNK])
    return [replace(hit, unit=replace(hit.unit, text=blocks.get(hit.unit.id, hit.unit.text))) for hit in hits[:k]]


def turn_unit(turn: Turn) -> Unit:
    """The turn as a unit of evidence."""
    return Unit(UnitId(turn.id), Kind.TURN, turn.text, (turn.id,), turn.said_at, turn.speaker)
