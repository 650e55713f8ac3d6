"""Insights: what one person says again in other sessions, counted and dated by the last time.

Only a session's new facts are compared with all: the cost grows with what is new, not with the square of memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from ...languages import spoken
from ...model import Kind
from ...model.generated import Generated, Told
from ...providers.profiles import ENCODER
from ...store.cosine import cosines
from ...text import content_stems
from ...text.times import day

__all__ = ["insights"]


def insights(
    new: Sequence[Told], earlier: Sequence[Told], *, similar: float = ENCODER.same_fact, sessions: int = 2
) -> list[Generated]:
    """The groups of like facts of one speaker that hold a new one and come from at least so many `sessions`.

    Two facts are alike whose vectors have at least the cosine `similar` and whose words share a content stem that is
    neither the speaker's name nor one of mere feeling. A group is a new fact and what is like it: a chain of likeness
    would join what has nothing in common. The new fact with the most like it goes first, and a fact is in one group.
    """
    facts = [*new, *earlier]
    near = _neighbours(facts, len(new), similar)
    taken: set[int] = set()
    made = []
    for central in sorted(near, key=lambda i: (-sum(near[i].values()), i)):
        group = sorted({central, *near[central]} - taken)
        support = len({facts[i].session for i in group})
        if central not in taken and support >= sessions:
            taken.update(group)
            made.append(_insight(facts[central], [facts[i] for i in group], support))
    return made


def _neighbours(facts: Sequence[Told], new: int, similar: float) -> dict[int, dict[int, float]]:
    """For each of the first `new` facts those that are like it, and how much."""
    near: dict[int, dict[int, float]] = {i: {} for i in range(new)}
    if not near:
        return near
    vectors = np.stack([fact.vector for fact in facts])
    alike = cosines(vectors[:new], vectors)
    stems: dict[int, frozenset[str]] = {}
    for a, b in np.argwhere(alike >= similar).tolist():
        if a != b and facts[a].speaker == facts[b].speaker:
            for i in (a, b):
                if i not in stems:
                    stems[i] = _stems(facts[i])
            if stems[a] & stems[b]:
                near[a][b] = float(alike[a, b])
    return near


def _stems(fact: Told) -> frozenset[str]:
    return spoken([fact.text]).telling_stems(fact.text) - frozenset(content_stems(fact.speaker))


def _insight(central: Told, members: Sequence[Told], support: int) -> Generated:
    dates = [fact.at for fact in members if fact.at is not None]
    latest = max(dates, key=_instant) if dates else None
    sources = tuple(dict.fromkeys(turn for fact in members for turn in fact.sources))
    when = f", latest {spoken([central.text]).describe(day(latest))}" if latest else ""
    text = f"{central.text} (said in {support} sessions{when})"
    return Generated(Kind.INSIGHT, text, sources, latest, central.speaker, support)


def _instant(at: datetime) -> float:
    """A naive time counts as it is, in UTC."""
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
