"""What people said of answers to a question changes what is found for the same question, and for no other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..model import Hit, Query
from ..store.views.view import View
from .base import turn_units

__all__ = ["heed", "room"]


def room(query: Query) -> int:
    """How many hits more are to be found, so that those that wrong answers rested on take no place."""
    return len(query.wrong)


def heed(query: Query, view: View, hits: Sequence[Hit]) -> list[Hit]:
    """The hits with what was missing first, and what wrong answers rested on last; equal ones stay in their order.

    A missing turn that was not found is added, if the filters let it through. Scores go by place; a hit that was moved
    says so in its trace.
    """
    if not (query.missed or query.wrong):
        return list(hits)
    found = [*_unfound(query, view, hits), *hits]
    order = sorted(range(len(found)), key=lambda place: -_verdict(query, found[place]))
    top = hits[0].score if hits else 1.0
    scores = [top] * (len(found) - len(hits)) + [hit.score for hit in hits]
    return [_placed(query, found[place], score) for place, score in zip(order, scores, strict=True)]


def _unfound(query: Query, view: View, hits: Sequence[Hit]) -> list[Hit]:
    held = {hit.unit.sources[0] for hit in hits}
    rows = view.rows_of_numbers(np.array([n for turn, n in query.missed.items() if turn not in held], dtype=np.int64))
    rows = rows[rows >= 0]
    allowed = rows[view.allowed(query.filters)[rows]]
    return [Hit(unit, 0.0) for unit in turn_units(view, allowed.tolist())]


def _verdict(query: Query, hit: Hit) -> int:
    turn = hit.unit.sources[0]
    return 1 if turn in query.missed else -1 if turn in query.wrong else 0


def _placed(query: Query, hit: Hit, score: float) -> Hit:
    verdict = _verdict(query, hit)
    return replace(hit, score=score, trace={**hit.trace, "feedback": float(verdict)} if verdict else hit.trace)
