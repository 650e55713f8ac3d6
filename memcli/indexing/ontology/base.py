"""What a turn asserts of somebody.

What is turned down is `negated` where only the wish is denied ("not the second one": negated PREFERS) and a relation of
its own where there is an aversion ("I can't stand it": DISLIKES); `Assertion.favours` tells both alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ...model import TurnId
from ...relations import AVERSIONS, RelationType

__all__ = ["Assertion"]


@dataclass(frozen=True, slots=True)
class Assertion:
    """What a turn says of `head`: that it stands in `relation` to `tail`, or does not (`negated`).

    `tail`: a short phrase without determiners and possessives. `at`: when it was said. `confidence`: about the
    probability that it is so, in [0, 1]; under `SHAPING` it is for search alone. `strength`: of the feeling, in (0, 1].
    `clause`: the clause it was read from, with contractions written out.
    """

    head: str
    relation: RelationType
    tail: str
    at: datetime | None
    turn: TurnId
    confidence: float
    negated: bool = False
    strength: float = 0.6
    clause: str = ""

    @property
    def favours(self) -> bool:
        """Whether it speaks for its tail: "doesn't fear heights" does, "avoids crowds" and "not the second" do not."""
        return (self.relation in AVERSIONS) == self.negated
