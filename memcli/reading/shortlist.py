"""Which windows are read first: of those that were gathered, the ones that are likeliest to answer before any is read.

A regression over where retrieval put a window's turn and what is known of it (`benchmarks/shortlist.py` learns it;
docs/reading.md has the figures): to read costs far more than to look at more windows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from ..model import Hit, Query, Question
from ..ranking import learned
from .judge import Judge
from .passages import Passage, Transcript, asks, gather, placed

__all__ = ["MOST", "NAMES", "chosen", "packaged", "signals", "to_read"]

#: Windows that are read at once.
MOST = 8

NAMES = (
    "rank", "place.rank", "place.score", "cosine", "cosine.behind", "covered", "turn_covered", "thread_covered",
    "by_asked", "present", "of_another", "then", "follows", "replies", "asks", "asked.cosine", "words",
)  # fmt: skip
#: Words of a window beyond which more tell nothing.
_LONG = 40


@lru_cache(maxsize=1)
def packaged() -> Judge:
    """The regression that ships with memcli."""
    return Judge.of(learned.packaged(__package__, "shortlist_weights.json"), NAMES)


def to_read(
    question: Question, query: Query, hits: Sequence[Hit], transcript: Transcript
) -> tuple[list[Passage], list[Passage]]:
    """The windows of these hits, and of what follows them, that are read; and those that are read, too, where none of
    these answers, as many again. Best hit first.
    """
    found = gather(question, query, hits, transcript)
    return chosen(found), chosen(found, behind=MOST)


def chosen(passages: Sequence[Passage], most: int = MOST, behind: int = 0) -> list[Passage]:
    """The `most` likeliest that come behind so many likelier ones, in the order in which they are given."""
    trust = [packaged()(row) for row in signals(passages)]
    kept = sorted(range(len(passages)), key=lambda place: -trust[place])[behind : behind + most]
    return [passages[place] for place in sorted(kept)]


def signals(passages: Sequence[Passage]) -> list[Mapping[str, float]]:
    """What the regression takes of each passage, by name."""
    return [told | _signals(passage) for passage, told in zip(passages, placed(passages, passages), strict=True)]


def _signals(passage: Passage) -> dict[str, float]:
    text = passage.window.text
    return {
        "rank": float(passage.rank),
        "of_another": passage.of_another,
        "then": passage.then,
        "asks": float(asks(text)),
        "words": float(min(len(text.split()), _LONG)),
    }
