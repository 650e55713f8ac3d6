"""What answers where the network for English cannot read: in another language, or asked in another.

A window is judged by what the network for other languages makes of it, the words that it shares with the question,
vectors, whether it names a time or a number where one is asked for, and where retrieval put its turn. Nothing is taken
out of it but a date: the answer is the sentence.
`benchmarks/unread.py` learns the judges, one an embedder; docs/languages.md has the figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..languages import DEFAULT, spoken
from ..model import Caution, Question, Seeks
from ..providers.embedding import SUCCESSORS
from ..ranking import learned
from ..store.views.view import View
from ..text.times import TimeKind
from .judge import Judge
from .network import Finding, Network, compared, of_languages
from .passages import Passage, placed

__all__ = [
    "NAMES",
    "OTHERS",
    "Unread",
    "is_readable",
    "of_store",
    "packaged",
    "readings",
    "signals",
]

NAMES = (
    "cosine", "cosine.behind", "covered", "covered.behind", "turn_covered", "crossed.cosine", "crossed.covered",
    "place.score", "place.rank", "by_asked", "present", "asks_of_nobody", "follows", "asks", "count", "time", "words",
    "stems", "thread_covered", "replies", "reply.score", "reply.cosine", "reply.rank", "asked.cosine", "asked.ahead",
    "read.answers", "read.behind", "read.sure", "read.share", "read.rank", "read.span", "crossed", "crossed.answers",
    "crossed.share", "covered.answers", "reply.answers",
)  # fmt: skip
#: What the judge for embedders that are not known is called.
OTHERS = "others"
_COUNTS = (Seeks.COUNT, Seeks.OFTEN, Seeks.LENGTH)


@dataclass(frozen=True, slots=True)
class Unread:
    """A network that reads windows, and the judge of what it finds. An answer is given from its threshold on."""

    judge: Judge
    thresholds: Mapping[Caution, float]
    network: Network

    @classmethod
    def of(cls, found: Mapping[str, Any], network: Network) -> Unread:
        """As it is learned. Raises ValueError where the signals are others."""
        return cls(Judge.of(found, NAMES), {each: found["thresholds"][each] for each in Caution}, network)

    def read(
        self,
        question: Question,
        passages: Sequence[Passage],
        among: Sequence[Passage],
        beside: Sequence[Finding] = (),
    ) -> list[tuple[Finding, float]]:
        """What is found in each of these passages, and the probability that it answers. `among`: all that there are;
        `beside`: what was found before in others that the network for English cannot read.
        """
        findings = self.network.read(question.asks, [each.window for each in passages])
        rows = signals(question, passages, among), readings(question, passages, findings, beside)
        return [(f, self.judge({**row, **more})) for f, row, more in zip(findings, *rows, strict=True)]


def packaged(embedder: str) -> Unread:
    """What ships for the embedder of this id; for one that is not known, what both kinds of vectors taught."""
    learned_ = learned.packaged(__package__, "unread_weights.json")["embedders"]
    return Unread.of(learned_.get(SUCCESSORS.get(embedder, embedder), learned_[OTHERS]), of_languages())


def of_store(view: View) -> Unread:
    """What ships for the embedder that filled the store."""
    return packaged(view.embedder)


def is_readable(question: Question, passage: Passage) -> bool:
    """Whether question and window are in English."""
    return question.language == DEFAULT and spoken([passage.window.text]).code == DEFAULT


def signals(question: Question, passages: Sequence[Passage], among: Sequence[Passage]) -> list[dict[str, float]]:
    """What the judge takes of each passage, by name; `among` are all that were found for the question."""
    most = max((passage.turn_covered for passage in among), default=0.0)
    return [
        told | _signals(question, passage, most)
        for passage, told in zip(passages, placed(passages, among), strict=True)
    ]


def _signals(question: Question, passage: Passage, most: float) -> dict[str, float]:
    text = passage.window.text
    said = spoken([text])
    crossed, replies = said.code != question.language, float(passage.replies)
    return {
        "covered.behind": most - passage.turn_covered,
        "crossed.cosine": passage.cosine * crossed,
        "crossed.covered": passage.turn_covered * crossed,
        "asks_of_nobody": float(question.about is None),
        "asks": float(any(mark in text for mark in "?？؟")),
        "count": _has(question.seeks in _COUNTS, bool(said.number(text))),
        "time": _has(question.seeks is Seeks.WHEN, _names_time(passage)),
        "words": min(len(text.split()) + len(text) / 12, 30) / 10,
        "stems": len(question.stems) / 5,
        "reply.score": replies * passage.score,
        "reply.cosine": replies * passage.cosine,
        "reply.rank": replies / (1 + passage.rank),
        "asked.ahead": passage.asked_ahead,
    }


def readings(
    question: Question, passages: Sequence[Passage], findings: Sequence[Finding], beside: Sequence[Finding] = ()
) -> list[dict[str, float]]:
    """What the judge takes of what the network found, by name; `beside`: in other passages, before."""
    reads = compared([*beside, *findings])[len(beside) :]
    return [
        read | _reading(question, passage, finding, read["read.answers"], read["read.share"])
        for passage, finding, read in zip(passages, findings, reads, strict=True)
    ]


def _reading(question: Question, passage: Passage, finding: Finding, answer: float, share: float) -> dict[str, float]:
    crossed = float(spoken([passage.window.text]).code != question.language)
    return {
        "read.span": finding.spans[0].chance if finding.spans else 0.0,
        "crossed": crossed,
        "crossed.answers": crossed * answer,
        "crossed.share": crossed * share,
        "covered.answers": passage.turn_covered * answer,
        "reply.answers": float(passage.replies) * answer,
    }


def _has(wanted: bool, there: bool) -> float:
    """1 where what is asked for is there, −1 where it is not, 0 where nobody asks for it."""
    return (1.0 if there else -1.0) if wanted else 0.0


def _names_time(passage: Passage) -> bool:
    text = passage.window.text
    return any(each.kind is not TimeKind.CLOCK for each in spoken([text]).times(text, passage.at))
