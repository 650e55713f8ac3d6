"""How likely a window answers: what the network makes of it, and where retrieval put its turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..model import Question
from ..ranking import learned
from .judge import Judge
from .network import Finding, Network, compared
from .passages import Passage, asks, placed
from .unread import Unread, is_readable

__all__ = ["NAMES", "Found", "packaged", "read", "read_on", "signals"]

NAMES = (
    "read.answers", "read.behind", "read.sure", "read.share", "read.rank", "place.score", "place.rank", "cosine",
    "cosine.behind", "covered", "turn_covered", "thread_covered", "by_asked", "follows", "replies", "asks", "then",
    "all.answers", "all.covered", "all.cosine", "apart.answers", "apart.share", "apart.covered", "apart.score",
    "apart.cosine", "reply.answers", "reply.covered", "reply.thread", "present", "asked.cosine", "asked.ahead",
    "of_another",
)  # fmt: skip
#: What the network says of a window that it takes for an answer: where it says so of one, no more are read.
_TAKEN = 2.0


@dataclass(frozen=True, slots=True)
class Found:
    """A window with what was found in it. `trust`: the probability that it answers; `unread`: not by the network for
    English.
    """

    passage: Passage
    finding: Finding
    trust: float
    unread: bool = False


@lru_cache(maxsize=1)
def packaged() -> Judge:
    """The regression that ships with memcli."""
    return Judge.of(learned.packaged(__package__, "relevance_weights.json"), NAMES)


def read(
    question: Question,
    passages: Sequence[Passage],
    network: Network,
    judge: Judge,
    unread: Unread | None = None,
    beside: Sequence[Found] = (),
    further: Sequence[Passage] = (),
) -> list[Found]:
    """What is found in the passages, the likeliest first. `unread` judges those that the network cannot read. `beside`:
    what was found before, which they are judged beside: the best of a few alone would be worth too much. `further`:
    what is read, too, where none of the passages answers (`read_on`), and judged together with these.
    """
    if not passages:
        return []
    own, more = ([p for p in part if unread is None or is_readable(question, p)] for part in (passages, further))
    readable, findings = read_on(question, own, more, network)
    before = [each for each in beside if not each.unread]
    among = [*(each.passage for each in before), *readable], [*(each.finding for each in before), *findings]
    found = [
        Found(passage, finding, judge(row))
        for passage, finding, row in zip(readable, findings, signals(*among)[len(before) :], strict=True)
    ]
    if unread is not None and len(own) < len(passages):
        others = [each for each in passages if not is_readable(question, each)]
        every = [*(each.passage for each in beside), *passages]
        judged = zip(others, unread.read(question, others, every, [b.finding for b in beside if b.unread]), strict=True)
        found.extend(Found(each, *read, unread=True) for each, read in judged)
    return sorted(found, key=lambda each: -each.trust)


def read_on(
    question: Question, passages: Sequence[Passage], further: Sequence[Passage], network: Network
) -> tuple[list[Passage], list[Finding]]:
    """What was read, and what was found: `further`, too, where the network takes none of the passages for an answer.

    What follows an answer is seldom a better one; where there is none, the evidence is often behind, in words that
    retrieval did not know.
    """
    findings = network.read(question.asks, [passage.window for passage in passages])
    if any(finding.answers > _TAKEN for finding in findings):
        return list(passages), findings
    more = network.read(question.asks, [passage.window for passage in further])
    return [*passages, *further], [*findings, *more]


def signals(passages: Sequence[Passage], findings: Sequence[Finding]) -> list[dict[str, float]]:
    """What the regression takes of each passage, by name.

    Some are worth more or less the further the question's words are `apart` from all that was found: then the network
    knows better than where a turn was placed. `reply.*` are those of a reply alone.
    """
    if not findings:
        return []
    most = max(finding.answers for finding in findings)
    return [
        read | told | _signals(passage, read, most, told)
        for passage, read, told in zip(passages, compared(findings), _beside(passages), strict=True)
    ]


def _beside(passages: Sequence[Passage]) -> list[dict[str, float]]:
    """What is known of each passage, and of all of them the most that a turn covers, that a cosine is."""
    told = placed(passages, passages)
    covered, nearest = (max(each[name] for each in told) for name in ("turn_covered", "cosine"))
    return [each | {"all.covered": covered, "all.cosine": nearest} for each in told]


def _signals(passage: Passage, read: Mapping[str, float], most: float, told: Mapping[str, float]) -> dict[str, float]:
    """What is made of that of one passage. `most`: the most that the network says of any."""
    apart, replies, answer, share = 1 - told["all.covered"], told["replies"], read["read.answers"], read["read.share"]
    return {
        "asks": float(asks(passage.window.text)),
        "then": passage.then,
        "all.answers": most,
        "apart.answers": apart * answer,
        "apart.share": apart * share,
        "apart.covered": apart * passage.turn_covered,
        "apart.score": apart * passage.score,
        "apart.cosine": apart * passage.cosine,
        "reply.answers": replies * answer,
        "reply.covered": replies * passage.turn_covered,
        "reply.thread": replies * (passage.thread_covered - passage.turn_covered),
        "asked.ahead": passage.asked_ahead,
        "of_another": passage.of_another,
    }
