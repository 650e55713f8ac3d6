"""How likely a window answers: what the network makes of it, and where retrieval put its turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..model import Question
from ..ranking import learned
from .judge import Judge
from .network import Finding, Network
from .passages import Passage
from .unread import Unread, is_readable

__all__ = ["NAMES", "Found", "packaged", "read", "signals"]

NAMES = (
    "read.answers", "read.behind", "place.score", "place.rank", "cosine", "cosine.behind", "covered", "turn_covered",
    "by_asked", "follows", "asks", "then",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """A window with what was found in it. `trust`: the probability that it answers."""

    passage: Passage
    finding: Finding
    trust: float


@lru_cache(maxsize=1)
def packaged() -> Judge:
    """The regression that ships with memcli."""
    return Judge.of(learned.packaged(__package__, "relevance_weights.json"), NAMES)


def read(
    question: Question, passages: Sequence[Passage], network: Network, judge: Judge, unread: Unread | None = None
) -> list[Found]:
    """What is found in the passages, the likeliest first. `unread` judges those that the network cannot read."""
    readable = [each for each in passages if unread is None or is_readable(question, each)]
    findings = network.read(question.text, [passage.window for passage in readable])
    found = [
        Found(passage, finding, judge(row))
        for passage, finding, row in zip(readable, findings, signals(readable, findings), strict=True)
    ]
    if unread is not None and len(readable) < len(passages):
        known = {id(each) for each in readable}
        judged = zip(passages, unread.read(question, passages), strict=True)
        found.extend(each for passage, each in judged if id(passage) not in known)
    return sorted(found, key=lambda each: -each.trust)


def signals(passages: Sequence[Passage], findings: Sequence[Finding]) -> list[dict[str, float]]:
    """What the regression takes of each passage, by name."""
    most = max((finding.answers for finding in findings), default=0.0)
    nearest = max((passage.cosine for passage in passages), default=0.0)
    return [
        {
            "read.answers": finding.answers,
            "read.behind": most - finding.answers,
            "place.score": passage.score,
            "place.rank": 1 / (1 + passage.rank),
            "cosine": passage.cosine,
            "cosine.behind": nearest - passage.cosine,
            "covered": passage.covered,
            "turn_covered": passage.turn_covered,
            "by_asked": passage.by_asked,
            "follows": float(passage.follows),
            "asks": float("?" in passage.window.text),
            "then": passage.then,
        }
        for passage, finding in zip(passages, findings, strict=True)
    ]
