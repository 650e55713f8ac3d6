"""Advice to who asks a memory of talks with an assistant for himself: what he once said that he likes, avoids, needs or
cannot do with, quoted, where it bears on what he asks.

Retrieval finds what bears on it (docs/strategies/fused.md), assertions tell which of it voices a taste, and a
regression (`benchmarks/tastes.py`) whether any of that does bear on it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..languages import language
from ..model import Hit, Query, Turn, TurnId
from ..model.relations import PREFERENCES
from ..ranking import learned
from ..text import content_stems, sentences
from .advice import Known
from .judge import Judge
from .look import Look, as_read
from .passages import Transcript
from .states import when

__all__ = ["NAMES", "Taste", "packaged", "quoted", "signals", "tasted", "tastes"]

#: The signals, in the order in which the regression sums them.
NAMES = ("nearest", "place", "sure", "sure.mean", "limits")
#: Who talks with an assistant, as exports of such talks call him.
_ASKER = "user"
#: Turns that are quoted at most, and words of one that is quoted whole.
_MOST, _SHORT = 3, 30
#: How much farther from the question than the nearest taste one is quoted beside it.
_BESIDE = 0.2


@dataclass(frozen=True, slots=True)
class Taste:
    """A turn that voices tastes, `known`, at its place among the hits, 0 for the first."""

    turn: Turn
    place: int
    known: Sequence[Known]

    @property
    def nearest(self) -> float:
        """The cosine of the taste that is nearest to the question."""
        return max(each.cosine for each in self.known)

    @property
    def sure(self) -> float:
        """How surely a taste is voiced."""
        return max(each.asserted.confidence for each in self.known)


def tastes(query: Query, hits: Sequence[Hit], transcript: Transcript) -> list[Taste]:
    """The first of the hits that voice a taste of who asks; none where he asks for somebody else, or talks with nobody
    who assists.
    """
    said = [(place, hit) for place, hit in enumerate(hits) if hit.unit.label.lower() == _ASKER]
    question = query.question
    for_another = any(each.word for each in question.named) or language(question.language).asks_for_another(
        question.text
    )
    if not said or for_another:
        return []
    turns = [turn for _, hit in said for turn in hit.unit.sources]
    by_turn: dict[TurnId, list[Known]] = defaultdict(list)
    for each in (Known(*found) for found in transcript.asserted(said[0][1].unit.label, query, turns)):
        if each.asserted.relation in PREFERENCES:
            by_turn[each.turn.id].append(each)
    voiced = [(place, by_turn[turn]) for place, hit in said for turn in hit.unit.sources if turn in by_turn]
    return [Taste(known[0].turn, place, known) for place, known in voiced[:_MOST]]


def signals(found: Sequence[Taste]) -> dict[str, float]:
    """What the regression takes, by name; there is a taste at least."""
    return {
        "nearest": max(each.nearest for each in found),
        "place": 1 / (1 + found[0].place),
        "sure": found[0].sure,
        "sure.mean": sum(each.sure for each in found) / len(found),
        "limits": sum(any(known.limits for known in each.known) for each in found) / len(found),
    }


def quoted(found: Sequence[Taste]) -> list[Taste]:
    """Those of them that are quoted: the nearest, and what is about as near."""
    least = max(each.nearest for each in found) - _BESIDE
    return [each for each in found if each.nearest >= least]


@lru_cache(maxsize=1)
def packaged() -> Judge:
    """The regression that ships with memcli."""
    return Judge.of(learned.packaged(__package__, "taste_weights.json"), NAMES)


def tasted(query: Query, hits: Sequence[Hit], transcript: Transcript) -> Look:
    """The quotes, newest first, as sure as they bear on the question; nothing is found where no taste is voiced."""
    voiced = tastes(query, hits, transcript)
    if not voiced:
        return Look(query.question, ())
    read = [as_read(each.turn, _voicing(each), each.sure, each.nearest, each.place) for each in quoted(voiced)]
    cited = tuple(sorted(read, key=when, reverse=True))
    return Look(query.question, cited, "", cited, packaged()(signals(voiced)), asserted=True)


def _voicing(taste: Taste) -> str:
    """The turn, or of a long one the sentence that voices the taste that is nearest."""
    if len(taste.turn.text.split()) <= _SHORT:
        return taste.turn.text
    tail = set(content_stems(max(taste.known, key=lambda each: each.cosine).asserted.tail))
    return max(sentences(taste.turn.text), key=lambda each: len(tail & set(content_stems(each))))
