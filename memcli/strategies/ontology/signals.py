"""Every turn's signals in the graph view and the dense view: φ_g and φ_d of A.1."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...languages.base import NAMELESS, PREFERENCE
from ...model import Query
from ...ranking.arrays import group_best, group_max, group_sum
from ...store.cosine import cosines
from ...store.views.assertions import AssertionIndex, assertion_index, strengths
from ...store.views.view import View

__all__ = ["Signals", "signals"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Vector = npt.NDArray[np.float32]
#: The signals of the two views for every turn, by name: `unified.GRAPH` and `unified.DENSE`.
Signals = tuple[dict[str, Floats], dict[str, Floats]]

#: After so many days an assertion's recency is a half.
_HALF_LIFE = 90.0


def signals(query: Query, view: View, said: Floats, lead: str) -> Signals:
    """Every turn's signals in both views. `said`: the cosine of the question with each sentence.

    Where the graph leads, tastes alone count, and the question is reworded to what one could have voiced.
    """
    wording = query.phrasings.get(PREFERENCE if lead == "graph" else NAMELESS, query.vector)
    second = view.cosines(wording[None])[0]
    dense = {
        "question": group_max(said, view.owner, view.n),
        "wording": group_max(second, view.owner, view.n),
        "turn": group_sum(second * view.weight, view.owner, view.n) / view.norms("turn"),
    }
    index = assertion_index(view)
    chosen = _of_those_named(query, view, index)
    if lead == "graph":
        chosen &= index.taste
    between: Vector = (query.vector + wording) * np.float32(0.5)
    return _graph(view, between, chosen), dense


def _of_those_named(query: Query, view: View, index: AssertionIndex) -> npt.NDArray[np.bool_]:
    """Which assertions count: those of the speakers that the question names; all, where it names none."""
    named = query.question.speakers
    if not named:
        return np.ones(len(index.rows), dtype=bool)
    asked = np.array([name in named for name in view.speaker_names], dtype=bool)
    counting: npt.NDArray[np.bool_] = asked[view.speaker_code[index.rows]]
    return counting


def _graph(view: View, vector: Vector, chosen: npt.NDArray[np.bool_]) -> dict[str, Floats]:
    """The paths from the question to a turn: to what it asserts (one hop), by a domain that the relation bears on
    (two), by a topic lifted to an edge of who said it (three); and how sure and how recent the assertion is.

    `chosen`: the assertions that count.
    """
    index = assertion_index(view)
    strength = view.once(strengths)
    paths = {
        "direct": cosines(vector, index.vectors) * (0.5 + 0.5 * index.confidence) * strength,
        "domain": _along(index.domains, index.domain, vector) * index.confidence * strength,
        "lifted": _along(index.topics, index.topic, vector) * index.lifted * strength,
        "sure": index.confidence,
        "recency": view.once(_recency),
    }
    return {name: group_best(each[chosen], index.rows[chosen], view.n) for name, each in paths.items()}


def _along(concepts: Vector, place: Ints, vector: Vector) -> Floats:
    """For each assertion the cosine of the question with its concept, 0 where that is negative or there is none."""
    if not len(concepts):
        return np.zeros(len(place))
    near = np.maximum(cosines(vector, concepts), 0.0)
    return np.where(place >= 0, near[place], 0.0)


def _recency(view: View) -> Floats:
    """For each assertion how recent it is, in [0, 1]: halved every 90 days before the last that was said."""
    days = view.days[assertion_index(view).rows]
    known = days[~np.isnan(days)]
    age = (known.max() if len(known) else 0.0) - days
    recent: Floats = np.nan_to_num(0.5 ** (age / _HALF_LIFE), nan=0.0)
    return recent
