"""What a reader saw, before it doubts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..model import Item, Question, Turn
from .network import Finding
from .passages import Passage
from .relevance import Found
from .windows import Window

__all__ = ["LISTED", "Look", "as_read", "parts"]

#: From this logit on the network itself takes a window for an answer.
LISTED = 2.0
#: Sentences that are quoted where a sum or a count is asked for.
_MOST_PARTS = 3


@dataclass(frozen=True, slots=True)
class Look:
    """What a reader saw before it doubts: the windows, the likeliest first, and the value with where it comes from.

    `asserted`: the value is made of assertions, or worked out; their probability, `chance`, is its own.
    """

    question: Question
    found: Sequence[Found]
    text: str = ""
    cited: tuple[Found, ...] = ()
    chance: float = 0.0
    typed: bool = True
    asserted: bool = False
    items: tuple[Item, ...] = ()

    @property
    def first(self) -> Found:
        """The window that the value rests on most; something was read."""
        return (self.cited or self.found)[0]


def parts(found: Sequence[Found]) -> tuple[Found, ...]:
    """What a sum or a count may be made of: the likeliest window, and others that the network itself takes for an
    answer.
    """
    others = [each for each in found[1:] if each.finding.answers >= LISTED]
    turns = {each.passage.turn: each for each in [*reversed(others), found[0]]}
    return tuple(sorted(turns.values(), key=lambda each: -each.trust))[:_MOST_PARTS]


def as_read(turn: Turn, text: str, sure: float, cosine: float, rank: int = 0) -> Found:
    """What an assertion rests on, `text` of its turn, as a window that was read: it is so with probability `sure`."""
    passage = Passage(
        Window(turn.speaker, text, ""), turn.id, turn.said_at, rank, 1.0, cosine, 0.0, 0.0,
        by_asked=1.0, follows=False, turn_text=turn.text,
    )  # fmt: skip
    return Found(passage, Finding(sure, 0.0, 0.0, ()), sure)
