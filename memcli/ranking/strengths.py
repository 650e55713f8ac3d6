"""How strong an edge has become by what people said of answers (Tag2Graph, §3.2 step III and A.3).

An edge is what a turn asserts. All that one turn asserts is cited with it and so changes with it: edges go by the id of
their turn. Strengths are a pure function of the log of answers, so that taking a verdict back is leaving it out.

Equation 10, w ← w + η ([e ∈ S] − λ [e ∈ M]), is read by what its two channels are for. S, used and correct: η for what
a useful answer cited. M, missed but needed: taken literally it would weaken what should have been found, so that this
is strengthened by η, and the penalty λ falls on what was cited in its place: −ηλ for what a wrong answer cited.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = [
    "BATCH", "DAILY", "ETA", "IMPLICIT", "LEAST", "MOST", "PENALTY", "USEFUL", "WRONG", "Experience", "Strengths",
    "changes", "replay",
]  # fmt: skip

#: The learning rate (B.1).
ETA = 0.01
#: λ: of several turns that a wrong answer cited, hardly all are to blame.
PENALTY = 0.5
#: What an answer counts that nobody has said anything of, as a share of a useful one's.
IMPLICIT = 0.1
#: Answers between two normalisations.
BATCH = 16
#: How often an edge may change on one day (UTC): no burst dominates.
DAILY = 5
LEAST, MOST = 0.5, 2.0

USEFUL, WRONG = "useful", "wrong"

_DAY = 86_400_000_000  # in microseconds
_EPSILON = 1e-12

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Experience:
    """An answer as the log has it: when it counts, in microseconds since 1970 (UTC), and its latest verdict.

    `verdict`: `USEFUL`, `WRONG` or empty. `used`: the edges that it cited; `missed`: those that it should have.
    """

    id: str
    at: int
    verdict: str
    used: Sequence[str]
    missed: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Strengths:
    """The strength of each edge that the log names, in [`LEAST`, `MOST`], and that of all others."""

    by_edge: Mapping[str, float]
    others: float = 1.0


def changes(one: Experience) -> dict[str, float]:
    """What one answer adds to the strength of which edge (equation 10, as the head of this module reads it)."""
    added = {USEFUL: ETA, WRONG: -ETA * PENALTY}.get(one.verdict, ETA * IMPLICIT)
    return dict.fromkeys(one.used, added) | dict.fromkeys(one.missed, ETA)


def replay(log: Iterable[Experience], n: int) -> Strengths:
    """The strengths of `n` edges after all answers of the log: of each day those first that have a verdict.

    After each batch the root mean square of all n is 1 again: equation 11 times √n, for with a norm of 1 a strength
    would depend on how much there is. Equal logs give equal strengths, in whatever order they come.
    """
    found = [one for one in sorted(log, key=_order) if one.used or one.missed]
    place = {edge: i for i, edge in enumerate(sorted({edge for one in found for edge in (*one.used, *one.missed)}))}
    values, others = np.ones(len(place)), 1.0
    changed: Counter[tuple[str, int]] = Counter()
    for start in range(0, len(found), BATCH):
        for one in found[start : start + BATCH]:
            for edge, added in changes(one).items():
                changed[edge, one.at // _DAY] += 1
                if changed[edge, one.at // _DAY] <= DAILY:
                    values[place[edge]] += added
        values, others = _normalised(values, others, max(n, len(place)))
    return Strengths(dict(zip(place, values.tolist(), strict=True)), others)


def _order(one: Experience) -> tuple[int, bool, int, str]:
    return one.at // _DAY, one.verdict == "", one.at, one.id


def _normalised(values: Floats, others: float, n: int) -> tuple[Floats, float]:
    """The strengths with a root mean square of 1 over n edges, of which those not in `values` have `others`."""
    squares = float(values @ values) + (n - len(values)) * others**2
    factor = (n / (squares + _EPSILON)) ** 0.5
    bounded: Floats = np.clip(values * factor, LEAST, MOST)
    return bounded, min(max(others * factor, LEAST), MOST)
