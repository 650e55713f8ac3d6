"""The sentences that a reader looks at, each with what speaks for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

import numpy as np
import numpy.typing as npt

from memcli.model import Hit, Query, Turn, TurnId
from memcli.reading.question import Question
from memcli.text import stems

__all__ = ["Passage", "Transcript", "gather"]

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
    rarity = transcript.rarity(question.stems)
    ids = [hit.unit.sources[0] for hit in chosen]
    sentences = transcript.sentences(ids, query.vector)
    top = max((hit.score for hit in chosen), default=0.0)
    found: list[Passage] = []
    for rank, (turn, hit) in enumerate(zip(ids, chosen, strict=True)):
        turn_covered = _coverage(hit.unit.text, rarity)
        asked = _coverage_before(turn, transcript, rarity)
        by_asked = _spoken_by(hit.unit.label, question.about)
        relative = hit.score / top if top > 0 else 1.0 / (1 + rank)
        found.extend(
            Passage(text, turn, hit.unit.label, hit.unit.at, rank, relative, cosine, _coverage(text, rarity),
                    turn_covered, asked, by_asked, hit.unit.text)
            for text, cosine in sentences.get(turn, ())
        )  # fmt: skip
    return _compared(found)


def _compared(passages: list[Passage]) -> list[Passage]:
    cosine = max((p.cosine for p in passages), default=0.0)
    covered = max((p.covered for p in passages), default=0.0)
    return [replace(p, behind=cosine - p.cosine, lacking=covered - p.covered) for p in passages]


def _spoken_by(speaker: str, about: str | None) -> float:
    return 0.0 if about is None else 1.0 if speaker.lower() == about.lower() else -1.0


def _coverage(text: str, rarity: Mapping[str, float]) -> float:
    whole = sum(rarity.values())
    present = set(stems(text))
    return sum(weight for stem, weight in rarity.items() if stem in present) / whole if whole > 0 else 0.0


def _coverage_before(turn: TurnId, transcript: Transcript, rarity: Mapping[str, float]) -> float:
    around = transcript.around(turn, 1, 0)
    return _coverage(around[0].text, rarity) if len(around) > 1 and around[0].speaker != around[-1].speaker else 0.0
