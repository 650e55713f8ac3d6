"""How a typed pattern is written: what it looks for in a clause, and what it makes of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ....model.relations import RelationType
from ...data import filled, table

__all__ = ["MIDDLE", "Asserted", "Rule", "compiled", "rules", "strength_of", "words_of"]

# Words that may stand between a subject and what it feels or does.
MIDDLE = (
    r"(?:(?:\w+ly|am|do|did|have|had|has|would|will|can|could|not|never|ever|also|always|often|still|just|even|now|"
    r"quite|rather|pretty|kind of|sort of|kinda|a bit|a little|so|very|too|such|much|no longer|too|been|to|tend to|"
    r"try to|trying to|tried to|must|need to|have to|prefer to|prefer|usually|sometimes|generally|all|both|"
    r"cannot|might|may|should|used to|personally|actually|"
    r"super|totally|want to|wanted to|like to|love to|a|an|big|huge|massive|real|strong|extreme|much of a|that|more|"
    r"most|then|as well|already|currently|only|long|over) ){0,7}"
)
_STRONG = re.compile(
    r"\b(?:love|loves|adore|hate|despise|detest|loathe|obsessed|passionate|absolutely|strongly|strictly|strict|never|"
    r"refuse|cannot stand|cannot bear|always|extremely|extreme|exclusively|severe|severely|terrified|deeply|only|huge|"
    r"massive|intense|favou?rite|definitely|entirely|completely|any|at all|strong|phobia|opposed|crazy|by far)\b",
    re.IGNORECASE,
)
_WEAK = re.compile(
    r"\b(?:(?<!any )(?<!some )(?<!this )(?<!that )(?<!the )(?:kind|sort) of|kinda|a bit|a little|somewhat|not really|"
    r"not the biggest|not a big|maybe|perhaps|slightly|"
    r"do not mind|sometimes|probably|not too|not very|not so)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern whose group `tail` stands in `relation` to the subject. `cues`: one of them is in every match."""

    relation: RelationType
    source: str
    confidence: float
    negated: bool
    strength: float | None
    cues: frozenset[str]

    @property
    def pattern(self) -> re.Pattern[str]:
        """The pattern, compiled when it is first looked for: few rules are met in a short text."""
        return compiled(self.source)


@dataclass(frozen=True, slots=True)
class Asserted:
    """What was read from a clause before it is known who says it. `presupposed`: holds even where it is in a question.

    `strength`: None where the words around it tell.
    """

    relation: RelationType
    tail: str
    confidence: float
    negated: bool = False
    strength: float | None = None
    presupposed: bool = False


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> re.Pattern[str]:
    """`pattern` with `{I}` for the speaker and what may follow, and `{X}` for the tail."""
    written = pattern.replace("{I}", rf"\b(?:I|we) {MIDDLE}").replace("{X}", r"(?P<tail>\S.*)").replace("{M}", MIDDLE)
    return re.compile(written, re.IGNORECASE)


def rules(file: str, kind: str = "rule") -> tuple[Rule, ...]:
    """The rules of one kind in a data file of this package."""
    known = words_of(file)
    return tuple(_rule(each, known) for each in table(__package__, file)[kind])


def words_of(file: str) -> dict[str, str]:
    """The alternations that a data file's patterns name, with those of `people`, {I}, {X} and {M} left in them."""
    return {**table(__package__, "people"), **table(__package__, file)["words"]}


def _rule(row: Mapping[str, Any], known: Mapping[str, str]) -> Rule:
    return Rule(
        RelationType(row["relation"]),
        filled(row["pattern"], known),
        row["confidence"],
        row.get("negated", False),
        row.get("strength"),
        frozenset(row.get("cues", "").split()),
    )


def strength_of(words: str) -> float:
    """How strong a feeling is by the words it is told with, in (0, 1]."""
    if _WEAK.search(words):
        return 0.35
    return 0.95 if _STRONG.search(words) else 0.6
