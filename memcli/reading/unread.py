"""What answers where the network cannot read, which knows English alone: in another language, or asked in another.

A window is judged by the words that it shares with the question, by vectors, by whether it names a time or a number
where one is asked for, and by where retrieval put its turn. Nothing is taken out of it but a date: the answer is the
sentence. `benchmarks/unread.py` learns the judges, one an embedder; docs/languages.md has the figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..languages import DEFAULT, spoken
from ..model import Caution, Question, Seeks
from ..providers.embedding import SUCCESSORS
from ..ranking import learned
from ..store.views.view import View
from ..text.times import TimeKind
from .judge import Judge
from .network import Finding
from .passages import Passage

__all__ = ["NAMES", "NOTHING_FOUND", "Unread", "is_readable", "of_store", "packaged", "signals"]

NAMES = (
    "cosine", "cosine.behind", "covered", "covered.behind", "turn_covered", "crossed.cosine", "crossed.covered",
    "place.score", "place.rank", "by_asked", "present", "asks_of_nobody", "follows", "asks", "count", "time", "words",
    "stems", "thread_covered", "replies", "reply.score", "reply.cosine", "reply.rank", "asked.cosine", "asked.ahead",
)  # fmt: skip
#: What the network would say of a window that it cannot read.
NOTHING_FOUND = Finding(0.0, 0.5, 0.5, ())
_COUNTS = (Seeks.COUNT, Seeks.OFTEN, Seeks.LENGTH)


@dataclass(frozen=True, slots=True)
class Unread:
    """A judge of windows. An answer is given from its threshold on."""

    judge: Judge
    thresholds: Mapping[Caution, float]

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Unread:
        """As it is learned. Raises ValueError where the signals are others."""
        return cls(Judge.of(found, NAMES), {each: found["thresholds"][each] for each in Caution})

    def trust(self, question: Question, passages: Sequence[Passage]) -> list[float]:
        """The probability that each of the passages answers."""
        return [self.judge(row) for row in signals(question, passages)]


@lru_cache
def packaged(embedder: str) -> Unread:
    """What ships for the embedder of this id; for one that is not known, the multilingual one's: it knows languages."""
    learned_ = learned.packaged(__package__, "unread_weights.json")["embedders"]
    return Unread.of(learned_.get(SUCCESSORS.get(embedder, embedder), learned_["multilingual-e5-small-q4"]))


def of_store(view: View) -> Unread:
    """What ships for the embedder that filled the store."""
    return packaged(view.embedder)


def is_readable(question: Question, passage: Passage) -> bool:
    """Whether question and window are in English."""
    return question.language == DEFAULT and spoken([passage.window.text]).code == DEFAULT


def signals(question: Question, passages: Sequence[Passage]) -> list[dict[str, float]]:
    """What the judge takes of each passage, by name."""
    nearest = max((passage.cosine for passage in passages), default=0.0)
    most = max((passage.turn_covered for passage in passages), default=0.0)
    return [_signals(question, passage, nearest, most) for passage in passages]


def _signals(question: Question, passage: Passage, nearest: float, most: float) -> dict[str, float]:
    text = passage.window.text
    said = spoken([text])
    crossed, replies = said.code != question.language, float(passage.replies)
    return {
        "cosine": passage.cosine,
        "cosine.behind": nearest - passage.cosine,
        "covered": passage.covered,
        "covered.behind": most - passage.turn_covered,
        "turn_covered": passage.turn_covered,
        "crossed.cosine": passage.cosine * crossed,
        "crossed.covered": passage.turn_covered * crossed,
        "place.score": passage.score,
        "place.rank": 1 / (1 + passage.rank),
        "by_asked": passage.by_asked,
        "present": passage.present,
        "asks_of_nobody": float(question.about is None),
        "follows": float(passage.follows),
        "asks": float(any(mark in text for mark in "?？؟")),
        "count": _has(question.seeks in _COUNTS, bool(said.number(text))),
        "time": _has(question.seeks is Seeks.WHEN, _names_time(passage)),
        "words": min(len(text.split()) + len(text) / 12, 30) / 10,
        "stems": len(question.stems) / 5,
        "thread_covered": passage.thread_covered,
        "replies": replies,
        "reply.score": replies * passage.score,
        "reply.cosine": replies * passage.cosine,
        "reply.rank": replies / (1 + passage.rank),
        "asked.cosine": passage.asked_cosine,
        "asked.ahead": passage.asked_ahead,
    }


def _has(wanted: bool, there: bool) -> float:
    """1 where what is asked for is there, −1 where it is not, 0 where nobody asks for it."""
    return (1.0 if there else -1.0) if wanted else 0.0


def _names_time(passage: Passage) -> bool:
    text = passage.window.text
    return any(each.kind is not TimeKind.CLOCK for each in spoken([text]).times(text, passage.at))
