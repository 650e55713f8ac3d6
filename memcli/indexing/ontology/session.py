"""What a session asserts: the tagger, turn by turn."""

from __future__ import annotations

from ..memories.base import SessionText
from .base import Assertion
from .tagging import assertions

__all__ = ["tagged"]


def tagged(text: SessionText, after: int = 0) -> list[Assertion]:
    """What the turns of a session assert, in their order; `after`: without its first so many turns."""
    people = text.people()
    return [
        assertion
        for place, turn in enumerate(text.turns[after:], start=after)
        for assertion in assertions(turn, text.sentences[place], text.turns[:place], people)
    ]
