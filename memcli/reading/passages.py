"""The sentences that a reader looks at, each with what speaks for it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Protocol

import numpy as np
import numpy.typing as npt

from memcli.model import Hit, Kind, Query, Question, Seeks, Turn, TurnId
from memcli.text import stems

__all__ = ["Passage", "Transcript", "gather"]

#: What an EDU answers or replies to stands behind it: its dates are not the EDU's.
_ASIDE = re.compile(r" \((?:asked by|in reply to|said after)\b.*\)\.?$", re.DOTALL)
#: Evidence further down adds candidates, but hardly ever the answer.
DEPTH = 12


class Transcript(Protocol):
    """What a reader needs to know of the store."""

    def around(self, turn_id: TurnId, before: int, after: int) -> Sequence[Turn]:
        """The turn and its neighbours in its session, in order."""

    def sentences(
        self, turn_ids: Sequence[TurnId], vector: npt.NDArray[np.float32]
    ) -> Mapping[TurnId, Sequence[tuple[str, float]]]:
        """The sentences of each turn with their cosine to `vector`."""

    def speakers(self) -> frozenset[str]:
        """Everybody who says something."""

    def rarity(self, stems: Sequence[str]) -> Mapping[str, float]:
        """How rare each stem is among the turns: log(1 + (N - df + ½) / (df + ½))."""


@dataclass(frozen=True, slots=True)
class Passage:
    """One sentence of a hit.

    `covered`, `turn_covered` and `asked` are shares of the question's weight of words: in the sentence, in its turn,
    and in what somebody else said just before. `behind` and `lacking` say how far its cosine and its coverage fall
    short of the best sentence's. `by_asked` is 1 if the one whom the question is about says it, -1 if another does.
    """

    text: str
    turn: TurnId
    speaker: str
    at: datetime | None
    rank: int
    score: float
    cosine: float
    covered: float
    turn_covered: float
    asked: float
    by_asked: float
    turn_text: str
    behind: float = 0.0
    lacking: float = 0.0


def gather(question: Question, query: Query, hits: Sequence[Hit], transcript: Transcript) -> list[Passage]:
    """The sentences of the best hits, best hit first."""
    chosen = hits[:DEPTH]
    weights = _StemWeights(transcript.rarity(question.stems))
    dating = question.seeks is Seeks.WHEN
    turns = [hit.unit.sources[0] for hit in chosen if not (dating and hit.unit.kind is Kind.EDU)]
    sentences = transcript.sentences(turns, query.vector)
    said = [[(text, cosine, weights.covered(text)) for text, cosine in _said(hit, sentences)] for hit in chosen]
    cosine = max((cosine for each in said for _, cosine, _ in each), default=0.0)
    covered = max((covered for each in said for _, _, covered in each), default=0.0)
    top = max((hit.score for hit in chosen), default=0.0)
    found: list[Passage] = []
    for rank, (hit, each) in enumerate(zip(chosen, said, strict=True)):
        unit = hit.unit
        turn, turn_covered = unit.sources[0], weights.covered(unit.text)
        asked = _covered_before(turn, transcript, weights)
        by_asked = _spoken_by(unit.label, question.about)
        relative = hit.score / top if top > 0 else 1.0 / (1 + rank)
        found.extend(
            Passage(text, turn, unit.label, unit.at, rank, relative, near, part, turn_covered, asked, by_asked,
                    unit.text, cosine - near, covered - part)
            for text, near, part in each
        )  # fmt: skip
    return found


def _said(hit: Hit, sentences: Mapping[TurnId, Sequence[tuple[str, float]]]) -> Sequence[tuple[str, float]]:
    """The sentences of the turn that a hit is told in; of an EDU that is to date something, what it says itself.

    The words that answer are best as they were said, and a date as the EDU has it: counted already, and whole.
    """
    found = sentences.get(hit.unit.sources[0])
    return found if found is not None else [(_ASIDE.sub("", hit.unit.text), hit.trace.get("cosine", 0.0))]


def _spoken_by(speaker: str, about: str | None) -> float:
    return 0.0 if about is None else 1.0 if speaker.lower() == about.lower() else -1.0


class _StemWeights:
    """How much each of the question's words weighs."""

    def __init__(self, rarity: Mapping[str, float]) -> None:
        self._weights = list(rarity.items())
        self._whole = sum(rarity.values())

    def covered(self, text: str) -> float:
        """The share of the whole weight that `text` holds."""
        present = _stems_in(text)
        return sum(w for stem, w in self._weights if stem in present) / self._whole if self._whole > 0 else 0.0


@lru_cache(maxsize=8192)
def _stems_in(text: str) -> frozenset[str]:
    return frozenset(stems(text))


def _covered_before(turn: TurnId, transcript: Transcript, weights: _StemWeights) -> float:
    around = transcript.around(turn, 1, 0)
    return weights.covered(around[0].text) if len(around) > 1 and around[0].speaker != around[-1].speaker else 0.0
